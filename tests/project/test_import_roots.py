"""Where a project's modules are imported from, as pyproject.toml says it to each build system."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.project.import_roots import import_roots, reference_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("", "src", id="the usual layout"),
        pytest.param('[tool.setuptools.package-dir]\n"" = "lib"', "lib", id="setuptools, package-dir"),
        pytest.param('[tool.setuptools.packages.find]\nwhere = ["python"]', "python", id="setuptools, find"),
        pytest.param('[tool.poetry]\npackages = [{ include = "pkg", from = "lib" }]', "lib", id="Poetry"),
        pytest.param('[tool.hatch.build.targets.wheel]\npackages = ["code/pkg"]', "code", id="Hatch, packages"),
        pytest.param('[tool.hatch.build.targets.wheel]\nsources = ["code"]', "code", id="Hatch, sources"),
        pytest.param('[tool.pdm.build]\npackage-dir = "lib"', "lib", id="PDM"),
        pytest.param('[tool.maturin]\npython-source = "python"', "python", id="maturin"),
    ],
)
def test_a_root_is_what_the_build_system_is_given(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / name / "pkg").mkdir(parents=True)
    assert import_roots(str(tmp_path)) == (str(tmp_path), str(tmp_path / name))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[tool.maturin]\npython-source = "missing"', id="no such folder"),
        pytest.param('[tool.maturin]\npython-source = "../elsewhere"', id="leads out"),
        pytest.param("[tool.setuptools]\npackages = 7", id="no table"),
        pytest.param("[tool", id="no TOML"),
    ],
)
def test_anything_else_adds_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    top = tmp_path / "project"
    top.mkdir()
    (top / "pyproject.toml").write_text(text, encoding="utf-8")
    assert import_roots(str(top)) == (str(top),)


@pytest.mark.parametrize(
    ("path", "reference"),
    [
        pytest.param("/p/src/space/net/model.py", "space.net.model", id="a namespace package needs no __init__"),
        pytest.param("/p/src/pkg/__init__.py", "pkg", id="a package"),
        pytest.param("/p/train.py", "train", id="a script"),
        pytest.param("/p/my-models/net.py", "my-models/net.py", id="no name of a module"),
        pytest.param("/p/srcs/net.py", "srcs.net", id="begins like a root"),
    ],
)
def test_a_file_is_named_below_the_nearest_root(path: str, reference: str) -> None:
    assert reference_of(path, ("/p", "/p/src")) == reference
