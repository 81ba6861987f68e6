"""The time for the code around compiled code: over it, the file is left with a notice and what was found before."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint
from compilelint.survey import deadline
from compilelint.survey.survey import survey_operators
from tests.support.survey_events import program_of

TEXT = "import torch\ndef f(x):\n    return x\n" + "".join(
    f"g{i} = torch.compile(f)\ng{i}(torch.ones(2))\n" for i in range(40)
)
SAVED = "import torch\nm = torch.compile(torch.nn.Linear(2, 2))\ntorch.save(m, 'm.pt')\n"


def notices(folder: Path, timeout: float) -> list[tuple[str, str]]:
    report = lint(Options(paths=(str(folder),), torch_version="2.13", no_cache=True, timeout=timeout))
    assert [one.rule for one in report.findings if one.location.path.endswith("saved.py")]
    return [(one.path or "", one.text) for one in report.notices if one.kind == "timeout"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "saved.py").write_text(SAVED)
    (tmp_path / "wide.py").write_text(TEXT)
    return tmp_path


def test_a_file_over_its_time_is_named_and_others_are_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_CALLS_A_LOOK", 400)
    monkeypatch.setattr(deadline, "thread_time", count().__next__)  # a second at every look
    ((path, text),) = notices(project, 4.0)
    assert path.endswith("wide.py")
    assert "reading the code around compiled code in this file took 1 s; --timeout gives it more" in text


@pytest.mark.parametrize("timeout", [20.0, 0.0])
def test_with_time_enough_or_without_a_limit_nothing_is_left(project: Path, timeout: float) -> None:
    assert notices(project, timeout) == []


def test_a_look_outside_of_a_deadline_never_ends_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_CALLS_A_LOOK", 1)
    with deadline.within(100.0):
        deadline.look()
    deadline.look()
    with pytest.raises(deadline.LateError), deadline.within(1e-9):
        deadline.look()


LOOPS = "import torch\n\n\ndef f(x):\n    return x\n\n\ng = torch.compile(f)\n" + "".join(
    f"{'    ' * depth}for i{depth} in range(9):\n" for depth in range(4)
)
HOST = f"{LOOPS}                a = 1\n                b = 2\n                c = 3\ng(torch.ones(2))\n"


def test_a_program_around_compiled_calls_over_its_time_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "wide.py").write_text(HOST)
    assert notices(project, 4.0) == []
    monkeypatch.setattr(deadline, "_CALLS_A_LOOK", 400)
    monkeypatch.setattr(deadline, "thread_time", count().__next__)
    ((path, _),) = notices(project, 4.0)
    assert path.endswith("wide.py")


def test_operators_are_compared_within_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_CALLS_A_LOOK", 1)
    program, modules = program_of("import torch\n@torch.library.custom_op('a::b', mutates_args=())\ndef f(x): ...\n")
    list(survey_operators(program, modules))
    with pytest.raises(deadline.LateError), deadline.within(1e-9):
        list(survey_operators(program, modules))
