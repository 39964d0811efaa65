"""Measures of released records: who can be recognised in them, and what can be learnt from them.

Pure functions of two arrays, the original records and the released ones, a row a record and a
column a variable. Records keep their places: row i of the release is what became of record i,
unless a function says that it needs no such pairing.
"""
