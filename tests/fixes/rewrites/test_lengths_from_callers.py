"""A helper of another file is given the length of its result: what is offered, near misses, and real Dynamo's word."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.cli import run
from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import Placed, rewritten_files
from compilelint.session.commands.lint import files_to_lint, lint
from compilelint.syntax.source import Source, read_source

pytestmark = pytest.mark.usefixtures("shared_worker")

HELPERS = '''from __future__ import annotations

import torch
import torch.nn.functional as F


def positions(grid: torch.Tensor, merge: int | torch.Tensor, depth: bool = False, kwargs: dict | None = None):
    """Where each patch stands."""
    if kwargs is not None and (found := kwargs.pop("positions", None)) is not None:
        return found
    device = grid.device
    if isinstance(merge, int):
        merge = torch.tensor([merge], device=device).expand(len(grid))
    found = []
    for (t, h, w), m in zip(grid.tolist(), merge.tolist()):
        rows, columns = torch.meshgrid(torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij")
        block = (h // m, m, w // m, m)
        rows = rows.reshape(block).transpose(1, 2).flatten()
        columns = columns.reshape(block).transpose(1, 2).flatten()
        if depth:
            frames = torch.arange(t, device=device).repeat_interleave(h * w)
            found.append(torch.stack([frames, rows.repeat(t), columns.repeat(t)], dim=-1))
        else:
            found.append(torch.stack([rows, columns], dim=-1).repeat(t, 1))
    return torch.cat(found, dim=0)


def within(grid: torch.Tensor) -> torch.Tensor:
    counts = grid[:, 0] * grid[:, 1] * grid[:, 2]
    widths = torch.repeat_interleave(grid[:, 2], counts)
    starts = torch.repeat_interleave(F.pad(counts.cumsum(0)[:-1], (1, 0)), counts)
    return (torch.arange(counts.sum(), device=grid.device) - starts) % widths
'''
NET = """import torch
from torch import nn

from helpers import positions, within


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, hidden: torch.Tensor, grid: torch.Tensor, **kwargs):
        where = positions(grid, 2, kwargs=kwargs)
        hidden = self.layer(hidden) + within(grid)[:, None]
        return hidden + where.sum(-1)[:, None]


def inputs():
    grids = torch.tensor([[1, 4, 4], [2, 2, 4]]), torch.tensor([[1, 2, 4], [1, 6, 4], [3, 2, 2]])
    return [((torch.randn(int(one.prod(-1).sum()), 8), one), {}) for one in grids]
"""


def _offered(folder: Path, helpers: str = HELPERS, net: str = NET, without: str = "") -> dict[str, dict[str, str]]:
    """What is offered at helpers.py for several files, by title; `without` is a file that is not linted."""
    (folder / "helpers.py").write_text(helpers, encoding="utf-8")
    (folder / "net.py").write_text(net, encoding="utf-8")
    options = Options((str(folder),), torch_version="2.13", no_cache=True)
    linted = [path for path in files_to_lint(options) if not without or not path.endswith(without)]
    found = {}
    for finding in lint(options).findings:
        source = read_source(finding.location.path)
        assert isinstance(source, Source)
        code = code_of(source, linted)
        for fix in () if code is None else proposals(finding, code, proven=True):
            if "the length of its" in fix.title:
                assert fix.elsewhere == (str(folder / "net.py"),)
                placed = Placed(source.path, fix)
                sources = {path: read_source(path) for path in placed.files()}
                texts = rewritten_files([placed], {k: v for k, v in sources.items() if isinstance(v, Source)}).texts
                found[fix.title] = {Path(path).name: text for path, text in texts.items()}
        without_proof = () if code is None else proposals(finding, code)
        assert not any("the length of its" in fix.title for fix in without_proof)
    return found


GIVEN = "length=hidden.shape[0] if torch.compiler.is_compiling() else None)"


def test_a_length_of_the_caller_makes_the_helper_an_operator(tmp_path: Path) -> None:
    texts = _offered(tmp_path)["give `positions` the length of its result: `hidden.shape[0]` of `forward`"]
    made = texts["helpers.py"]
    assert "    if length is not None and torch.compiler.is_compiling() and isinstance(merge, int):\n" in made
    assert "return torch.empty((length, 3 if depth else 2), dtype=torch.int64, device=grid.device)" in made
    assert f"positions(grid, 2, kwargs=kwargs, {GIVEN}" in " ".join(texts["net.py"].split())


def test_a_length_of_the_caller_is_the_size_of_repeats(tmp_path: Path) -> None:
    texts = _offered(tmp_path)["give `within` the length of its repeats: `hidden.shape[0]` of `forward`"]
    made = texts["helpers.py"]
    assert made.count(", output_size=length)") == 2
    assert 'torch._assert_async(counts.sum() == length, "`length` is not the sum of `counts`")' in made
    assert "torch.arange(total, device=grid.device)" in made
    assert f"within(grid, {GIVEN}[:, None]" in " ".join(texts["net.py"].split())


def test_counts_may_be_a_parameter(tmp_path: Path) -> None:
    helpers = """import torch


def batch_of(counts: torch.Tensor):
    return torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
"""
    net = """import torch
from torch import nn

from helpers import batch_of


class Net(nn.Module):
    def forward(self, x: torch.Tensor, counts: torch.Tensor):
        return x + batch_of(counts)[:, None]
"""
    texts = next(iter(_offered(tmp_path, helpers, net).values()))
    assert "len(counts), device=counts.device), counts, output_size=length)" in texts["helpers.py"]
    assert GIVEN.replace("hidden", "x") in " ".join(texts["net.py"].split())
    written = helpers.replace("    return", "    counts = counts + 0\n    return")
    assert _offered(tmp_path, written, net) == {}


@pytest.mark.parametrize(
    ("old", "new", "file"),
    [
        pytest.param("def ", "@torch.no_grad()\ndef ", "helpers", id="a decorator may do anything with the parameter"),
        pytest.param("grid: torch.Tensor", "length: int, grid: torch.Tensor", "helpers", id="the name is taken"),
        pytest.param("hidden: torch.Tensor", "hidden", "net", id="nothing says that the caller has a tensor"),
        pytest.param("(grid", "(*(grid,)", "net", id="a call that unpacks may hold the argument already"),
        pytest.param("within(grid)", "within(grid + 0 * hidden.shape[0])", "net", id="what is passed on is not asked"),
    ],
)
def test_near_misses(old: str, new: str, file: str, tmp_path: Path) -> None:
    texts = {"helpers": HELPERS, "net": NET}
    texts[file] = texts[file].replace(old, new)
    offered = _offered(tmp_path, texts["helpers"], texts["net"])
    assert not any("within" in title for title in offered)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            "    device = grid.device\n",
            "    device = grid.device\n    print(kwargs)\n",
            id="it reads what is left out",
        ),
        pytest.param(" | torch.Tensor, depth", " | str, depth", id="an operator takes no string"),
        pytest.param("return torch.cat(found, dim=0)", "return found", id="a list has no look"),
        pytest.param(".repeat(t, 1))", ".repeat(t, m))", id="a second size is data"),
    ],
)
def test_near_misses_of_the_operator(old: str, new: str, tmp_path: Path) -> None:
    assert HELPERS.count(old) == 1
    assert not any("positions" in title for title in _offered(tmp_path, HELPERS.replace(old, new)))


def test_a_caller_that_is_not_linted_is_never_changed(tmp_path: Path) -> None:
    assert _offered(tmp_path, without="net.py") == {}


@pytest.mark.slow
@pytest.mark.dynamo
def test_real_dynamo_keeps_both_and_writes_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.compilelint.targets]]\nmodel = "net:Net"\ninputs = "net:inputs"\n', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["fix", "--verify", "--apply"]) == 0
    said = capsys.readouterr().err
    assert said.count("kept: ") == 2, said
    assert (tmp_path / "net.py").read_text().count("length=hidden.shape[0] if torch.compiler.is_compiling()") == 2
    assert "_positions_op" in (tmp_path / "helpers.py").read_text()
    assert run(["verify"]) == 0


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_tensor_of_another_length_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`hidden` is one row for all patches: compiled code would raise where eager code does not."""
    (tmp_path / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (tmp_path / "net.py").write_text(NET.replace("int(one.prod(-1).sum())", "1"), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.compilelint.targets]]\nmodel = "net:Net"\ninputs = "net:inputs"\n', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    run(["fix", "--verify", "--apply"])
    said = capsys.readouterr().err
    assert "kept: " not in said, said
    assert (tmp_path / "helpers.py").read_text() == HELPERS


ENDS = """import torch
import torch.nn.functional as F


def ends(grid: torch.Tensor, kwargs=None):
    lengths = torch.repeat_interleave(grid[:, 1] * grid[:, 2], grid[:, 0])
    return F.pad(lengths.cumsum(0), (1, 0))


def ends_and_longest(grid: torch.Tensor, kwargs=None):
    found = ends(grid, kwargs=kwargs)
    return found, found[-1]
"""
TWO_NETS = """import torch
from torch import nn

from helpers import ends_and_longest


class Net(nn.Module):
    def forward(self, hidden: torch.Tensor, grid: torch.Tensor):
        found, longest = ends_and_longest(grid)
        return hidden * longest + (found[1:] - found[:-1]).sum()


class Other(nn.Module):
    def forward(self, pixels: torch.Tensor, grid: torch.Tensor):
        found, longest = ends_and_longest(grid)
        return pixels * longest


def inputs():
    grids = torch.tensor([[1, 4, 4], [2, 2, 4]]), torch.tensor([[1, 2, 4], [1, 6, 4], [3, 2, 2]])
    return [((torch.randn(int(one.prod(-1).sum()), 8), one), {}) for one in grids]
"""


def _every_offer(folder: Path, helpers: str, net: str, words: str) -> dict[str, dict[str, str]]:
    """What is offered by titles that hold some words: the files after each."""
    (folder / "helpers.py").write_text(helpers, encoding="utf-8")
    (folder / "net.py").write_text(net, encoding="utf-8")
    options = Options((str(folder),), torch_version="2.13", no_cache=True)
    found = {}
    for finding in lint(options).findings:
        source = read_source(finding.location.path)
        assert isinstance(source, Source)
        code = code_of(source, files_to_lint(options))
        for fix in () if code is None else proposals(finding, code, proven=True):
            if words in fix.title:
                placed = Placed(source.path, fix)
                sources = {path: read_source(path) for path in placed.files()}
                texts = rewritten_files([placed], {k: v for k, v in sources.items() if isinstance(v, Source)}).texts
                found[fix.title] = {Path(path).name: text for path, text in texts.items()}
    return found


def test_a_length_goes_through_a_helper_in_between(tmp_path: Path) -> None:
    offered = _every_offer(tmp_path, ENDS, TWO_NETS, "room for all ends")
    first = next(iter(offered.values()))
    made = first["helpers.py"]
    assert "def ends(grid: torch.Tensor, kwargs=None, length=None):" in made
    assert "lengths = _repeat_with_room(grid[:, 1] * grid[:, 2], grid[:, 0], length)" in made
    assert "found = ends(grid, kwargs=kwargs, length=length)" in made
    assert "length=hidden.shape[0] if torch.compiler.is_compiling() else None" in first["net.py"]


def test_every_caller_is_offered(tmp_path: Path) -> None:
    offered = _every_offer(tmp_path, ENDS, TWO_NETS, "room for all ends")
    sizes = {title.split("`")[1] for title in offered}
    assert sizes == {"hidden.shape[0]", "pixels.shape[0]"}


@pytest.mark.slow
@pytest.mark.dynamo
def test_real_dynamo_keeps_ends_with_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "helpers.py").write_text(ENDS, encoding="utf-8")
    (tmp_path / "net.py").write_text(TWO_NETS, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.compilelint.targets]]\nmodel = "net:Net"\ninputs = "net:inputs"\n', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["fix", "--verify", "--apply"]) == 0
    said = capsys.readouterr().err
    assert said.count("kept: ") == 1, said
    assert "_repeat_with_room" in (tmp_path / "helpers.py").read_text()
