"""The problem of hiding numbers as a file that other programs read: the JJ format.

It is what τ-ARGUS hands to its optimizers (J. J. Salazar-Gonzalez's) and what R's sdcTable writes.
Source of the layout: the code of sdcTable (`createJJFormat`, `writeJJFormat`) and of the optimizer
itself (sdcTools/CSP, `CSPloadprob`). In words:

    0
    number of cells
    one line a cell: place, number, weight, status, least, largest, lpl, upl, spl
    number of sums
    one line a sum: right-hand side, number of cells in it, `:`, place (factor) for each of them

Places start at 0. The status is u (sensitive), s (may be hidden) or z (must be shown). `least` and
`largest` are what an attacker knows beforehand, the number itself included; lpl, upl and spl say
how far below and above the number, and how wide, what is possible has to reach. The optimizer takes
whole weights.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from sdc_core.errors import InputError
from sdc_core.margins.attack import NOTHING_NEGATIVE, Known
from sdc_core.margins.rules import Sensitive
from sdc_core.margins.table import MOST_CELLS, Bools, Floats, MarginTable
from sdc_core.whole_file import read_whole

MOST_BYTES = 100_000_000
_STATUS = {"u": "sensitive", "s": "may be hidden", "z": "must be shown"}
_PART = re.compile(r"(\d+)\s*\(\s*([-+]?\d+(?:\.\d*)?)\s*\)")
_OFF = 1e-6  # of a sum, as a share of what is in it


@dataclass(frozen=True, eq=False)
class Problem:
    """Cells, which of them are sensitive, and the sums that all know: what a file of this format
    holds. It knows nothing of variables and codes."""

    values: Floats
    weights: Floats
    sensitive: Sensitive
    must_show: Bools
    low: Floats
    high: Floats
    sums: csr_array
    right: Floats

    @classmethod
    def of(
        cls, table: MarginTable, sensitive: Sensitive, *, weights: Floats | None = None,
        known: Known = NOTHING_NEGATIVE, hide_zeros: bool = False,
    ) -> Problem:
        """Of a table with its totals. By itself the weight is the number without its sign, and
        zeros must be shown unless they are sensitive."""
        size = len(table)
        weighed = np.maximum(1.0, np.abs(table.values)) if weights is None else weights
        shown = (table.values == 0) & ~sensitive.cells & (not hide_zeros)
        return cls(table.values, np.asarray(weighed, dtype=np.float64), sensitive, shown,
                   np.full(size, known.low), np.full(size, known.high), table.sums,
                   np.zeros(table.sums.shape[0]))

    def __len__(self) -> int:
        return len(self.values)


def to_jj(problem: Problem) -> str:
    """The file's text. A largest number that is not known is written as a very large one."""
    top = 10.0 * max(1.0, float(np.abs(problem.values).sum()))
    held = problem.sensitive
    status = np.where(held.cells, "u", np.where(problem.must_show, "z", "s"))
    lines = ["0", str(len(problem))]
    for place in range(len(problem)):
        numbers = (
            max(problem.low[place], -top), min(problem.high[place], top), held.below[place],
            held.above[place], held.wide[place])
        lines.append(" ".join([
            str(place), _text(problem.values[place]),
            str(math.ceil(problem.weights[place] - 1e-9)), str(status[place]),
            *(_text(float(one)) for one in numbers)]))
    lines.append(str(problem.sums.shape[0]))
    starts = problem.sums.indptr
    for row in range(problem.sums.shape[0]):
        part = slice(starts[row], starts[row + 1])
        cells = " ".join(f"{c} ({int(s)})" for c, s in zip(
            problem.sums.indices[part], problem.sums.data[part], strict=True))
        lines.append(f"{_text(problem.right[row])} {starts[row + 1] - starts[row]} : {cells}")
    return "\n".join(lines) + "\n"


def from_jj(text: str) -> Problem:
    """What such a file says, or the first line that says nothing or does not fit."""
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), start=1)
             if line.strip()]
    if not lines or lines[0][1] != "0":
        raise InputError("This is no file in the JJ format, which starts with a line 0.")
    number = _whole(lines, 1, "how many cells there are", MOST_CELLS)
    if len(lines) < number + 3:
        raise InputError(f"The file ends before its {number:,} cells and the number of sums.")
    cells = [_cell(n, line, place) for place, (n, line) in enumerate(lines[2 : number + 2])]
    sums = _whole(lines, number + 2, "how many sums there are", 10 * MOST_CELLS)
    if len(lines) != number + 3 + sums:
        raise InputError(f"The file says {sums:,} sums and has {len(lines) - number - 3:,}.")
    read = [_sum(n, line, number) for n, line in lines[number + 3 :]]
    columns = np.array([numbers for _, numbers in cells], dtype=np.float64).reshape(number, 7).T
    status = np.array([one for one, _ in cells])
    values, weights, low, high, below, above, wide = columns.copy()
    rows = np.repeat(np.arange(sums), [len(parts) for _, parts in read])
    places = np.array([place for _, parts in read for place, _ in parts], dtype=np.int64)
    factors = np.array([factor for _, parts in read for _, factor in parts], dtype=np.float64)
    matrix = coo_array((factors, (rows, places)), shape=(sums, number)).tocsr()
    problem = Problem(
        values, weights, Sensitive(status == "u", below, above, wide), status == "z", low, high,
        matrix, np.array([right for right, _ in read], dtype=np.float64))
    _check_sums(problem, lines[number + 3 :])
    return problem


def read_jj(path: str | Path) -> Problem:
    """The problem in a file."""
    try:
        content = read_whole(path, MOST_BYTES)
        return from_jj(content.decode("ascii"))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{str(path)!r} is no file in the JJ format, which is plain text.") from (
            None)


def _check_sums(problem: Problem, lines: list[tuple[int, str]]) -> None:
    off = np.abs(problem.sums @ problem.values - problem.right)
    size = np.abs(problem.sums) @ np.abs(problem.values) + np.abs(problem.right)
    wrong = np.flatnonzero(off > _OFF * np.maximum(1.0, size))
    if len(wrong):
        raise InputError(
            f"The numbers do not add up: the sum in line {lines[wrong[0]][0]:,} is off by "
            f"{off[wrong[0]]:,.12g}. {len(wrong):,} of {len(off):,} sums are off.")


def _cell(line: int, text: str, place: int) -> tuple[str, list[float]]:
    """The status of a cell, and its numbers but for the place."""
    pieces = text.split()
    if len(pieces) != 9 or pieces[3] not in _STATUS:
        raise InputError(
            f"Line {line:,} is no cell: it needs a place, a number, a weight, u, s or z, and five "
            "numbers more.")
    status = pieces.pop(3)
    try:
        first, *numbers = (float(piece) for piece in pieces)
    except ValueError:
        raise InputError(f"Line {line:,} has something that is no number.") from None
    if first != place or not np.isfinite(numbers).all():
        raise InputError(
            f"Line {line:,} should be cell {place:,}, with numbers that are finite.")
    return status, numbers


def _sum(line: int, text: str, cells: int) -> tuple[float, list[tuple[int, float]]]:
    head, _, rest = text.partition(":")
    parts = [(int(place), float(factor)) for place, factor in _PART.findall(rest)]
    try:
        right, number = head.split()
        if int(number) != len(parts) or _PART.sub("", rest).strip():
            raise ValueError
        value = float(right)
    except ValueError:
        raise InputError(
            f"Line {line:,} is no sum: it needs a number, how many cells it has, a colon, and each "
            "cell with its factor in brackets.") from None
    if not math.isfinite(value) or any(place >= cells for place, _ in parts):
        raise InputError(f"Line {line:,} names a cell that there is not; there are {cells:,}.")
    return value, parts


def _whole(lines: list[tuple[int, str]], at: int, what: str, most: int) -> int:
    """The number that a line of its own has to be."""
    text = lines[at][1] if at < len(lines) else ""
    if not (text.isascii() and text.isdigit()) or not int(text[:12]) <= most:
        raise InputError(
            f"The JJ format says in this place {what}, a whole number of at most {most:,}; found "
            f"{text[:40]!r}.")
    return int(text)


def _text(number: float) -> str:
    """Whole numbers as such, others so that they are read back as the same."""
    return str(int(number)) if number == int(number) else repr(float(number))
