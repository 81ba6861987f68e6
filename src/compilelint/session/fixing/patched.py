"""Whether a change by hand, by an agent or by a pull request does what the original does: the work behind `prove`.

The change is two versions of some files of the current folder: with and without a patch, the working tree and an older
revision, a file and another in its place. The version that is not in the folder is put in a copy of it. Then targets
are run from both and judged as a fix of ours is (`prove.judged`), but that a change need remove no break.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compilelint.config import UsageError
from compilelint.dynamic.no_worker import scratch_folder
from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.proof import Observing, Originals, Proof
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target
from compilelint.dynamic.unanswered import refuse_unanswered
from compilelint.model import Fate
from compilelint.session.fixing.prove import LEFT_OUT, judged
from compilelint.syntax.source import Source, read_source


@dataclass(frozen=True, slots=True)
class Versions:
    """The folders of both versions (one of them is the current folder), and the files that differ, relative to them."""

    old: str
    new: str
    files: tuple[str, ...]

    def texts(self) -> dict[str, tuple[str, str]]:
        """Both texts of each Python file that differs, by its path in the old version; empty where there is no file."""
        found = {}
        for file in self.files:
            if file.endswith(".py"):
                paths = os.path.join(self.old, file), os.path.join(self.new, file)
                old, new = (_text(path) for path in paths)
                found[paths[0]] = old, new
        return found


@dataclass(frozen=True, slots=True)
class Judged:
    """What was shown of a change: what speaks against it (empty where it is proven), how far it was exercised."""

    objection: str
    exercised: str
    proofs: tuple[Proof, ...]
    files: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """Whether nothing speaks against the change."""
        return not self.objection


def proven(versions: Versions, targets: Sequence[Target], settings: Settings, observing: Observing = observe) -> Judged:
    """Run the targets from both versions and compare. Raises UsageError, and what `observing` does (NoWorkerError)."""
    here = Overlay(settings.cwd, versions.old)
    original = replace(settings, cwd=versions.old, paths=tuple(map(here.inside_copy, settings.paths)))
    texts = versions.texts()
    with Originals(targets, original, observing, [*texts]) as originals:
        refuse_unanswered(originals.runs)
        proofs = originals.proofs(Overlay(versions.old, versions.new))
        verdict = judged(originals.runs, proofs, texts, gains=False)
    return Judged(verdict.objection, verdict.exercised, tuple(proofs), versions.files)


# ---------------------------------------------------------------------- versions


@contextlib.contextmanager
def patched(folder: str, patch: str) -> Iterator[Versions]:
    """The folder as it is, and with a patch. Raises UsageError where it does not apply."""
    with _copy_of(folder) as copy:
        said = ""
        for strip in ("-p1", "-p0"):
            done = _git(copy, "apply", strip, os.path.abspath(patch))
            if done.returncode == 0:
                break
            if _git(copy, "apply", strip, "--reverse", "--check", os.path.abspath(patch)).returncode == 0:
                how = "take it back (`git apply --reverse`), or name the revision before it with --against"
                raise UsageError("the folder has this patch already", f"--patch {patch}", how)
            said = said or done.stderr.strip().partition("\n")[0].removeprefix("error: ")
        else:
            raise UsageError(f"the patch does not apply: {said}", f"--patch {patch}", "make it with `git diff`")
        listed = _git(copy, "apply", strip, "--numstat", "-z", os.path.abspath(patch)).stdout
        yield _versions(folder, copy, [line.split("\t")[-1] for line in listed.split("\0") if line])


@contextlib.contextmanager
def since(folder: str, revision: str, named: Collection[str] = ()) -> Iterator[Versions]:
    """The folder at a revision, and as it is. Raises UsageError where git knows no such revision.

    What git does not track is in both, as `git checkout` leaves it: the target of a proof may be such a file. So is a
    file that is new since then and holds a target, or makes its inputs: `named`, as `pkg.mod:Name` or `file.py:Name`.
    """
    listed = _git(folder, "diff", "--name-only", "--relative", "-z", revision, "--")
    if listed.returncode:
        raise UsageError("git knows no such revision here", f"--against {revision}", "name a commit, a branch or a tag")
    files = [one for one in listed.stdout.split("\0") if one]
    with _copy_of(folder) as copy:
        for file in tuple(files):
            shown = _git(folder, "show", f"{revision}:./{file}", text=False)
            place = os.path.join(copy, file)
            if shown.returncode and any(_holds(file, one) for one in named):
                files.remove(file)
                continue
            if shown.returncode:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(place)
                continue
            os.makedirs(_inside(copy, os.path.dirname(place)), exist_ok=True)
            with open(_inside(copy, place), "wb") as out:
                out.write(shown.stdout)
        yield _versions(copy, folder, files)


@contextlib.contextmanager
def replaced(folder: str, old: str, new: str) -> Iterator[Versions]:
    """The folder as it is, and with one file's text in the place of another's. Raises UsageError.

    Where git tracks the new file and not the old one, the folder holds the change already, and the old text is what is
    put in a copy: a file that is edited where it stands, and a copy of it from before.
    """
    edited = _is_tracked(folder, new) and not _is_tracked(folder, old)
    there, other = (new, old) if edited else (old, new)
    place = os.path.relpath(there, folder)
    if place.startswith(os.pardir):
        raise UsageError("the file is outside the current folder", f"--files {old}", "start in its project's folder")
    with _copy_of(folder) as copy:
        shutil.copyfile(other, _inside(copy, os.path.join(copy, place)))
        yield _versions(copy, folder, [place]) if edited else _versions(folder, copy, [place])


def _holds(file: str, reference: str) -> bool:
    """Whether a file of the folder is what `pkg.mod:Name` or `path/file.py:Name` imports first, or a package of it."""
    module = reference.rpartition(":")[0]
    own = os.path.normpath(file).removesuffix(".py").split(os.sep)
    wanted = os.path.normpath(module).removesuffix(".py").split(os.sep) if module.endswith(".py") else module.split(".")
    if own[-1] == "__init__":
        return any(own[-end - 1 : -1] == wanted[:end] for end in range(1, len(wanted) + 1))
    return own == wanted if module.endswith(".py") else own[-len(wanted) :] == wanted


def _is_tracked(folder: str, file: str) -> bool:
    """Whether git knows a file of the folder; False also where there is no git."""
    if os.path.relpath(file, folder).startswith(os.pardir):
        return False
    with contextlib.suppress(UsageError):
        return _git(folder, "ls-files", "--error-unmatch", "--", file).returncode == 0
    return False


def _versions(old: str, new: str, files: Sequence[str]) -> Versions:
    if not files:
        raise UsageError("nothing differs", "compilelint prove", "name a change")
    return Versions(old, new, tuple(sorted({*files})))


@contextlib.contextmanager
def _copy_of(folder: str) -> Iterator[str]:
    with scratch_folder() as scratch:
        copy = os.path.join(scratch, "project")
        shutil.copytree(folder, copy, ignore=LEFT_OUT, symlinks=True)
        yield copy


def _inside(copy: str, path: str) -> str:
    """The path, where writing to it changes the copy alone: links are copied as links. Raises UsageError elsewhere."""
    if os.path.commonpath([os.path.realpath(path), os.path.realpath(copy)]) != os.path.realpath(copy):
        shown = os.path.relpath(path, copy)
        raise UsageError("a link leads out of the current folder", shown, "put the file itself in its place")
    return path


def _git(folder: str, *words: str, text: bool = True) -> subprocess.CompletedProcess[Any]:
    """Run git in a folder, with no repository around a copy, so that a patch is for the copy's own files."""
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(folder)}
    try:
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=text, env=environment, check=False)
    except FileNotFoundError:
        raise UsageError("git is not installed", "compilelint prove", "use --files OLD NEW") from None


def _text(path: str) -> str:
    source = read_source(path) if os.path.exists(path) else None
    return source.text if isinstance(source, Source) else ""


# ---------------------------------------------------------------------- shown


def table(found: Judged) -> list[dict[str, Any]]:
    """A row for each target: what was counted before and after, and in what it differs."""
    rows = []
    for proof in found.proofs:
        before, after = proof.before, proof.after
        rows.append(
            {
                "target": after.target,
                "fate": after.fate.value,
                "breaks": [len(before.own_breaks), len(after.own_breaks)],
                "graphs": [before.graphs, after.graphs],
                "operations": [sum(before.ops), sum(after.ops)],
                "recompiles": [len(before.recompiles), len(after.recompiles)],
                "equal": _equal(proof),
            }
        )
    return rows


def _equal(proof: Proof) -> bool | None:
    """Whether both do the same; None where a run was ended from outside, which says nothing of what it would give."""
    if proof.after.fate in _ENDED or proof.before.fate in _ENDED:
        return None
    return proof.same and not (proof.changed is not None and proof.changed.differences)


def as_data(found: Judged) -> dict[str, Any]:
    """All of it, for JSON."""
    return {
        "version": 1,
        "proven": found.proven,
        "objection": found.objection,
        "exercised": found.exercised,
        "files": list(found.files),
        "targets": table(found),
    }


_ENDED = frozenset({Fate.TIME_LIMIT, Fate.MEMORY_LIMIT, Fate.KILLED, Fate.INTERRUPTED, Fate.NO_ANSWER})
_IN_A_CELL = {True: "yes", False: "no", None: "not compared"}
_IN_A_LINE = {True: "equal", False: "not equal", None: "not compared"}
COUNTS: Mapping[str, str] = {name: name for name in ("breaks", "graphs", "operations", "recompiles")}


def as_markdown(found: Judged) -> str:
    """The table as a comment on a pull request."""
    head = f"**Proven**; {found.exercised}" if found.proven else f"**Not proven**: {found.objection}"
    lines = [head, "", "| target | equal | " + " | ".join(COUNTS) + " |", "|---|---|" + "---|" * len(COUNTS)]
    for row in table(found):
        counts = " | ".join(_change(row[name]) for name in COUNTS)
        lines.append(f"| `{row['target']}` | {_IN_A_CELL[row['equal']]} | {counts} |")
    return "\n".join(lines) + "\n"


def as_text(found: Judged) -> str:
    """A line for each target, and the verdict."""
    lines = []
    for row in table(found):
        counts = ", ".join(f"{name} {_change(row[name])}" for name in COUNTS)
        lines.append(f"{row['target']}: {_IN_A_LINE[row['equal']]}; {counts}")
    lines.append(f"proven; {found.exercised}" if found.proven else f"not proven: {found.objection}")
    return "\n".join(lines) + "\n"


def _change(counts: Sequence[int]) -> str:
    return str(counts[0]) if counts[0] == counts[1] else f"{counts[0]} to {counts[1]}"
