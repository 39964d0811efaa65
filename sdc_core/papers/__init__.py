"""What the papers print, number by number."""

from sdc_core.papers.published import Entry, published

__all__ = ["Entry", "published"]
