"""What our code imports from elsewhere is declared by the extra whose code it is, and what is declared is imported.

Imports are read with `ast`, wherever they stand, and with them the modules named to `import_module` and the programs
named to `shutil.which`. Those under `TYPE_CHECKING` are asked of developers alone.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "compilelint"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Whose code lies where: the longest beginning counts, and everything else is the core's.
HOMES = {
    "dynamic/": "dynamic",
    "bench/": "dynamic",
    "reproduce/": "dynamic",
    "server/": "lsp",
    "mcp/": "mcp",
    "fleet/": "cluster",
    "session/commands/watch.py": "watch",
    "torchfacts/generate/": "test-dynamic",  # makes the tables of a torch: for those who develop compilelint
    "pytest_plugin.py": "test",  # loaded by pytest, which is there then
}
CORE = "core"
OF_THE_SYSTEM = frozenset({"nvidia-smi"})  # comes with the driver, and is done without
# Trainers that the caller of `callbacks` already has.
OF_THE_CALLER = {"callbacks.py": frozenset({"transformers", "lightning", "pytorch_lightning"})}
EXTRAS = ("dynamic", "lsp", "mcp", "cluster", "watch")
# Where the distribution is installed in no environment of the tests, its import has its own name.
_DISTRIBUTIONS = packages_distributions()


def declared(extra: str) -> frozenset[str]:
    """The names of what an extra brings, with what the core does."""
    lists = [PROJECT["dependencies"], PROJECT["optional-dependencies"].get(extra, [])]
    return frozenset(canonicalize_name(Requirement(one).name) for each in lists for one in each)


def home_of(file: str) -> str:
    """The extra whose code a file is."""
    fitting = [one for one in HOMES if file.startswith(one)]
    return HOMES[max(fitting, key=len)] if fitting else CORE


def asked_for(text: str) -> Iterator[tuple[int, str]]:
    """Line and name of each module from elsewhere that a text imports, and of each program that it looks for."""
    tree = ast.parse(text)
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        pending += ast.iter_child_nodes(node)
        for name in _named_by(node):
            top = name.partition(".")[0]
            if top and top not in {*sys.stdlib_module_names, *OF_THE_SYSTEM, "compilelint"}:
                yield getattr(node, "lineno", 0), top


def _named_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""] if not node.level else []
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        value = node.args[0].value
        if called in ("import_module", "find_spec", "__import__", "which") and isinstance(value, str):
            return [value]
    return []


def distributions_of(module: str) -> frozenset[str]:
    """The names of what may have installed a module."""
    return frozenset(map(canonicalize_name, _DISTRIBUTIONS.get(module, [module])))


def files() -> list[str]:
    return sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def undeclared(file: str, text: str) -> list[str]:
    """What a file at that place asks for and its extra does not bring."""
    brought = declared(home_of(file)) | OF_THE_CALLER.get(file, frozenset())
    return [f"{file}:{line} {one}" for line, one in asked_for(text) if not distributions_of(one) & brought]


def test_what_code_asks_for_is_declared_where_it_lies() -> None:
    assert [one for file in files() for one in undeclared(file, (SOURCE / file).read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("extra", [CORE, *EXTRAS])
def test_what_is_declared_is_asked_for(extra: str) -> None:
    own = declared(extra) - (declared(CORE) if extra != CORE else frozenset())
    asked = {
        name
        for file in files()
        if home_of(file) == extra
        for _, one in asked_for((SOURCE / file).read_text(encoding="utf-8"))
        for name in distributions_of(one)
    }
    assert own - asked == frozenset()


def test_every_extra_of_users_has_a_home_and_a_job_and_is_in_getting_started() -> None:
    from benchmarks.extras import EXTRAS as TRIED

    of_users = {one for one in PROJECT["optional-dependencies"] if not one.startswith("test")}
    assert of_users == set(EXTRAS) == set(TRIED) - {"none"}
    assert of_users <= set(HOMES.values())
    page = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    assert [one for one in EXTRAS if f"\n| `{one}` |" not in page] == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        pytest.param("dynamic/worker/seeding.py", "import numpy", ["numpy"], id="what the extra does not bring"),
        pytest.param("dynamic/worker/seeding.py", "import torch", [], id="what it brings"),
        pytest.param("dynamic/worker/seeding.py", "import click", [], id="what the core brings"),
        pytest.param("session/analyse.py", "def f():\n    import torch.nn", ["torch"], id="an extra's, in the core"),
        pytest.param("mcp/serve.py", "import pygls", ["pygls"], id="another extra's"),
        pytest.param("fleet/engine.py", "import_module('ray.util')", ["ray"], id="a module by its name"),
        pytest.param("fleet/engine.py", "shutil.which('uv')", [], id="a program that is brought"),
        pytest.param("fleet/engine.py", "shutil.which('conda')", ["conda"], id="a program that is not"),
        pytest.param("model/step.py", "if TYPE_CHECKING:\n    import mypy", [], id="for the type checker alone"),
        pytest.param("model/step.py", "if TYPE_CHECKING:\n    pass\nelse:\n    import mypy", ["mypy"], id="not for it"),
        pytest.param("model/step.py", "import json\nfrom compilelint import cli", [], id="the library's and our own"),
    ],
)
def test_the_walk_itself(file: str, text: str, found: list[str]) -> None:
    assert [one.partition(" ")[2] for one in undeclared(file, text)] == found


def test_the_wheel_leaves_out_what_measures_torch() -> None:
    """Then nothing else may import it."""
    folder = "src/compilelint/torchfacts/generate"
    assert f'exclude = ["{folder}"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    others = [path for path in (ROOT / "src").rglob("*.py") if folder not in path.as_posix()]
    named = re.compile(r"^\s*(from|import) [\w.]*torchfacts(\.generate\b| import .*\bgenerate\b)", re.MULTILINE)
    assert named.search("from compilelint.torchfacts.generate.fold import x")
    assert [path for path in others if named.search(path.read_text(encoding="utf-8"))] == []
