"""The command line prints what the README promises, as one JSON document, and fails in one line."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.papers.p0_methods import the_four

RealData = Callable[[str], sdc.Dataset]

ROOT = Path(__file__).resolve().parents[1]
FIVE = "PUMA,RAC1P,SEX,OWN_RENT,INCOME_50K"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    try:
        code = main(list(arguments))
    except SystemExit as stopped:
        code = stopped.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_moments_of_rounded_laplace(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "moments", "laplace", "--counts", "0,1,4,20",
                   "--set", "epsilon=1", "postprocess=round")
    # t/(4 sinh(ε/4)) at ε = 1, t = 1 and t = e^(-1/2), worked out by hand
    assert found["bias"][0] == pytest.approx(0.989659, abs=1e-6)
    assert found["bias"][1] == pytest.approx(0.989659 * 0.60653066, abs=1e-6)
    assert found["l1_bias"] == pytest.approx(sum(found["bias"]))
    assert found["fairness_alpha"] == pytest.approx(found["bias"][0] - found["bias"][3])
    assert len(found["variance"]) == 4
    assert found["method"] == "exact"


def test_guarantee_of_dp_suppression_with_and_without_zeros(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = ["--set", "epsilon=1", "k=6"]
    found = answer(capsys, "guarantee", "dp-suppression", *settings, "--cap", "12")
    assert found["delta_published"] == pytest.approx(0.999380, abs=5e-7)
    assert found["delta_tight"] == pytest.approx(0.998978, abs=5e-7)
    assert found["holds"] is True
    kept = answer(capsys, "guarantee", "dp-suppression", *settings, "keep_zeros=true",
                  "--cap", "12")
    assert kept["delta_tight"] == 1
    assert kept["holds"] is False
    assert "(0, 2)" in kept["remark"]


def test_a_guarantee_says_what_is_a_bound_and_of_what_a_chance_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """TopDown's δ and chance are of its measurements; the discrete Gaussian's of what it
    publishes, with 0.00101 for the counts as drawn and 0.00117 without negatives."""
    topdown = answer(capsys, "guarantee", "topdown")
    assert topdown["delta_tight_is_a_bound"] and topdown["loss_is_of_noisy_counts"]
    noise = answer(capsys, "guarantee", "discrete-gaussian")
    assert not noise["delta_tight_is_a_bound"] and not noise["loss_is_of_noisy_counts"]
    assert noise["loss_exceeds_epsilon"] == pytest.approx(0.00117, rel=0.01)
    drawn = answer(capsys, "guarantee", "discrete-gaussian", "--set", "postprocess=none")
    assert drawn["loss_exceeds_epsilon"] == pytest.approx(0.00101, rel=0.01)


def laplace_releases(counts: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """Two hundred releases of rounded Laplace noise, drawn by hand: release r has the random stream
    that the seed and its number spawn."""
    rows = []
    for r in range(200):
        stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(r,)))
        noise = np.rint(stream.laplace(0.0, 2 / epsilon, len(counts)))
        rows.append(np.maximum(counts + noise, 0))
    return np.stack(rows)


def test_evaluate_on_the_real_excerpt(
    capsys: pytest.CaptureFixture[str], real_data: RealData
) -> None:
    """200 releases at ε = 0.5, drawn by hand: ‖bias‖₁ is near 690 and α near 4 (over some seeds:
    one alone may miss it by half), and the command line says the same to the last digit. Exact
    are the closed forms, where a count x is moved up by e^(-εx/2) / (4 sinh(ε/4))."""
    data = real_data("ma2019")
    counts = data.histogram(FIVE.split(","), "observed").counts
    common = ["evaluate", "--dataset", "ma2019", "--features", FIVE, "--mechanism", "laplace",
              "--set", "epsilon=0.5", "--domain", "observed"]
    simulated = answer(capsys, *common, "--repetitions", "200", "--simulate")
    by_seed = [laplace_releases(counts, 0.5, seed).mean(axis=0) - counts for seed in range(7, 15)]
    assert np.mean([np.abs(moved).sum() for moved in by_seed]) == pytest.approx(690, rel=0.01)
    assert round(float(np.mean([np.ptp(moved) for moved in by_seed]))) == 4
    moved = by_seed[0]
    assert simulated["method"] == "simulated"
    assert simulated["l1_bias"] == pytest.approx(np.abs(moved).sum())
    assert simulated["fairness_alpha"] == pytest.approx(np.ptp(moved))
    exact = answer(capsys, *common)
    bias = np.exp(-counts / 4) / (4 * math.sinh(1 / 8))
    assert exact["method"] == "exact"
    assert exact["l1_bias"] == pytest.approx(bias.sum()) and exact["l1_bias_se"] == 0
    assert exact["fairness_alpha"] == pytest.approx(np.ptp(bias))
    # averages of 200 releases add noise to ‖bias‖₁, so the exact one is smaller
    assert exact["l1_bias"] < simulated["l1_bias"] - 3 * simulated["l1_bias_se"]


def test_release_is_reproducible_and_over_all_cells(capsys: pytest.CaptureFixture[str]) -> None:
    common = ["release", "--dataset", "ma2019-twin", "--features", "SEX,OWN_RENT",
              "--mechanism", "laplace"]
    first = answer(capsys, *common, "--seed", "3")
    assert first == answer(capsys, *common, "--seed", "3")
    assert first != answer(capsys, *common, "--seed", "4")
    assert len(first) == 6
    assert all(row["released"] == int(row["released"]) >= 0 for row in first)


def test_solve_finds_the_smallest_epsilon(capsys: pytest.CaptureFixture[str]) -> None:
    """With noise left as drawn the error is 2/ε a cell, so a mean error of 4 needs ε = 1/2."""
    found = answer(
        capsys, "solve", "--dataset", "ma2019-twin", "--features", "SEX", "--mechanism", "laplace",
        "--set", "postprocess=none", "--param", "epsilon", "--metric", "l1_error", "--target", "8",
    )
    assert found["reached"] is True
    assert found["value"] == pytest.approx(0.5, rel=1e-6)


def test_solve_by_another_method_and_the_other_way_round(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Left as drawn, noise is off by 2/ε in every group: as much as 4/3 at ε = 3/2."""
    common = ("solve", "--dataset", "ma2019-twin", "--features", "SEX", "--mechanism", "laplace",
              "--set", "postprocess=none", "--param", "epsilon", "--measure", "mean_error")
    same = answer(capsys, *common, "--same-as", "laplace postprocess=none epsilon=1.5")
    assert same["target"] == pytest.approx(4 / 3) and same["whom"] == "all"
    assert same["feasible"] == [[pytest.approx(1.5), 100]]
    assert same["most_protective"]["promise"] == "holds"
    assert same["most_accurate"]["achieved"] == pytest.approx(0.02)
    assert same["says"] == (
        "For counts to be off by at most 1.33 people on average, as under adding noise (ε = 1.5, "
        "as drawn), adding noise (as drawn) needs ε of at least 1.5.")
    least = answer(capsys, *common, "--target", "4", "--at-least", "--whom", "100-")
    assert least["feasible"] == [[0.001, pytest.approx(0.5)]]
    none = answer(capsys, *common, "--target", "0")
    assert not none["reached"] and none["value"] is None and none["nearest"]["value"] == 100


def test_datasets_and_mechanisms_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    listed = answer(capsys, "datasets")
    assert {row["id"] for row in listed} == {
        f"{place}2019{twin}" for place in ("ma", "tx", "national", "all") for twin in ("", "-twin")
    } | {"svcensus", "svcensus-twin", "pef", "bodyfat", "pima"}
    names = {row["name"] for row in answer(capsys, "mechanisms")}
    assert {"suppression", "dp-suppression", "laplace", "geometric", "discrete-gaussian"} <= names


def test_swapping_as_in_das_takes_any_donor(real_data: RealData) -> None:
    """Equation 2 has another record as donor, also one that is alike: an error of 423 at ε = 1, the
    figure known for Theorem 4; it is 759 where the donor has to differ."""
    counts = real_data("ma2019").histogram(FIVE.split(","), "observed")
    known = {False: 423.3, True: 759.4}
    for differ, error in known.items():
        method = sdc.mechanism("dp-swapping", require_different=differ)
        assert np.abs(method.bias(counts)).sum() == pytest.approx(error, abs=0.5)
    assert the_four(1.0)["dp-swap"].settings()["require_different"] is False
    shown = sdc.ask("theorems", sdc.Study(real_data("ma2019"), domain="observed"))
    assert "any other record may be the donor there" in shown.panel("theorems").caption
    frame = shown.panel("theorems").table
    assert frame is not None
    (exact,) = frame.loc[frame["paper"].str.startswith("Das") & (frame["theorem"] == "Theorem 4"),
                         "exact"]
    assert exact == pytest.approx(423.3, abs=0.5)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["moments", "laplace", "--counts", "0,1", "--set", "epsilon=-1"], "epsilon"),
        (["moments", "laplace", "--counts", "0,x"], "0,x"),
        (["moments", "laplace", "--counts", "0,-3"], "-3"),
        (["moments", "nonsense", "--counts", "0"], "nonsense"),
        (["moments", "laplace", "--counts", "0", "--set", "epsilon"], "name=value"),
        (["guarantee", "dp-suppression"], "cap"),
        (["guarantee", "dp-suppression", "--cap", "0"], "cap"),
        (["evaluate", "--dataset", "nowhere", "--mechanism", "laplace"], "nowhere"),
        (["evaluate", "--dataset", "ma2019-twin", "--features", "HAIR", "--mechanism", "laplace"],
         "HAIR"),
        (["evaluate", "--dataset", "ma2019-twin", "--mechanism", "laplace", "--simulate",
          "--repetitions", "1"], "repetitions"),
        (["solve", "--dataset", "ma2019-twin", "--mechanism", "laplace", "--param", "k",
          "--target", "1"], "epsilon"),
        (["solve", "--dataset", "ma2019-twin", "--mechanism", "laplace", "--param", "epsilon",
          "--measure", "beauty", "--target", "1"], "mean_error"),
        (["solve", "--dataset", "ma2019-twin", "--mechanism", "laplace", "--param", "epsilon",
          "--same-as", "nonsense"], "nonsense"),
        (["solve", "--dataset", "ma2019-twin", "--mechanism", "laplace", "--param", "epsilon",
          "--measure", "mean_error", "--whom", "2-3", "--target", "1"], "1-5"),
        *((["population", "--rows", rows, "--out", "nowhere"], "whole number")
          for rows in ("1.5", "nan", "inf")),
        (["run", "\0"], "zero character"),
        (["no-such-command"], "no-such-command"),
    ],
)
def test_bad_input_is_one_line_that_names_it(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert named in complaint(capsys, *arguments)


def test_as_a_program_of_its_own() -> None:
    """`python -m sdc_core` in a process of its own: exit codes and clean streams."""
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "sdc_core", *arguments], cwd=ROOT, capture_output=True,
            text=True, env=os.environ, timeout=60,
        )

    good = run("moments", "geometric", "--counts", "0,1", "--json")
    assert good.returncode == 0
    assert json.loads(good.stdout)["mechanism"] == "geometric"
    bad = run("moments", "geometric", "--counts", "0,1", "--set", "epsilon=1000", "--json")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("error: epsilon must be in [0.001, 100], got 1000")


def test_a_schema_is_proposed_written_and_taken_from_beside_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, schema = tmp_path / "mine.csv", tmp_path / "mine.schema.json"
    file.write_text("zip,sex\n" + "01067,f\n10115,m\n" * 20, encoding="utf-8")
    found = answer(capsys, "schema", "--dataset", str(file), "--out", str(schema))
    assert [(c["name"], c["role"], c["type"]) for c in found["columns"]] == [
        ("zip", "place", "code"), ("sex", "quasi-identifier", "code")]
    assert json.loads(schema.read_text(encoding="utf-8")) == found
    found["columns"][0] |= {"values": {"01067": "Dresden", "10115": "Berlin"}, "declared": True}
    schema.write_text(json.dumps(found), encoding="utf-8")
    table = sdc.load_dataset(file).histogram(["zip", "sex"])
    assert table.domain.features[0].labels == ("Dresden", "Berlin")
    assert table.domain.read_off == ("sex",)
    assert "cannot be written" in complaint(
        capsys, "schema", "--dataset", str(file), "--out", str(tmp_path / "no" / "x.json"))


# ---- what cannot be done is one line ------------------------------------------------------------

LONG = "a" * 5_000
TWIN_TABLE = ["evaluate", "--dataset", "ma2019-twin", "--mechanism"]


@pytest.mark.parametrize("command", [
    [*TWIN_TABLE, "laplace", "--set", "name=1"],
    [*TWIN_TABLE, "laplace", "--set", "epsilon=" + "1" * 100_000],
    [*TWIN_TABLE, "k-anonymity", "--set", "hierarchies=RAC1P: @/dev/zero"],
    [*TWIN_TABLE, "k-anonymity", "--set", "hierarchies=RAC1P: @{pipe}"],
    [*TWIN_TABLE, "k-anonymity", "--set", "hierarchies=RAC1P: " + "x=1 " * 30_000],
    ["evaluate", "--dataset", LONG, "--mechanism", "laplace"],
    ["evaluate", "--dataset", f"{LONG}.csv", "--mechanism", "laplace"],
    ["evaluate", "--dataset", "{pipe}", "--mechanism", "laplace"],
    ["schema", "--dataset", "ma2019-twin", "--schema", "/dev/zero"],
    ["schema", "--dataset", "ma2019-twin", "--schema", "{pipe}"],
    ["schema", "--dataset", "ma2019-twin", "--out", f"{LONG}.json"],
    ["run", "/dev/zero"], ["run", "{pipe}"], ["run", LONG],
    ["brief", "/dev/zero", "--out", "a.html"],
    ["ask", "compare", "--dataset", "ma2019-twin", "--method", ""],
    ["ask", "compare", "--dataset", "ma2019-twin", "--method", 'laplace "'],
    ["ask", "map", "--dataset", "ma2019-twin", "--map_file", "/dev/zero"],
    ["solve", "--dataset", "ma2019-twin", "--mechanism", "laplace", "--param", "epsilon",
     "--same-as", 'laplace "'],
    ["app", "--data-dir", LONG],
], ids=lambda one: " ".join(one)[:60])
def test_what_cannot_be_done_is_one_short_line(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A device that never ends, a pipe into which nobody writes, names that no disk takes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert main([part.replace("{pipe}", str(pipe)) for part in command]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("error: ")
    assert said.err.count("\n") == 1 and len(said.err) < 1_200


def test_dates_that_no_calendar_has_are_no_dates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them before the year 1."""
    table = pa.table({"day": pa.array(range(-900_000, -899_500), pa.int32()).cast(pa.date32()),
                      "who": ["x", "y"] * 250})
    path = tmp_path / "days.parquet"
    pyarrow.parquet.write_table(table, path)
    ask = ["evaluate", "--dataset", str(path), "--mechanism", "laplace", "--features"]
    assert main([*ask, "day,who"]) == 2
    assert capsys.readouterr().err == "error: day has no numbers in it.\n"
    assert main([*ask, "who"]) == main(["schema", "--dataset", str(path)]) == 0


@pytest.mark.parametrize(("error", "code", "words"), [
    (KeyboardInterrupt(), 130, "stopped"), (MemoryError(), 2, "memory"),
    (PermissionError(13, "Permission denied", "a.csv"), 2, "Permission denied: a.csv"),
])
def test_what_happens_in_between_is_one_line(
    error: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop() -> None:
        raise error

    monkeypatch.setattr("sdc_core.cli.mechanisms", stop)
    monkeypatch.setattr("sdc_core.cli._forget_output", lambda: None)
    assert main(["mechanisms"]) == code
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_a_full_disk_and_a_small_alphabet(tmp_path: Path) -> None:
    """In a process of its own, since both are about its standard output."""
    command = [sys.executable, "-m", "sdc_core", "glossary", "epsilon"]
    settings = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                              cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, "error: No space left on device\n")
    for form in ([], ["--json"]):
        done = subprocess.run([*command, *form], capture_output=True, timeout=60, env=settings,
                              cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, b"") and rb"\u03b5" in done.stdout
    assert "ε" in json.dumps(json.loads(done.stdout), ensure_ascii=False)
