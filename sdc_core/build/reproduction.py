"""`make reproduction`: the full run over the papers on their own data, kept with the program; and
what is written from it, docs/REPRODUCTION.md and a line of README.md. With `--documents` these two
alone, from the run that is there: what is printed may have been put right, a tolerance changed."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from sdc_core.data.catalogue import CATALOGUE
from sdc_core.errors import InputError
from sdc_core.papers import record
from sdc_core.papers.every import CLAIMS, ITEMS
from sdc_core.papers.item import Attempt
from sdc_core.papers.record import Record, last_run
from sdc_core.papers.running import known_parts, run
from sdc_core.report.reproduction import as_markdown
from sdc_core.whole_file import write_whole
from sdc_core.words.reproduction import badge, headline

ROOT = Path(__file__).parents[2]
DOCUMENT, README = ROOT / "docs" / "REPRODUCTION.md", ROOT / "README.md"
_LINE = re.compile(r"(?m)^\*\*Papers made again:\*\* .*$")


def with_badge(text: str, found: Record) -> str:
    """The text with its one line on how many published numbers come out."""
    said = (f"**Papers made again:** {badge(found)}; see "
            "[docs/REPRODUCTION.md](docs/REPRODUCTION.md).")
    if len(_LINE.findall(text)) != 1:
        raise InputError("README.md has to have one line that begins with **Papers made again:**")
    return _LINE.sub(lambda _: said, text)


def missing() -> list[str]:
    """Real data that the papers are about and this machine lacks."""
    wanted = dict.fromkeys((
        *(name for one in ITEMS for name in one.data),
        *(name for one in CLAIMS for name in one.about)))
    return [one.title for one in CATALOGUE
            if one.id in wanted and one.origin == "real" and not Attempt().has(one.id)]


def write_documents(found: Record) -> None:
    write_whole(DOCUMENT, as_markdown(found).encode())
    write_whole(README, with_badge(README.read_text(encoding="utf-8"), found).encode())


def main(arguments: Sequence[str]) -> int:
    if "--documents" not in arguments:
        if lacking := missing():
            print(f"error: the papers' own data are needed; missing: {', '.join(lacking)}.",
                  file=sys.stderr)
            return 2
        made = run(known_parts(), Attempt(), _tell)
        write_whole(record.LAST_RUN, made.to_json().encode())
    write_documents(last_run())
    print(headline(last_run()))
    return 0


def _tell(part: str, done: int, of: int, left: float) -> None:
    print(f"{done} of {of} parts, about {left:.0f} s left{f': {part}' * bool(part)}",
          file=sys.stderr)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # what is done is kept
        print("stopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
