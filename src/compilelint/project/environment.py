"""The Python environment that the linted code would run in, read from the outside.

Guarantee: nothing of the environment is imported or run. Its interpreter is not started, `import` lines of `.pth` files
and `sitecustomize` are not obeyed, and `importlib.util.find_spec` (which imports parents) is never called. Folders are
listed, and `pyvenv.cfg`, `.pth`, `METADATA` and setuptools' editable finders are read as text.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import field

from compilelint.disk.read import NotReadError, read_text
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.project.pth import PathEntries, path_entries
from compilelint.syntax.source import portable

_SITE_NAMES = ("site-packages", "dist-packages")
_PROJECT_MARKS = (".git", ".hg")
_INTERPRETER = late_pattern(r"(python|pypy)[\w.-]*", re.IGNORECASE)
_PYTHON_FOLDER = late_pattern(r"python(3\.\d+)t?$")


@dataclass(frozen=True, slots=True)
class Environment:
    """Where imports of the analysed code are looked for, in Python's order.

    `kind` says how it was found: `named` (--python), `active` ($VIRTUAL_ENV), `nearby` (.venv), `conda`
    ($CONDA_PREFIX) or `own` (the interpreter that runs compilelint); `prefix` is the folder to name in a notice.
    `search_path` holds the standard library, site-packages and the folders that `.pth` files add; `editable` maps
    top-level names of editable installs to their package folder or file; `notices` says what could not be read.
    """

    kind: str
    prefix: str
    python: str = ""
    stdlib: str = ""
    site_packages: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()
    editable: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    _versions: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def versions(self) -> Mapping[str, str]:
        """Version of every installed distribution by its normalised name (`huggingface-hub`); read once."""
        if not self._versions:
            for folder in reversed(self.search_path):
                self._versions.update(_distributions(folder))
        return self._versions

    def installed_version(self, distribution: str) -> str | None:
        """`installed_version("torch")` is `"2.13.0+cpu"`, or None."""
        return self.versions().get(normalised(distribution))


@dataclass(frozen=True, slots=True)
class NoEnvironment:
    """`--python` names nothing usable: a usage error."""

    path: str
    message: str


def find_environment(
    python: str | None, near: str, variables: Mapping[str, str] | None = None
) -> Environment | NoEnvironment:
    """The environment that `--python` names (interpreter, environment folder or site-packages), else the likeliest.

    `near` is a linted path, from which `.venv` and `venv` are looked for upwards as far as the repository goes;
    `variables` stands for `os.environ` in tests.
    """
    variables = os.environ if variables is None else variables
    if python is not None:
        return _environment_at(os.path.expanduser(python))
    notices = []
    active = variables.get("VIRTUAL_ENV")
    if active:
        found = _from_prefix(active, "active")
        if found is not None:
            return found
        notices.append(f"VIRTUAL_ENV names {active}, which is not a Python environment")
    for kind, prefix in (("nearby", _nearby(near)), ("conda", variables.get("CONDA_PREFIX"))):
        found = _from_prefix(prefix, kind) if prefix else None
        if found is not None:
            return found
    return _own(tuple(notices))


def normalised(distribution: str) -> str:
    """PEP 503: `Foo_Bar.baz` and `foo-bar-baz` are one distribution."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _environment_at(path: str) -> Environment | NoEnvironment:
    """What `--python PATH` means."""
    if os.path.isdir(path):
        if os.path.basename(os.path.normpath(path)) in _SITE_NAMES:
            return _from_site_packages(portable(path))
        found = _from_prefix(path, "named")
        if found is None:
            return NoEnvironment(portable(path), "has no lib/python3.*")
        return found
    if not os.path.isfile(path):
        return NoEnvironment(portable(path), "no such interpreter or environment")
    names = {os.path.basename(path), os.path.basename(os.path.realpath(path))}
    if not (os.access(path, os.X_OK) and any(map(_INTERPRETER.fullmatch, names))):
        return NoEnvironment(portable(path), "is neither an interpreter nor an environment folder")
    # A virtual environment's interpreter is a link: its own folder comes before the target's.
    for interpreter in (os.path.abspath(path), os.path.realpath(path)):
        found = _from_prefix(os.path.dirname(os.path.dirname(interpreter)), "named")
        if found is not None:
            return found
    return NoEnvironment(portable(path), "has no lib/python3.* beside its folder")


def _from_prefix(prefix: str, kind: str) -> Environment | None:
    """The environment installed at `prefix`, or None if there is none."""
    settings = _pyvenv_settings(prefix)
    python, library = _library(prefix)
    if not library:
        return None
    sites = _sites(prefix, library)
    if not sites and not settings and not os.path.isfile(f"{library}/os.py"):
        return None
    stdlib = library
    notices: tuple[str, ...] = ()
    if settings:
        home = settings.get("home", "")
        base = os.path.dirname(home) if os.path.basename(home).lower() in ("bin", "scripts") else home
        base_python, stdlib = _library(base, python) if base else ("", "")
        python = python or base_python
        if settings.get("include-system-site-packages", "").lower() == "true" and stdlib:
            sites = (*sites, *_sites(base, stdlib))
        if not (stdlib and os.path.isfile(f"{stdlib}/os.py")):
            # `home` names a link folder (`/usr/bin`) or is gone: the standard library of any Python serves.
            stdlib = sysconfig.get_path("stdlib")
            if not python or python != f"3.{sys.version_info.minor}":
                notices = (f"the standard library of {prefix} was not found; that of our own Python is read instead",)
    return _assembled(kind, prefix, python, stdlib, sites, notices)


def _from_site_packages(folder: str) -> Environment:
    """A bare site-packages folder, perhaps of an environment that lies around it."""
    parent = os.path.basename(os.path.dirname(folder))
    match = _PYTHON_FOLDER.search(parent)
    up = 3 if match else 2  # lib/python3.11/site-packages; Windows has Lib/site-packages
    prefix = folder
    for _ in range(up):
        prefix = os.path.dirname(prefix)
    around = _from_prefix(prefix, "named")
    if around is not None and folder in around.site_packages:
        return around
    return _assembled("named", folder, match.group(1) if match else "", sysconfig.get_path("stdlib"), (folder,), ())


def _own(notices: tuple[str, ...]) -> Environment:
    """The interpreter that runs us, by its installation scheme (never by `sys.path`, which others write to)."""
    paths = sysconfig.get_paths()
    sites = list(dict.fromkeys((paths["purelib"], paths["platlib"])))
    settings = _pyvenv_settings(sys.prefix)
    # The standard library of a virtual environment lies in its base, whose packages it need not see.
    library = _library(sys.prefix, f"3.{sys.version_info.minor}")[1] if settings else paths["stdlib"]
    around = [*_sites(sys.prefix, library)] if library else []
    if settings.get("include-system-site-packages", "").lower() == "true":
        around += _sites(sys.base_prefix, paths["stdlib"])
    sites += [site for site in around if site not in map(portable, sites)]
    return _assembled("own", sys.prefix, f"3.{sys.version_info.minor}", paths["stdlib"], tuple(sites), notices)


def _assembled(
    kind: str, prefix: str, python: str, stdlib: str, sites: tuple[str, ...], notices: tuple[str, ...]
) -> Environment:
    """Add what the `.pth` files of the site folders say."""
    sites = tuple(dict.fromkeys(portable(site) for site in sites))
    search = [portable(stdlib)]
    if os.path.isdir(f"{stdlib}/lib-dynload"):
        search.append(f"{portable(stdlib)}/lib-dynload")
    editable: dict[str, str] = {}
    for site in sites:
        entries: PathEntries = path_entries(site)
        search += [site, *entries.folders]
        for name, target in entries.editable.items():
            editable.setdefault(name, target)
        notices += entries.notices
    unique = tuple(dict.fromkeys(search))
    return Environment(kind, portable(prefix), python, portable(stdlib), sites, unique, editable, notices)


def _library(prefix: str, wanted: str = "") -> tuple[str, str]:
    """Version and folder of `lib/python3.N` below a prefix (the wanted or the newest), or `("", "")`."""
    found: list[tuple[int, str, str]] = []
    for lib in ("lib", "lib64"):
        for name in _listing(f"{prefix}/{lib}"):
            match = _PYTHON_FOLDER.fullmatch(name)
            if match and (not wanted or match.group(1) == wanted):
                found.append((int(match.group(1)[2:]), match.group(1), f"{prefix}/{lib}/{name}"))
    if found:
        # `lib` and `lib64` may be one folder; the first of the newest version is the usual one.
        newest = max(minor for minor, _, _ in found)
        return next((version, folder) for minor, version, folder in found if minor == newest)
    windows = f"{prefix}/Lib"
    if os.path.isdir(f"{windows}/site-packages"):
        return wanted, windows
    return "", ""


def _sites(prefix: str, library: str) -> tuple[str, ...]:
    """The site folders of a library folder; Debian's Python keeps its packages one step beside it."""
    beside = os.path.dirname(library)
    candidates = [f"{library}/{name}" for name in _SITE_NAMES]
    candidates += [f"{prefix}/lib64/{os.path.basename(library)}/site-packages", f"{beside}/python3/dist-packages"]
    seen: dict[str, str] = {}
    for folder in candidates:
        if os.path.isdir(folder):
            seen.setdefault(os.path.realpath(folder), folder)
    return tuple(seen.values())


def _nearby(near: str) -> str | None:
    """The first `.venv` or `venv` at or above a linted path, not beyond the repository it lies in."""
    folder = os.path.abspath(near)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while True:
        for name in (".venv", "venv"):
            if os.path.isfile(f"{folder}/{name}/pyvenv.cfg"):
                return f"{folder}/{name}"
        above = os.path.dirname(folder)
        if above == folder or any(os.path.exists(f"{folder}/{mark}") for mark in _PROJECT_MARKS):
            return None
        folder = above


def _pyvenv_settings(prefix: str) -> dict[str, str]:
    """The `key = value` lines of pyvenv.cfg."""
    settings = {}
    for line in _text_lines(f"{prefix}/pyvenv.cfg"):
        key, separator, value = line.partition("=")
        if separator:
            settings[key.strip().lower()] = value.strip()
    return settings


def _distributions(folder: str) -> Iterator[tuple[str, str]]:
    """Name and version of what is installed in one folder; the folder's name gives both, METADATA where it does not."""
    for name in _listing(folder):
        stem, extension = os.path.splitext(name)
        if extension not in (".dist-info", ".egg-info"):
            continue
        distribution, dash, version = stem.partition("-")
        if dash and extension == ".dist-info":
            yield normalised(distribution), version
            continue
        inner = "METADATA" if extension == ".dist-info" else "PKG-INFO"
        path = f"{folder}/{name}"
        yield from _metadata(f"{path}/{inner}" if os.path.isdir(path) else path)


def _metadata(path: str) -> Iterator[tuple[str, str]]:
    """The Name and Version lines of a metadata file."""
    values: dict[str, str] = {}
    for line in _text_lines(path):
        key, colon, value = line.partition(":")
        if not colon or not line.strip():
            break
        values.setdefault(key.lower(), value.strip())
    if "name" in values and "version" in values:
        yield normalised(values["name"]), values["version"]


def _listing(folder: str) -> list[str]:
    """Sorted names in a folder, empty where it cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):  # ValueError: a null byte in a name that a file of the environment gives
        return []


def _text_lines(path: str) -> list[str]:
    """The lines of a small text file, empty where it cannot be read."""
    try:
        return read_text(path).splitlines()
    except NotReadError:
        return []
