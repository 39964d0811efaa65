"""Where a Chromium is on this machine. Run as a script it fails if there is none."""

from __future__ import annotations

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW_TO_GET = "no Chromium on this machine; on Debian: sudo apt-get install chromium"


def find() -> str | None:
    given = os.environ.get("SDC_CHROMIUM")
    return given or next((path for name in NAMES if (path := shutil.which(name))), None)


if __name__ == "__main__":
    sys.exit(find() is None)
