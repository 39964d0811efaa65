"""`make twins`: rebuild the twins, and the table of their fidelity, from the real files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pandas as pd

from sdc_core.build.engineers_twin import SEED as ENGINEERS_SEED
from sdc_core.build.engineers_twin import build_engineers
from sdc_core.build.twin_fidelity import fidelity, fidelity_table
from sdc_core.build.twins import DATASETS, SEED, build_twin
from sdc_core.whole_file import write_whole


def read_codes(path: Path) -> pd.DataFrame:
    """Which codes does a file hold, as written?"""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def twin_bytes(twin: pd.DataFrame) -> bytes:
    """What does a twin look like as a file, the same on every system?"""
    return twin.to_csv(index=False, lineterminator="\n").encode()


def main() -> None:
    """Rebuild the twins and the fidelity table from the real files."""
    data = Path(__file__).resolve().parents[2] / "data"
    originals = Path(os.environ.get("SDC_DATA_DIR") or data / "nist")
    (data / "twins").mkdir(parents=True, exist_ok=True)
    results = {}
    for name in DATASETS:
        real = read_codes(originals / f"{name}.csv")
        twin = build_twin(real, SEED)
        write_whole(data / "twins" / f"{name}-twin.csv", twin_bytes(twin))
        results[name] = fidelity(real, twin)
    engineers = build_engineers(pd.read_csv(originals / "svcensus_qeML.csv"), ENGINEERS_SEED)
    write_whole(data / "twins" / "svcensus-twin.csv", twin_bytes(engineers))
    table = fidelity_table(results)
    readme = data / "README.md"
    text = readme.read_text(encoding="utf-8")
    text = re.sub(r"(?s)(?<=<!-- fidelity -->\n).*?(?=<!-- end -->)", f"\n{table}\n\n", text)
    write_whole(readme, text.encode())
    print(table)


if __name__ == "__main__":
    main()
