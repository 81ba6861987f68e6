"""Which rules of others there are: packs that are installed beside compilelint, and files named on the command line.

Code of a stranger is run here, so where it may come from is settled first: an entry point `compilelint.rules` of a
distribution that lies where packages are installed (its metadata is read there and nowhere else), or a path that the
command line names. Nothing in a linted tree can add to that: its configuration only selects among what is there, no
folder of `PYTHONPATH` and no current folder is searched, and a pack whose code lies in the linted tree is not loaded.
LibCST is imported by the packs themselves, so that a lint without packs never does.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from compilelint.disk.tree import lies_in, repository_around
from compilelint.lib.page import page_text
from compilelint.model import Effect, Safety
from compilelint.model import Rule as Metadata
from compilelint.model.patterns import late_pattern
from compilelint.rulebook import LibRule, RulebookError

GROUP = "compilelint.rules"
_PACKAGE = "__init__.py"
_CODE = late_pattern(r"(?!CL[0-9])[A-Z]{2,10}[0-9]{3}")
_NAME = late_pattern(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class Packs(NamedTuple):
    """The rules of all packs, and which packs are not used, in words."""

    rules: tuple[LibRule, ...] = ()
    notes: tuple[str, ...] = ()


def packs(named: Sequence[str] = (), tree: Iterable[str] = ()) -> Packs:
    """The rules of installed packs and of the files and folders `named`; `tree` are the paths to be linted.

    Raises RulebookError for a pack that cannot be loaded, or was written for another version of `compilelint.lib`.
    """
    rules: list[LibRule] = []
    notes: list[str] = []
    tops: list[str] | None = None  # looked for by the first pack: few are installed, and paths may be many
    for folder in installed_in():
        for pack, module in _entries(folder):
            with _trusted_path():
                where = _home(module, pack)
                tops = _tops(tree) if tops is None else tops
                if any(lies_in(where, top) for top in tops) and not any(lies_in(where, one) for one in installed_in()):
                    notes.append(f"the rules of {pack} are not used: their code is in the linted tree ({where})")
                    continue
                rules += _rules_of(_imported(module, pack), pack)
    files = [file for path in named for file in _files(path)]
    own = [one for file in files for one in _rules_of(_loaded(file), f"--rules {_shown(file)}")]
    codes = {one.rule.code for one in own}  # to work on an installed pack is to name its sources: those hold
    return Packs((*(one for one in rules if one.rule.code not in codes), *own), tuple(notes))


# ------------------------------------------------------------------ where from


def _tops(tree: Iterable[str]) -> list[str]:
    """The real folders of the repositories around some paths; outside of any, the paths."""
    known: dict[str, str] = {}
    return [os.path.realpath(repository_around(path, known) or path) for path in map(os.path.abspath, tree)]


def installed_in() -> tuple[str, ...]:
    """The folders that packages are installed in, for the Python that runs: no others are asked for packs."""
    found = [sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"], *site.getsitepackages()]
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    return tuple(dict.fromkeys(os.path.realpath(one) for one in found if os.path.isdir(one)))


def _entries(folder: str) -> Iterator[tuple[str, str]]:
    """The packs installed in a folder: name and version, and the module that its entry points name."""
    with os.scandir(folder) as entries:
        names = sorted(one.name for one in entries if one.name.endswith(".dist-info"))
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(os.path.join(path, "entry_points.txt"), "rb", buffering=0) as file:
                text = file.read()
        except OSError:
            continue
        if GROUP.encode() in text:  # asked of bytes: reading them all as metadata would cost as much as a small lint
            from importlib.metadata import PathDistribution  # brings `email` and `zipfile`, for packs alone

            found = PathDistribution(Path(path))
            for entry in sorted(found.entry_points.select(group=GROUP)):
                yield f"{found.metadata['Name']} {found.version}", entry.module


@contextmanager
def _trusted_path() -> Iterator[None]:
    """While the block runs, modules are looked for in the standard library and where packages are installed."""
    before = sys.path[:]
    named = [os.path.realpath(one) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    doubtful = {*named, os.path.realpath(os.getcwd())} - set(installed_in())
    sys.path[:] = [one for one in before if one and os.path.realpath(one) not in doubtful]
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def _home(module: str, pack: str) -> str:
    """The file that a module would be loaded from. Raises RulebookError where there is none."""
    top = module.partition(".")[0]
    spec = importlib.util.find_spec(top)
    if spec is None or not (spec.origin or spec.submodule_search_locations):
        raise RulebookError(f"the pack {pack} has no module {module}", f"entry point {GROUP}", "install it again")
    return os.path.realpath(spec.origin or next(iter(spec.submodule_search_locations or ())))


def _imported(module: str, pack: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise RulebookError(
            f"the pack {pack} cannot be loaded: {type(error).__name__}: {error}",
            f"module {module}",
            "uninstall it, or report it to its authors",
        ) from error


def _files(path: str) -> list[str]:
    """The Python files that `--rules` names: one, those of a folder, or a package by its `__init__.py`."""
    if os.path.isdir(path):
        package = os.path.join(path, _PACKAGE)
        if os.path.isfile(package):
            return [package]
        found = sorted(name for name in os.listdir(path) if name.endswith(".py") and not name.startswith(("_", "test")))
        return [os.path.join(path, name) for name in found]
    if not os.path.isfile(path):
        raise RulebookError(f"no such file or folder: {path}", "--rules", "name a Python file, or a folder of them")
    return [path]


def _shown(file: str) -> str:
    """The name of a file, of a package that of its folder."""
    folder, name = os.path.split(os.path.abspath(file))
    return os.path.basename(folder) if name == _PACKAGE else name


def _loaded(file: str) -> ModuleType:
    """A file as a module of its own; its folder is not searched, but a package may import its own parts."""
    real = os.path.realpath(file)
    name = f"compilelint_rules_{hashlib.blake2b(os.fsencode(real), digest_size=6).hexdigest()}"
    known = sys.modules.get(name)
    if known is not None:
        return known
    inside = [os.path.dirname(real)] if os.path.basename(real) == _PACKAGE else None
    spec = importlib.util.spec_from_file_location(name, real, submodule_search_locations=inside)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise RulebookError(
            f"{file} cannot be loaded: {type(error).__name__}: {error}", "--rules", "correct it"
        ) from error
    return module


# ------------------------------------------------------------------ what it is


def _rules_of(module: ModuleType, pack: str) -> list[LibRule]:
    """The rules that a module holds, its own and those it imports from its package. Raises RulebookError."""
    from compilelint.lib.rule import API_VERSION, Rule  # LibCST comes with it, and the pack has imported it already

    written_for = getattr(module, "COMPILELINT_API", API_VERSION)
    if written_for != API_VERSION:
        newer = isinstance(written_for, int) and written_for > API_VERSION
        hint = "update compilelint" if newer else "update the pack"
        what = f"{pack} was written for version {written_for} of compilelint.lib, and this is version {API_VERSION}"
        raise RulebookError(what, f"COMPILELINT_API in {module.__file__}", hint)
    kinds = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Rule)]
    found = [_lib_rule(one, pack) for one in kinds if one.code]
    if not found:
        raise RulebookError(
            f"{pack} has no rule", module.__file__ or module.__name__, "derive a class from compilelint.lib.Rule"
        )
    return found


def _lib_rule(kind: Any, pack: str) -> LibRule:
    """What the product knows of a rule. Raises RulebookError where the class contradicts itself."""
    where = f"{kind.__module__}.{kind.__qualname__} of {pack}"
    if not _CODE.fullmatch(kind.code):
        own = "codes with CL are compilelint's own" if kind.code.startswith("CL") else f"{kind.code!r} is not a code"
        raise RulebookError(own, where, "write letters of your own and three digits: TEAM001")
    if not _NAME.fullmatch(kind.name):
        raise RulebookError(f"{kind.name!r} is not a name for a rule", where, "write what it finds: host-noise")
    if not isinstance(kind.effect, Effect) or kind.effect is Effect.TOOL:
        raise RulebookError(f"{kind.code} has no effect", where, "write effect = Effect.SYNC")
    if not kind.summary:
        raise RulebookError(f"{kind.code} has no summary", where, "say in one line what it finds")
    if kind.fixes is not None and not isinstance(kind.fixes, Safety):
        raise RulebookError(f"{kind.code} does not say how safe its fixes are", where, "write fixes = Safety.UNSAFE")
    if kind.fixes is not None and not kind.whole:
        raise RulebookError(f"{kind.code} rewrites a file that it sees parts of", where, "leave out whole = False")
    if isinstance(kind.words, str):
        raise RulebookError(f"the words of {kind.code} are one text", where, f"write words = ({kind.words!r},)")
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    rule = Metadata(
        kind.code,
        kind.name,
        kind.summary,
        kind.effect,
        fix=kind.fixes,
        pack=pack,
        page=page_text(kind, file),
        url=kind.url,
    )
    return LibRule(rule, pack, kind, tuple(kind.words), _state_of(file), beliefs=kind.beliefs, whole=kind.whole)


def _state_of(file: str) -> str:
    """What a pack's code is made of: the files of its folder, by size and date."""
    seen = hashlib.blake2b(digest_size=16)
    folder = os.path.dirname(file)
    for name in sorted(os.listdir(folder)) if file else ():
        if name.endswith(".py"):
            status = os.stat(os.path.join(folder, name))
            seen.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
    return seen.hexdigest()
