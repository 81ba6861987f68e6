"""Attacks on `compilelint mcp`: by a tree that it lints, and by a client that was talked into something."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import pytest
from mcp import Client
from mcp.client.client import Client as ClientType

from compilelint.mcp.answers import MOST_CHARACTERS
from compilelint.mcp.confined import roots_of
from compilelint.mcp.serve import server_of

Talk: TypeAlias = Callable[[ClientType], Awaitable[None]]
SECRET = "PASSWORD = 'hunter2'\ndef f(x): return reveal_type(x)\n"
NET = "import torch\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n"
MOST_BYTES = 6 * MOST_CHARACTERS  # the same content twice, as text and as structure, with names and quotes


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The served folder, in a repository, beside one that is none of the client's business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text(SECRET, encoding="utf-8")
    served = tmp_path / "served"
    (served / ".git").mkdir(parents=True)
    (served / "net.py").write_text(NET, encoding="utf-8")
    return served


def asked(tree: Path, talk: Talk, python: str | None = None) -> None:
    async def session() -> None:
        with anyio.fail_after(100):
            async with Client(server_of(roots_of([str(tree)]), python)) as client:
                await talk(client)

    anyio.run(session)


async def said(client: ClientType, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a call was refused, and all that came back."""
    result = await client.call_tool(tool, arguments)
    return bool(result.is_error), result.model_dump_json()


ESCAPES = [
    pytest.param("../outside/secret.py", id="dots"),
    pytest.param("./../served/../outside", id="dots in the middle"),
    pytest.param("{outside}/secret.py", id="an absolute path"),
    pytest.param("link.py", id="a link to a file outside"),
    pytest.param("folder/secret.py", id="below a link to a folder outside"),
    pytest.param("chain.py", id="a link to a link"),
    pytest.param("~/../../etc/passwd", id="a home"),
    pytest.param("/proc/self/environ", id="the environment of the server"),
    pytest.param("net.py\0.txt", id="a zero byte"),
    pytest.param("", id="nothing"),
]


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("tool", ["lint", "fix", "reveal"])
def test_a_path_that_leads_out_is_refused(tree: Path, tool: str, path: str) -> None:
    outside = tree.parent / "outside"
    os.symlink(outside / "secret.py", tree / "link.py")
    os.symlink(outside, tree / "folder")
    os.symlink(tree / "link.py", tree / "chain.py")
    named = path.format(outside=outside)

    async def talk(client: ClientType) -> None:
        arguments = {"path": named, "line": 2} if tool == "reveal" else {"paths": [named]}
        refused, text = await said(client, tool, **arguments)
        assert refused
        assert "hunter2" not in text

    asked(tree, talk)


def test_a_refusal_does_not_say_whether_something_exists_outside(tree: Path) -> None:
    async def talk(client: ClientType) -> None:
        texts = []
        for name in ("../outside/secret.py", "../outside/nothing.py"):
            refused, text = await said(client, "lint", paths=[name])
            assert refused
            texts.append(text.replace(name, "NAME"))
        assert texts[0] == texts[1]

    asked(tree, talk)


def test_links_that_lead_out_are_no_part_of_a_lint(tree: Path) -> None:
    os.symlink(tree.parent / "outside" / "secret.py", tree / "link.py")

    async def talk(client: ClientType) -> None:
        refused, text = await said(client, "lint")
        assert not refused
        assert "hunter2" not in text
        assert "a link that leads out" in text

    asked(tree, talk)


def test_a_fix_is_not_written_through_a_link(tree: Path) -> None:
    bait = tree.parent / "outside" / "bait.py"
    body = "    def forward(self, x):\n        return torch.randn(x.shape).to(x.device)\n"
    source = f"import torch\nclass M(torch.nn.Module):\n{body}"
    bait.write_text(source, encoding="utf-8")
    os.symlink(bait, tree / "bait.py")

    async def talk(client: ClientType) -> None:
        refused, _ = await said(client, "fix", unsafe=True, write=True)
        assert not refused
        assert bait.read_text(encoding="utf-8") == source

    asked(tree, talk)


def test_nothing_of_the_tree_is_run(tree: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    line = f"open({str(mark)!r}, 'w').write('run')\n"
    for name in ("conftest.py", "setup.py", "sitecustomize.py", "torch.py", "compilelint_rules.py", "net.py"):
        (tree / name).write_text(line + NET, encoding="utf-8")
    (tree / "pyproject.toml").write_text(
        '[project.entry-points."compilelint.rules"]\nevil = "compilelint_rules"\n[tool.compilelint]\npython = "."\n',
        encoding="utf-8",
    )

    async def talk(client: ClientType) -> None:
        await said(client, "lint")
        await said(client, "fix", unsafe=True)
        await said(client, "reveal", path="net.py", line=4)

    asked(tree, talk)
    assert not mark.exists()


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("os:system", id="a module of the standard library"),
        pytest.param("outside.secret:f", id="a module beside the folder"),
        pytest.param("..outside.secret:f", id="dots"),
        pytest.param("link:f", id="a link to a module outside"),
        pytest.param("--python=x:f", id="an option"),
        pytest.param("net", id="no name in the module"),
    ],
)
def test_verify_runs_modules_of_the_folder_alone(tree: Path, target: str) -> None:
    os.symlink(tree.parent / "outside" / "secret.py", tree / "link.py")

    async def talk(client: ClientType) -> None:
        refused, text = await said(client, "verify", target=target)
        assert refused
        assert "module" in text or "pkg.mod:Name" in text

    asked(tree, talk, "no-interpreter-is-started")


def test_verify_is_neither_listed_nor_callable_without_the_flag(tree: Path) -> None:
    async def talk(client: ClientType) -> None:
        assert "verify" not in [one.name for one in (await client.list_tools()).tools]
        refused, text = await said(client, "verify", target="net:f")
        assert refused
        assert "Unknown tool" in text

    asked(tree, talk)


HUGE = [
    pytest.param("\n".join(f"def f{n}(x: torch.Tensor):\n    x.item()" for n in range(300)), id="many findings"),
    pytest.param(f"def {'f' * 60_000}(x: torch.Tensor):\n    x.item()", id="a name without end"),
    pytest.param(f"def f({'x' * 60_000}: torch.Tensor):\n    {'x' * 60_000}.item()", id="an argument without end"),
    pytest.param(f"def f(x: torch.Tensor):\n    return {' + '.join(['x.item()'] * 200)}", id="one long line"),
]


@pytest.mark.parametrize("text", HUGE)
def test_an_answer_has_a_bounded_size(tree: Path, text: str) -> None:
    (tree / "net.py").write_text(f"import torch\n{text}\n", encoding="utf-8")

    async def talk(client: ClientType) -> None:
        for tool, arguments in (
            ("lint", {"limit": 100}),
            ("fix", {"unsafe": True}),
            ("reveal", {"path": "net.py", "line": 3}),
        ):
            refused, answer = await said(client, tool, **arguments)
            assert not refused
            assert len(answer) < MOST_BYTES, tool

    asked(tree, talk)


def test_what_is_quoted_gives_no_orders_to_a_terminal(tree: Path) -> None:
    (tree / "net.py").write_text(
        "import torch\ndef f(x: torch.Tensor):\n    return x['\x1b]0;title\x07\u202e'].item()\n", encoding="utf-8"
    )

    async def talk(client: ClientType) -> None:
        for tool, arguments in (("lint", {}), ("reveal", {"path": "net.py", "line": 3})):
            _, text = await said(client, tool, **arguments)
            spoken = json.dumps(json.loads(text), ensure_ascii=False)
            assert not {"\x1b", "\x07", "\u202e"} & set(spoken)

    asked(tree, talk)
