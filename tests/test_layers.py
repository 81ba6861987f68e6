"""The one-way order of the layers, and what a layer may not know even of those below it.

Imports are read with `ast`, wherever they stand: inside a function or under `TYPE_CHECKING` they tie two layers
together all the same. A module that no layer names fails here until it is given its place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "compilelint"

# From the ground up; layers of one row do not see each other. `__init__` holds public names, `__main__` starts cli.
ROWS: tuple[tuple[str, ...], ...] = (
    ("keys", "model"),
    ("disk",),
    ("values",),
    ("torchfacts",),
    ("events",),
    ("rulebook",),
    ("syntax",),
    ("project",),
    ("survey",),
    ("host",),
    ("interp",),
    ("fixes",),
    ("lib",),
    ("checks",),
    ("dynamic",),
    ("bench",),
    ("trace",),
    ("reproduce",),
    ("report",),
    ("config", "cache"),
    ("fleet",),
    ("session",),
    ("mcp", "monitor", "server"),
    ("callbacks",),
    ("__init__",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
HEIGHT = {layer: height for height, row in enumerate(ROWS) for layer in row}

# The rooms of the interpreter: each uses only those before it, and asks the engine (`core/engine.py`) for the rest.
ROOMS = (
    "core",
    "text",
    "effects",
    "devices",
    "refusals",
    "regions",
    "kinds",
    "arguments",
    "hosts",
    "eval",
    "models",
    "calls",
    "driver",
)
FLOOR = {room: floor for floor, room in enumerate(ROOMS)}

# Sharper than the order: (layer, what it must not import).
STRANGERS = {
    ("checks", "interp"): "checks see events and values, never the interpreter",
    ("report", "checks"): "a reporter gets findings and rule pages as data",
    ("dynamic", "interp"): "the run and the interpreter are two independent witnesses",
}
PARSERS = frozenset({"ast", "libcst", "parso", "symtable", "tokenize"})
KNOW_NO_PARSER = frozenset({"values", "interp"})
BELOW_LIBCST = frozenset({"model", "values", "events", "torchfacts", "rulebook", "project", "survey", "interp"})
# Files that run in a process of their own, with torch (paths relative to the package).
MAY_IMPORT_TORCH = (
    "dynamic/worker.py",
    "dynamic/worker/",
    "bench/worker/",
    "reproduce/worker.py",
    "torchfacts/generate.py",
    "torchfacts/generate/",
)


class Import(NamedTuple):
    """One imported name: `name` is empty where the module itself is imported."""

    line: int
    module: str
    name: str


def imports_of(tree: ast.Module, file: str) -> Iterator[Import]:
    """Yield what a file of the package imports; relative imports and `import_module("...")` are resolved."""
    package = ("compilelint", *PurePosixPath(file).parent.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            yield from (Import(node.lineno, module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield Import(node.lineno, node.args[0].value, "")


def layer_of(file: str) -> str:
    """Return the top-level name of a file: `values` for `values/lattice.py` and for `values.py`."""
    return PurePosixPath(file).parts[0].removesuffix(".py")


def violations(file: str, source: str) -> list[str]:
    """Return a sentence for everything that a file, named relative to the package, imports and must not."""
    layer = layer_of(file)
    if layer not in HEIGHT:
        return [f"{file}: no layer is called {layer!r}: give it a place in ROWS and in the README"]
    found = []
    for line, module, name in imports_of(ast.parse(source), file):
        top, _, rest = module.partition(".")
        complaint = _own(layer, rest.partition(".")[0], name) if top == "compilelint" else _foreign(file, layer, top)
        if not complaint and layer == "interp" and rest.startswith("interp"):
            complaint = _between_rooms(file, rest, name)
        if complaint:
            found.append(f"{file}:{line}: {complaint}")
    return found


def _own(layer: str, imported: str, name: str) -> str:
    """Judge an import from our own package; `imported` is its layer, empty for the package itself."""
    if not imported and name == "__version__" and layer != "model":
        return ""  # a constant above all layers, and its single source
    if not imported and name not in HEIGHT:
        return "imports the package itself: name the layer that defines what is needed"
    target = imported or name
    if target == layer:
        return ""
    if target not in HEIGHT:
        return f"no layer is called {target!r}"
    if (layer, target) in STRANGERS:
        return f"{layer} imports {target}: {STRANGERS[layer, target]}"
    return "" if HEIGHT[target] < HEIGHT[layer] else f"{layer} imports {target}, which does not lie below it"


def _between_rooms(file: str, rest: str, name: str) -> str:
    """Judge an import within the interpreter; `rest` is the module below the package, `interp.kinds.items`."""
    parts, imported = PurePosixPath(file).parts, [*rest.split("."), name]
    if len(parts) < 3:
        return "" if parts == ("interp", "__init__.py") else "stands in no room of interp: give it one"
    room, target = parts[1], imported[1]
    for one in (room, target):
        if one not in FLOOR:
            return f"no room of interp is called {one!r}"
    return "" if FLOOR[target] <= FLOOR[room] else f"{room} imports {target}, which lies above it: ask the engine"


def _foreign(file: str, layer: str, top: str) -> str:
    """Judge an import from elsewhere."""
    if layer in KNOW_NO_PARSER and top in PARSERS:
        return f"{layer} knows no parser, and imports {top}"
    if layer in BELOW_LIBCST and top == "libcst":
        return f"{layer} imports libcst, which starts in syntax"
    if top == "click" and layer != "cli":
        return f"only cli imports click, not {layer}"
    if top == "torch" and not any(
        file == home or (home[-1] == "/" and file.startswith(home)) for home in MAY_IMPORT_TORCH
    ):
        return "imports torch: the static pass never does, and the rest asks a worker"
    return ""


def test_every_import_follows_the_order() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert SOURCE / "model" / "finding.py" in files
    found = [
        line
        for file in files
        for line in violations(file.relative_to(SOURCE).as_posix(), file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of modules that import each other, directly or through others."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        path.append(module)
        for target in sorted(imports.get(module, ())):
            if target not in number:
                visit(target)
                lowest[module] = min(lowest[module], lowest[target])
            elif target in path:
                lowest[module] = min(lowest[module], number[target])
        if lowest[module] == number[module]:
            circle = path[path.index(module) :]
            del path[path.index(module) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for module in sorted(imports):
        if module not in number:
            visit(module)
    return found


def _imports_of_all() -> dict[str, set[str]]:
    """The modules of the package, each with those that it imports anywhere: late, or for types alone."""
    names: dict[str, Path] = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names[".".join(("compilelint", *parts)).removesuffix(".__init__")] = path
    found: dict[str, set[str]] = {}
    for module, path in names.items():
        tree, targets = ast.parse(path.read_text(encoding="utf-8")), set()
        for one in imports_of(tree, path.relative_to(SOURCE).as_posix()):
            submodule = f"{one.module}.{one.name}"
            targets.add(submodule if submodule in names else one.module)
        found[module] = {target for target in targets if target in names and target != module}
    return found


def test_no_modules_import_each_other() -> None:
    imports = _imports_of_all()
    assert "compilelint.interp.core.frame" in imports["compilelint.interp.driver.interpreter"]
    found = circles(imports)
    assert not found, "\n".join(" <-> ".join(circle) for circle in found)


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        pytest.param({"a": {"b"}, "b": {"a"}}, [["a", "b"]], id="two files"),
        pytest.param({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, [["a", "b", "c"]], id="through a third"),
        pytest.param({"a": {"b", "c"}, "b": {"c"}, "c": set()}, [], id="one way"),
        pytest.param({"a": {"b"}, "b": {"a"}, "c": {"d", "a"}, "d": {"c"}}, [["a", "b"], ["c", "d"]], id="two circles"),
    ],
)
def test_circles_are_found(imports: dict[str, set[str]], found: list[list[str]]) -> None:
    assert circles(imports) == found


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        pytest.param("model/rule.py", "from compilelint.values import Tensor", "does not lie below", id="upwards"),
        pytest.param("values/a.py", "from compilelint.events import Branch", "does not lie below", id="one step up"),
        pytest.param("config.py", "import compilelint.cache", "does not lie below", id="side by side"),
        pytest.param("interp/core/a.py", "def f():\n    from compilelint import session", "session", id="late import"),
        pytest.param("interp/a.py", "if TYPE_CHECKING:\n    import compilelint.checks", "checks", id="type checking"),
        pytest.param(
            "interp/core/a.py", "from compilelint.interp.kinds.items import iterate", "lies above it", id="room above"
        ),
        pytest.param(
            "interp/kinds/a.py",
            "if TYPE_CHECKING:\n    from compilelint.interp import driver",
            "kinds imports driver",
            id="room above, for types, taken from the package",
        ),
        pytest.param("interp/a.py", "from compilelint.interp.core import frame", "in no room", id="without a room"),
        pytest.param("interp/core/a.py", "from compilelint.interp.tools import x", "'tools'", id="room of none"),
        pytest.param("values/a.py", "from ..interp import state", "values imports interp", id="relative"),
        pytest.param("values/a.py", "from .. import interp", "values imports interp", id="relative to the package"),
        pytest.param("fixes/a.py", "importlib.import_module('compilelint.cli')", "fixes imports cli", id="by string"),
        pytest.param("utils.py", "", "no layer is called 'utils'", id="module without a layer"),
        pytest.param("helpers/a.py", "", "no layer is called 'helpers'", id="package without a layer"),
        pytest.param(
            "report/a.py", "from compilelint.extras import x", "no layer is called 'extras'", id="import of none"
        ),
        pytest.param("report/a.py", "from compilelint import Finding", "package itself", id="public name from below"),
        pytest.param("report/a.py", "import compilelint", "package itself", id="whole package"),
        pytest.param("model/a.py", "from compilelint import __version__", "package itself", id="model imports nothing"),
        pytest.param("values/a.py", "import ast", "knows no parser", id="values parse"),
        pytest.param("interp/a.py", "from libcst import matchers", "knows no parser", id="interp parses"),
        pytest.param("interp/a.py", "import tokenize", "knows no parser", id="interp tokenizes"),
        pytest.param("rulebook.py", "import libcst as cst", "starts in syntax", id="LibCST too low"),
        pytest.param("session.py", "import click", "only cli", id="click outside cli"),
        pytest.param("checks/a.py", "import torch.nn", "imports torch", id="torch in the static pass"),
        pytest.param("dynamic/runner.py", "from torch import nn", "imports torch", id="torch in the parent"),
        pytest.param("dynamic/workers.py", "import torch", "imports torch", id="torch beside the worker"),
        pytest.param("checks/a.py", "from compilelint.interp import frame", "never the interpreter", id="checks"),
        pytest.param("report/a.py", "from compilelint.checks import all_rules", "as data", id="report"),
        pytest.param("dynamic/merge.py", "import compilelint.interp.core.state", "two independent", id="dynamic"),
        pytest.param("session.py", "from compilelint import cli", "session imports cli", id="session and cli"),
        pytest.param(
            "__init__.py", "from compilelint.cli import main", "does not lie below", id="public names and cli"
        ),
    ],
)
def test_an_offending_source_is_found(file: str, source: str, complaint: str) -> None:
    found = violations(file, source)
    assert len(found) == 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        pytest.param("events/event.py", "from compilelint.values import Tensor", id="downwards"),
        pytest.param("values/a.py", "from compilelint.values.lattice import join", id="in the same layer"),
        pytest.param("values/a.py", "from . import lattice", id="relative in the same layer"),
        pytest.param("interp/kinds/a.py", "from compilelint.interp.core.frame import Frame", id="room below"),
        pytest.param("interp/kinds/a.py", "from compilelint.interp.kinds import items", id="in the same room"),
        pytest.param("interp/__init__.py", "from compilelint.interp.driver.interpreter import I", id="public names"),
        pytest.param("report/formats/sarif.py", "from compilelint import __version__", id="the version"),
        pytest.param("report/formats/sarif.py", "from compilelint import model", id="a layer taken from the package"),
        pytest.param("syntax/cst.py", "import ast\nimport libcst", id="parsers in syntax"),
        pytest.param("cli/app.py", "import click", id="click in cli"),
        pytest.param("dynamic/worker.py", "import torch._dynamo", id="torch in the worker"),
        pytest.param("dynamic/worker/record.py", "import torch", id="torch in a part of the worker"),
        pytest.param("torchfacts/generate/probe.py", "import torch", id="torch where facts are measured"),
        pytest.param("checks/a.py", "x = 'import torch'", id="torch in a text"),
        pytest.param("__init__.py", "from compilelint.session import lint", id="a public name"),
        pytest.param("__main__.py", "from compilelint.cli import main", id="the start"),
    ],
)
def test_an_honest_source_passes(file: str, source: str) -> None:
    assert violations(file, source) == []
