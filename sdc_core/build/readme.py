"""`make readme`: the table of questions in README.md, from the registry."""

from __future__ import annotations

import re
from pathlib import Path

from sdc_core.questions import QUESTIONS
from sdc_core.whole_file import write_whole

README = Path(__file__).parents[2] / "README.md"
_TABLE = re.compile(r"(?<=\| page \| the question it answers \|\n\| --- \| --- \|\n)(?:\|.*\n)+")


def with_questions(text: str) -> str:
    """The text with one row a question, in the order of the menu."""
    return _TABLE.sub("".join(f"| {q.title} | {q.asks} |\n" for q in QUESTIONS), text)


if __name__ == "__main__":
    write_whole(README, with_questions(README.read_text(encoding="utf-8")).encode())
