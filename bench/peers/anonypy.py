"""anonypy's Mondrian, from records to classes: seconds and class sizes at each k.

Its rule, in our words: cut the feature whose spread within the class, relative to that in the whole
file, is largest (numbers: from end to end; categories: how many occur). Numbers are cut at the
median, values below it to one side. Categories are listed as they first occur in the records; the
first half of the list goes to one side. If a side has fewer than k records, the next feature is
tried; if none is left, the class is final.
"""

import json
import sys
import time
from pathlib import Path

import pandas as pd
from anonypy.mondrian import Mondrian

folder = Path(sys.argv[1])
asked = json.loads((folder / "arguments.json").read_text())
records = pd.read_csv(folder / "records.csv")
names = list(records.columns)
for name in set(names) - set(asked["numeric"]):
    records[name] = records[name].astype("category")
answers = {}
for k in asked["k"]:
    times = []
    for _ in range(asked["runs"]):
        start = time.perf_counter()
        classes = Mondrian(records, names).partition(k)
        times.append(time.perf_counter() - start)
    answers[str(k)] = {"seconds": min(times), "sizes": sorted(len(c) for c in classes)}
print(json.dumps(answers))
