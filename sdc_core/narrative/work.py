"""What noise and post-processing did to one release, in words."""

from __future__ import annotations

from sdc_core.mechanisms.work import Level, Work
from sdc_core.narrative.words import sensible


def work_sentence(work: Work, seed: int) -> str:
    """How many measurements were impossible, how far off they were, and what was put right."""
    top = work.levels[0]
    number = sum(level.measured.size for level in work.levels)
    negative = sum(level.negative for level in work.levels)
    true, measured, released = (int(x.sum()) for x in (top.true, top.measured, top.released))
    parts = [
        f"{negative:,} of {number:,} measured counts were negative in the release of seed {seed}; "
        "none is after post-processing."
        if negative else f"None of {number:,} measured counts was negative in the release of seed "
        f"{seed}.",
        *map(_level_sentence, work.levels),
        f"There are {true:,} people; the measured counts for {top.words} add up to {measured:,}, "
        f"the released ones to {released:,}.",
    ]
    if work.exact:
        parts.append(f"Taken from the data without noise: {'; '.join(work.exact)}.")
    else:
        parts.append("Nothing was taken from the data without noise.")
    return " ".join(parts)


def _level_sentence(level: Level) -> str:
    before, after = level.off_by(level.measured), level.off_by(level.released)
    return (
        f"Counts for {level.words} were off by {sensible(before)} on average as measured and by "
        f"{sensible(after)} as released."
    )
