"""What only all files of a project show of its roots: through `lint`, over folders of several files."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from compilelint.config import Options
from compilelint.report.report import UNMADE, Report
from compilelint.session.commands.lint import lint

NET = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, deep=False):
            super().__init__()
            self.deep = deep
            self.a = nn.Linear(3, 3)

        def forward(self, x):
            if self.deep:
                x = x[x > 0]
            return self.a(x)

    class Old(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(3, 3)

        def forward(self, x):
            return self.a(x[x > 0])
"""
SCRIPT = """
    from net import Net

    if __name__ == "__main__":
        parser.add_argument("--deep", action="store_true")
        net = Net(deep=parser.parse_args().deep)
"""


def report(folder: Path, **files: str) -> Report:
    """The report of a project that has these files."""
    for name, text in {"net.py": NET, "train.py": SCRIPT, "setup.cfg": "", **files}.items():
        (folder / name).write_text(dedent(text))
    return lint(Options((str(folder),)))


def test_a_model_that_no_script_makes_and_lines_that_are_left_off(tmp_path: Path) -> None:
    found = report(tmp_path)
    assert {one.name: one.aside for one in found.roots} == {"Net.forward": "", "Old.forward": UNMADE}
    assert found.off == ((str(tmp_path / "net.py"), 13, 13, "deep"),)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"conf.yaml": "model:\n  deep: true\n  also: Old\n"}, id="a configuration sets it and names it"),
        pytest.param({"run.sh": "python train.py --deep\n", "more.py": "from net import Old\nOld()\n"}, id="a command"),
    ],
)
def test_what_another_file_makes_and_sets(tmp_path: Path, files: dict[str, str]) -> None:
    found = report(tmp_path, **{**files, "more.py": "from net import Old\nOld()\n"})
    assert {one.aside for one in found.roots} == {""}
    assert found.off == ()


def test_nothing_is_concluded_of_a_part_of_a_project(tmp_path: Path) -> None:
    report(tmp_path)
    found = lint(Options((str(tmp_path / "net.py"),)))
    assert {one.aside for one in found.roots} == {""}
    assert found.off == ()


def test_the_answer_is_kept_until_a_file_or_a_configuration_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    report(folder)
    options = Options((str(folder),), no_cache=False, cache_dir=str(tmp_path / "cache"))
    first = lint(options)
    monkeypatch.setattr("compilelint.session.pipeline.whole.LeftOff", None)  # a second survey would fail
    second = lint(options)
    assert (second.off, second.roots) == (first.off, first.roots)
    monkeypatch.undo()
    (folder / "conf.yaml").write_text("deep: true\n")
    assert lint(options).off == ()
