"""The measured results of one torch version, from `data/results-<version>.json`.

The newest file is whole; an older one holds what differs from the version that its `base` names. A version that was not
measured is answered by the nearest older one that was, else by the oldest.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from compilelint.torchfacts import store
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.result_rules import Arguments
from compilelint.torchfacts.results import ResultRule, Shape, found_in, parsed, possible

Plain = Literal["bool", "int", "float", "str"]
MAKERS = "makes"
_PREFIX = "results-"
_PLAIN: Mapping[str, Plain] = {"bool": "bool", "int": "int", "float": "float", "str": "str"}


class Results:
    """What the operations of one version return; `version` is the one that was measured.

    `texts` gives the rule of each `name` or `name|form` as the files spell it; `names_of` sets of names: operations
    that make tensors and take none (`makes`), methods of modules (`module`), and those that return the module itself
    (`module self`).
    """

    __slots__ = ("_rules", "_shapes", "names_of", "texts", "version")

    def __init__(self, version: str, texts: Mapping[str, str], names_of: Mapping[str, frozenset[str]]) -> None:
        self.version = version
        self.texts = texts
        self.names_of = names_of
        spelled = {text: parsed(text) for text in set(texts.values())}
        self._rules: dict[str, ResultRule] = {key: spelled[text] for key, text in texts.items()}
        self._shapes: dict[str, frozenset[Shape]] = {}  # of every operation, filled when one is first asked for

    @property
    def names(self) -> tuple[str, ...]:
        """Every measured operation, sorted."""
        return tuple(sorted(self._shapes_by_name()))

    def rule_for(self, name: str, call: Arguments) -> ResultRule | None:
        """The rule of a call of `name` (`torch.norm`, `torch.Tensor.norm`); None where its form was not measured."""
        return found_in(self._rules, name, call)

    def possible(self, name: str, call: Arguments) -> list[ResultRule]:
        """The rules of the forms that a call may have of which not all arguments are known."""
        return [rule for _, rule in possible(self._rules, name, call)]

    def shapes_of(self, name: str) -> frozenset[Shape]:
        """What the measured forms of an operation return; empty where none was measured."""
        return self._shapes_by_name().get(name, frozenset())

    def _shapes_by_name(self) -> Mapping[str, frozenset[Shape]]:
        if not self._shapes:
            shapes: dict[str, set[Shape]] = {}
            for key, rule in self._rules.items():
                shapes.setdefault(key.partition("|")[0], set()).add(rule.shape)
            self._shapes.update((name, frozenset(found)) for name, found in shapes.items())
        return self._shapes

    def plain(self, name: str) -> Plain | None:
        """The type of the Python value that a call or an attribute always gives; None for tensors and all else."""
        rule = self._rules.get(name)
        return _PLAIN.get(rule.fields[0]) if rule is not None and rule.shape == "python" and rule.fields else None

    def makes(self, name: str) -> bool:
        """Whether `name` (`torch.zeros`) makes tensors and takes none."""
        return name in self.names_of[MAKERS]

    @property
    def of_modules(self) -> frozenset[str]:
        """What `torch.nn.Module` has besides what a program stores on it."""
        return self.names_of["module"]

    @property
    def return_module(self) -> frozenset[str]:
        """The methods of a module that return the module itself."""
        return self.names_of["module self"]


def measured_versions(data: Path = store.DATA) -> tuple[str, ...]:
    """The versions whose results were measured, oldest first; raises FactsError where there is none."""
    found = [path.stem.removeprefix(_PREFIX) for path in data.glob(f"{_PREFIX}*.json")]
    if not found:
        raise FactsError("no measured results found", str(data), "reinstall compilelint")
    return tuple(sorted(found, key=store.key_of))


def file_of(version: str) -> str:
    """The name of a version's file."""
    return f"{_PREFIX}{version}.json"


def results_of(version: str, data: Path = store.DATA) -> Results:
    """The results that hold for a torch version; raises FactsError where a file is missing or damaged."""
    shipped = measured_versions(data)
    wanted = store.key_of(version)
    below = [one for one in shipped if store.key_of(one)[: len(wanted)] <= wanted]
    return _read(below[-1] if below else shipped[0], data)


@functools.lru_cache(maxsize=4)
def _read(version: str, data: Path) -> Results:
    name = file_of(version)
    with _damage_of(name, data):
        return Results(version, *_texts_of(version, data))


def _texts_of(version: str, data: Path) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """The rule of each `name` or `name|form`, and the sets of names, of a version with those of its base."""
    name = file_of(version)
    content = store.read(name, data)
    with _damage_of(name, data):
        base = content.get("base")
        if base is not None and store.key_of(base) <= store.key_of(version):
            raise ValueError(f"its base {base} is not newer")
        texts, names = ({}, {}) if base is None else _texts_of(base, data)
        for key in store.unpacked(content.get("gone", {})):
            texts.pop(key, None)
        for text, keys in content["results"].items():
            texts.update(dict.fromkeys(store.unpacked(keys), text))
        names.update({key: frozenset(store.unpacked(keys)) for key, keys in content["names"].items()})
        return texts, names


@contextlib.contextmanager
def _damage_of(name: str, data: Path) -> Iterator[None]:
    """Turns what a damaged file raises into a FactsError that names it."""
    try:
        yield
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise FactsError(f"{name} is damaged: {error!r}", str(data / name), "reinstall compilelint") from error
