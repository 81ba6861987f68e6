"""The folder of library models is its own registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.interp import models
from compilelint.interp.core.registry import CLASSES, INSTANCE_CALLS, MODELS, classes_of

LIBRARY = """
from compilelint.interp.core.registry import model
from compilelint.values import NONE

@model("acme.run")
def run(f, args, pos):
    return NONE
"""


def test_every_file_of_the_folder_is_a_library() -> None:
    folder = Path(models.__path__[0])
    assert set(models.NAMES) == {file.stem for file in folder.glob("*.py")} - {"__init__"}


def test_a_new_file_is_registered_by_being_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme.py").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.setattr(models, "__path__", [*models.__path__, str(tmp_path)])
    monkeypatch.setattr(models, "NAMES", ("acme",))
    assert "acme.run" not in MODELS
    models.load_all()
    assert MODELS.pop("acme.run").__module__ == "compilelint.interp.models.acme"


def test_files_have_registered_what_they_model() -> None:
    models.load_all()
    homes = {function.__module__.rpartition(".")[2] for function in (*MODELS.values(), *INSTANCE_CALLS.values())}
    assert {"control_flow", "iteration", "python", "same_module", "steering"} <= homes
    assert classes_of("torchvision.transforms.v2.Resize") is CLASSES["torchvision.transforms."]
    assert classes_of("torchvision.models.resnet18") is None
