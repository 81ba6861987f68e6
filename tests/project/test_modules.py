"""Dotted names to files and back, checked against what Python itself would import."""

from __future__ import annotations

import importlib.machinery
from pathlib import Path

import pytest

from compilelint.project.environment import Environment, find_environment
from compilelint.project.modules import Found, Kind, ModuleFinder, module_name, project_roots

NOWHERE = Environment("named", "/nowhere")


def tree(root: Path, *paths: str) -> None:
    for name in paths:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def finder(*roots: Path, installed: tuple[Path, ...] = (), editable: dict[str, str] | None = None) -> ModuleFinder:
    search = tuple(path.as_posix() for path in installed)
    environment = Environment("named", "/x", search_path=search, editable=editable or {})
    return ModuleFinder(environment, tuple(path.as_posix() for path in roots))


def kind_of(found: Found | None) -> Kind | None:
    return None if found is None else found.kind


@pytest.mark.parametrize(
    ("files", "path", "dotted", "root"),
    [
        pytest.param(["a.py"], "a.py", "a", "", id="script"),
        pytest.param(["p/__init__.py", "p/m.py"], "p/m.py", "p.m", "", id="package"),
        pytest.param(["p/__init__.py"], "p/__init__.py", "p", "", id="package itself"),
        pytest.param(["x/p/__init__.py", "x/p/q/__init__.py", "x/p/q/m.py"], "x/p/q/m.py", "p.q.m", "x", id="nested"),
        pytest.param(["x/tools/run.py"], "x/tools/run.py", "run", "x/tools", id="folder that is no package"),
        pytest.param(
            ["pyproject.toml", "src/ns/p/__init__.py"], "src/ns/p/__init__.py", "ns.p", "src", id="src and namespace"
        ),
        pytest.param(["pyproject.toml", "src/ns/m.py"], "src/ns/m.py", "ns.m", "src", id="namespace module under src"),
        pytest.param(["src/ns/m.py"], "src/ns/m.py", "m", "src/ns", id="a src beside no project file is any folder"),
        pytest.param(["site-packages/ns/p/m.py"], "site-packages/ns/p/m.py", "ns.p.m", "site-packages", id="installed"),
        pytest.param(["my-app/__init__.py", "my-app/m.py"], "my-app/m.py", "m", "my-app", id="folder that is no name"),
        pytest.param(["p/__init__.py", "p/__main__.py"], "p/__main__.py", "p.__main__", "", id="main"),
    ],
)
def test_module_name(tmp_path: Path, files: list[str], path: str, dotted: str, root: str) -> None:
    tree(tmp_path, *files)
    named = module_name(str(tmp_path / path))
    assert (named.dotted, named.root) == (dotted, (tmp_path / root).as_posix())
    assert named.is_package == path.endswith("__init__.py")
    found = finder(Path(named.root)).find(named.dotted)
    assert found is not None
    assert found.path == (tmp_path / path).as_posix(), "the name leads back to the file"


def test_project_roots(tmp_path: Path) -> None:
    tree(tmp_path, "pyproject.toml", "src/p/__init__.py", "src/p/sub/__init__.py", "src/p/sub/m.py", "scripts/run.py")
    files = [str(tmp_path / name) for name in ("src/p/sub/m.py", "src/p/__init__.py", "scripts/run.py")]
    assert project_roots(files) == tuple(path.as_posix() for path in (tmp_path / "src", tmp_path, tmp_path / "scripts"))
    assert project_roots([str(tmp_path / "src/p")])[0] == (tmp_path / "src").as_posix()


def test_kinds(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "source.py",
        "package/__init__.py",
        "package/inner.py",
        "space/inner.py",
        "ext.cpython-311-x86_64-linux-gnu.so",
        "both.py",
        "both.abi3.so",
        "stub.pyi",
        "shipped.cpython-311-x86_64-linux-gnu.so",
        "shipped.pyi",
        "old.pyc",
        "win.cp311-win_amd64.pyd",
        "stubs/__init__.pyi",
        "wins/__init__.py",
        "wins.py",
        "extra.py",
        "ext.py.txt",
    )
    find = finder(tmp_path).find
    expected = {
        "source": Kind.SOURCE,
        "package": Kind.PACKAGE,
        "package.inner": Kind.SOURCE,
        "space": Kind.NAMESPACE,
        "space.inner": Kind.SOURCE,
        "ext": Kind.BINARY,
        "ext.anything.below": Kind.BINARY,
        "both": Kind.BINARY,
        "stub": Kind.BINARY,
        "shipped": Kind.BINARY,
        "old": Kind.BINARY,
        "win": Kind.BINARY,
        "stubs": Kind.BINARY,
        "wins": Kind.PACKAGE,
        "sys": Kind.BINARY,
        "source.below": None,
        "package.missing": None,
        "missing": None,
        "missing.below": None,
        "": None,
        "package.": None,
        "ex": None,
    }
    assert {name: kind_of(find(name)) for name in expected} == expected
    shipped = find("shipped")
    assert shipped is not None
    assert shipped.path.endswith(".so"), "an extension is one, whether it brings its stub or not"


def test_order_of_the_search(tmp_path: Path) -> None:
    project, first, second = tmp_path / "project", tmp_path / "first", tmp_path / "second"
    tree(project, "mine.py", "shadow.py", "ns/a.py", "folder/x.txt")
    tree(first, "shadow.py", "theirs.py", "ns/b.py", "late/x.py")
    tree(second, "theirs.py", "ns/c.py", "folder/__init__.py", "late.py")
    look = finder(project, installed=(first, second))
    for name, path, in_project in (
        ("mine", project / "mine.py", True),
        ("shadow", project / "shadow.py", True),
        ("theirs", first / "theirs.py", False),
        ("ns.a", project / "ns/a.py", True),
        ("ns.b", first / "ns/b.py", True),
        ("ns.c", second / "ns/c.py", True),
        ("folder", second / "folder/__init__.py", False),
        ("late", second / "late.py", False),
    ):
        found = look.find(name)
        assert found is not None
        assert (found.path, found.in_project) == (path.as_posix(), in_project), name


def test_a_package_without_init_is_found_by_the_folder_of_its_name_around_a_root(tmp_path: Path) -> None:
    tree(tmp_path, "x/space/sub/a.py", "x/space/other/b.py", "x/beside.py")
    look = finder(tmp_path / "x/space/sub", tmp_path / "x/space/other")
    found = look.find("space.other.b")
    assert found is not None
    assert (found.path, found.in_project) == (f"{tmp_path.as_posix()}/x/space/other/b.py", True)
    assert look.find("beside") is None, "what lies beside that folder was not named"


def test_a_folder_around_a_root_does_not_hide_what_is_installed(tmp_path: Path) -> None:
    tree(tmp_path, "space/sub/a.py", "site/space/__init__.py")
    found = finder(tmp_path / "space/sub", installed=(tmp_path / "site",)).find("space")
    assert found is not None
    assert found.path == f"{tmp_path.as_posix()}/site/space/__init__.py"


def test_a_scripts_folder_does_not_hide_the_standard_library(tmp_path: Path) -> None:
    tree(tmp_path, "scripts/types.py", "lib/types.py", "scripts/own.py")
    library = (tmp_path / "lib").as_posix()
    look = ModuleFinder(Environment("named", "/x", stdlib=library), ((tmp_path / "scripts").as_posix(),))
    types, own = look.find("types"), look.find("own")
    assert types is not None
    assert (types.path, types.in_project) == (f"{library}/types.py", False)
    assert own is not None
    assert own.in_project
    linted = ModuleFinder(Environment("named", "/x", stdlib=library), (library,)).find("types")
    assert linted is not None
    assert linted.in_project


def test_editable_installs_come_last(tmp_path: Path) -> None:
    tree(tmp_path, "src/pkg/__init__.py", "src/pkg/m.py", "src/mod.py", "src/space/a.py", "site/mod.py")
    mapping = {name: f"{tmp_path.as_posix()}/src/{name}" for name in ("pkg", "mod", "space", "gone")}
    look = finder(installed=(tmp_path / "site",), editable=mapping)
    assert kind_of(look.find("pkg.m")) is Kind.SOURCE
    assert kind_of(look.find("space.a")) is Kind.SOURCE
    mod = look.find("mod")
    assert mod is not None
    assert mod.path == f"{tmp_path.as_posix()}/site/mod.py"
    assert look.find("gone") is None


def test_misses_are_kept_and_the_disk_is_asked_once(tmp_path: Path) -> None:
    tree(tmp_path, "p/__init__.py")
    look = finder(tmp_path)
    assert look.find("p.m") is None
    assert look.find("q.r") is None
    assert look.missed == {"p.m", "q", "q.r"}
    tree(tmp_path, "p/m.py")
    assert look.find("p.m") is None, "one run sees one state of the disk"
    assert finder(tmp_path).find("p.m") is not None


def test_links_that_loop_are_no_folders(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert finder(tmp_path).find("loop") is None


def test_agreement_with_pythons_own_path_finder() -> None:
    environment = find_environment(None, "/", {})
    assert isinstance(environment, Environment)
    look = ModuleFinder(environment)
    checked = 0
    for name in (
        "os",
        "json",
        "email",
        "asyncio",
        "ctypes",
        "pytest",
        "_pytest",
        "libcst",
        "click",
        "rich",
        "_json",
        "xml",
    ):
        spec = importlib.machinery.PathFinder.find_spec(name, list(environment.search_path))
        found = look.find(name)
        if spec is None:
            assert found is None or found.path == "", name
            continue
        assert found is not None, name
        assert found.path == Path(str(spec.origin)).as_posix(), name
        assert found.has_source == str(spec.origin).endswith(".py"), name
        checked += 1
    assert checked >= 9
