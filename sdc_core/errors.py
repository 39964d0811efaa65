"""One kind of error for everything a user can put right."""

from __future__ import annotations

_LONGEST = 1_000  # characters


class InputError(ValueError):
    """Bad input, said in one sentence: the name, the rule, the value, the remedy.

    Pages show it in place of the chart it spoils; the command line prints it and exits with 2. What
    it repeats of a long input is left out in the middle: rule and remedy stand at its ends.
    """

    def __init__(self, sentence: str = "") -> None:
        sentence = " ".join(sentence.splitlines())  # a name from elsewhere may hold line ends
        super().__init__(sentence if len(sentence) <= _LONGEST else (
            f"{sentence[:_LONGEST // 2]} … {sentence[-_LONGEST // 2:]}"))
