"""The cache of whole runs: what may be taken from an earlier one, and what invalidates it.

An outcome is kept with everything that it depends on: the request, compilelint itself, the environment, the hash of
every file that was read, and for every dotted name that was looked up the file it meant, or that it meant none. It is
taken again only if all of that still holds, which is found out by reading and hashing, never by dates. What is doubtful
(a file that changed while it was read or could not be read, an entry that does not read back) is analysed again. The
whole run is one entry, the fixes of its findings included where they were asked for; the parts of a large project are
entries of their own (`part_cache`), and so are the fixes of all files (`fix_cache`), the pages that show a run
(`page_cache`) and every imported module (`ir_cache`).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias, get_args

from compilelint import __version__
from compilelint.cache import NoFindingError, Store, decoded, encoded, store_in
from compilelint.cache.encoding import Json, number_of, text_of
from compilelint.events import DynamoConfig
from compilelint.model import Location, Notice, NoticeKind, Rule, Span
from compilelint.project.classes import names_of
from compilelint.project.compile_calls import CompileCall
from compilelint.project.loader import Loader, load_source, takes_all
from compilelint.report.layout.text import shown_path
from compilelint.report.report import CompileRoot
from compilelint.session.incremental.ir_cache import IrCache
from compilelint.session.pipeline.merge import Analysis
from compilelint.session.run import Run
from compilelint.syntax import ir
from compilelint.syntax.source import Source, any_standing_in, digest_of, read_source
from compilelint.syntax.unreadable import Kind, Unreadable
from compilelint.torchfacts import Capture
from compilelint.torchfacts.switches import Switch

Lacking: TypeAlias = dict[str, tuple[str, list[str]]]
"""By path: the hash of a file in which words were looked for in vain, and the words."""


class KeptPart(NamedTuple):
    """What was kept of a part: hashes by path, those of files that lack words (as they are now), the rest; `changed`
    are the linted files that hold something else now, with their hashes.
    """

    read: dict[str, str]
    lacking: Lacking
    content: list[Json]
    changed: dict[str, str]


class RunCache:
    """Earlier outcomes of one request; `store` is None where nothing is to be remembered, `note` says why it is not
    the one that was asked for.
    """

    def __init__(
        self,
        store: Store | None,
        request: Sequence[object],
        files: Sequence[object],
        rules: Sequence[Rule],
        loader: Loader,
        note: str = "",
    ) -> None:
        self._store = store
        self.note = note
        self.rules = {rule.code: rule for rule in rules}
        self._loader = loader
        self.read: Mapping[str, str] = {}  # of the run that was taken or kept, the hashes of the files that it read
        self._request = json.dumps(request, default=repr) if store is not None else ""
        self._key = json.dumps([self._request, *files])

    def load(self) -> Analysis | None:
        """What the same request came to, if every name still means and every file still holds the same.

        The loader then knows what was missing and unreadable, as if it had looked itself.
        """
        data = None if self._store is None else self._store.get(self._key)
        if data is None:
            return None
        try:
            read, names, unreadable, findings, suppressed, (roots, unjudged), started, calls, notices = json.loads(data)
            if any(self._loader.meaning(name, bool(meant[0])) != meant for name, meant in names.items()):
                return None
            if any(digest_of(path) != digest for path, digest in read.items()):
                return None
            known = Analysis(
                [decoded(one, self.rules) for one in findings],
                number_of(suppressed),
                tuple([decoded_root(one) for one in roots]),
                number_of(started),
                tuple([decoded_call(one) for one in calls]),
                unjudged=tuple([decoded_root(one) for one in unjudged]),
                notices=tuple([decoded_notice(one) for one in notices]),
            )
            self._loader.unreadable.extend([unreadable_of(one) for one in unreadable])
            for name in names:
                self._loader.miss(name)
            self.read = read
            return known
        except (NoFindingError, ValueError, TypeError, AttributeError):
            return None

    def part(self, key: list[object], linted: Mapping[str, str]) -> KeptPart | None:
        """What was kept of a part under a key, if names and files are as they were, but for some linted files.

        `linted` are the paths of the linted files by name.
        """
        data = None if self._store is None else self._store.get(json.dumps([self._request, key]))
        if data is None:
            return None
        try:
            read, lacking, names, ours, content = json.loads(data)
            if any(self._meaning(name, bool(meant[0]), linted) != meant for name, meant in names.items()):
                return None
            if ours != _among(read, linted):
                return None
            hashed = self._loader.readings.digests  # the linted files were read a moment ago
            among = frozenset(ours)
            changed: dict[str, str] = {}
            for path, digest in read.items():
                now = hashed.get(path) or digest_of(path)
                if now != digest:
                    if path not in among or not now:
                        return None
                    changed[path] = now
            still: Lacking = {}
            for path, (digest, words) in lacking.items():
                now = hashed.get(path) or digest_of(path)
                if now != digest and not _lacks(path, words):
                    return None
                still[path] = now, words
            return KeptPart(read, still, content, changed)
        except (ValueError, TypeError, AttributeError):
            return None

    def reads(self, key: list[object]) -> Json:
        """What `keep_part` was given as `reads`; None where it is not there any more."""
        data = None if self._store is None else self._store.get(json.dumps([self._request, key, "reads"]))
        try:
            return None if data is None else json.loads(data)
        except ValueError:
            return None

    def keep_part(
        self,
        key: list[object],
        read: dict[str, str],
        lacking: Lacking,
        asked: dict[str, bool],
        linted: Mapping[str, str],
        content: list[Json],
        reads: Json,
    ) -> None:
        """Keep what a part came to, and apart what it read of linted files, which only an edit of these asks for;
        nothing where the files were no single state of the disk.
        """
        if self._store is None or self._loader.readings.torn:
            return
        names = {name: self._meaning(name, whole, linted) for name, whole in asked.items()}
        entry = [read, lacking, names, _among(read, linted), content]
        self._store.put(json.dumps([self._request, key]), json.dumps(entry).encode("ascii"))
        self._store.put(json.dumps([self._request, key, "reads"]), json.dumps(reads).encode("ascii"))

    def _meaning(self, name: str, as_package: bool, linted: Mapping[str, str]) -> list[object]:
        """What a name means to a part, to which a linted file of that name comes first."""
        return [*self._loader.meaning(name, as_package), linted.get(name)]

    def fixes(self) -> dict[str, list[Json]]:
        """What was kept of the fixes of files, by path; the caller checks whether it still holds."""
        data = None if self._store is None else self._store.get(json.dumps([self._request, "fixes"]))
        try:
            found = {} if data is None else json.loads(data)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def keep_fixes(self, fixes: dict[str, list[Json]]) -> None:
        """Keep the fixes of files, unless these were no single state of the disk."""
        if self._store is not None and not self._loader.readings.torn:
            self._store.put(json.dumps([self._request, "fixes"]), json.dumps(fixes).encode("ascii"))

    def page(self, key: list[object], stamp: str) -> str | None:
        """The text that was kept under a key, if its stamp is this one."""
        data = None if self._store is None else self._store.get(json.dumps([self._request, key]))
        try:
            known, text = (None, None) if data is None else json.loads(data)
        except (ValueError, TypeError):
            return None
        return text if known == stamp and isinstance(text, str) else None

    def keep_page(self, key: list[object], stamp: str, text: str) -> None:
        """Keep a text under a key, in place of the one before, and the store within its bounds."""
        if self._store is not None:
            self._store.put(json.dumps([self._request, key]), json.dumps([stamp, text]).encode("ascii"))
            self._store.close()

    def digest(self, path: str) -> str:
        """The hash of a file that was read, else nothing."""
        return self._loader.readings.digests.get(path, "")

    @property
    def is_off(self) -> bool:
        """Whether nothing is remembered."""
        return self._store is None

    def keep(self, outcome: Analysis) -> None:
        """Remember an outcome, unless it is not whole or the files were no single state of the disk."""
        readings = self._loader.readings
        if self._store is None or readings.torn or outcome.given_up:  # another run may have the time
            return
        names = {name: self._loader.meaning(name, whole) for name, whole in self._loader.asked.items()}
        unreadable = [[one.kind, one.path, one.message, one.line, one.column] for one in self._loader.unreadable]
        roots = [[encoded_root(one) for one in some] for some in (outcome.roots, outcome.unjudged)]
        findings = [encoded(one) for one in outcome.findings]
        content = [readings.digests, names, unreadable, findings, outcome.suppressed, roots, outcome.started]
        content += [[encoded_call(one) for one in outcome.calls], [encoded_notice(one) for one in outcome.notices]]
        self._store.put(self._key, json.dumps(content).encode("ascii"))
        self.read = readings.digests


@contextmanager
def run_cache_of(run: Run) -> Iterator[RunCache]:
    """The cache for a run: none under `--no-cache`, for unsaved text, for texts that fixes made and that stand in for
    files (an outcome knows files by what lies on the disk), and for notebooks, whose cells move.

    What these import is taken from earlier runs all the same. With the block, the store is brought within its bounds.
    """
    options, files, environment, loader = run.options, run.files, run.environment, run.loader
    store, note = (None, "") if options.no_cache else _store(options.cache_dir, files.roots)
    own = own_state() if store is not None else []
    if store is not None:
        loader.kept = IrCache(store, own)
    is_off = options.stdin is not None or any_standing_in() or any(path.endswith(".ipynb") for path in files.files)
    request = [
        own,
        options.roots,
        options.dynamo,
        options.compilers,
        options.follow_imports,
        [rule.code for rule in run.rules],
        [facts.version for facts in run.torch.facts],
        [environment.kind, environment.prefix, environment.stdlib, environment.search_path],
        sorted(environment.editable.items()),
        loader.finder.project_roots,
        [run.fixes, run.fixes and int(options.min_confidence)],
        [[one.rule.code, one.pack, one.state] for one in run.book.lib],
    ]
    named = [files.files, [[error.kind, error.path, error.message] for error in files.errors]]
    yield RunCache(None if is_off else store, request, named, run.book.rules, loader, "" if is_off else note)
    if store is not None:
        store.close()


def _store(folder: str | None, roots: Sequence[str]) -> tuple[Store | None, str]:
    """The store that was asked for, and what is to be said of it.

    Not one in the linted tree: what lies there may be a link, and its author decides what it holds and how much.
    """
    asked = store_in(folder)
    if not _is_below(asked.folder, roots):
        return asked, ""
    usual = store_in(None)
    where = f"the cache folder {shown_path(str(asked.folder))} is inside the linted tree and is not used"
    if folder is None or _is_below(usual.folder, roots):
        return None, f"{where}: nothing is remembered; name another with --cache-dir"
    return usual, f"{where}: results are kept in {shown_path(str(usual.folder))}"


def _is_below(folder: Path, roots: Sequence[str]) -> bool:
    """Whether a folder, or what it links to, is one of the linted ones or lies below."""
    real = (os.path.abspath(folder), os.path.realpath(folder))
    tops = [top for root in roots for top in (os.path.abspath(root), os.path.realpath(root))]
    return any(one == top or one.startswith(top.rstrip(os.sep) + os.sep) for one in real for top in tops)


def _among(read: Iterable[str], linted: Mapping[str, str]) -> list[str]:
    """Which of the files that were read are linted: findings may lie in those."""
    ours = set(linted.values())
    return sorted(path for path in read if path in ours)


def _lacks(path: str, words: list[str]) -> bool:
    """Whether a file can be read, binds none of the names, and takes all names of no other module."""
    source = read_source(path)
    if not isinstance(source, Source) or takes_all(source.text):
        return False
    named = [word for word in words if word in source.text]
    module = load_source(source, "", is_package=False) if named else None
    return module is None or (isinstance(module, ir.Module) and names_of(module).isdisjoint(named))


def own_state(package: Path | None = None) -> list[object]:
    """What compilelint itself is, every file of it: in a source tree it changes without a new version."""
    package = Path(__file__).parents[2] if package is None else package
    seen = hashlib.blake2b(digest_size=16)
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            status = os.stat(os.path.join(folder, name))
            seen.update(f"{folder}/{name} {status.st_size} {status.st_mtime_ns}\n".encode("utf-8", "surrogatepass"))
    return [__version__, seen.hexdigest(), list(sys.version_info[:3]), sys.platform]


def place_of_root(location: Location) -> Json:
    """A place that is in no notebook, as a list."""
    return [location.path, *location.span]


def location_of(value: Json) -> Location:
    """The place that `place_of_root` was given."""
    path, line, column, end_line, end_column = value
    return Location(text_of(path), Span(*map(number_of, (line, column, end_line, end_column))))


def unreadable_of(value: Json) -> Unreadable:
    """A file that could not be read, as it was kept. Raises TypeError or ValueError."""
    kind, path, message, line, column = value
    if kind not in get_args(Kind):
        raise ValueError(f"{kind!r} is not a kind of fault")
    return Unreadable(kind, text_of(path), text_of(message), number_of(line), number_of(column))


def _name(one: Switch) -> str:
    return one.name


def encoded_root(root: CompileRoot) -> Json:
    """A root as a list."""
    config, by = root.config, root.compiled_at
    captures = sorted(capture.value for capture in config.captures)
    switches = [[one.name, sorted(one.ids), sorted(one.functions)] for one in sorted(config.switches, key=_name)]
    how = [config.fullgraph, config.export, captures, config.dynamic, config.mode, switches]
    places = [place_of_root(root.location), by and place_of_root(by)]
    captured = None if root.captured is None else list(root.captured)
    reach = [root.functions, root.files, root.graphs, captured, root.fewest, root.again, list(root.unseen)]
    ends = [list(one) for one in root.ends]
    return [root.name, *places, root.kind, root.spec, how, root.of, *reach, ends, root.aside]


def decoded_root(value: Json) -> CompileRoot:
    """What `encoded_root` was given."""
    name, at, by, kind, spec, (fullgraph, export, captures, dynamic, mode, on), of, *reach = value
    functions, files, graphs, captured, fewest, again, unseen, ends, aside = reach
    switches = frozenset(Switch(name, frozenset(ids), frozenset(functions)) for name, ids, functions in on)
    config = DynamoConfig(fullgraph, export, frozenset(map(Capture, captures)), dynamic, mode, switches)
    return CompileRoot(
        text_of(name),
        location_of(at),
        None if by is None else location_of(by),
        text_of(kind),
        text_of(spec),
        config,
        text_of(of),
        number_of(functions),
        number_of(files),
        number_of(graphs),
        None if captured is None else tuple(map(number_of, captured)),
        None if fewest is None else number_of(fewest),
        again is True,
        tuple(map(text_of, unseen)),
        tuple([(text_of(path), number_of(line)) for path, line in ends]),
        text_of(aside),
    )


def encoded_notice(notice: Notice) -> Json:
    """A notice about a place that is in no notebook, as a list."""
    return [notice.kind, notice.text, notice.path, notice.line]


def decoded_notice(value: Json) -> Notice:
    """What `encoded_notice` was given. Raises TypeError or ValueError for anything else."""
    kind, text, path, line = value
    if kind not in get_args(NoticeKind):
        raise ValueError(f"{kind!r} is not a kind of notice")
    return Notice(kind, text_of(text), None if path is None else text_of(path), number_of(line))


def encoded_call(call: CompileCall) -> Json:
    """A compile call as a list."""
    return [place_of_root(call.location), call.how, list(call.roots), call.reason]


def decoded_call(value: Json) -> CompileCall:
    """What `encoded_call` was given."""
    at, how, roots, reason = value
    return CompileCall(location_of(at), text_of(how), tuple([text_of(root) for root in roots]), text_of(reason))
