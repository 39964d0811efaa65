"""Every command and code sample of the README runs as printed, and prints what it says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from sdc_core.cli import main
from tests.checkout import copy_checkout
from tests.printed import Block, Reader, blocks, commands, inline, prints, targets

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
STARTS = (".venv/bin/python -m sdc_core ", "python -m sdc_core ", "sdc/bin/sdc-core ", "sdc-core ")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(copy_checkout(tmp_path_factory.mktemp("checkout")))


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(README), ids=lambda block: f"line {block.line}")
def test_a_sample_does_what_it_says(reader: Reader, block: Block) -> None:
    """In one folder and in order: a sample may use what an earlier one has made."""
    assert reader.problems(block) == []


@pytest.mark.slow
def test_a_wrong_line_in_the_readme_would_be_found(reader: Reader) -> None:
    samples = [one for one in blocks(README) if one.text.startswith("$ ")]
    block, line = next(
        (block, line) for block in samples for _, printed in commands(block.text)
        for line in printed if line != "…"
    )
    wrong = block.text.replace(f"\n{line}\n", f"\n{line}0\n")
    (found,) = reader.problems(block._replace(text=wrong))
    assert f"{line}0" in found and f"\n{line}\n" in found


def test_every_fence_is_closed_and_read() -> None:
    assert len(blocks(README)) * 2 == sum(line.startswith("```") for line in README.splitlines())


@pytest.mark.parametrize("code", [code for code in inline(README) if code.startswith(STARTS)])
def test_a_command_within_a_sentence_exists(
    capsys: pytest.CaptureFixture[str], code: str
) -> None:
    """Only read, not run: some need a network, and the dashboard does not end."""
    arguments = next(code.removeprefix(start) for start in STARTS if code.startswith(start))
    with pytest.raises(SystemExit) as ended:
        main([*shlex.split(arguments), "--help"])
    assert ended.value.code == 0 and "usage: " in capsys.readouterr().out


def test_a_target_within_a_sentence_exists() -> None:
    named = {code.split()[1] for code in inline(README) if code.startswith("make ")}
    assert named and named <= targets((ROOT / "Makefile").read_text(encoding="utf-8"))


GOOD = """
```
$ .venv/bin/python -c "print(1); \\
    print(2)"
1
2
$ echo 3 > three
```

```python
assert open("three").read() == "3\\n"
```

```
make app     # a comment
make test PORT=1
```

```json
{"a": 1}
```
"""


@pytest.fixture(scope="module")
def quick_reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("small")
    (folder / "Makefile").write_text("app: x\n\techo\ntest:\n\techo\n")
    return Reader(folder)


def problems(reader: Reader, text: str) -> list[str]:
    return [problem for block in blocks(text) for problem in reader.problems(block)]


def test_what_is_right_passes(quick_reader: Reader) -> None:
    assert len(blocks(GOOD)) == 4
    assert problems(quick_reader, GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("1\n2\n$", "1\n3\n$", 2),  # another line than is printed
        ("1\n2\n$", "1\n$", 2),  # a line too few, not marked as left out
        ("$ echo 3 > three", "$ no-such-command", 2),
        ("== \"3", "== \"4", 10),  # code that fails
        ("make test", "make nonsense", 14),
        ("make app ", "echo app ", 14),  # neither a target nor after '$ '
        ('{"a": 1}', "{a: 1}", 19),
        ("```json", "```yaml", 19),  # a language that is not tried
    ],
)
def test_what_is_wrong_is_found(
    quick_reader: Reader, right: str, wrong: str, line: int
) -> None:
    assert GOOD.count(right) == 1
    (found,) = problems(quick_reader, GOOD.replace(right, wrong))
    assert found.startswith(f"line {line}: ")


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        (["a", "b", "c"], True), (["a", "b"], False), (["b", "c"], False), (["a", "…"], True),
        (["…", "c"], True), (["…", "b", "…"], True), (["…", "b"], False),
        (["…", "c", "…", "a"], False), (["a", "…", "b", "c"], True), ([".", "b", "c"], False),
    ],
)
def test_printed_lines_are_the_output_with_gaps_where_marked(
    printed: list[str], same: bool
) -> None:
    assert prints(printed, "a\nb\nc\n") is same


def test_a_command_goes_on_after_a_backslash() -> None:
    assert list(commands("$ a \\\n    b\nout\n$ c\n")) == [("a \\\n    b", ["out"]), ("c", [])]
