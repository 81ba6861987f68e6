"""What a project sets by default: options of argparse, fields of dataclasses, keys of YAML and JSON files beside it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compilelint.disk.data import NotParsedError, json_of
from compilelint.disk.read import NotReadError, read_bytes, read_text
from compilelint.session.building.sources import Source, own_nodes

_MOST_FILES = 300
_MOST_VALUES = 5_000
_LINE = re.compile(r"^[ \t]*([A-Za-z_]\w*)[ \t]*:[ \t]+([^#\n&*!|>]+?)[ \t]*(?:#.*)?$", re.MULTILINE)
_DEVICE = re.compile(r"'(cuda|gpu)(:\d+)?'")
_TYPES = {"int": "1", "float": "0.1", "bool": "False", "str": "''"}


@dataclass(slots=True)
class Settings:
    """Values as source text by name. `options` holds those of the parser of each source, by its path."""

    values: dict[str, str] = field(default_factory=dict)
    options: dict[str, dict[str, str]] = field(default_factory=dict)

    def options_for(self, path: str) -> dict[str, str]:
        """The options of the parser in a file; where it has none, of the largest parser of the project."""
        return self.options.get(path) or max(self.options.values(), key=len, default={})


def settings_of(folder: str, sources: Iterable[Source]) -> Settings:
    """The settings that a project's code and its configuration files state."""
    found = Settings()
    for source in sources:
        options = dict(_options(source.tree))
        if options:
            found.options[source.path] = options
            for name, value in options.items():
                if value not in ("None", "''"):
                    found.values.setdefault(name, value)
    for source in sources:
        for name, value in _fields(source.tree):
            found.values.setdefault(name, value)
    for name, value in _from_files(folder):
        if len(found.values) < _MOST_VALUES:
            found.values.setdefault(name, value)
    return found


def _options(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The destination and the default of each `add_argument`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            flags = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            keywords = {one.arg: one.value for one in node.keywords}
            long = [one for one in flags if one.startswith("--")] or flags
            named = keywords.get("dest")
            name = named.value if isinstance(named, ast.Constant) else long[0].lstrip("-") if long else ""
            name = str(name).replace("-", "_")
            if name.isidentifier():
                yield name, _default(keywords)


def _default(keywords: dict[str | None, ast.expr]) -> str:
    default = keywords.get("default")
    if default is not None and (text := _literal(default)):
        return text
    action = keywords.get("action")
    if isinstance(action, ast.Constant) and default is None:
        return {"store_true": "False", "store_false": "True"}.get(str(action.value), "None")
    choices = keywords.get("choices")
    if isinstance(choices, (ast.List, ast.Tuple)) and choices.elts and (text := _literal(choices.elts[0])):
        return text
    kind, required = keywords.get("type"), keywords.get("required")
    needed = isinstance(required, ast.Constant) and required.value is True
    return _TYPES.get(kind.id, "None") if isinstance(kind, ast.Name) and needed else "None"


def _fields(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The fields with a plain default of dataclasses, and of classes that are called a configuration."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        decorated = any("dataclass" in ast.unparse(one) for one in node.decorator_list)
        if not decorated and not re.search(r"(?i)config|args|hparam|setting|options", node.name):
            continue
        for one in own_nodes(node):
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.value is not None:
                if text := _literal(one.value):
                    yield one.target.id, text
            elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and (text := _literal(one.value)):
                yield one.targets[0].id, text


def _literal(node: ast.expr) -> str:
    """The text of a constant, also of arithmetic and containers of constants; empty for anything else."""
    plain = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Load)
    text = ast.unparse(node) if all(isinstance(one, plain) for one in ast.walk(node)) else ""
    return "'cpu'" if _DEVICE.fullmatch(text) else text  # where a trial runs


def _from_files(folder: str) -> Iterator[tuple[str, str]]:
    """Keys with plain values: lines `key: value` of YAML files, and those of JSON files at any depth."""
    seen = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(here, name)
            try:
                if name.endswith((".yaml", ".yml")):
                    yield from _of_yaml(read_text(path))
                elif name.endswith(".json") and "config" in path.lower():
                    yield from _of_json(json_of(read_bytes(path)))
                else:
                    continue
            except (NotReadError, NotParsedError):
                continue
            seen += 1
            if seen == _MOST_FILES:
                return


def _of_yaml(text: str) -> Iterator[tuple[str, str]]:
    for name, value in _LINE.findall(text):
        words = {"true": "True", "false": "False", "null": "None", "~": "None"}.get(value.lower(), value)
        try:
            yield name, repr(ast.literal_eval(words))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            if re.fullmatch(r"[\w./ -]{1,60}", value):
                yield name, repr(value)


def _of_json(document: object) -> Iterator[tuple[str, str]]:
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            for name, value in one.items():
                plain = [*value] if isinstance(value, list) else [value]
                if name.isidentifier() and all(isinstance(part, (str, int, float, bool)) for part in plain):
                    yield name, repr(value)
                waiting.append(value)
