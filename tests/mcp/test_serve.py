"""The tools as an agent gets them, by the SDK's own client.

It starts `compilelint mcp` and speaks to it over stdio where that matters, else to the same server in this process.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeAlias

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.client import Client as ClientType

import compilelint
from compilelint.mcp.answers import MOST_CHARACTERS
from compilelint.mcp.confined import roots_of
from compilelint.mcp.serve import server_of
from tests.cli.test_cli import compilelint_in

SOURCE_TREE = str(Path(compilelint.__file__).parent.parent)
Talk: TypeAlias = Callable[[ClientType], Awaitable[None]]

NET = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            if x.sum() > 0:
                return x + 1
            return x
"""
NOISE = """
    import torch
    from torch import nn


    class Noisy(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            noise = torch.randn(x.shape).to(x.device)
            return x + noise
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("net.py", NET), ("noise.py", NOISE)):
        (tmp_path / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    return tmp_path


def here(folder: Path, talk: Talk) -> None:
    """Have a client talk to a server in this process."""

    async def session() -> None:
        with anyio.fail_after(100):
            async with Client(server_of(roots_of([str(folder)]))) as client:
                await talk(client)

    anyio.run(session)


def over_stdio(folder: Path, talk: Talk, *words: str) -> None:
    """Start the server on a folder, and have a client talk to it."""

    async def session() -> None:
        environment = {**os.environ, "PYTHONPATH": SOURCE_TREE}
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "compilelint", "mcp", str(folder), *words], env=environment
        )
        with anyio.fail_after(100):
            async with Client(stdio_client(command)) as client:
                await talk(client)

    anyio.run(session)


async def answer(client: ClientType, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that succeeds; it fits the output schema that the tool announces."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    (schema,) = (one.output_schema for one in (await client.list_tools()).tools if one.name == tool)
    assert schema is not None
    found: dict[str, Any] = result.structured_content
    jsonschema.validate(found, schema)
    return found


async def refusal(client: ClientType, tool: str, **arguments: Any) -> str:
    """What a call that is refused says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


def test_an_agent_finds_a_break_asks_why_and_reads_the_rule(folder: Path) -> None:
    async def talk(client: ClientType) -> None:
        found = await answer(client, "lint", paths=["net.py"])
        assert (found["files"], found["total"], found["next_offset"]) == (1, 1, None)
        (one,) = found["findings"]
        assert (one["rule"], one["path"], one["line"], one["column"]) == ("CL101", "net.py", 7, 12)
        assert one["reached_from"] == ["Net.forward"]
        assert found["roots"][0]["name"] == "Net.forward"

        beliefs = (await answer(client, "reveal", path="net.py", line=7))["beliefs"]
        (condition,) = (one for one in beliefs if one["expression"] == "x.sum() > 0")
        assert condition["belief"].startswith("tensor bool 0-d")
        assert condition["reached_from"] == ["Net.forward"]
        only = await answer(client, "reveal", path="net.py", line=7, expression="x.sum()")
        assert [one["expression"] for one in only["beliefs"]] == ["x.sum()"]

        rule = await answer(client, "explain", word=one["rule"])
        assert rule["name"] == "branch-on-tensor"
        assert "## Bad" in rule["page"]
        assert "GB0170" in (await answer(client, "explain", word="gb170"))["page"]

    over_stdio(folder, talk)


def test_findings_come_in_pages_worst_first(folder: Path) -> None:
    async def talk(client: ClientType) -> None:
        first = await answer(client, "lint", limit=1)
        second = await answer(client, "lint", limit=1, offset=first["next_offset"])
        rules = [first["findings"][0]["rule"], second["findings"][0]["rule"]]
        assert rules == ["CL101", "CL301"]
        assert (first["total"], second["next_offset"]) == (2, None)
        assert (await answer(client, "lint", rules=["CL3"]))["by_rule"] == {"CL301": 1}
        assert (await answer(client, "lint", min_confidence="certain", compile_roots=["explicit"]))["total"] == 0

    here(folder, talk)


def test_a_fix_is_a_diff_until_it_is_to_be_written(folder: Path) -> None:
    before = (folder / "noise.py").read_text(encoding="utf-8")

    async def talk(client: ClientType) -> None:
        dry = await answer(client, "fix", unsafe=True)
        assert (dry["written"], dry["fixed"], dry["left"]) == (False, {"CL301": 1}, 1)
        assert "+        noise = torch.randn(x.shape, device=x.device)" in dry["files"][0]["diff"]
        assert (folder / "noise.py").read_text(encoding="utf-8") == before
        assert (await answer(client, "fix", paths=["noise.py"], line=1, unsafe=True))["files"] == []

        wet = await answer(client, "fix", paths=["noise.py"], line=7, unsafe=True, write=True)
        assert (wet["written"], wet["files"][0]["written"], wet["left"]) == (True, True, 0)
        assert "device=x.device" in (folder / "noise.py").read_text(encoding="utf-8")
        assert (await answer(client, "lint", paths=["noise.py"]))["total"] == 0

    over_stdio(folder, talk)


def test_configuration_is_the_nearest_to_each_file(folder: Path) -> None:
    (folder / "quiet").mkdir()
    (folder / "quiet" / "net.py").write_text((folder / "net.py").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "quiet" / "compilelint.toml").write_text('ignore = ["CL101"]\n', encoding="utf-8")

    async def talk(client: ClientType) -> None:
        found = await answer(client, "lint")
        assert [one["path"] for one in found["findings"]] == ["net.py", "noise.py"]

    here(folder, talk)


def test_what_is_wrong_with_a_request_is_said_in_words(folder: Path) -> None:
    async def talk(client: ClientType) -> None:
        assert "did you mean CL101" in await refusal(client, "explain", word="CL1011")
        assert "no such file or folder" in await refusal(client, "lint", paths=["nowhere.py"])
        assert "unknown rule" in await refusal(client, "lint", rules=["CLXYZ"])
        assert "`line` goes with one file" in await refusal(client, "fix", line=3)
        assert "limit" in await refusal(client, "lint", limit=10_000)

    here(folder, talk)


def test_a_file_that_does_not_parse_is_a_finding(folder: Path) -> None:
    (folder / "net.py").write_text("def f(:\n", encoding="utf-8")

    async def talk(client: ClientType) -> None:
        assert "CL901" in (await answer(client, "lint"))["by_rule"]
        assert (await answer(client, "reveal", path="noise.py", line=7))["beliefs"]
        assert "cannot be read" in await refusal(client, "reveal", path="net.py", line=1)

    here(folder, talk)


def test_large_results_are_cut_to_a_page(folder: Path) -> None:
    functions = (f"def f{n}(x: torch.Tensor):\n    if x.sum() > {n}:\n        return x\n" for n in range(150))
    (folder / "net.py").write_text("import torch\n" + "".join(functions), encoding="utf-8")

    async def talk(client: ClientType) -> None:
        found = await answer(client, "lint", limit=100)
        assert found["total"] > 100
        assert 20 < len(found["findings"]) <= 100
        assert found["next_offset"] == len(found["findings"])
        assert sum(len(str(one)) for one in found["findings"]) < 2 * MOST_CHARACTERS

    here(folder, talk)


def test_verify_is_not_there_unless_it_was_allowed(folder: Path) -> None:
    async def talk(client: ClientType) -> None:
        tools = [one.name for one in (await client.list_tools()).tools]
        assert tools == ["lint", "explain", "fix", "reveal", "trace"]
        assert "Unknown tool" in await refusal(client, "verify", target="net:Net")

    over_stdio(folder, talk)


@pytest.mark.slow
@pytest.mark.dynamo
def test_verify_proves_a_finding_and_its_fix(folder: Path) -> None:
    fixed = NET.replace("if x.sum() > 0:\n                return x + 1\n            return x", "return x + 1")
    (folder / "fixed.py").write_text(dedent(fixed).lstrip("\n"), encoding="utf-8")

    async def talk(client: ClientType) -> None:
        before = await answer(client, "verify", target="net:Net", inputs=["2x3"])
        assert before["ready"] is False
        assert [(one["path"], one["line"], one["break_id"]) for one in before["runs"][0]["breaks"]] == [
            ("net.py", 7, "GB0170")
        ]
        assert [one["verdict"] for one in before["findings"]] == ["confirmed"]
        after = await answer(client, "verify", target="fixed:Net", inputs=["2x3"])
        assert (after["ready"], after["runs"][0]["graphs"]) == (True, 1)
        assert after["runs"][0]["parity"].startswith("equal")

    over_stdio(folder, talk, "--allow-verify")


@pytest.mark.slow
@pytest.mark.dynamo
def test_prove_refuses_a_wrong_patch_and_writes_nothing(folder: Path) -> None:
    before = (folder / "net.py").read_text(encoding="utf-8")
    line = next(one for one in before.splitlines() if one.strip() == "return x + 1")
    wrong = before.replace(line, line.replace("x + 1", "x + 2"))
    patch = "".join(difflib.unified_diff(before.splitlines(True), wrong.splitlines(True), "a/net.py", "b/net.py"))

    async def talk(client: ClientType) -> None:
        found = await answer(client, "prove", target="net:Net", patch=patch, inputs=["2x3"])
        assert (found["proven"], found["error"]) == (False, "")
        assert "differs" in found["objection"]
        outside = patch.replace("/net.py", "/../net.py")
        found = await answer(client, "prove", target="net:Net", patch=outside, inputs=["2x3"])
        assert "does not apply" in found["error"]

    over_stdio(folder, talk, "--allow-verify")
    assert (folder / "net.py").read_text(encoding="utf-8") == before


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_target_that_hangs_is_ended(folder: Path) -> None:
    (folder / "hangs.py").write_text("import time\ntime.sleep(1000)\n", encoding="utf-8")

    async def talk(client: ClientType) -> None:
        found = await answer(client, "verify", target="hangs:f", seconds=3)
        assert found["ready"] is False
        assert found["runs"][0]["fate"] == "time-limit"

    over_stdio(folder, talk, "--allow-verify")


def test_the_command_needs_folders_that_exist_and_python_only_to_verify(folder: Path) -> None:
    assert "no such folder: nowhere" in compilelint_in(folder, "mcp", "nowhere").stderr
    assert "--python is for verify" in compilelint_in(folder, "mcp", "--python", "x").stderr


def test_without_the_sdk_it_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("compilelint.mcp.serve")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    ran = compilelint_in(folder, "mcp")
    assert ran.returncode == 2
    assert "pip install 'compilelint[mcp]'" in ran.stderr
