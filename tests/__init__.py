"""The tests are a package, so that tests/agreement.py does not hide Python's own module."""
