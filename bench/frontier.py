"""Risk against error: all quick methods at ten settings each, on the Massachusetts excerpt, first
computed and then kept. In seconds of the processor, since the limit is one of time and not a peer
that meets the same disturbances."""

from __future__ import annotations

import time

import sdc_core as sdc
from bench.measure import Figure, milliseconds
from bench.tables import found
from sdc_core.questions.work import Work

LIMIT, KEPT_LIMIT = 10.0, 0.2  # seconds


def figures() -> list[Figure]:
    known = found("ma2019")
    study = sdc.Study(sdc.load_dataset(known))
    work = Work()
    first = _seconds(study, work)
    table = sdc.ask("frontier", study, work=work).tables()["frontier"]
    again = min(_seconds(study, work) for _ in range(5))
    shown = f"{table['method'].nunique()} methods, {len(table)} settings ({known})"
    return [
        Figure(f"Risk against error, {shown}", milliseconds(first), f"limit of {LIMIT:g} s",
               first / LIMIT, 1),
        Figure(f"The same once more, kept ({known})", milliseconds(again),
               f"limit of {milliseconds(KEPT_LIMIT)}", again / KEPT_LIMIT, 1),
    ]


def _seconds(study: sdc.Study, work: Work) -> float:
    start = time.process_time()
    sdc.ask("frontier", study, work=work)
    return time.process_time() - start
