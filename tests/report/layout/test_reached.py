"""Roots of one name in several files are kept apart in every part of a report that counts by root."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Location
from compilelint.report.layout.cost import costs
from compilelint.report.layout.reached import ReachedRoots, key_of
from compilelint.report.layout.readiness import readiness, ready
from compilelint.report.layout.root_titles import titles
from compilelint.report.layout.root_tree import root_data, root_tree
from compilelint.report.layout.strips import expected
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint

NET = """
import torch
from shared import read

class Net(torch.nn.Module):
    def forward(self, x):
        return {body}

net = torch.compile(Net(){how})
"""
SHARED = "def read(x):\n    return x.sum().item()\n"


def report_of(folder: Path, a: str, b: str, how: str = "") -> Report:
    texts = {"a.py": NET.format(body=a, how=""), "b.py": NET.format(body=b, how=how), "shared.py": SHARED}
    for name, text in texts.items():
        folder.joinpath(name).write_text(text)
    return lint(Options(paths=(str(folder),), no_cache=True, torch_version="2.13.0"))


def broken(report: Report) -> list[str]:
    """The files whose root is said to have a graph break, by everything that says it."""
    data = [Path(one["path"]).name for one in json.loads(root_data(report))["roots"] if "graphs" in one["reach"]]
    tree = [line.split()[1] for line in root_tree(report, False, None).splitlines() if " graphs" in line]
    assert [Path(place.partition(":")[0]).name for place in tree] == data
    rows = [Path(row.key[1]).name for row in readiness(report) if row.breaks]
    assert rows == data
    heads = [path for path in ("a.py", "b.py") for _, words in titles_of(report, path) if "graph break" in words]
    assert heads == data
    return data


def line_of(at: Location, line: int) -> str:
    lines = Path(at.path).read_text().splitlines()
    return lines[line - 1] if line <= len(lines) else ""


def titles_of(report: Report, name: str) -> list[tuple[str, str]]:
    path = next(root.location.path for root in report.roots if root.location.path.endswith(name))
    return [(root.name, words) for root, words in titles(report, path)]


@pytest.mark.parametrize(
    ("a", "b", "files"),
    [
        pytest.param("x + x.sum().item()", "x * 2", ["a.py"], id="only one breaks"),
        pytest.param("x * 2", "x + x.sum().item()", ["b.py"], id="only the other"),
        pytest.param("x + read(x)", "x * 2", ["a.py"], id="in a function of a third file"),
        pytest.param("x + x.sum().item()", "x.max().item() - x", ["a.py", "b.py"], id="both"),
        pytest.param("x * 2", "x * 3", [], id="none"),
    ],
)
def test_only_the_root_that_reaches_a_break_has_it(tmp_path: Path, a: str, b: str, files: list[str]) -> None:
    report = report_of(tmp_path, a, b)
    assert broken(report) == files
    assert ready(report) == (2 - len(files), 0)
    own = [one.path.rpartition("/")[2] for one in expected(report, line_of)]
    assert own == [name for name, body in (("a.py", a), ("b.py", b)) if ".item" in body]


def test_a_root_that_records_cuda_graphs_gives_no_price_to_another(tmp_path: Path) -> None:
    one = costs(report_of(tmp_path, "x + x.sum().item()", "x * 2", ', mode="reduce-overhead"'))
    other = costs(report_of(tmp_path, "x + x.sum().item()", "x * 2"))
    assert one == other != []


TWICE = """import torch
if torch.__version__ > "2":
    class Net(torch.nn.Module):
        def forward(self, x):
            return x + x.sum().item()
else:
    class Net(torch.nn.Module):
        def forward(self, x):
            return x * 2
"""


def test_a_class_that_is_defined_twice_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(TWICE)
    report = lint(Options((str(tmp_path),), no_cache=True))
    (finding,) = [one for one in report.findings if one.ends_graph]
    assert [line for _, _, line in ReachedRoots(report).of(finding)] == [4]
    assert [(root.location.span.line, words) for root, words in titles(report, str(tmp_path / "net.py"))] == [
        (4, "1 graph break, 2 graphs expected"),
        (8, "one graph expected"),
    ]
    assert len(readiness(report)) == 1


def test_without_places_the_name_decides(tmp_path: Path) -> None:
    report = report_of(tmp_path, "x + x.sum().item()", "x * 2")
    finding = replace(report.findings[0], root_places=())
    assert list(ReachedRoots(report).of(finding)) == [key_of(root) for root in report.roots]
