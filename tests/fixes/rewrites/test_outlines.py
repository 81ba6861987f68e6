"""Statements that become an operator: which, for what runs showed, near misses, and what the proof says of one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.observed import Observed
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.prove import prove
from compilelint.syntax.source import Source, read_source

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(64, 4)
        self.start = 2

    def forward(self, x: torch.Tensor, ids: torch.Tensor):
        y = x * 2
        rows = ids.tolist()
        best = torch.zeros(len(rows), len(rows[0]), dtype=torch.long)
        for number, row in enumerate(rows):
            best[number] = torch.tensor([one % self.start for one in row])
        y = y + 1
        return y + self.table(best).mean(1)


def inputs():
    return torch.randn(3, 4), torch.randint(0, 9, (3, 5))
"""
TITLE = "make what reads data a custom operator while compiling, fitted to the runs"
MODULE, BEST = ["?"], ["T", "torch.int64"]


def _calls(*sizes: tuple[int, int], **odd: Any) -> list[dict[str, Any]]:
    """Calls of `forward` with `ids` of these sizes, as a worker records them; `odd` is what `best` held in the last."""
    made = []
    for rows, columns in sizes:
        given = {"self": MODULE, "x": ["T", "torch.float32", [rows, 4], False]}
        given["ids"] = [*BEST, [rows, columns], False]
        best = [*BEST, [rows, columns], False]
        if odd and (rows, columns) == sizes[-1]:
            best = odd["best"]
        lines = [[0, given], [12, {}], [13, {"y": given["x"]}], [14, {"rows": ["?"]}], [15, {"best": best}]]
        made.append({"lines": [*lines, [16, {}], [17, {}], [18, {}]], "returned": given["x"]})
    return made


def _offered(tmp_path: Path, calls: list[dict[str, Any]], broken: tuple[str, ...] = ()) -> list[str]:
    """The texts of the outlines of the one finding."""
    path = tmp_path / "net.py"
    path.write_text(NET, encoding="utf-8")
    finding = next(one for one in lint(Options(paths=(str(path),))).findings if one.location.span.line == 13)
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    recorded = {str(path): [{"name": "forward", "line": 11, "calls": calls}]}
    code.observed = Observed([recorded], {str(path): source.text}, broken)
    fixes = [one for one in proposals(finding, code, proven=True, configure=True) if one.title == TITLE]
    return ["\n".join(edit.text for edit in fix.edits) for fix in fixes]


def test_sizes_follow_the_inputs(tmp_path: Path) -> None:
    text = _offered(tmp_path, _calls((3, 5), (1, 6), (9, 2)))[0]
    assert "if torch.compiler.is_compiling():\n            best = _best_of_forward_op(ids.detach(), self.start)" in text
    assert "        else:\n            best = _best_of_forward(ids, self.start)" in text
    assert "one % start for one in row" in text
    assert "torch.empty((ids.shape[0], ids.shape[1]), dtype=torch.int64, device=ids.device)" in text


def test_more_statements_that_break_go_too(tmp_path: Path) -> None:
    """`y = y + 1` stands behind what is legal already, and goes only where it broke."""
    calls = _calls((3, 5), (1, 6), (9, 2))
    assert "y = y + 1" not in _offered(tmp_path, calls)[0]
    assert "    y = y + 1\n    return best, y\n" in _offered(tmp_path, calls, ("y = y + 1",))[0]


def test_other_ranks_and_empty_inputs_stay_with_the_statements(tmp_path: Path) -> None:
    odd = [*BEST, [0], False]
    text = _offered(tmp_path, _calls((3, 5), (1, 6), (9, 2), (4, 0), best=odd))[0]
    assert "is_compiling() and ids.dim() == 2 and ids.numel() > 0:" in text


def test_a_size_of_data_is_one_that_only_the_data_has(tmp_path: Path) -> None:
    text = _offered(tmp_path, _calls((3, 5), (1, 6), (9, 2), best=[*BEST, [9, 7], False]))[0]
    assert "torch.empty((ids.shape[0], size())" in text
    assert "capture_dynamic_output_shape_ops" in text


@pytest.mark.parametrize(
    "best",
    [
        pytest.param(["T", "torch.float32", [9, 2], False], id="two dtypes"),
        pytest.param([*BEST, [9], False], id="two ranks"),
        pytest.param([*BEST, [9, 2], True], id="a gradient"),
        pytest.param(["N"], id="no tensor"),
    ],
)
def test_nothing_where_runs_differ(tmp_path: Path, best: list[Any]) -> None:
    assert not _offered(tmp_path, _calls((3, 5), (1, 6), (9, 2), best=best))


def test_nothing_where_nothing_ran(tmp_path: Path) -> None:
    assert not _offered(tmp_path, [])


def test_a_loop_goes_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looped = NET.replace("rows = ids.tolist()", "for _ in range(2): rows = ids.tolist()")
    monkeypatch.setattr(sys.modules[__name__], "NET", looped)
    assert "    for _ in range(2): rows = ids.tolist()" in _offered(tmp_path, _calls((3, 5), (1, 6), (9, 2)))[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("rows = ids.tolist()", "rows = self.seen = ids.tolist()", id="writes to its object"),
        pytest.param("best = torch.zeros(len", "print(1); best = torch.zeros(len", id="shares a line"),
        pytest.param("for number, row", "print(rows)\n        for number, row", id="prints"),
        pytest.param("return y +", "return rows, y +", id="a list lives on"),
    ],
)
def test_statements_that_stay(tmp_path: Path, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "NET", NET.replace(old, new))
    assert not _offered(tmp_path, _calls((3, 5), (1, 6), (9, 2)))


@pytest.mark.slow
def test_real_runs_record_and_prove_it(tmp_path: Path) -> None:
    """From the program to the kept fix: the worker records, the fit is found, and the proof keeps it."""
    path = tmp_path / "net.py"
    path.write_text(NET.replace("% self.start", "% 7"), encoding="utf-8")
    target = Target("net:Net", (input_set(["net:inputs"], "test"),))
    settings = Settings(python=sys.executable, paths=(str(tmp_path),), cwd=str(tmp_path))
    proven = prove(Options(paths=(str(tmp_path),)), [target], settings, lambda entry: None)
    kept = [entry.fix.title for entry in proven.ledger if entry.kept]
    assert kept == [TITLE]
    assert not [one for run in proven.after for one in run.own_breaks]
