"""The analysed environment is read from the outside: folders and text, never an import or a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from compilelint.project import environment
from compilelint.project.environment import Environment, NoEnvironment, find_environment
from compilelint.project.pth import path_entries


def found(python: str | Path | None, near: Path, variables: dict[str, str] | None = None) -> Environment:
    environment = find_environment(None if python is None else str(python), str(near), variables or {})
    assert isinstance(environment, Environment), environment
    return environment


def make_prefix(prefix: Path, version: str = "3.11", config: str = "", stdlib: bool = False) -> Path:
    """A folder laid out as an environment; its site-packages."""
    site = prefix / f"lib/python{version}/site-packages"
    site.mkdir(parents=True)
    if config:
        (prefix / "pyvenv.cfg").write_text(config)
    if stdlib:
        (site.parent / "os.py").write_text("")
    return site


def install(site: Path, name: str, version: str) -> None:
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: 0\n")


def test_a_real_virtual_environment(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    names = ("env", "env/bin/python", f"env/lib/python3.{sys.version_info.minor}/site-packages")
    site = (tmp_path / names[2]).as_posix()
    install(Path(site), "Some_Thing", "1.2.3")
    for name in names:
        environment = found(tmp_path / name, tmp_path)
        assert environment.kind == "named"
        assert environment.prefix == f"{tmp_path.as_posix()}/env"
        assert environment.python == f"3.{sys.version_info.minor}"
        assert environment.site_packages == (site,)
        assert os.path.isfile(f"{environment.stdlib}/os.py")
        assert environment.search_path.index(environment.stdlib) < environment.search_path.index(site)
        assert environment.installed_version("some-thing") == "1.2.3"
        assert environment.installed_version("torch") is None


def test_order_of_the_default(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    assert found(None, project / "src").kind == "own"
    make_prefix(tmp_path / "conda", stdlib=True)
    conda = {"CONDA_PREFIX": str(tmp_path / "conda")}
    assert found(None, project, conda).kind == "conda"
    make_prefix(project / ".venv", config=f"home = {tmp_path}/conda/bin\n")
    assert found(None, project / "src", conda).prefix == f"{project.as_posix()}/.venv"
    make_prefix(tmp_path / "active", config="home = /gone\n")
    active = {**conda, "VIRTUAL_ENV": str(tmp_path / "active")}
    assert found(None, project, active).kind == "active"
    stale = found(None, project, {"VIRTUAL_ENV": str(tmp_path / "gone")})
    assert stale.kind == "nearby"


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    make_prefix(tmp_path / ".venv", config="home = /gone\n")
    inner = tmp_path / "repository/sub"
    inner.mkdir(parents=True)
    assert found(None, inner).kind == "nearby"
    (tmp_path / "repository/.git").mkdir()
    assert found(None, inner).kind == "own"


def test_our_own_interpreter(tmp_path: Path) -> None:
    own = found(None, tmp_path)
    assert own.stdlib == Path(sysconfig.get_path("stdlib")).as_posix()
    assert Path(sysconfig.get_path("purelib")).as_posix() in own.site_packages
    assert own.installed_version("pytest") == pytest.__version__


def test_base_packages_only_where_the_environment_says_so(tmp_path: Path) -> None:
    base_site = make_prefix(tmp_path / "base", stdlib=True)
    install(base_site, "torch", "2.13.0")
    for flag, seen in (("true", "2.13.0"), ("false", None)):
        prefix = tmp_path / flag
        make_prefix(
            prefix, config=f"home = {tmp_path}/base/bin\ninclude-system-site-packages = {flag}\nversion = 3.11.7\n"
        )
        environment = found(prefix, tmp_path)
        assert environment.stdlib == base_site.parent.as_posix()
        assert environment.installed_version("torch") == seen


@pytest.mark.parametrize("shared", [True, False], ids=["with system packages", "without system packages"])
def test_our_own_virtual_environment_sees_its_base_only_where_it_says_so(tmp_path: Path, shared: bool) -> None:
    """What runs us may be a virtual environment that is not activated and that no option names."""
    prefix = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    text = (prefix / "pyvenv.cfg").read_text()
    was, now = ("include-system-site-packages = " + word for word in ("false", "true"))
    assert was in text
    (prefix / "pyvenv.cfg").write_text(text.replace(was, now) if shared else text)
    asked = "import json; from compilelint.project import environment as e; print(json.dumps(e._own(()).search_path))"
    ours = [str(Path(environment.__file__).parents[2]), *sys.path]
    code = f"import sys; sys.path += {ours!r}; {asked}"
    ran = subprocess.run([str(prefix / "bin/python"), "-c", code], capture_output=True, check=True, text=True)
    assert (f"{sys.base_prefix}/lib/" in _sites_among(json.loads(ran.stdout))) is shared


def _sites_among(search_path: list[str]) -> str:
    return " ".join(one for one in search_path if one.endswith(("site-packages", "dist-packages")))


@pytest.mark.parametrize("name", ["missing", "empty", "shim/python3"])
def test_what_is_no_environment_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "shim").mkdir()
    (tmp_path / "shim/python3").write_text("#!/bin/sh\ntouch RAN\n")
    (tmp_path / "shim/python3").chmod(0o755)
    refused = find_environment(str(tmp_path / name), str(tmp_path), {})
    assert isinstance(refused, NoEnvironment)
    assert refused.path.endswith(name)
    assert not (tmp_path / "RAN").exists()


@pytest.mark.parametrize(("name", "mode"), [("passwd", 0o755), ("python3", 0o644)], ids=["a tool", "a text"])
def test_a_file_beside_an_environment_is_no_interpreter_of_it(tmp_path: Path, name: str, mode: int) -> None:
    make_prefix(tmp_path / "env")
    path = tmp_path / "env" / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("root:x:0:0\n")
    path.chmod(mode)
    refused = find_environment(str(path), str(tmp_path), {})
    assert refused == NoEnvironment(path.as_posix(), "is neither an interpreter nor an environment folder")


def test_a_link_to_an_interpreter_is_one_by_any_name(tmp_path: Path) -> None:
    make_prefix(tmp_path / "env")
    interpreter = tmp_path / "env" / "bin" / "python3.11"
    interpreter.parent.mkdir(exist_ok=True)
    interpreter.write_text("#!/bin/sh\n")
    interpreter.chmod(0o755)
    (tmp_path / "snake").symlink_to(interpreter)
    environment = find_environment(str(tmp_path / "snake"), str(tmp_path), {})
    assert isinstance(environment, Environment)
    assert environment.prefix == (tmp_path / "env").as_posix()


def test_path_files_are_read_not_obeyed(tmp_path: Path) -> None:
    site = make_prefix(tmp_path / "env", stdlib=True)
    for name in ("one", "two", "hidden"):
        (tmp_path / name).mkdir()
    (site / "inside").mkdir()
    (site / "b.pth").write_text(
        f"# comment\nimport os; os.mkdir({str(tmp_path / 'RAN')!r})\n\n{tmp_path}/two\n{tmp_path}/gone\n"
    )
    (site / "a.pth").write_bytes(
        b"\xef\xbb\xbf" + f"{tmp_path}/one\r\nimport\tsys\r\ninside\r\n{tmp_path}/two".encode()
    )
    (site / ".c.pth").write_text(f"{tmp_path}/hidden\n")
    environment = found(tmp_path / "env", tmp_path)
    expected = [site, tmp_path / "one", site / "inside", tmp_path / "two"]
    assert environment.search_path[-4:] == tuple(path.as_posix() for path in expected)
    assert not (tmp_path / "RAN").exists()


def test_editable_finders(tmp_path: Path) -> None:
    site = make_prefix(tmp_path / "env", stdlib=True)
    good = "import sys\nMAPPING: dict[str, str] = {'pkg': '/src/pkg', 'mod': '/src/mod'}\nraise SystemExit\n"
    (site / "__editable___pkg_1_0_finder.py").write_text(good)
    (site / "__editable___bad_1_0_finder.py").write_text("MAPPING = dict(__import__('os').environ)\n")
    (site / "__editable___odd_1_0_finder.py").write_text("MAPPING = {1: 2}\n")
    (site / "__editable___none_1_0_finder.py").write_text("x = (\n")
    entries = path_entries(str(site))
    assert entries.editable == {"pkg": "/src/pkg", "mod": "/src/mod"}
    assert len(entries.notices) == 3
    assert found(tmp_path / "env", tmp_path).editable == entries.editable


def test_versions_from_old_metadata(tmp_path: Path) -> None:
    site = make_prefix(tmp_path / "env", stdlib=True)
    (site / "Old.Name.egg-info").write_text("Metadata-Version: 1.0\nName: Old.Name\nVersion: 0.9\nSummary: x\n")
    (site / "dev.egg-info").mkdir()
    (site / "dev.egg-info/PKG-INFO").write_text("Name: dev\nVersion: 3\n")
    (site / "broken.dist-info").mkdir()
    environment = found(tmp_path / "env", tmp_path)
    assert environment.versions() == {"old-name": "0.9", "dev": "3"}
