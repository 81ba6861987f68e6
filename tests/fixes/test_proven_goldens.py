"""Rewrites that are only tried with proof: before and after, when they are refused, and what real Dynamo makes of them.

`golden/proven/` holds the cases, each file those of one rewrite; `python -m tests.fixes.test_proven_goldens` writes all
second blocks again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compilelint.fixes import code_of
from compilelint.fixes.engine.edits import rewritten
from compilelint.fixes.engine.laws import Offer
from compilelint.fixes.engine.registry import rewrites
from compilelint.fixes.rewrites.branches import chosen_past_a_guard
from compilelint.fixes.rewrites.ctc_losses import loss_as_operator
from compilelint.fixes.rewrites.ctc_targets import padded_targets
from compilelint.fixes.rewrites.decorated import operator_in_a_block
from compilelint.fixes.rewrites.nonzero import hits_as_numbers
from compilelint.fixes.rewrites.raised_checks import raised_by_an_operator
from compilelint.fixes.rewrites.rest_as_operator import operator_of_the_rest
from compilelint.fixes.rewrites.rows_put_back import all_rows_put_back
from compilelint.fixes.rewrites.run_while_tracing import run_while_tracing
from compilelint.fixes.rewrites.segment_ends import ends_with_room
from compilelint.fixes.rewrites.set_up import set_up_in_init
from compilelint.fixes.rewrites.size_checks import checked_sizes
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import FOLDER, Golden, cases_of, options
from tests.fixes.test_pages_fixed import _function

REWRITES = {
    "regions": operator_of_the_rest,
    "sizes": checked_sizes,
    "decorated": operator_in_a_block,
    "hits": hits_as_numbers,
    "guards": chosen_past_a_guard,
    "rows": all_rows_put_back,
    "setup": set_up_in_init,
    "targets": padded_targets,
    "ctc": loss_as_operator,
    "raised": raised_by_an_operator,
    "tracing": run_while_tracing,
    "ends": ends_with_room,
}
# What they leave is one break where there were several; a CTC loss breaks by itself.
_STILL_BREAK = frozenset({"hits", "targets"})
CASES = [case for name in REWRITES for case in cases_of(FOLDER / "proven" / f"{name}.md")]


def rewritten_by(case: Golden, folder: Path) -> str:
    """The text after the first fix that the case's rewrite offers for any finding; unchanged where it offers none."""
    path = folder / "model.py"
    path.write_text(case.before, encoding="utf-8")
    for finding in lint(options(path)).findings:
        source = read_source(str(path))
        code = code_of(source) if isinstance(source, Source) else None
        if code is None or finding.rewrite is None:
            continue
        if REWRITES[case.file] not in rewrites(finding.rewrite.name, proven=True):
            continue
        for made in REWRITES[case.file](finding, code):
            return rewritten(code.source, [made.fix if isinstance(made, Offer) else made]).text
    return case.before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_before_becomes_after(case: Golden, tmp_path: Path) -> None:
    assert rewritten_by(case, tmp_path) == (case.before if case.after is None else case.after)


@pytest.mark.parametrize("case", [case for case in CASES if case.after is not None], ids=lambda case: case.name)
def test_it_is_not_offered_twice(case: Golden, tmp_path: Path) -> None:
    assert case.after is not None
    again = Golden(case.file, case.title, case.after, None)
    assert rewritten_by(again, tmp_path) == case.after


# ---------------------------------------------------------------------- under real Dynamo


@pytest.fixture
def _switched() -> Iterator[None]:
    """Both switches, which `compilelint fix` tries beside these rewrites; what a file sets is undone."""
    import torch

    torch.set_num_threads(1)
    with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
        yield


def _heads(length: int) -> tuple[Any, Any, Any]:
    import torch

    torch.manual_seed(1)
    return torch.randn(1, 2, length, 4), torch.randn(1, 2, length, 4), torch.randn(1, 2, length, 4)


def _arguments() -> dict[str, list[tuple[Any, ...]]]:
    import torch

    kinds, rows = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 0, 0, 0]]), torch.tensor([[3], [2]])
    return {
        "attention over chunks is one call with a mask": [
            (*_heads(9), torch.tensor([0, 2, 3, 9])),
            (*_heads(7), torch.tensor([0, 5, 7])),
        ],
        "a loop over chunks, and a mask that may be given": [(*_heads(9), torch.tensor([2, 3, 4]))],
        "positions that groups of tokens decide become an operator": [(kinds, rows), (kinds.flip(1), rows)],
        "what was popped before stays, sizes are asked of the data": [
            (torch.arange(64.0), torch.tensor([[2, 4], [4, 2]])),
            (torch.arange(64.0), torch.tensor([[6, 3], [2, 2]])),
        ],
        "a table is resized to sizes that are read": [
            (torch.randn(1, 4, 8, 8), torch.tensor([[4, 6], [2, 4]])),
            (torch.randn(1, 4, 8, 8), torch.tensor([[2, 2]])),
        ],
        "a test that may keep an index in its table": [(torch.randn(3), torch.tensor(at)) for at in (-1, 5)],
        "an element that a test may guard": [(torch.randn(3), torch.tensor(at)) for at in (0, 2, 3, 7)],
        "the last row has none behind it": [
            (torch.randn(3), torch.tensor([0, 0, 0, 0, 0, 0, 0, -1])),
            (torch.randn(3), torch.arange(8)),
        ],
        "rows that a mask picks are put back": [
            (torch.rand(2, 3, 4), torch.rand(2, 3, 4), torch.tensor([[1.0, -1, 1], [-1, -1, 1]])),
        ],
        "a hook of the first call": [(torch.randn(2, 4),), (torch.randn(3, 4),)],
        "an index below zero counts from the end, and may be too far below": [
            (torch.tensor(row), torch.tensor([5.0])) for row in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
        ],
        "what may be a Python number becomes a tensor first": [
            (torch.randn(3), torch.tensor(at)) for at in (-100, 0, 1, 8)
        ],
        "a CTC loss without cuDNN": [(torch.randn(2, 4, 6), torch.tensor([[1, 2], [3, 0]]), torch.tensor([4, 3]))],
        "a layer whose loss goes on": [(torch.randn(2, 4, 6), torch.tensor([[1, 2], [3, 0]]), torch.tensor([4, 3]))],
        "a lock around hooks of the first call": [(torch.randn(2, 4),), (torch.randn(3, 4),)],
        "a method, with a shape that only the data has": [(torch.randn(2, 9),), (torch.randn(3, 9),)],
        "ends of packed sequences": [
            (torch.randn(12, 3), torch.tensor([[1, 2, 2], [2, 2, 2]])),
            (torch.randn(8, 3), torch.tensor([[8, 1, 1]])),
        ],
        "the repeats have a name": [(torch.randn(5, 3), torch.tensor([2, 3]), torch.tensor([3, 1]))],
        "a check of boxes": [(torch.tensor([[0.0, 0, 1, 1]]), torch.ones(1, 4))],
        "a check with a number of the module": [(torch.ones(2),), (torch.ones(2), torch.tensor([0, 3]))],
        "a matcher made in a loss": [(torch.rand(5, 3), torch.rand(2, 3)), (torch.rand(3, 3), torch.rand(4, 3))],
    }


@pytest.mark.dynamo
@pytest.mark.usefixtures("_switched")
@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.after is not None and case.file not in _STILL_BREAK],
    ids=lambda case: case.name,
)
def test_it_is_one_graph_and_gives_what_it_gave(case: Golden, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    assert case.after is not None
    calls = _arguments()[case.title]
    make = next(name for name in ("Attention", "Loss", "Model") if f"class {name}(" in case.before)
    wanted = [_named(case.before, make, tmp_path / "before.py")(*args) for args in calls]
    new = _named(case.after, make, tmp_path / "after.py")
    seen = record(new, calls, str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    torch.testing.assert_close([new(*args) for args in calls], wanted, rtol=0, atol=0)  # eager code is as it was
    compiled = torch.compile(new, backend="eager", fullgraph=True)
    torch.testing.assert_close([compiled(*args) for args in calls], wanted)


@pytest.mark.dynamo
@pytest.mark.usefixtures("_switched")
def test_an_operator_that_makes_something_else_than_it_declares_raises(tmp_path: Path) -> None:
    case = next(one for one in CASES if one.title == "what was popped before stays, sizes are asked of the data")
    assert case.after is not None
    other = case.after.replace("torch.arange(height // merge * width)", "torch.arange(height // merge * width).float()")
    assert other != case.after
    with pytest.raises(RuntimeError, match="Expected cond to be True"):
        _named(other, "Model", tmp_path / "other.py")(*_arguments()[case.title][0])


@pytest.mark.dynamo
@pytest.mark.usefixtures("_switched")
def test_a_method_that_a_subclass_overrides_raises(tmp_path: Path) -> None:
    case = next(one for one in CASES if one.title == "positions that groups of tokens decide become an operator")
    assert case.after is not None
    more = "\n\nclass Other(Model):\n    def block(self, start, rows):\n        return torch.arange(1)\n"
    with pytest.raises(RuntimeError, match="Expected cond to be True"):
        _named(case.after + more, "Other", tmp_path / "other.py")(*_arguments()[case.title][0])


@pytest.mark.dynamo
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.file == "hits" and case.after is not None], ids=lambda case: case.name
)
def test_hits_are_read_in_one_break_with_the_error_of_one_that_is_missing(case: Golden, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    assert case.after is not None
    old, new = (_function(text, tmp_path / f"{name}.py") for name, text in (("old", case.before), ("new", case.after)))
    found = [(torch.tensor([1, 0, 2, 0, 2]), torch.tensor(at)) for at in (1, 0, 2, 7)]

    def all_of(function: Any) -> list[Any]:
        return [_shape_or_error(function, args) for args in found]

    wanted = all_of(old)
    assert wanted[:3] == [(0,), (3,), (4,)]
    assert all_of(new) == wanted
    assert len(record(old, found[:1], str(tmp_path / "old.py")).breaks) == 2
    assert len(record(new, found[:1], str(tmp_path / "new.py")).breaks) == 1
    torch._dynamo.reset()
    assert all_of(torch.compile(new, backend="eager")) == wanted


def _shape_or_error(function: Any, args: tuple[Any, ...]) -> Any:
    try:
        return tuple(function(*args).shape)
    except IndexError:
        return IndexError


def _named(text: str, name: str, path: Path) -> Any:
    """An object of the class of this name, from a module of its own; its operators have a namespace of their own."""
    text = text.replace('"model::', f'"{path.stem}_{abs(hash(str(path)))}::')
    return _function(f"{text}\n\nM = {name}\n", path)


def main() -> None:
    """Write the second block of every case that has one, from what the rewrites make today."""
    for name in REWRITES:
        path = FOLDER / "proven" / f"{name}.md"
        text = path.read_text(encoding="utf-8")
        for case in cases_of(path):
            with tempfile.TemporaryDirectory() as folder:
                made = rewritten_by(case, Path(folder))
            if case.after is not None:
                old, new = (f"```python\n{case.before}```\n\n```python\n{after}```" for after in (case.after, made))
                text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
