"""What is linted together, and what an edit leaves as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.server.projects import Project
from compilelint.server.settings import settings_of
from compilelint.syntax.source import Source, source_from_bytes

ITEM = """import torch

class M(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.sum().item()
"""


def text(path: Path, content: str) -> dict[str, Source]:
    source = source_from_bytes(path.as_posix(), content.encode())
    assert isinstance(source, Source)
    return {path.as_posix(): source}


def project(folder: Path, mode: str) -> Project:
    return Project(folder.as_posix(), None, settings_of({"diagnosticMode": mode, "torchVersion": "2.13"}))


@pytest.mark.parametrize("mode", ["workspace", "openFiles"])
def test_a_file_that_the_disk_does_not_hold_yet_is_linted(tmp_path: Path, mode: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    new = tmp_path / "new.py"
    results = project(tmp_path, mode).results(text(new, ITEM))
    assert [one.rule.code for one in results.findings(new.as_posix())] == ["CL102"]


def test_of_open_files_alone_the_others_are_not_linted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ITEM)
    (tmp_path / "b.py").write_text(ITEM)
    results = project(tmp_path, "openFiles").results(text(tmp_path / "a.py", ITEM))
    assert results.paths() == [(tmp_path / "a.py").as_posix()]
    assert len(project(tmp_path, "workspace").results({}).paths()) == 2


def test_an_edit_leaves_the_report_of_a_file_that_does_not_read_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ITEM)
    (tmp_path / "b.py").write_text(ITEM)
    one = project(tmp_path, "openFiles")
    texts = text(tmp_path / "a.py", ITEM) | text(tmp_path / "b.py", ITEM)
    before = one.results(texts)
    after = one.results(texts | text(tmp_path / "b.py", ITEM + "\n"))
    a, b = (tmp_path / "a.py").as_posix(), (tmp_path / "b.py").as_posix()
    assert after.reports[a] is before.reports[a]
    assert after.reports[b] is not before.reports[b]


def test_a_wrong_configuration_is_said_and_no_report_is_made(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ITEM)
    config = tmp_path / "compilelint.toml"
    config.write_text("colour = 3\n")
    results = Project(tmp_path.as_posix(), config.as_posix(), settings_of({})).results({})
    assert "colour" in results.failure
    assert not results.reports
