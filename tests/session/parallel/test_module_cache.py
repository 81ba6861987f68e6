"""What several parts ask of the same files, and what is kept of it when a part is let go of."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.pipeline.inputs import Project
from compilelint.session.run import run_of
from compilelint.syntax import ir


def test_a_linted_file_that_is_also_found_by_another_name_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "net.py").write_text("def f(x):\n    return x\n")
    run = run_of(Options((str(tmp_path),), no_cache=True, torch_version="2.13"))
    project = Project(run.loader, run.files)
    cache = ModuleCache(run.loader, project.files, project.texts, project.given)
    (file,) = project.files
    lowered = cache.lowered(file)
    assert isinstance(lowered, ir.Module)
    monkeypatch.setattr(run.loader, "load", lambda name: lowered if name == "alias.net" else None)
    assert cache.load("alias.net") is lowered

    cache.forget((), (file.dotted,))  # packed: another part imports it
    cache.forget((), ())  # dropped: no part does any more

    found = cache.load("alias.net")
    assert found is not None
    assert found.path == file.path
