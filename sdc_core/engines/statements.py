"""The SQL that all engines run, to the letter.

`records` is the source as a table, `part` a part of it; besides its own columns it has ID, a text
that names each record. All names of ours begin with a word that no column may begin with, so that
they never meet. Names go in double quotes and texts in single ones, both doubled inside.

Randomness is a hash: the first digits of md5(seed, id) are a uniform number in base 16. Texts of
one length compare like the numbers they write, so no engine has to turn them into numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

OURS = "sdc "
ID = f"{OURS}id"
COUNT = f"{OURS}count"
DRAW = f"{OURS}draw"
CELL, UPTO = f"{OURS}cell", f"{OURS}upto"
HEADS, LOW, HIGH = f"{OURS}head", f"{OURS}low", f"{OURS}high"
SUM, LEAST, MOST, KNOWN = f"{OURS}sum", f"{OURS}least", f"{OURS}most", f"{OURS}known"
DIGITS = 16  # of the hash: 2^64 different numbers
HEAD = 1  # digits by which moves are looked up; the rest is compared


def name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def key(number: int) -> str:
    """What the patterns of records are called: by the number of the feature."""
    return f"{OURS}key {number}"


def out(number: int) -> str:
    """What is published of a feature, in `moves`."""
    return f"{OURS}out {number}"


def counted(keys: Sequence[str], most: int, weight: str = "") -> str:
    """How many records has each combination of these expressions? Never more than `most` + 1 rows,
    which is how one sees that they are too many."""
    listed = ", ".join(f"{one} AS {name(key(i))}" for i, one in enumerate(keys))
    numbers = ", ".join(str(i + 1) for i in range(len(keys)))
    sums = "" if not weight else "".join(
        f", {what}({weight}) AS {name(as_)}"
        for what, as_ in (("sum", SUM), ("min", LEAST), ("max", MOST), ("count", KNOWN)))
    return (f"SELECT {listed}, count(*) AS {name(COUNT)}{sums} FROM records GROUP BY {numbers} "
            f"LIMIT {most + 1}")


def _drawn_from(seed: int, table: str, keys: Sequence[str], with_gaps: Sequence[int]) -> str:
    """Records with their draw (a uniform number in base 16) and their pattern; only keys that may
    be missing need the slower comparison."""
    draw = f"substr(md5(concat('{seed}:', {name(ID)})), 1, {DIGITS})"
    alike = " AND ".join(
        f"{one} {'IS NOT DISTINCT FROM' if i in with_gaps else '='} p.{name(key(i))}"
        for i, one in enumerate(keys)
    )
    return f"(SELECT *, {draw} AS {name(DRAW)} FROM {table}) r JOIN patterns p ON {alike}"


def released(
    seed: int, keys: Sequence[str], with_gaps: Sequence[int], published: Sequence[str],
    carried: Sequence[str],
) -> str:
    """Each record of `part` with what is published of it, and its draw. `patterns` says which cell
    a record is in, `moves` where records of the cell go: to where the draw lies between `low` and
    `high`. Moves are looked up by the cell and the first digits of the draw, which is what makes
    many moves a cell no slower than few."""
    columns = [*(f"m.{name(out(i))} AS {name(one)}" for i, one in enumerate(published)),
               *(f"r.{name(one)} AS {name(one)}" for one in carried)]
    draw = f"r.{name(DRAW)}"
    return (
        f"SELECT {', '.join(columns)}, {draw} AS {name(DRAW)} "
        f"FROM {_drawn_from(seed, 'part', keys, with_gaps)} "
        f"JOIN moves m ON p.{name(CELL)} = m.{name(CELL)} "
        f"AND substr({draw}, 1, {HEAD}) = m.{name(HEADS)} "
        f"AND {draw} >= m.{name(LOW)} AND {draw} <= m.{name(HIGH)}"
    )


def ranked(seed: int, keys: Sequence[str], with_gaps: Sequence[int]) -> str:
    """The draws that stand at certain places when the records of a cell are sorted by their draws:
    `bounds` says which places of which cells, `patterns` up to which draw it is worth looking."""
    draw, cell = f"r.{name(DRAW)}", f"p.{name(CELL)}"
    return (
        "SELECT x.cell AS cell, x.place AS place, x.draw AS draw FROM ("
        f"SELECT {cell} AS cell, {draw} AS draw, "
        f"row_number() OVER (PARTITION BY {cell} ORDER BY {draw}) AS place "
        f"FROM {_drawn_from(seed, 'records', keys, with_gaps)} WHERE {draw} <= p.{name(UPTO)}) x "
        "JOIN bounds b ON x.cell = b.cell AND x.place = b.place"
    )
