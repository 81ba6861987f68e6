"""Fixes, each kept only if the real TorchDynamo proves it: the work behind `compilelint fix`.

A copy of the project takes the place of the original. A fix stays if, on every input set of every target, a break is
gone, no new break or recompile is there, and compiled results, gradients and state equal the original's eager ones (or
all of them what the original, compiled, already makes of those); if all exercises (`dynamic.worker.exercises`) agree,
eager with eager and compiled with eager; and if every side of what it changed was exercised (`dynamic.sides`). What was
not exercised is not proven, and is dropped.
The first fixes of several statements that break are tried together: one trial keeps them all where each break is gone
and nothing speaks against any. Where something does, half of them are, and at last each by itself.
A fix that only uncovers another break is tried again with a fix of that one, and so is one after which compiling
raises at a statement that has a fix (captured numbers raise where nothing can be made of them); a bundle stays or goes
as a whole. What was dropped for such a reason, or since frames are compiled more often, is tried again once another fix
was kept after it.
Guarantee: the original is only read; `Proven.fixed` holds the texts, and the caller writes them
(`session.commands.fix.store`). Does not belong here: how runs are compared (`dynamic.proof`).
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from compilelint.config import Options
from compilelint.dynamic.no_worker import scratch_folder
from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.proof import Observing, Originals, Proof
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target
from compilelint.dynamic.unanswered import refuse_unanswered
from compilelint.fixes.engine.edits import Placed, connected
from compilelint.fixes.engine.observed import Observed
from compilelint.model import Fate, Finding, Fix, TargetRun
from compilelint.model.patterns import late_pattern
from compilelint.session.commands.fix import Fixed
from compilelint.session.fixing.exercised import Unreached, how_far_exercised, in_one_value, named, of_exercises
from compilelint.session.fixing.explain import Made, line_again
from compilelint.session.fixing.search import Change, Key, Search, is_of, with_changes
from compilelint.syntax.source import Source, read_source

# What no run needs, and a copy would be slow for.
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "venv", "node_modules", ".mypy_cache", "*.ckpt")


# Fixes that are judged together, at most: with what they uncover, and to begin with.
_MOST_IN_A_BUNDLE = 12
_MOST_AT_ONCE = 8


# How an error of the compiler names the statement that it cannot compile: by its cause, and in the stack of user code.
_RAISED_AT = late_pattern(r"^Caused by: (.+?)  # |^ *File \".+\", line \d+, in .+\n +(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger: a fix that was tried, whether it was kept, and why or why not, in words."""

    finding: Finding
    fix: Fix
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Proven:
    """The ledger in the order of the trials, the kept texts, and the runs of the targets before and after.

    `refused` says by file why no fix changes it, where one would have had to.
    """

    ledger: tuple[Entry, ...]
    fixed: Fixed
    before: tuple[TargetRun, ...]
    after: tuple[TargetRun, ...]
    interrupted: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)


def prove(
    options: Options,
    targets: Sequence[Target],
    settings: Settings,
    progress: Callable[[Entry], None],
    configure: bool = False,
    observing: Observing = observe,
    keep_output: bool = False,
) -> Proven:
    """Try every fix of every finding in the linted paths. Raises UsageError as `lint` does, and what `observing` does.

    `configure` also tries fixes that set a switch of `torch._dynamo.config` for the whole process, `keep_output` none
    after which compiled code says less. Where the user ends it, what was judged by then stays.
    """
    search = Search(options, configure, keep_output)
    exercising = (
        search.next({}, set()) is not None or search.awaits_runs()
    )  # what nothing can be done about need not be run so often
    with Originals(targets, settings, observing, options.paths, exercising) as originals:
        refuse_unanswered(originals.runs)
        search.observed = _observed(originals)
        trial = _Trial(search, settings, originals)
        try:
            trial.run(progress)
        except KeyboardInterrupt:
            if not trial.ledger:
                raise
            return replace(trial.result(), interrupted=True)
        return trial.result()


def _observed(originals: Originals) -> Observed:
    """What names held in the exercises of the originals, with the files as they are."""
    values = [one.values for one in originals.exercised if one is not None]
    sources = {path: read_source(path) for found in values for path in found}
    texts = {path: source.text for path, source in sources.items() if isinstance(source, Source)}
    broken = (one.statement for run in originals.runs for one in run.own_breaks)
    return Observed(values, texts, broken)


NO_TARGET = "not exercised: no target runs the line"
_HOPELESS = frozenset({Fate.NO_INPUTS, Fate.IMPORT_ERROR, Fate.BUILD_ERROR, Fate.EAGER_ERROR})


def unproven_on(runs: Sequence[TargetRun]) -> list[str]:
    """A line for each original that does not run without being compiled either: no fix can be proven on it."""
    failing = [one for one in runs if one.fate in _HOPELESS]
    return [f"{one.target} does not run, so nothing is proven on it: {_first_line(one)}" for one in failing]


_Breaks = Counter[tuple[str, str]]
_Changes = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a trial showed: the runs, why it is dropped (empty where it may stay), the statements that stand in its way.

    `uncovered` holds new breaks, or what compiling raises at; it is empty where something graver speaks against
    the trial. `one_value` names what no run could vary. `recompiles` says that all agrees but for frames that are
    compiled more often, which the breaks around them may bring about.
    """

    runs: tuple[TargetRun, ...]
    objection: str = ""
    uncovered: frozenset[str] = frozenset()
    exercised: str = ""
    recompiles: bool = False
    one_value: frozenset[str] = frozenset()


class _Trial:
    """The texts kept so far, and what the targets do with them."""

    def __init__(self, search: Search, settings: Settings, originals: Originals) -> None:
        self.search = search
        self.settings = settings
        self.originals = originals
        self.able = [number for number, one in enumerate(originals.runs) if one.fate not in _HOPELESS]
        self.unreached = Unreached([originals.exercised[number] for number in self.able])
        self.runs = tuple(originals.runs[number] for number in self.able)
        self.sources: dict[str, Source] = {}
        self.current: dict[str, Source] = {}
        self.ledger: list[Entry] = []
        self.placed: list[Placed] = []  # what was kept
        self.tried: set[Key] = set()
        self.kept = 0
        self.stumbled: dict[Key, int] = {}  # dropped for what it uncovers: how many were kept by then

    def run(self, progress: Callable[[Entry], None]) -> None:
        """Several fixes at once, then one after the other; lines move with each that is kept, so it is linted again."""
        at_once = _MOST_AT_ONCE
        while self.able or not self.originals.runs:
            broken = self._broken()
            if at_once > 1 and broken:
                tried = self._together(at_once, broken, progress)
                at_once = tried // 2 if tried > 0 else at_once if tried < 0 else 0
                continue
            first = self.search.next(self.current, self.tried, confirmed=broken)
            if first is None:
                again = {key for key, kept in self.stumbled.items() if kept < self.kept}
                if not again:
                    return
                self.tried -= again
                self.stumbled = {}
                continue
            if self.unreached.holds(first.finding, broken):
                self._report(Entry(first.finding, first.fix, False, NO_TARGET), progress)
                continue
            bundle, verdict = self._judged(first)
            kept = not verdict.objection
            reason = verdict.objection or f"{_gain(self.runs, verdict.runs)}; {verdict.exercised}"
            if len(bundle) > 1:
                reason = f"{reason} (checked with {_more(bundle)})"
            for change in bundle if kept else bundle[:1]:
                self._report(Entry(change.finding, change.fix, kept, reason), progress)
            if not kept and (verdict.uncovered or verdict.recompiles):
                self.stumbled[first.key] = self.kept
            if kept:
                self._keep(bundle, verdict)

    def _together(self, most: int, broken: frozenset[str], progress: Callable[[Entry], None]) -> int:
        """Try the first fixes of so many statements as one: how many were tried in vain; -1 where all were kept."""
        before = set(self.tried)
        bundle: list[Change] = []
        texts = self.current
        while len(bundle) < most:
            more = self.search.next(texts, self.tried, broken, broken)
            if more is None:
                break
            about = {one.finding.line_text.strip() for one in bundle}
            if more.finding.line_text.strip() not in about and not self.unreached.holds(more.finding, broken):
                bundle.append(more)
                texts = with_changes(texts, [more])
        self.tried = before
        if len(bundle) < 2:
            return 0
        verdict = self._proof(texts)
        left = frozenset(" ".join(one.statement.split()) for run in verdict.runs for one in run.own_breaks)
        gone = sum(len(run.own_breaks) for run in self.runs) - sum(len(run.own_breaks) for run in verdict.runs)
        still = any(is_of(change.finding, left) for change in bundle)
        if verdict.objection or _left_open(bundle, verdict.one_value) or still or gone < len(bundle):
            return len(bundle)
        reason = f"{_gain(self.runs, verdict.runs)}; {verdict.exercised} (all {len(bundle)} in one trial)"
        for change in bundle:
            self._report(Entry(change.finding, change.fix, True, reason), progress)
        self.tried |= {change.key for change in bundle}
        self._keep(bundle, verdict)
        return -1

    def _keep(self, bundle: Sequence[Change], verdict: Verdict) -> None:
        """Go on from the texts and the runs of a trial."""
        self.kept += len(bundle)
        for change in bundle:
            for source, _ in change.files:
                self.sources.setdefault(source.path, source)
            self.placed.append(Placed(change.finding.location.path, change.fix))
        self.current = with_changes(self.current, bundle)
        self.runs = verdict.runs

    def _broken(self) -> frozenset[str]:
        """The statements that break in the runs of what is kept so far."""
        return frozenset(" ".join(one.statement.split()) for run in self.runs for one in run.own_breaks)

    def _report(self, entry: Entry, progress: Callable[[Entry], None]) -> None:
        self.ledger.append(entry)
        progress(entry)

    def _judged(self, first: Change) -> tuple[list[Change], Verdict]:
        """The fix, with those that fix what it uncovers, and what the proof says of them all.

        What a bundle that is dropped has tried may be tried again: alone, it is another trial.
        """
        bundle = [first]
        verdict = self._proof(with_changes(self.current, bundle))
        alone = verdict
        tried = set(self.tried)
        while verdict.uncovered and len(bundle) < _MOST_IN_A_BUNDLE:
            more = self.search.next(
                with_changes(self.current, bundle), self.tried, verdict.uncovered, verdict.uncovered
            )
            if more is None:
                break
            bundle.append(more)
            verdict = self._proof(with_changes(self.current, bundle))
        objection = verdict.objection or _left_open(bundle, verdict.one_value)
        if not objection:
            return bundle, verdict
        self.tried = tried
        if len(bundle) > 1:
            objection = f"{objection} (checked with {_more(bundle)})"
        return [first], replace(alone, objection=objection)

    def _proof(self, texts: dict[str, Source]) -> Verdict:
        """The runs of the targets with these texts, and what speaks against keeping them; empty where nothing does."""
        project = self.settings.cwd
        with scratch_folder() as folder:
            copy = os.path.join(folder, "project")
            shutil.copytree(project, copy, ignore=LEFT_OUT, symlinks=True)
            overlay = Overlay(project, copy)
            for path, source in texts.items():
                place = overlay.inside_copy(path)
                if place == path:
                    outside = "the file is outside the current folder, so no copy can show what it does"
                    return Verdict(self.runs, outside)
                with open(place, "wb") as file:
                    file.write(source.encode(source.text))
            changes = {path: (self._original(path), source.text) for path, source in texts.items()}
            breaks = [0] * len(self.originals.runs)
            for number, run in zip(self.able, self.runs, strict=True):
                breaks[number] = len(run.own_breaks)
            proofs = list(self.originals.proofs(overlay, only=self.able, fewer_than=breaks))
            first = _verdict(self.runs, proofs, changes, exercised=False)
            if first.objection:
                return first  # exercises could not help it
            missing = [number for number, one in enumerate(proofs) if one.changed is None and one.original is not None]
            again = self.originals.proofs(overlay, only=[self.able[one] for one in missing]) if missing else ()
            for number, proof in zip(missing, again, strict=True):
                proofs[number] = proof
            return judged(self.runs, proofs, changes)

    def _original(self, path: str) -> str:
        source = self.sources.get(path) or read_source(path)
        return source.text if isinstance(source, Source) else ""

    def result(self) -> Proven:
        """What was kept, linted once more."""
        report = self.search.report(self.current)
        texts = {path: (source, self.current[path].text) for path, source in sorted(self.sources.items())}
        counts = Counter(entry.finding.rule.code for entry in self.ledger if entry.kept)
        made = tuple(
            Made(one.finding, one.fix, line_again(self._original(one.finding.location.path), one.finding), one.reason)
            for one in self.ledger
            if one.kept
        )
        fixed = Fixed(report, texts, counts, len(self.ledger), True, made, tuple(connected(self.placed)))
        after = list(self.originals.runs)
        for number, run in zip(self.able, self.runs, strict=True):
            after[number] = run
        return Proven(tuple(self.ledger), fixed, self.originals.runs, tuple(after), refused=self.search.refused)


def judged(before: Sequence[TargetRun], proofs: Sequence[Proof], changes: _Changes, gains: bool = True) -> Verdict:
    """What runs say of changes: by path, each file's text as it was at first and as it is now.

    Without `gains`, a change need remove no break.
    """
    verdict = _verdict(before, proofs, changes, gains=gains)
    if verdict.objection:
        return verdict
    objection, words = how_far_exercised(proofs, changes)
    return replace(verdict, objection=objection, exercised=words, one_value=in_one_value(proofs))


def _verdict(
    before: Sequence[TargetRun],
    proofs: Sequence[Proof],
    changes: _Changes,
    exercised: bool = True,
    gains: bool = True,
) -> Verdict:
    """Why a fix is dropped, the gravest reason first; `exercised` says that the proofs hold exercises.

    A statement that the changes wrote may break in the place of one that they took away, if breaks are fewer in all.
    """
    runs = tuple(proof.after for proof in proofs)
    for old, proof in zip(before, proofs, strict=True):
        run = proof.after
        name = run.target
        if run.fate is not Fate.RAN:
            how = "with it or without it" if old.fate is run.fate and old.fate in _HOPELESS else "with it"
            return Verdict(runs, f"{name} does not run {how}: {_first_line(run)}", _raised_at(run))
        if not proof.compared:
            unknown = "" if run.parity is None else run.parity.unknown
            why = (
                f", which does not run: {_first_line(old)}" if old.fate is not Fate.RAN else unknown and f": {unknown}"
            )
            return Verdict(runs, f"{name} cannot be compared with the original{why}")
        if not proof.same:
            first = proof.differences[0]
            return Verdict(runs, f"{named(first.kind, first.name)} of {name} differs: {first.text}")
        objection = of_exercises(proof) if exercised else ""
        if objection:
            return Verdict(runs, objection, recompiles="recompiles more often" in objection)
    gone = 0
    for old, proof in zip(before, proofs, strict=True):
        new, fewer = _breaks(proof.after) - _breaks(old), len(proof.after.own_breaks) < len(old.own_breaks)
        gave_way = _breaks(old) - _breaks(proof.after)
        if new and not (fewer and _written(new, gave_way, changes)):
            shown = next(iter(new))
            stays = _written(Counter([shown]), gave_way, changes)
            text = f"{'the break stays' if stays else 'another break shows'}: `{shown[1]}`"
            return Verdict(runs, text, frozenset(statement for _, statement in new))
        if _compiled_too_often(old, proof.after):
            return Verdict(runs, f"{proof.after.target} recompiles more often", recompiles=True)
        gone += len(old.own_breaks) - len(proof.after.own_breaks)
    return Verdict(
        runs, "" if gone or not gains else "no break was removed: no target reaches the line, or it still breaks"
    )


def _compiled_too_often(old: TargetRun, new: TargetRun) -> bool:
    """Whether frames are compiled more often in the target's own calls, but for those that were skipped before."""
    skipped = {(one.path, one.function) for one in old.skipped}
    more = Counter((one.path, one.function) for one in new.recompiles)
    more -= Counter((one.path, one.function) for one in old.recompiles)
    hit = {(one.path, one.function) for one in new.limits}
    return len(new.recompiles) > len(old.recompiles) and any(one not in skipped or one in hit for one in more)


def _written(new: _Breaks, old: _Breaks, changes: _Changes) -> bool:
    """Whether each new break is at a statement that the changes wrote, for one of its function that they took away."""
    before, now = (" ".join(" ".join(texts[place] for texts in changes.values()).split()) for place in (0, 1))
    taken = Counter(name for (name, text), count in old.items() for _ in range(count) if text not in now)
    made = Counter(name for (name, _), count in new.items() for _ in range(count))
    return made <= taken and all(text in now and text not in before for _, text in new)


def _left_open(bundle: Sequence[Change], one_value: frozenset[str]) -> str:
    """Why runs cannot show what one of the fixes assumes; empty where they can."""
    for change in bundle:
        if open_ones := [name for name in change.fix.varied if name in one_value]:
            return f"not varied: {', '.join(open_ones)}, and what it assumes depends on that"
    return ""


def _first_line(run: TargetRun) -> str:
    return run.detail.strip().partition("\n")[0]  # what follows is Dynamo's advice and stack


def _raised_at(run: TargetRun) -> frozenset[str]:
    """The statements that a compile error names, if that is what became of the run."""
    if run.fate is not Fate.COMPILE_ERROR:
        return frozenset()
    found = (cause or line for cause, line in _RAISED_AT.findall(run.detail))
    return frozenset(" ".join(one.split()) for one in found)


def _breaks(run: TargetRun) -> _Breaks:
    """The breaks of a run by function and statement, which do not move when lines do."""
    return Counter((one.function, " ".join(one.statement.split())) for one in run.own_breaks)


def _more(bundle: Sequence[Change]) -> str:
    return f"{len(bundle) - 1} more, for breaks that it uncovers"


def _gain(before: Sequence[TargetRun], after: Sequence[TargetRun]) -> str:
    """What became of the breaks, in words; one in the place of others is not one fewer that is gone."""
    pairs = list(zip(before, after, strict=True))
    lost = sum((_breaks(old) - _breaks(new)).total() for old, new in pairs)
    made = sum((_breaks(new) - _breaks(old)).total() for old, new in pairs)
    what = f"{lost} breaks became {made}" if made else f"{lost} {'break' if lost == 1 else 'breaks'} gone"
    return f"{what}; results, gradients and state equal"
