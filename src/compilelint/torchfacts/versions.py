"""Which torch versions to predict for: the option, else the analysed environment, else a requirement, else the newest.

Versions and requirements are read as text; nothing of the analysed environment is imported.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compilelint.disk.data import NotParsedError, toml_of
from compilelint.disk.read import NotReadError, read_bytes, read_text
from compilelint.disk.tree import leads_out
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.facts import available, load, nearest
from compilelint.torchfacts.store import key_of

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_PLAIN = late_pattern(r"v?\d+(\.\d+)*([a-z]+\d*)?(\+\S+)?\Z")
_HINT = 'write it like 2.9, or as a range like ">=2.6,<2.11"'


class Source(str, enum.Enum):
    """Where the target came from."""

    OPTION = "option"
    ENVIRONMENT = "environment"
    REQUIREMENT = "requirement"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Target:
    """The torch versions to predict for, oldest first; more than one where a range was asked for.

    `notice` is one line that says which were assumed and why, and where the tables only come near; `stand_in` says
    only the latter, and nothing where every version has a table of its own.
    """

    versions: tuple[str, ...]
    source: Source
    notice: str
    stand_in: str = ""


def resolve_target(spec: str | None, environment_version: str | None, requirement: str | None) -> Target:
    """The target for a `--torch-version` option, the installed torch and the project's requirement, each optional.

    A range as option means every shipped version in it (findings are their union); a range as requirement means the
    newest shipped version that it allows, since that is what an install would bring. Raises FactsError where `spec`
    can be read neither as a version nor as a range; an unreadable requirement is passed over.
    """
    if spec is not None:
        if _PLAIN.match(spec.strip()):
            return _target((spec.strip(),), Source.OPTION, "as asked for")
        versions, nearest_one = _in_range(spec)
        stand_in = f"no facts for a torch {spec.strip()}; those of {versions[0]} are used" if nearest_one else ""
        return _target(versions, Source.OPTION, "as asked for", stand_in)
    if environment_version is not None and _PLAIN.match(environment_version):
        return _target(
            (environment_version.partition("+")[0],), Source.ENVIRONMENT, "installed in the analysed environment"
        )
    if requirement is not None and (allowed := _newest_allowed(requirement)) is not None:
        return _target((allowed,), Source.REQUIREMENT, f"allowed by the requirement torch{requirement}")
    return _target(
        (available()[-1],), Source.DEFAULT, "the newest known; no torch was found in the analysed environment"
    )


def _target(versions: tuple[str, ...], source: Source, why: str, stand_in: str = "") -> Target:
    inexact = [(facts.target, facts.version) for facts in map(load, versions) if not facts.exact]
    near = "".join(f"; facts of {shipped} are used for {wanted}" for wanted, shipped in inexact)
    notes = [f"no facts for torch {wanted}; those of {shipped} are used" for wanted, shipped in inexact]
    notice = f"predicting for torch {', '.join(versions)}: {why}{near}"
    return Target(versions, source, notice, stand_in or "; ".join(notes))


def _specifiers(text: str) -> SpecifierSet | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def _in_range(spec: str) -> tuple[tuple[str, ...], bool]:
    """The shipped versions in a range, or the one next to it (then True)."""
    specifiers = _specifiers(spec)
    if specifiers is None or not spec.strip():
        raise FactsError(f"{spec!r} is not a torch version", "--torch-version", _HINT)
    shipped = available()
    inside = tuple(version for version in shipped if specifiers.contains(version))
    return (inside, False) if inside else ((_nearest_bound(specifiers, shipped),), True)


def _nearest_bound(specifiers: SpecifierSet, shipped: tuple[str, ...]) -> str:
    """The shipped version next to a range that holds none, such as `>=2.7,<2.8`."""
    bounds = [
        clause.version.removesuffix(".*") for clause in specifiers if clause.operator in ("==", "===", ">=", ">", "~=")
    ]
    return nearest(max(bounds, key=key_of), shipped) if bounds else shipped[0]


def allows(requirement: str, version: str) -> bool:
    """Whether a requirement such as `>=2.6,<2.9` lets a version in; one that cannot be read allows all."""
    specifiers = _specifiers(requirement.partition(";")[0])
    return specifiers is None or specifiers.contains(version)


def _newest_allowed(requirement: str) -> str | None:
    specifiers = _specifiers(requirement.partition(";")[0])
    if specifiers is None:
        return None
    shipped = available()
    inside = [version for version in shipped if specifiers.contains(version)]
    return inside[-1] if inside else _nearest_bound(specifiers, shipped)


def installed_torch(search_path: Iterable[Path]) -> str | None:
    """The version of torch on an import path, from the first `torch-*.dist-info/METADATA` or `torch/version.py`.

    Reads text only. None where there is no torch or its metadata has no version.
    """
    for folder in search_path:
        for metadata in sorted(folder.glob("torch-*.dist-info/METADATA")):
            if (version := _first_match(metadata, r"^Version:\s*(\S+)")) is not None:
                return version
        if (version := _first_match(folder / "torch" / "version.py", r"^__version__\s*=\s*['\"]([^'\"]+)")) is not None:
            return version
    return None


def _first_match(path: Path, pattern: str) -> str | None:
    try:
        text = read_text(str(path))
    except NotReadError:
        return None
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else None


def required_torch(project: Path) -> str | None:
    """What a project asks of torch, such as `>=2.6,<2.11`; from pyproject.toml, else requirements.txt, in `project`.

    The empty string means any version. None where torch is not required or the file cannot be read.
    """
    requirements = [
        *_pyproject_requirements(project / "pyproject.toml"),
        *_listed_requirements(project / "requirements.txt"),
    ]
    for requirement in requirements:
        found = re.match(r"torch\s*(?:\[[^\]]*\])?\s*\(?([^;#)]*)\)?", requirement.strip())
        if found and not re.match(r"torch[\w.-]", requirement.strip()):
            return found.group(1).strip()
    return None


def _pyproject_requirements(path: Path) -> Iterator[str]:
    try:
        content = {} if leads_out(str(path)) else toml_of(read_bytes(str(path)))
    except (NotReadError, NotParsedError):
        return
    project = _table(content, "project")
    yield from _strings(project.get("dependencies"))
    for group in [*_table(project, "optional-dependencies").values(), *_table(content, "dependency-groups").values()]:
        yield from _strings(group)
    poetry = _table(_table(_table(content, "tool"), "poetry"), "dependencies").get("torch")
    version = poetry.get("version") if isinstance(poetry, Mapping) else poetry
    if isinstance(version, str):
        yield "torch" + _from_poetry(version)


def _from_poetry(version: str) -> str:
    """Poetry's caret in the standard's words: `^2.6` allows everything below the next major release."""
    if version.startswith("^"):
        numbers = key_of(version[1:])
        return f">={version[1:]},<{numbers[0] + 1}"
    return "" if version == "*" else version if version[:1] in "<>=!~" else f"=={version}"


def _table(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = content.get(name)
    return value if isinstance(value, Mapping) else {}


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


def _listed_requirements(path: Path) -> list[str]:
    try:
        return [] if leads_out(str(path)) else read_text(str(path)).splitlines()
    except NotReadError:
        return []
