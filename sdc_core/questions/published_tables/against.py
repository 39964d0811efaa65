"""How far off is every number of the table, totals included, if it is changed instead of hidden?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln

from sdc_core.experiment import Progress
from sdc_core.histogram import Histogram
from sdc_core.margins.cell_key import PTable
from sdc_core.margins.rounding import rounding_moments
from sdc_core.margins.table import Bools, Floats, Ints, MarginTable, with_totals
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.parameters import short_number
from sdc_core.questions.published_tables.compute import Published, of_people

RELEASES = 20  # of a method without a closed form


class Means(NamedTuple):
    """A mean over the inner numbers, over all, and over those that hiding hides (0 if none is); of
    the numbers that are counted."""

    inner: float
    every: float
    hidden: float


CERTAIN = Means(0.0, 0.0, 0.0)
ABOUT_ONE = "about one person, what ε allows"
AND_HOW_MANY = "; besides, the number of people"


@dataclass(frozen=True)
class Off:
    """How far off the numbers of the table are by one way to publish it, on average, with standard
    errors where it is simulated. `mechanism` is whose colour it has in a chart; `below_zero` is how
    many of all numbers, zeros included, come out negative, as a share. Of noise with a limit, `cut`
    is how far off all numbers are by what is cut off, and `noise` by noise alone."""

    way: str
    mechanism: str
    off: Means
    adds_up: str
    promise: str
    learns: str
    se: Means = CERTAIN
    releases: int = 0
    below_zero: float = 0.0
    cut: float = 0.0
    noise: float = 0.0


@dataclass(frozen=True, eq=False)
class Limit:
    """What one person can contribute to a sum at most, the sums of what is left, and which share of
    the amounts is larger; `public` if it is known to be chosen without a look at the data."""

    most: float
    sums: MarginTable
    share: float
    public: bool

    def promise(self, epsilon: float) -> str:
        said = f"ε = {short_number(epsilon)}"
        return said if self.public else f"{said}, if the limit was not taken from these data"


def kinds(table: MarginTable) -> int:
    """How many kinds of numbers there are: inner ones, and one kind for every choice of what is
    added up. A person stands in one number of each kind."""
    return math.prod(len(axis.above) for axis in table.axes)


def limits(table: MarginTable) -> int:
    """By how many limits on what one person contributes a changed record moves all sums together.

    With a before and b after it moves two sums of each kind by a + b, but the sum of all by |a − b|
    only; with two kinds or more that is most where both are at the limit, and the sum of all stays.
    """
    return 2 * (kinds(table) - 1)


def hiding(found: Published) -> Off:
    """A reader who takes the middle of what a hidden number can be."""
    off = np.abs(found.middle - found.table.values)
    return Off(
        "Hide, reader takes the middle", "suppression", _means(found, off),
        adds_up="yes, where shown", promise="none",
        learns="of a hidden one the range; shown ones exactly")


def noise_on_every(found: Published, epsilon: float) -> Off:
    """Each kind of number has its own noise and its share of ε; how many people there are in all is
    taken as known, so that number costs nothing and is right."""
    number = kinds(found.table) - 1
    noise = mechanism("laplace", epsilon=epsilon / number)
    off = _absolute(noise, found.table.values)
    off[0] = 0.0
    return Off(
        "Noise on every number", "laplace", _means(found, off), adds_up="no",
        promise=f"ε = {short_number(epsilon)}", learns=ABOUT_ONE + AND_HOW_MANY)


def noise_added_up(found: Published, epsilon: float) -> Off:
    """Noise on the inner numbers alone, as it was drawn; totals are their sums."""
    scale, parts, values = 2 / epsilon, _parts(found.table), found.table.values
    off = scale * mean_of_sum(parts, np.zeros(len(parts)))
    below = chance_below(parts, values / scale)
    off[0] = below[0] = 0.0
    return Off(
        "Noise on inner numbers, added up", "laplace", _means(found, off), adds_up="yes",
        promise=f"ε = {short_number(epsilon)}", learns=ABOUT_ONE + AND_HOW_MANY,
        below_zero=float(below.mean()))


def _parts(table: MarginTable) -> Ints:
    """From how many inner numbers each is added up."""
    return np.rint(with_totals(table.axes, np.ones(len(table.inner)))).astype(np.int64)


def mean_of_sum(parts: Ints, biases: Floats) -> Floats:
    """E|b + X₁ + ... + Xₙ| of Laplace noise of scale 1, for each n and b ≥ 0.

    The sum is what one of two sums of n waiting times has more than the other: with the chance that
    wₘ says the larger one is m waiting times ahead. E|b + G| and E|b − G| of such a time G, which
    has a gamma law, are known.
    """
    found = np.zeros(len(parts))
    for n in np.unique(parts):
        ahead, chances = _ahead(int(n))
        b = biases[parts == n, None]
        found[parts == n] = (2 * ahead + 2 * b * gammainc(ahead, b)
                             - 2 * ahead * gammainc(ahead + 1, b)) @ chances
    return found


def chance_below(parts: Ints, values: Floats) -> Floats:
    """How often x + X₁ + ... + Xₙ is below 0, for each n and x ≥ 0."""
    found = np.zeros(len(parts))
    for n in np.unique(parts):
        ahead, chances = _ahead(int(n))
        found[parts == n] = gammaincc(ahead, values[parts == n, None]) @ chances
    return found


def _ahead(n: int) -> tuple[Floats, Floats]:
    """Of two who wait for n events each, equally fast: how many the other still has to wait for
    when a given one of them is done first, with its chance. Together they are a half."""
    ahead = np.arange(1.0, n + 1)
    logs = gammaln(2 * n - ahead) - gammaln(n - ahead + 1) - gammaln(n)
    return ahead, np.exp(logs - (2 * n - ahead) * math.log(2))


def noise_on_sums(found: Published, limit: Limit, epsilon: float) -> list[Off]:
    """Noise on every sum, and on inner ones alone, as it was drawn. Nothing is taken as known."""
    table, cut = found.table, limit.sums.values
    bias = np.abs(table.values - cut)
    ones, parts = np.ones(len(table), dtype=np.int64), _parts(table)
    ways = (("Noise on every number", "no", limits(table), ones),
            ("Noise on inner numbers, added up", "yes", 2, parts))
    return [
        Off(
            way, "laplace", _means(found, scale * mean_of_sum(number, bias / scale)),
            adds_up=adds_up, promise=limit.promise(epsilon), learns=ABOUT_ONE,
            below_zero=float(chance_below(number, cut / scale).mean()),
            cut=_means(found, bias).every,
            noise=_means(found, scale * mean_of_sum(number, np.zeros(len(table)))).every)
        for way, adds_up, moved, number in ways for scale in [moved * limit.most / epsilon]
    ]


def rounded(found: Published, base: int) -> Off:
    """Controlled rounding: rows have subtotals and columns have none, so there is a table of
    neighbouring multiples that adds up and is right on average."""
    off = rounding_moments(found.table.values, base).absolute
    return Off(
        f"Round to multiples of {base}", "controlled-rounding", _means(found, off),
        adds_up="yes", promise="none",
        learns=f"each number to within {base - 1}, or closer by adding up")


def shifted(found: Published, lottery: PTable) -> Off:
    """The cell key method: the same people are shifted alike wherever they are counted."""
    off = lottery.moments(found.table.values)[2]
    return Off(
        "Shift by cell keys", "cell-key", _means(found, off), adds_up="no", promise="none",
        learns=f"each number to within {lottery.reach}, or closer by adding up; of one above 0, "
               "for sure, that somebody is there")


def by_topdown(
    counts: Histogram, epsilon: float, seed: int, progress: Progress | None = None
) -> Floats:
    """How far off each number is, one row a release of noise on the groups as a whole and in each
    column, made into one table; totals are added up. What is hidden has no part in it."""
    table, method = of_people(counts), _topdown(counts, epsilon)
    rows = []
    for release in range(RELEASES):
        drawn = in_rows(counts, method.draw_tables(counts, [repetition_rng(seed, release)]))
        rows.append(np.abs(with_totals(table.axes, drawn)[0] - table.values))
        if progress is not None:
            progress((release + 1) / RELEASES)
    return np.array(rows)


def added_up(counts: Histogram, found: Published, epsilon: float, off: Floats) -> Off:
    """TopDown, from how far off its releases are."""
    errors = np.array([_means(found, release) for release in off])
    spread = errors.std(axis=0, ddof=1) / math.sqrt(len(errors))
    delta = _topdown(counts, epsilon).settings()["delta"]
    return Off(
        "Noise that adds up", "topdown", Means(*errors.mean(axis=0)), adds_up="yes",
        promise=f"ε = {short_number(epsilon)}, δ = {short_number(delta)}",
        learns=f"about one person, what ε and δ allow{AND_HOW_MANY}", se=Means(*spread),
        releases=RELEASES)


def _topdown(counts: Histogram, epsilon: float) -> Mechanism:
    return mechanism("topdown", epsilon=epsilon, geography=(counts.domain.features[0].name,))


def in_rows(counts: Histogram, drawn: Floats) -> Floats:
    """Tables of the inner numbers, one a row, in the order of the published table."""
    across = len(counts.domain.features[0])
    return drawn.reshape(len(drawn), across, -1).transpose(0, 2, 1).reshape(len(drawn), -1)


def _absolute(method: Mechanism, values: Floats) -> Floats:
    return np.array(method.absolute_error(np.rint(values).astype(np.int64)))  # type: ignore[attr-defined]


def _means(found: Published, off: Floats) -> Means:
    def mean(of: Bools) -> float:
        return float(off[of].mean()) if of.any() else 0.0

    return Means(mean(found.counts & ~found.table.is_total), mean(found.counts),
                 mean(found.hidden))
