"""What a page says without the marks that explain its words."""

from __future__ import annotations

import re

_IN_MARKDOWN = re.compile(r'\[((?:\\.|[^\]\\])*)\]\(glossary#[a-z0-9-]+ "[^"]*"\)')
_IN_HTML = re.compile(r'<a href="glossary#[a-z0-9-]+" target="_blank" title="[^"]*">([^<]*)</a>')


def unmarked(text: str) -> str:
    return _IN_HTML.sub(r"\1", _IN_MARKDOWN.sub(r"\1", text))
