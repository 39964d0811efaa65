"""smartnoise-synth's AIM and MST: seconds, and how far their models are from the data.

From records to synthetic records, at the ε and δ asked for. Its neighbours differ by one record
more or less, so that its noise is √2 smaller than where one record changes. Total variation over
all columns together is taken of the fitted model itself ("model"), of rows drawn one by one from it
("sampled") and of the rows that its `sample` gives by default ("rows"): with mbi 1.1.0 these last
may be far from the model. MST joins rare values before it fits; they are shared out evenly again.
"""

import contextlib
import functools
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from snsynth.aim import AIMSynthesizer
from snsynth.mst import MSTSynthesizer


class Mst(MSTSynthesizer):
    """Remembers which values it joined."""

    def transform_data(self, data, supports):
        self.supports = supports
        return super().transform_data(data, supports)


METHODS = {
    "aim": AIMSynthesizer,
    "aim, triples": functools.partial(AIMSynthesizer, degree=3),
    "mst": Mst,
}


def model_joint(fitted, shape):
    """The model's probabilities over the columns as they were."""
    model = fitted.synthesizer
    columns = [f"col{i}" for i in range(len(shape))]
    joint = np.asarray(model.project(columns).datavector(flatten=False), dtype=float)
    for axis, column in enumerate(columns if isinstance(fitted, Mst) else ()):
        kept = np.asarray(fitted.supports[column])
        back = np.zeros((joint.shape[axis], len(kept)))
        back[np.arange(kept.sum()), np.flatnonzero(kept)] = 1
        if not kept.all():
            back[-1, ~kept] = 1 / (~kept).sum()
        joint = np.moveaxis(np.moveaxis(joint, axis, -1) @ back, -1, axis)
    return joint / joint.sum()


def shares(rows, shape):
    cells = np.ravel_multi_index(tuple(np.asarray(rows, dtype=int).T), shape)
    return np.bincount(cells, minlength=np.prod(shape)).reshape(shape) / len(rows)


def run(method, records, asked):
    seconds, distances = [], {"model": [], "sampled": [], "rows": []}
    for seed in range(asked["runs"][method]):
        np.random.seed(seed)  # noqa: NPY002 (the peer's choices are drawn from there)
        fitted = METHODS[method](asked["epsilon"], asked["delta"])
        start = time.perf_counter()
        fitted.fit(records, categorical_columns=list(records.columns))
        rows = fitted.sample(len(records))
        seconds.append(time.perf_counter() - start)
        coder, shape = fitted._transformer, tuple(fitted._transformer.cardinality)
        truth = shares(coder.transform(records), shape)
        joint = model_joint(fitted, shape)
        cells = np.random.default_rng(seed).multinomial(len(records), joint.reshape(-1))
        for name, found in (("model", joint), ("sampled", cells.reshape(shape) / len(records)),
                            ("rows", shares(coder.transform(rows), shape))):
            distances[name].append(float(np.abs(found - truth).sum() / 2))
    return {"seconds": min(seconds), "all_seconds": seconds, "distances": distances}


folder = Path(sys.argv[1])
asked = json.loads((folder / "arguments.json").read_text())
records = pd.read_csv(folder / "records.csv")
warnings.simplefilter("ignore")
with contextlib.redirect_stdout(sys.stderr):
    answers = {method: run(method, records, asked) for method in asked["runs"]}
print(json.dumps(answers))
