"""The tests are a package, so that tests/statistics.py does not hide Python's own module."""
