"""A project in parts: each is analysed by itself, so that who analyses it, and after what, changes nothing.

What is learnt of a function depends on who called it first, so a part starts with nothing learnt: its outcome depends
on its own files, on what these import, and on what other parts have reached, never on the number of processes. Parts
share what depends on a file alone, its IR. A project of usual size is one part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial

from compilelint.events import DynamoConfig, Event
from compilelint.interp import Interpreter, roots_of
from compilelint.interp.core.clock import never
from compilelint.interp.core.reached_files import Elsewhere, Reach
from compilelint.interp.driver.compiled_roots import chosen_roots
from compilelint.interp.driver.entry_points import entries_left
from compilelint.interp.driver.explained import Explainer, LineQuestion
from compilelint.interp.driver.observer import Observer
from compilelint.interp.driver.recorded_tables import Table
from compilelint.interp.driver.recording import UnrepeatableError
from compilelint.interp.driver.repeating import repeat, send_again
from compilelint.lib.file_state import FileState
from compilelint.lib.scout import looks
from compilelint.model import Confidence, Notice
from compilelint.model.slotted import dataclass
from compilelint.project.classes import FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.reads import Reads, reads_of
from compilelint.project.roots import Root, Roots
from compilelint.report.report import COMPILES, WEIGHTLESS, CompileRoot
from compilelint.rulebook import LibRule, Rulebook
from compilelint.session.parallel.module_cache import ModuleCache, View
from compilelint.session.parallel.outcome import DependsOn, Outcome, Reached, Stage, Surer, Unsettled
from compilelint.session.pipeline.inputs import Linted, unparsable
from compilelint.session.pipeline.merge import Folded
from compilelint.survey.weights import Weights, compiles_itself
from compilelint.syntax.facts import Noted, noting, watching
from compilelint.syntax.lean_libcst import load_libcst
from compilelint.syntax.same import Edit
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import Capture, TorchFacts
from compilelint.torchfacts.switches import Switch

_REPORT = "this is a defect of compilelint, please report it"
FIRST = "first"
"""The stage of the roots that are started in any case; the other stages are the kinds of `Roots.rest`."""


@dataclass(frozen=True, slots=True)
class Request:
    """What all parts of a run go by. `stages` are the kinds of roots that are started only if nothing reaches them."""

    specs: tuple[str, ...]
    config: DynamoConfig
    facts: tuple[TorchFacts, ...]
    linted: frozenset[str]
    timeout: float = 0.0  # CPU seconds that the roots of one file may take, 0 for any
    stopped: Callable[[], bool] = never  # in this process: whether the outcome is not wanted any more
    only_in: tuple[tuple[Capture | Switch, frozenset[str]], ...] = ()  # of `config`: they hold in these files alone
    alone: bool = False  # there is but one part: no other asks what it has reached
    remembered: bool = False  # outcomes are: it is noted what they hang on
    compilers: tuple[tuple[str, str], ...] = ()  # by dotted name, how they are asked: those of the project
    question: LineQuestion | None = None  # in this process: it is noted how the run comes to a line

    @property
    def stages(self) -> tuple[str, ...]:
        """In which order roots are started; what one stage has reached, no later one starts."""
        globs = any(spec not in ("auto", "explicit", "all") for spec in self.specs)
        asked = (("glob", globs), ("unreached", "auto" in self.specs), ("all", "all" in self.specs))
        return (FIRST, *(kind for kind, wanted in asked if wanted))


class Part:
    """Some of the linted files, as far as they have been analysed. Roots are looked for when the first are started."""

    def __init__(
        self,
        request: Request,
        module_cache: ModuleCache,
        files: Iterable[Linted],
        book: Rulebook,
        records: bool = False,
    ) -> None:
        """`records` says that it is worth the while to note what is done, since edits will come (`edited`)."""
        self._request = request
        self._records = records and request.alone and len(request.facts) == 1
        self._is_asked_again = records or request.alone  # one of several is surveyed once and let go of
        self._book = book
        self._module_cache = module_cache
        self._view = View(module_cache)
        self._folded = Folded()
        self._shown: dict[tuple[str, int], bool] = {}
        self._roots: Roots | None = None
        self._interpreter: Interpreter | None = None
        self._number = -1
        self._given_up: dict[tuple[str, str], None] = {}
        self._reach: dict[int, Reach] = {}
        self._notices: dict[Notice, None] = {}
        self._stage: Stage = (-1, FIRST)
        self.known: dict[Stage, Reached] = {}  # what other parts had reached when a stage began
        self._reported: dict[str, bool] = {}  # of its own reach, in earlier stages
        self._surer: list[Surer] = []
        self._noted = Noted() if request.remembered and not request.alone else None
        self._elsewhere: dict[Stage, Elsewhere] = {}
        self.program = Program(self._view, request.linted.__contains__, self._noted is not None)
        self.program.compilers = dict(request.compilers)
        self._weights = Weights(self.program)
        self.modules: list[ModuleInfo] = []
        self._surveyed: list[ModuleInfo] = []
        self._hosting: list[ModuleInfo] = []
        self._operators: list[ModuleInfo] = []
        self._opened: dict[str, tuple[ModuleInfo, Linted, tuple[LibRule, ...]]] = {}
        self._watched: set[str] = set()
        self._own: set[str] = set()
        for file in files:
            self._take(file)

    def _take(self, file: Linted) -> None:
        module_cache = self._module_cache
        module = module_cache.lowered(file)
        self._own.add(file.path)
        self._view.paths.add(file.path)
        if isinstance(module, Unreadable):
            self._folded.add([unparsable(module)])
            return
        info = self.program.add(module) if module_cache.loader.importable(module) else ModuleInfo(module, linted=True)
        self.modules.append(info)
        self._open(file, info)
        if file.path in module_cache.hosting:
            self._hosting.append(info)
        if file.path in module_cache.surveyed:
            self._surveyed.append(info)
        if file.operators:
            self._operators.append(info)

    def _open(self, file: Linted, info: ModuleInfo) -> None:
        """Note which rules that look at trees may have something to say of a file."""
        held = self._module_cache.held.get(file.path, frozenset())
        rules = tuple([one for one in self._book.lib if one.wants(held)])
        if rules:
            self._opened[file.path] = (info, file, rules)
            if any(one.beliefs for one in rules):
                self._watched.add(file.path)

    # ------------------------------------------------------------------ work

    def start(self, number: int, stage: str, reached: Reached) -> dict[str, bool]:
        """Run the roots of a stage under the facts of that number; what is reached that was not in earlier stages.

        `reached` are the functions that other parts have reached in earlier stages. Whether a function is reached from
        a root that is no guess is said as far as this part knows.
        """
        self._of(number)  # a new one begins without roots: their values are its own
        if self._roots is None:
            self._roots = self._found(number)
        interpreter = self._of(number)
        self._stage = number, stage
        self.known[self._stage] = reached
        with self._watched_by(interpreter):
            if stage == FIRST:
                self._reported = {}
                self._reach = interpreter.analyse(Roots(self._roots.first, []), self._failed)
            else:
                interpreter.elsewhere = self._elsewhere[self._stage] = Elsewhere(reached)
                started = Roots([], [root for root in self._roots.rest if root.kind == stage])
                self._reach |= interpreter.analyse(started, self._failed)
        self._given_up.update(dict.fromkeys((root.function.module.ir.path, root.name) for root in interpreter.given_up))
        if self._request.alone:
            return {}
        before, self._reported = (
            self._reported,
            {
                function.place: id(function.node) in interpreter.trusted
                for function in self._met()
                if id(function.node) in interpreter.reached
            },
        )
        return {place: trusted for place, trusted in self._reported.items() if before.get(place) is not trusted}

    @property
    def paths(self) -> Collection[str]:
        """The files whose IR it holds."""
        return self._view.paths

    @property
    def elsewhere(self) -> Elsewhere | None:
        """What the stage that was started last asked of what other parts have reached; None for the first."""
        return None if self._interpreter is None else self._interpreter.elsewhere

    def _watched_by(self, interpreter: Interpreter) -> AbstractContextManager[None]:
        """What is read of nodes inside is reported to the recorder, or noted for what is remembered."""
        if interpreter.recorder is not None:
            return watching(interpreter.recorder)
        return self._noting()

    def _noting(self) -> AbstractContextManager[None]:
        return nullcontext() if self._noted is None else noting(self._noted)

    def survey(self, number: int) -> None:
        """Report what stands outside compiled regions."""
        self._of(number)
        with self._noting():
            self._survey(number)

    def _survey(self, number: int) -> None:
        with self._whole("compile calls, wrappers and training loops"):
            sink = self._sink(number)
            for event in self._around():
                sink(event)
        if self._opened:
            with self._whole("trees"):
                self._look(number)

    def _look(self, number: int) -> None:
        """Send rules over the trees of the files that they may have something to say of."""
        interpreter, facts = self._of(number), self._request.facts[number]
        version = facts.version if len(self._request.facts) > 1 else ""
        for path, (info, file, rules) in self._opened.items():
            seen = interpreter.seen.get(path) if isinstance(interpreter, Observer) else None
            source = self._module_cache.read_again(file)
            known = FileState(self.program, info, facts, seen, self._request.config)
            look = None if source is None else looks(known, source, rules)
            if look is None or source is None:
                continue
            load_libcst()
            from compilelint.lib.run import findings_in  # LibCST comes with it, which most lints do not need

            known = FileState(self.program, info, facts, seen, self._request.config, look.only)
            found = findings_in(source, known, look.rules)
            if isinstance(found, Unreadable):
                names = ", ".join(sorted({one.pack for one in look.rules}))
                self._notices[Notice("no-tree", f"rules of {names} were not applied: {found.message}", path)] = None
            else:
                self._folded.add(found, version)
                if self._request.question is not None:
                    self._request.question.said(None, found)

    def survey_operators(self, number: int) -> None:
        """Report what operators lack, as far as the files of this part register them."""
        self._of(number)
        with self._noting(), self._whole("custom operators"):
            sink = self._sink(number)
            if self._operators:
                from compilelint.survey.deadline import LateError, within
                from compilelint.survey.survey import survey_operators

                known: list[Event] = []
                try:
                    with within(self._request.timeout):  # of many files, as much as the roots of one
                        known.extend(survey_operators(self.program, self._operators, self._is_asked_again))
                except LateError:
                    self._given_up.update(dict.fromkeys((module.ir.path, "") for module in self._operators))
                for event in known:
                    sink(event)

    def switches(self) -> list[Event]:
        """What the survey reports before anything has been run."""
        return list(self._around())

    def _around(self) -> Iterator[Event]:
        known: list[Event] = []
        if self._surveyed:  # most small runs have nothing for the survey, and ten modules come with it
            from compilelint.survey.deadline import SHARE_AROUND, LateError, within
            from compilelint.survey.survey import survey

            for module in self._surveyed:
                try:
                    with within(self._request.timeout / SHARE_AROUND):
                        for event in survey(self.program, [module], self._is_asked_again):
                            known.append(event)
                except LateError:
                    self._given_up[module.ir.path, ""] = None
            yield from known
        hosts = [module for module in self._hosting if module in self._surveyed]
        if hosts:
            from compilelint.host.run import run
            from compilelint.survey.deadline import SHARE_AROUND

            seconds = self._request.timeout / SHARE_AROUND
            yield from run(self.program, hosts, known, self._host_failed, seconds, self._host_late)

    def outcome(self) -> Outcome:
        """All that was found, where other parts have reached what was said when the stages began."""
        return self.unsettled().settled(self.known)

    def unsettled(self) -> Unsettled:
        """All that was found, whatever other parts have reached."""
        with self._noting():
            outcome = self._outcome()
        return Unsettled(outcome._replace(depends_on=self._depends_on()), self._folded, self._surer)

    def _depends_on(self) -> DependsOn | None:
        """What it all depends on, where that is wanted."""
        if self._noted is None:
            return None
        reads: dict[str, Reads] = {}
        for module in self.program.modules():
            path = module.ir.path
            if module.linted and path not in self._own:
                some = reads_of(module, self._noted, self._module_cache.outline(module.ir))
                reads[path] = {**reads.get(path, {}), **some}
        surer: dict[Stage, dict[str, None]] = {}
        for one in self._surer:
            surer.setdefault(one.stage, {}).update(dict.fromkeys(sorted(one.places)))
        asked = {stage: list(one.asked) for stage, one in self._elsewhere.items()}
        return DependsOn(reads, asked, {stage: list(places) for stage, places in surer.items()})

    def _outcome(self) -> Outcome:
        roots = self._roots or Roots()
        every = (*roots.first, *roots.rest)
        view, loader = self._view, self._module_cache.loader
        return Outcome(
            [],
            tuple([self._described(root, self._reach[id(root)]) for root in every if id(root) in self._reach]),
            len(roots.first) + len(roots.rest),
            view.asked,
            tuple(sorted({name.partition(".")[0] for name in view.asked} & loader.finder.missed)),
            {path: loader.readings.digests.get(path, "") for path in view.paths},
            {
                path: (loader.readings.digests.get(path, ""), sorted(words))
                for path, words in view.lacking.items()
                if path not in view.paths
            },
            loader.readings.torn,
            tuple(view.refused.values()),
            tuple(roots.calls),
            tuple(self._given_up),
            tuple(self._left(every)),
            tuple(self._notices),
        )

    def _found(self, number: int) -> Roots:
        """The roots; where a defect of ours ends the search for compile calls, those that are known without."""
        request = self._request
        found: list[Roots] = []
        interpreter = self._of(number)
        with self._whole("compile calls"), self._watched_by(interpreter):
            hosting, failed = self._hosting, self._host_failed
            found.append(roots_of(interpreter, self.modules, request.specs, request.config, hosting, failed))
        if found:
            return self._as_switched(found[0])
        self._interpreter = None  # what it has learnt on the way is in doubt
        with self._noting():
            return self._as_switched(roots_of(self._of(number), self.modules, request.specs, request.config, ()))

    def _as_switched(self, roots: Roots) -> Roots:
        """The roots, each under the switches that hold where it is compiled."""
        for some in (roots.first, roots.rest) if self._request.only_in else ():
            some[:] = [self._switched(root) for root in some]
        return roots

    def _switched(self, root: Root) -> Root:
        path = root.function.module.ir.path if root.compiled_at is None else root.compiled_at.path
        off = {switch for switch, paths in self._request.only_in if path not in paths}
        config = root.config
        left = replace(config, captures=config.captures - off, switches=config.switches - off) if off else config
        return root if left == config else replace(root, config=left)

    def _left(self, roots: Sequence[Root]) -> Iterator[CompileRoot]:
        """What looks like an entry point and was not run.

        A root that failed is none, its notice says so, nor is what compiles something itself: that runs eagerly.
        """
        if self._interpreter is None:
            return
        known = {id(root.function.node) for root in roots} | self._interpreter.hosts.leading
        reached = self._interpreter.has_reached
        for function in entries_left(self.program, self.modules, lambda one: id(one.node) in known or reached(one)):
            yield self._described(Root(function, function.owner, "unreached", self._request.config), Reach(0, 0))

    def _failed(self, root: Root, error: Exception) -> None:
        """A root that a defect of ours ended: it costs what it reaches, and the others go on."""
        _debug("root %s failed", root.name, error=error)
        at = root.function.module.ir.location(root.function.node.head)
        text = f"`{root.name}` was not checked completely: {_raised(error)}; {_REPORT}"
        self._notices[Notice("defect", text, at.path, at.span.line)] = None

    def _host_late(self, module: ModuleInfo) -> None:
        """A module whose run as a program took its time: it is named, and what it came to stays."""
        self._given_up[module.ir.path, ""] = None

    def _host_failed(self, module: ModuleInfo, error: Exception) -> None:
        """A module whose run as a program a defect of ours ended: it costs what would have come after."""
        _debug("the run of %s failed", module.name, error=error)
        text = f"the program around its compiled calls was not run completely: {_raised(error)}; {_REPORT}"
        self._notices[Notice("defect", text, module.ir.path)] = None

    def edited(
        self, found: Sequence[Edit], module_cache: ModuleCache, shifted: bool, stopped: Callable[[], bool] = never
    ) -> Outcome | None:
        """The outcome once these edits were made to nodes of its files; None where it is not known without a fresh run.

        `module_cache` and `stopped` are those of the run that asks, `shifted` says that lines stand elsewhere. Where
        nothing is known, the part is of no use any more.
        """
        interpreter, roots = self._interpreter, self._roots
        if interpreter is None or interpreter.recorder is None or roots is None or self._notices or self._given_up:
            return None
        if shifted and (roots.calls or interpreter.kernels.known):
            return None  # they hold lines
        before = self._of_disk()
        asked = {name.partition(".")[0] for name in self._view.asked}
        module_cache.loader.finder.missed |= self._module_cache.loader.finder.missed & asked  # they are not asked again
        self._module_cache = module_cache
        self._view.go_on(module_cache)
        interpreter.clock.stopped = stopped
        recorder = interpreter.recorder
        nodes = [one.before for one in found]
        try:
            with watching(recorder):
                repeat(interpreter, nodes, {id(node): node for one in found for node in one.around}.values())
            explicit = [root for root in roots.first if root.kind == "explicit"]
            with recorder.reading():
                chosen = self._as_switched(
                    chosen_roots(
                        interpreter, self.modules, self._request.specs, self._request.config, explicit, roots.calls
                    )
                )
        except UnrepeatableError as error:
            _debug("not repeated: %s", error, error=error)
            return None
        if chosen != roots:
            return None
        self._folded.clear()
        self._shown.clear()
        self._reach = send_again(interpreter)
        self.survey(self._number)
        self.survey_operators(self._number)
        return self.outcome() if before == self._of_disk() and not self._notices else None

    def _of_disk(self) -> tuple[object, ...]:
        """How much was taken from the disk."""
        view = self._view
        return len(view.asked), len(view.paths), sum(map(len, view.lacking.values())), len(view.refused)

    def let_go(self) -> None:
        """Forget what was learnt, which holds each other, so that most of it is freed without being searched for.

        What it has answered so far stays as it is; it can answer no more.
        """
        if self._interpreter is not None:
            for table in vars(self._interpreter).values():
                if isinstance(table, (dict, list, set)):
                    table.clear()
        self._interpreter = self._roots = None
        self._reach = {}
        self.program.let_go()

    # ---------------------------------------------------------------- beneath

    def _of(self, number: int) -> Interpreter:
        """The interpreter for a torch; that of the torch before is dropped."""
        if self._interpreter is None or self._number != number:
            self._number = number
            self._roots = None  # they hold frames of the interpreter that found them
            facts = self._request.facts[number]
            own = None if self._request.alone else self._own
            given = (self.program, facts, self._sink(number), self._request.config, own, self._request.timeout)
            question = self._request.question
            if question is not None:
                self._interpreter = Explainer(*given, watched={*self._watched, question.path}, question=question)
            else:
                self._interpreter = Observer(*given, watched=self._watched) if self._watched else Interpreter(*given)
            self._interpreter.clock.stopped = self._request.stopped
            if self._records and not self._watched:
                self._view.record(partial(Table, self._interpreter.record()))
            self._shown = self._interpreter.shown
        return self._interpreter

    def _sink(self, number: int) -> Callable[[Event], None]:
        facts = self._request.facts[number]
        version = facts.version if len(self._request.facts) > 1 else ""
        folded, judge, question = self._folded, self._book, self._request.question

        def sink(event: Event) -> None:
            found = list(judge.findings_for(event, facts))
            if question is not None:
                question.said(event, found)
            folded.add(found, version)  # at once, so that no event has to be kept
            context = event.site.context
            for one in found:
                if one.ends_graph and one.confidence >= Confidence.LIKELY:
                    self._shown[context.where.path, event.site.pos] = one.skips_frame
            if context.place:
                trusted = replace(event, site=replace(event.site, context=replace(context, host_class=False)))
                surer = list(judge.findings_for(trusted, facts))
                if surer != found:
                    self._surer.append(Surer(self._stage, frozenset(context.doubted()), surer, version))

        return sink

    def _described(self, root: Root, reach: Reach) -> CompileRoot:
        """What the report says of a root."""
        module = root.function.module
        at, spec = module.ir.location(root.function.node.head), f"{module.name}:{root.function.node.qualname}"
        inherits = root.owner is not None and root.owner is not root.function.owner
        of = root.owner.node.qualname if root.owner is not None and inherits else ""
        missed = self._module_cache.loader.finder.missed
        unseen = tuple([name for name in reach.packages if name in missed])
        further = of, *reach[:6], unseen, reach.ends, self._aside(root)
        return CompileRoot(root.name, at, root.compiled_at, root.kind, spec, root.config, *further)

    def _aside(self, root: Root) -> str:
        """Why a module is no work for who compiles models, as far as its class says."""
        if root.kind != "forward" or root.owner is None:
            return ""
        if compiles_itself(self.program, root.owner):
            return COMPILES
        return "" if self._weights.learns(root.owner) else WEIGHTLESS

    def _met(self) -> Iterator[FunctionInfo]:
        """The functions of the program that were asked for so far."""
        known = {id(module): module for module in (*self.program.modules(), *self.modules)}
        for module in known.values():
            yield from module.functions()

    @contextmanager
    def _whole(self, about: str) -> Iterator[None]:
        """A look at the files outside of compiled regions, which a defect of ours ends with a notice."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a defect of ours, reported as a notice
            _debug("the survey failed", error=error)
            self._notices[Notice("defect", f"{about} were not read completely: {_raised(error)}; {_REPORT}")] = None


def _debug(text: str, *words: object, error: BaseException) -> None:
    """What a defect of ours was, for who asks for it; most runs have none, and load no `logging`."""
    import logging

    logging.getLogger(__name__).debug(text, *words, exc_info=error)


def _raised(error: Exception) -> str:
    """`AssertionError in interp/core/frame.py, line 190`: where an error came from, in this package."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    parts = last.filename.replace(os.sep, "/").rpartition("/compilelint/")
    return f"{type(error).__name__} in {parts[2]}, line {last.lineno}"
