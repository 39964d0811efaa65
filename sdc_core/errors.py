"""One kind of error for everything a user can put right."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input, said in one sentence: the name, the rule, the value, the remedy.

    Pages show it in place of the chart it spoils; the command line prints it and exits with 2.
    """
