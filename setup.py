"""What is installed: the engine, and in it, as `sdc_core/_bundled`, the files of the checkout's top
that it needs to run. `sdc_core/folders.py` finds them there. Everything else is in pyproject.toml.
"""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

BUNDLED = "sdc_core._bundled"


class OnlyWhatIsNeeded(build_py):
    """Of the Python files at the top, the app alone: not this one, and none that lies around."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [one for one in found if package != BUNDLED or one[1] == "app"]


setup(
    cmdclass={"build_py": OnlyWhatIsNeeded},
    packages=[
        # the scripts that make the bundled files work on a checkout only
        *find_packages(include=["sdc_core", "sdc_core.*"], exclude=["sdc_core.build"]),
        BUNDLED, f"{BUNDLED}.ui", f"{BUNDLED}.pages",
    ],
    package_dir={BUNDLED: ".", f"{BUNDLED}.ui": "ui", f"{BUNDLED}.pages": "pages"},
    # named one by one: real files that were fetched into data/ are not to leave with it
    package_data={
        BUNDLED: [
            ".streamlit/config.toml", "data/README.md", "data/twins/*-twin.csv",
            "data/geo/README.md", "data/geo/schematic.geojson", "data/geo/us-outline.geojson",
        ],
        "sdc_core.report": ["picture.js"],
        "sdc_core.papers": ["published.csv", "last_run.json"],
    },
    include_package_data=False,
)
