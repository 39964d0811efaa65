"""What the papers print, number by number and claim by claim, beside what comes out here."""

from sdc_core.papers.published import Entry, published
from sdc_core.papers.verdicts import Judged, Ours, Verdict, judged

__all__ = ["Entry", "Judged", "Ours", "Verdict", "judged", "published"]
