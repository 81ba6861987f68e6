"""What several parts ask of the same files, and what is kept of it when a part is let go of."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.parallel import module_cache
from compilelint.session.parallel.module_cache import ModuleCache, View
from compilelint.session.pipeline.inputs import Project
from compilelint.session.run import run_of
from compilelint.syntax import ir


@pytest.mark.parametrize("room", [0, 1_000], ids=["its text is not kept", "its text is kept"])
@pytest.mark.parametrize(
    ("text", "binds"),
    [
        ("def f(x):\n    return wanted(x)\n", False),
        ("if f():\n    import a as wanted\n", True),
        ("from other import *\n", True),
        ("wanted = (\n", True),
    ],
    ids=["mentioned", "bound in a block", "all names of another module", "cannot be read"],
)
def test_a_module_that_only_mentions_a_name_is_not_held_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, binds: bool, room: int
) -> None:
    monkeypatch.setattr(module_cache, "_MOST_SEARCHED", room)
    (tmp_path / "net.py").write_text(text)
    run = run_of(Options((str(tmp_path),), no_cache=True, torch_version="2.13"))
    project = Project(run.loader, run.files)
    view = View(ModuleCache(run.loader, project.files, project.texts, project.given))
    assert view.may_bind("net", "wanted") is binds
    assert view.paths == set()
    assert list(view.lacking.values()) == ([] if binds else [{"wanted"}])


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
