"""The tree without a repository: an unpacked archive, and a client of `compilelint mcp` that names modules."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.client import Client as ClientType

from compilelint.disk.tree import may_name
from compilelint.mcp.confined import RefusedError, roots_of
from compilelint.mcp.proof import home_of
from compilelint.mcp.serve import server_of
from tests.security.hostile import BREAKS, SECRET, compilelint


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A tree that was unpacked, with no repository around it, beside a folder of its owner's."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "c.toml").write_text(f"select = ['{SECRET}']\n", encoding="utf-8")
    (tmp_path / "out" / "credentials").write_text(f"{SECRET} = 1\n", encoding="utf-8")
    folder = tmp_path / "archive"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "net.py").write_text(BREAKS, encoding="utf-8")
    return folder


BASES = [
    pytest.param("../out/c.toml", id="a file beside the archive"),
    pytest.param("~/credentials", id="a file of the home, a secret as a key"),
    pytest.param("pkg/../../out/c.toml", id="dots behind a folder of the archive"),
    pytest.param("link.toml", id="a link of the archive"),
    pytest.param("OUT/c.toml", id="by its whole path"),
    pytest.param("/proc/self/environ", id="the environment"),
]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("words", [("check", "."), ("config", "pkg/net.py")], ids=["check", "config"])
def test_a_base_outside_an_archive_is_not_read(archive: Path, base: str, words: tuple[str, ...]) -> None:
    out = archive.parent / "out"
    (archive / "link.toml").symlink_to("../out/c.toml")
    text = f'extend = "{base.replace("OUT", str(out))}"\n'
    (archive / "compilelint.toml").write_text(text, encoding="utf-8")
    done = compilelint(archive, *words, environment={"HOME": str(out)})
    assert done.returncode == 2
    assert "is outside the project" in done.stderr
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{SECRET} = 1", id="an unknown key"),
        pytest.param(f"select = ['{SECRET}']", id="an unknown rule"),
        pytest.param(f"roots = '{SECRET}'", id="a value of the wrong type"),
        pytest.param(f"fail-on = '{SECRET}'", id="a word that is none of the choices"),
        pytest.param(f"[dynamo]\n'{SECRET}' = true", id="an unknown key of a table"),
        pytest.param(f"{SECRET}: not TOML", id="no configuration"),
    ],
)
def test_nothing_of_a_base_is_quoted(archive: Path, text: str) -> None:
    """A repository of all that a user has holds secrets too: what is extended need not be a configuration."""
    (archive / "compilelint.toml").write_text('extend = "base.toml"\n', encoding="utf-8")
    (archive / "base.toml").write_text(text + "\n", encoding="utf-8")
    done = compilelint(archive, "check", ".")
    assert done.returncode == 2
    assert "the file that is extended has a value that cannot be used (base.toml:" in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_a_base_in_the_folders_of_the_run_is_read(archive: Path) -> None:
    (archive / "base.toml").write_text("min-confidence = 'certain'\n", encoding="utf-8")
    (archive / "pkg" / "compilelint.toml").write_text('extend = "../base.toml"\n', encoding="utf-8")
    named = str(archive / "base.toml")
    assert may_name(str(archive / "pkg"), named, [str(archive)])
    assert not may_name(str(archive / "pkg"), named, [str(archive / "pkg")])
    assert compilelint(archive, "check", ".", "--quiet").returncode == 0
    assert compilelint(archive / "pkg", "check", ".").returncode == 2


# ---------------------------------------------------------------------- agents


def _asked(folder: Path, talk: Callable[[ClientType], Awaitable[None]]) -> None:
    async def session() -> None:
        with anyio.fail_after(60):
            async with Client(server_of(roots_of([str(folder)]), "no-interpreter-is-started")) as client:
                await talk(client)

    anyio.run(session)


def test_a_base_outside_the_folders_of_a_server_is_not_read(archive: Path) -> None:
    (archive / "compilelint.toml").write_text('extend = "../out/c.toml"\n', encoding="utf-8")

    async def talk(client: ClientType) -> None:
        for tool in ("lint", "fix"):
            result = await client.call_tool(tool, {"paths": ["pkg"]})
            assert result.is_error
            assert "outside the project" in result.model_dump_json()
            assert SECRET not in result.model_dump_json()

    _asked(archive, talk)


@pytest.mark.parametrize(
    ("target", "inputs"),
    [
        pytest.param("pkg.net:f", ["os:getcwd"], id="inputs of the standard library"),
        pytest.param("pkg.net:f", ["outmod:make"], id="inputs of an installed module"),
        pytest.param("pkg.net:f", ["pkg.link:make"], id="inputs of a module that is a link out"),
        pytest.param("os:getcwd", [], id="a target that a file of the folder is named like"),
        pytest.param("pkg.net:f", ["x=", "py:__import__('os')"], id="inputs that are no inputs"),
    ],
)
@pytest.mark.parametrize("tool", ["verify", "reproduce"])
def test_a_call_has_nothing_imported_from_outside(archive: Path, tool: str, target: str, inputs: list[str]) -> None:
    (archive.parent / "out" / "outmod.py").write_text("def make(): return [1]\n", encoding="utf-8")
    (archive / "os.py").write_text("def getcwd(): return 1\n", encoding="utf-8")
    os.symlink(archive.parent / "out" / "outmod.py", archive / "pkg" / "link.py")

    async def talk(client: ClientType) -> None:
        result = await client.call_tool(tool, {"target": target, "inputs": inputs})
        assert result.is_error
        assert "module" in result.model_dump_json() or "is not" in result.model_dump_json()

    _asked(archive, talk)


def test_inputs_of_a_module_of_the_folder_are_made(archive: Path) -> None:
    (archive / "made.py").write_text("def make(): return [1]\n", encoding="utf-8")
    roots = roots_of([str(archive)])
    assert home_of(roots, "pkg.net:f", ["made:make"])[0] == str(archive)
    assert home_of(roots, "pkg.net:f", ["2x3", "mask=2x3:bool"])[0] == str(archive)
    with pytest.raises(RefusedError):
        home_of(roots, "pkg.net:f", ["gone:make"])
