"""SDNist 2.4's propensity, unique exact matches and 2-way k-marginal score: seconds and numbers.

Every record of both files is used, none is sampled. The files are prepared by SDNist's own
functions, which is not timed: DENSITY in about a dozen bins on a log scale; 'N' (does not apply)
becomes -1, for PINCP 9999999, for POVPIP 999; PUMA becomes its position in the list of places. For
k-marginals AGEP, POVPIP, PINCP, PWGTP and WGTP fall in 20 bins by the original's percentile ranks
(ties share their mean rank), 'N' in a bin of its own.

Propensity: a decision tree of depth 6 learns to tell released from original records by all columns
and scores the very records that it learned from. With p the chance of being released and c the
released share of all records, the score is the mean of (p - c)².

Unique exact matches: of the original records whose combination of all columns occurs once, how many
occur in the release, as a number and in percent, rounded to two digits.

k-marginal by place: for every pair of columns other than PUMA and INDP, the table of place × pair
in shares of the whole file. A pair's distance is the sum of absolute differences, over all places
(at most 2) or within one place, where it is capped at that place's share and divided by it. The
score is 500 (2 - mean distance over pairs), and for a place 1000 (1 - mean distance over pairs).
"""

import contextlib
import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas as pd

with contextlib.redirect_stdout(sys.stderr):
    import sdnist.report  # noqa: F401 (first: its modules import each other in a circle)
    from sdnist.metrics.kmarginal import KMarginal
    from sdnist.metrics.propensity import PropensityMSE
    from sdnist.metrics.unique_exact_matches import unique_exact_matches
    from sdnist.report.dataset.binning import (
        add_bin_for_NA,
        bin_density,
        percentile_rank_synthetic,
        percentile_rank_target,
    )
    from sdnist.report.dataset.transform import transform

NUMBERS = ["AGEP", "POVPIP", "PINCP", "PWGTP", "WGTP"]
HIGHEST_DENSITY = 52864.7  # of the data dictionary
RUNS = 3


def read(path):
    """The records as SDNist holds them after its checks: numbers, and 'N' where none applies."""
    records = pd.read_csv(path, dtype=str, keep_default_na=False)
    records = records[sorted(records.columns)]
    for name in records.columns.difference(["PUMA"]):
        kind = float if name in ("PINCP", "DENSITY") else int
        records[name] = [v if v == "N" else kind(float(v)) for v in records[name]]
    if "DENSITY" in records:
        records = bin_density(records, {"DENSITY": {"values": {"max": HIGHEST_DENSITY}}})
    return records


def schema(target):
    """What `transform` needs to know of each column."""
    null = {"has_null": True, "null_value": "N"}
    known = {name: {"min": 0, **null} if name in ("PINCP", "POVPIP") else {"values": [], **null}
             for name in target.columns}
    known["PUMA"] = {"values": sorted(target["PUMA"].unique())}
    return known


def binned(target, release, coded):
    """Both files with their numbers in the original's percentile bins."""
    numbers = [name for name in NUMBERS if name in target.columns]
    first = add_bin_for_NA(percentile_rank_target(target, numbers), target, numbers)
    second = percentile_rank_synthetic(release, target, first, numbers)
    second = add_bin_for_NA(second, release, numbers)
    others = [name for name in target.columns if name not in numbers]
    for frame, codes in zip((first, second), coded, strict=True):
        frame[others] = codes[others]
    return first, second


def best(action):
    times, found = [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        found.append(action())
        times.append(time.perf_counter() - start)
    return min(times), found


def places(score):
    score.compute_score()
    return {"score": float(score.score), "places": score.scores.astype(float).tolist()}


def main(folder):
    warnings.simplefilter("ignore")
    target, release = read(folder / "target.csv"), read(folder / "release.csv")
    known = schema(target)
    coded = transform(target, known), transform(release, known)
    first, second = binned(target, release, coded)
    with tempfile.TemporaryDirectory() as out:
        propensity = best(lambda: PropensityMSE(*coded, Path(out)).compute_score())
    matches = best(lambda: unique_exact_matches(target, release))
    kmarginal = best(lambda: places(KMarginal(first, second, ["PUMA"])))
    return {
        "propensity": {"seconds": propensity[0], "pmse": [float(p) for p in propensity[1]]},
        "matches": {"seconds": matches[0], "matched": int(matches[1][0][0]),
                    "unique": int(matches[1][0][2])},
        "kmarginal": {"seconds": kmarginal[0], **kmarginal[1][0]},
    }


with contextlib.redirect_stdout(sys.stderr):
    answers = main(Path(sys.argv[1]))
print(json.dumps(answers))
