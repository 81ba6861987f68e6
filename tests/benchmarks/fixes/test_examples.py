"""The five diffs of the docs: what fixes make of our own files today, ready to be merged."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fixes.examples import PAGE, Example, examples, page

REWRITE = "if the diffs are right: python -m benchmarks.fixes.examples --write"


@pytest.fixture(scope="module")
def found() -> list[Example]:
    return examples()


def test_the_page_holds_what_fixes_make_today() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), REWRITE


def test_there_are_five_and_every_one_is_fixed(found: list[Example]) -> None:
    assert [len(one.fixed.texts) for one in found] == [1] * 5
    assert all(one.fixed.settled for one in found)


def test_comments_stay(found: list[Example]) -> None:
    for one in found:
        before = one.path.read_text(encoding="utf-8").splitlines()
        comments = [line.partition("#")[2] for line in before if "#" in line]
        assert [comment for comment in comments if comment not in one.text] == []


def test_what_was_formatted_is_formatted(found: list[Example]) -> None:
    ruff = shutil.which("ruff") or shutil.which("ruff", path=str(Path(sys.executable).parent))
    assert ruff is not None, "needs ruff: pip install ruff"
    for one in found:
        for words in (("format", "--check"), ("check", "--select", "I")):
            name = (
                "--no-cache",
                "--config",
                str(one.path.parent / "ruff.toml"),
                "--stdin-filename",
                one.path.name,
                "-",
            )
            done = subprocess.run([ruff, *words, *name], input=one.text.encode(), capture_output=True, check=False)
            assert done.returncode == 0, (one.path.name, done.stdout.decode())


@pytest.mark.dynamo
def test_the_models_compile_to_one_graph_and_give_what_they_gave(found: list[Example]) -> None:
    import torch

    built = {
        "attention.py": lambda made: (made["CrossAttention"](4, 3), (torch.randn(2, 3, 4), torch.randn(2, 5, 4))),
        "clipping.py": lambda made: (made["Block"](4), (torch.randn(2, 4),)),
        "normalize.py": lambda made: (made["Normalized"](torch.nn.Identity()), (torch.randn(2, 3, 4, 4),)),
        "targets.py": lambda made: (made["MelLoss"](), (torch.randn(2, 4), torch.randn(2, 4))),
        "decoder.py": lambda made: (made["Decoder"](4), (torch.randn(2, 3, 4),)),
    }
    for one in found:
        results = []
        for text in (one.path.read_text(encoding="utf-8"), one.text):
            made: dict[str, object] = {"__name__": one.path.stem}
            exec(compile(text, str(one.path), "exec"), made)
            torch.manual_seed(0)
            model, args = built[one.path.name](made)  # type: ignore[no-untyped-call]
            results.append(model(*args))
        torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)
        torch._dynamo.reset()
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(*args), results[0], rtol=0, atol=0)
