"""Names of columns, labels and files come from somebody else: they are shown as they stand there,
never as Markdown, never as a link, and nothing is fetched because of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ui.terms import plain

UI = Path(__file__).resolve().parents[1] / "ui"
# What Streamlit draws as Markdown, and of what arguments; the first one has no name in a call.
DRAWN = {
    "markdown", "caption", "info", "warning", "error", "success", "badge", "toast", "expander",
    "popover", "button", "download_button", "link_button", "page_link", "toggle", "checkbox",
    "radio", "selectbox", "multiselect", "slider", "select_slider", "segmented_control", "pills",
    "number_input", "text_input", "text_area", "file_uploader", "spinner", "status", "dialog",
    "header", "subheader", "title", "metric", "tabs", "write", "data_editor", "Column",
    "NumberColumn", "TextColumn", "SelectboxColumn", "CheckboxColumn",
}
FIRST_IS_PLAIN = {"data_editor", "page_link", "Column", "NumberColumn", "TextColumn"}
OWN = {path.stem for path in UI.glob("*.py")}  # modules of the app, which are read themselves
NAMED = {"label", "body", "help", "text", "title"}
ESCAPED = {"plain", "in_markdown", "fixed"}  # the last says that the text is the program's own


def is_safe(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(
            node.func, "id", "")
        return name in ESCAPED
    if isinstance(node, ast.JoinedStr):
        return all(is_safe(one) for one in node.values)
    if isinstance(node, ast.FormattedValue):
        return is_safe(node.value)
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        return all(is_safe(one) for one in parts)
    if isinstance(node, ast.BinOp):
        return is_safe(node.left) and is_safe(node.right)
    return isinstance(node, ast.Name) and node.id.isupper()  # a constant of the module


def written_out(node: ast.Call) -> bool:
    """Options are Markdown, too, in these: the words for them are escaped, or fixed."""
    if node.func.attr not in {"radio", "segmented_control", "select_slider", "pills"}:  # type: ignore[attr-defined]
        return True
    said = next((k.value for k in node.keywords if k.arg == "format_func"), None)
    return (isinstance(said, ast.Attribute) and said.attr == "__getitem__") or (
        isinstance(said, ast.Lambda) and is_safe(said.body))


def test_every_text_that_is_drawn_as_markdown_is_escaped_or_the_programs_own() -> None:
    """Read from the source, so that a new line that forgets it is found whatever it shows."""
    forgotten = []
    for path in sorted(UI.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr not in DRAWN or ast.unparse(node.func.value) in OWN:
                continue
            texts = [*node.args[:node.func.attr not in FIRST_IS_PLAIN],
                     *(k.value for k in node.keywords if k.arg in NAMED)]
            if not all(map(is_safe, texts)) or not written_out(node):
                forgotten.append(f"{path.name}:{node.lineno} {ast.unparse(node)[:70]}")
    assert not forgotten, "\n".join(forgotten)


@pytest.mark.parametrize("text", [
    "https://elsewhere.invalid/a", "HTTP://elsewhere.invalid", "www.elsewhere.invalid",
    "me@elsewhere.invalid", ":smile:", ":material/home:", ":red[x]", "![a](b)", "[a](b)", "**a**",
    "<b>", "$x$", "`x`", "1. x", "# x", "a | b", "~~x~~", "- x",
])
def test_text_stays_text(text: str) -> None:
    """Nothing is left that means something, with a backslash or without, and nothing is lost."""
    shown = plain(text)
    for sign in "`*_[]()#!|~<>$":
        assert shown.count(sign) == shown.count(f"\\{sign}")
    found = shown.replace("\\", "")  # what Streamlit looks through once more
    assert not re.search(r"https?://|www\.|@\w|:[\w+-]+(/\w+)?:", found, re.IGNORECASE)
    assert found.replace("\N{WORD JOINER}", "") == text
