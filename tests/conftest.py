"""What all tests share: reproducible property tests, and the rule for tests on the real files.

Tests which need the real census excerpts skip, saying so, only where the environment variable
SDC_DATA_DIR is absent. Where it is set, a missing file is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import expect

import sdc_core as sdc
from sdc_core.data import entry
from tests.serving import serving

# The same examples in every run: a red build means that the code changed, not the dice.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")

# Long enough for a machine on which other tests run beside the browser.
expect.set_options(timeout=30_000)


@pytest.fixture(autouse=True, scope="session")
def counts_of_the_tests_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Counts and runs that are kept on disk are kept for these tests, not in the user's folder."""
    os.environ["SDC_COUNTS"] = str(tmp_path_factory.mktemp("counts"))
    os.environ["SDC_RUNS"] = str(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The app as `make app` starts it, on a port of its own: one for all tests of a process, since
    a visit knows nothing of another."""
    with serving() as base:
        yield base


# Those that take longest, so that no worker is left with one of them when the others are done.
LONG = (
    "test_every_page_browser", "test_every_question", "test_scale_spark", "test_print_browser",
    "test_own_files_browser", "test_layout_browser", "test_picture", "test_every_figure",
    "test_run_file", "test_map_browser", "test_twins", "test_readme", "test_golden_p4_releases",
    "test_readers", "test_own_files", "test_question_compare", "test_question_classification",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, then what needs a browser, then the rest; `make test` keeps this order."""
    def place(item: pytest.Item) -> int:
        name = item.path.stem
        return LONG.index(name) if name in LONG else len(LONG) + (not name.endswith("_browser"))

    items.sort(key=place)


@pytest.fixture
def real_data() -> Callable[[str], sdc.Dataset]:
    """A loader of real data sets by catalogue id: `real_data("ma2019")`."""
    if "SDC_DATA_DIR" not in os.environ:
        pytest.skip("SDC_DATA_DIR is not set, so the real census excerpts cannot be found.")
    directory = Path(os.environ["SDC_DATA_DIR"])

    def load(dataset_id: str) -> sdc.Dataset:
        path = directory / entry(dataset_id).file
        if not path.is_file():
            pytest.fail(f"SDC_DATA_DIR is set, but {path.name} is not in that folder.")
        return sdc.load_dataset(dataset_id)

    return load
