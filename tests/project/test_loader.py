"""Which dotted names become modules, and which stay names that facts are looked up by."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compilelint.project.environment import Environment
from compilelint.project.loader import Loader, Names
from compilelint.project.modules import ModuleFinder
from compilelint.syntax import ir


@pytest.fixture
def loader(tmp_path: Path) -> Loader:
    """A project with `pkg`, an environment with `lib`, `torch`, `numpy`, and one file that is no Python."""
    return loader_in(tmp_path, "all")


def loader_in(folder: Path, follow: str) -> Loader:
    project, site = folder / "project", folder / "env" / "site-packages"
    for name in ("pkg/__init__", "pkg/a", "logging", "broken"):
        write(project / f"{name}.py", "def f(:\n" if name == "broken" else "x = 1\n")
    for name in ("lib", "torch/__init__", "torch/nn", "numpy/__init__"):
        write(site / f"{name}.py", "x = 1\n")
    environment = Environment("named", str(folder / "env"), search_path=(site.as_posix(),))
    return Loader(ModuleFinder(environment, (project.as_posix(),)), follow, ["numpy"])


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("dotted", "loaded"),
    [
        pytest.param("pkg", True, id="a package of the project"),
        pytest.param("pkg.a", True, id="a module in it"),
        pytest.param("lib", True, id="installed"),
        pytest.param("torch", False, id="torch is facts"),
        pytest.param("torch.nn", False, id="and so is what lies in it"),
        pytest.param("numpy", False, id="a package that Dynamo skips"),
        pytest.param("logging", False, id="a name of the standard library"),
        pytest.param("pkg.missing", False, id="not there"),
        pytest.param("broken", False, id="no Python"),
    ],
)
def test_what_is_followed(loader: Loader, dotted: str, loaded: bool) -> None:
    module = loader.load(dotted)
    assert (module is not None) is loaded
    assert module is None or (module.name, module.is_package) == (dotted, dotted == "pkg")


@pytest.mark.parametrize(("follow", "loaded"), [("all", ["pkg", "lib"]), ("project", ["pkg"]), ("none", [])])
def test_follow_imports(tmp_path: Path, follow: str, loaded: list[str]) -> None:
    loader = loader_in(tmp_path, follow)
    assert [name for name in ("pkg", "lib") if loader.load(name) is not None] == loaded


def test_an_import_that_cannot_be_read_is_remembered(loader: Loader) -> None:
    assert loader.load("broken") is None
    assert [(refused.kind, Path(refused.path).name) for refused in loader.unreadable] == [("syntax", "broken.py")]


def test_a_compiled_module_is_known_once_it_was_imported(loader: Loader, tmp_path: Path) -> None:
    compiled = tmp_path / "env/site-packages/fast/_kernels.cpython-311-x86_64-linux-gnu.so"
    write(compiled, "")
    assert not loader.is_compiled("fast._kernels.add"), "names that are not imported are not looked for on the disk"
    assert loader.load("fast._kernels") is None
    assert loader.is_compiled("fast._kernels.add")
    assert loader.is_compiled("fast._kernels.Table.get")
    assert not loader.is_compiled("fast._kernels"), "the module itself is no function of it"
    assert not loader.is_compiled("lib.x")
    assert loader.meaning("fast._kernels", False) == [False, compiled.as_posix(), False, False], "what a cache compares"


def test_compiled_modules_stay_unknown_where_nothing_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "env/site-packages/fast.so", "")
    loader = loader_in(tmp_path, "none")
    assert loader.load("fast") is None
    assert not loader.is_compiled("fast.add")


def test_packages_can_have_submodules(loader: Loader) -> None:
    assert loader.is_package("pkg")
    assert not loader.is_package("lib")
    assert not loader.is_package("missing")


@pytest.mark.parametrize(
    ("name", "path", "importable"),
    [
        ("pkg.a", "/p/pkg/a.py", True),
        ("torch.nn", "/p/torch/nn.py", False),
        ("numpy", "/env/site-packages/numpy/__init__.py", False),
        ("numpy", "/p/numpy.py", True),
        ("random", "/p/random.py", True),
    ],
)
def test_linted_files_of_torch_and_installed_skips_stay_facts_for_others(
    loader: Loader, name: str, path: str, importable: bool
) -> None:
    assert loader.importable(ir.Module(path, name, False, (), {})) is importable


def test_files_of_one_name_are_distinguished_by_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "train.py" for folder in ("one", "two", "deep/two")]
    for path in paths:
        write(path, "")
    names = Names()
    assert [names.name(str(path)).dotted for path in paths] == ["train", "two.train", "deep.two.train"]


@pytest.mark.parametrize("dotted", ["numpy.linalg", "torch.nn", "logging"])
def test_what_facts_describe_is_not_even_looked_for(tmp_path: Path, dotted: str) -> None:
    loader = loader_in(tmp_path, "all")
    shutil.rmtree(tmp_path / "env")
    assert loader.load(dotted) is None
    assert loader.finder.missed == set(), "a run that takes its outcome from an earlier one looks for nothing either"
