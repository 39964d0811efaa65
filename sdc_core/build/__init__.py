"""Scripts that make what comes with the project: the synthetic twins and the schematic map.

Nothing else imports them; `make twins` and `make schematic` run them.
"""
