"""The readiness report as one document of sections, which each format spells: the important thing first.

Texts are words of ours in which backticks mark code; names and paths in them are escaped already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from compilelint.events import DynamoConfig
from compilelint.model import Effect, Finding, Location, Outcome
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.paths import Places
from compilelint.report.layout.root_tree import configured
from compilelint.report.layout.text import counted, escaped, spoken, witnessed
from compilelint.report.overview.choice import Choice, choice
from compilelint.report.overview.measured import Ran, Speed
from compilelint.report.overview.overview import Overview, unmatched
from compilelint.report.overview.parts import Document, Item, Section
from compilelint.report.overview.roots import Compiled
from compilelint.report.overview.work import GUESSED, UNASKED, Task, gain
from compilelint.torchfacts.costs import Cause, Setting, step_price

_MOST_FIRST = 5  # on a page about a deployment
_MOST_TASKS = 7
_FIRST = "What to do first"
_IF_MORE = "If more than now is compiled"
_BEFORE_GRAPHS = "Before CUDA graphs are asked for"
_MOST_FUNCTIONS = 12
_MOST_MODELS = 6
_MOST_PLACES = 6
_MOST_NAMES = 3


_PURPOSES = {
    "compile": "torch.compile",
    "export": "torch.export",
    "export-strict": "torch.export, strict=True",
    "aoti": "AOTInductor",
}

Shown = Callable[[str], str]
"""A path as the format writes it, fit to be shown."""


def document(overview: Overview, shown: Shown, places: Places | None = None) -> Document:
    """What the report says, in words."""
    words = _Words(shown, overview.exports)
    report = overview.report
    files = counted(report.files_checked, "file")
    torch = f"torch {escaped(report.torch.version)} ({escaped(report.torch.source)})"
    found = [words.changed(overview)]
    head = f"Readiness for {_PURPOSES[overview.purpose]}"
    if overview.asked is None:
        found += [words.work(overview), words.compiled(overview), words.models(overview), words.measured(overview)]
    else:
        # Only `report --for` needs it: a plain `check` shares the summary below, and starts without
        from compilelint.report.overview.deployment.deploy import deploy
        from compilelint.report.overview.deployment.sections import headline, sections

        deployment = deploy(overview, overview.asked, shown)
        head = headline(deployment)
        found += [*sections(deployment, report.unfolded), words.work(overview), words.measured(overview)]
    return Document(
        f"{head}: {files}, {torch}",
        tuple(summary(overview, shown)),
        tuple(one for one in found if one.items or one.more),
        (*judged_words(report, places), *left_out(overview)),
    )


def summary(overview: Overview, shown: Shown) -> Iterable[str]:
    """What an owner asks first: does it compile into one graph, and what does it cost."""
    if overview.since is not None:
        yield overview.since.words
    explicit = overview.of_kind("explicit")
    models = overview.of_kind("forward", "autograd", "glob")
    maybe = overview.of_kind("unreached", "all")
    done = "exported" if overview.exports else "compiled"
    if explicit:
        yield _outcomes(f"{counted(len(explicit), 'function')} compiled by this code", explicit, overview.exports)
        if not overview.exports:
            yield _cuda_graphs([one for one in explicit if not one.exported], overview.recorded)
    else:
        yield "No call that compiles these functions was found: they are checked as if one did."
    lost = [one for one in overview.report.calls if not one.resolved]
    if lost:
        verb = "compiles" if len(lost) == 1 else "compile"
        yield f"What {counted(len(lost), 'compile call')} {verb} is unknown, so it is not checked: see the end."
    if idle := _of_nothing(overview):
        places = _listed([f"{shown(at.path)}:{at.span.line}" for at in idle[:_MOST_NAMES]])
        more = f" and {len(idle) - _MOST_NAMES:,} more" if len(idle) > _MOST_NAMES else ""
        calls = f"{counted(len(idle), 'compile call')} {'compiles' if len(idle) == 1 else 'compile'}"
        why = "a library's, one that a trainer calls, or none, where only methods of the result are called"
        yield f"{calls} no function that is checked here ({why}): {places}{more}."
    if models:
        yield _outcomes(f"{counted(len(models), 'model forward')} checked as if {done}", models, overview.exports)
    if maybe:
        yield _outcomes(
            f"{counted(len(maybe), 'other function')} that no call compiles, checked as if one did",
            maybe,
            overview.exports,
        )
    if off := [one for one in overview.functions if one.off]:
        named = _listed([f"`{escaped(name)}`" for name in overview.switches[:_MOST_NAMES]])
        verb = "breaks" if len(off) == 1 else "break"
        yield f"{len(off)} of them {verb} further behind switches that are off by default ({named})."
    if not overview.functions:
        yield "No function was checked."
    elif not any(one.tier < GUESSED for one in overview.tasks):
        where = " in what is compiled" if explicit else " in the models" if models else ""
        yield f"There is nothing to fix{where}."


def _of_nothing(overview: Overview) -> list[Location]:
    """Compile calls that are resolved, and compile nothing that was linted: a library's function, or an object of which
    only methods are called that the compiled wrapper hands on as they are.
    """
    compiled = {root.compiled_at for root in overview.report.roots}
    return [call.location for call in overview.report.calls if call.resolved and call.location not in compiled]


def _cuda_graphs(functions: Sequence[Compiled], recorded: bool) -> str:
    """How many ask for CUDA graphs, and what stands against them; of the others, where that was judged."""
    asked = [one for one in functions if one.asks_for_cuda_graphs]
    if asked:
        return f"CUDA graphs are asked for by {len(asked)} of them; {_obstacles(asked)}."
    if not recorded:
        return "No call asks for CUDA graphs."
    return f"No call asks for CUDA graphs; {_obstacles(functions)}.{_saved_by_graphs()}"


def _saved_by_graphs() -> str:
    """What recording saved where it was measured: the range over the models, by setting."""
    words = {Setting.TRAIN: "a training step", Setting.INFER: "a call at batch 1"}
    found = [(text, step_price(Cause.GRAPHS, setting, "reduce-overhead")) for setting, text in words.items()]
    saved = [f"{price.low:.1f} to {price.high:.1f} ms {text}" for text, price in found if price is not None]
    if not saved:
        return ""
    models = {name for _, price in found if price is not None for name in price.models}
    measured = f"{len(models)} models were measured"
    return f' Where the host is the bottleneck, `mode="reduce-overhead"` saved {" and ".join(saved)} ({measured}).'


def _obstacles(functions: Sequence[Compiled]) -> str:
    """In how many functions something was found that keeps a CUDA graph from holding them whole."""
    met = sum(one.state != "graphable" for one in functions)
    return f"an obstacle to recording was found in {met} of {len(functions)}" if met else "no obstacle was found"


def _outcomes(head: str, functions: Sequence[Compiled], exports: bool) -> str:
    """`6 functions compiled by this code: 4 in one graph, 1 in several graphs.`"""
    kinds = Counter(_outcome(one) for one in functions)
    named = [f"{kinds[name]} {words[exports]}" for name, words in _OUTCOMES if kinds[name]]
    if len(named) == 1 and kinds["whole"] and not exports:
        return f"{head}: {'one graph' if len(functions) == 1 else 'one graph each'} is expected."
    return f"{head}: {', '.join(named)}."


_OUTCOMES = (
    ("fails", ("where compiling raises", "that cannot be exported")),
    ("eager", ("uncompiled", "uncompiled")),
    ("pieces", ("in several graphs", "in several graphs")),
    ("whole", ("in one graph", "with nothing found that stops an export")),
)


def _to_stay_whole(functions: Iterable[Compiled]) -> dict[str, Location]:
    """Functions that are one graph, with the compile call that could ask for it: the first of each file of calls.

    It gives no speed, but an error in place of silence; one reminder a script is enough.
    """
    found: dict[str, Location] = {}
    said: set[str] = set()
    for one in functions:
        if _outcome(one) != "whole" or one.whole or not one.calls or one.calls[0][0].path in said:
            continue
        said.add(one.calls[0][0].path)
        found[one.name] = one.calls[0][0]
    return found


def _outcome(one: Compiled) -> str:
    if one.failures:
        return "fails"
    return "eager" if not one.graphs.most else "pieces" if one.breaks else "whole"


def left_out(overview: Overview) -> Iterable[tuple[str, str]]:
    """A head and a sentence each: findings that are not shown, and what was asked that leaves something out."""
    report = overview.report
    parts = [f"{counted(overview.hidden, 'finding')} below {report.min_confidence.label}"] if overview.hidden else []
    parts += [f"{report.suppressed} suppressed"] if report.suppressed else []
    parts += [f"{report.baselined} in the baseline"] if report.baselined else []
    if parts:
        yield "Not shown", f"{', '.join(parts)}."
    for notice in report.notices:
        if notice.kind in ("configuration", "export"):  # what was asked leaves something out
            yield "Note", escaped(notice.text)


class _Words:
    """Sentences about functions and findings, with paths as one format shows them."""

    def __init__(self, shown: Shown, exports: bool) -> None:
        self._shown = shown
        self._exports = exports

    # ------------------------------------------------------------------- work

    def work(self, overview: Overview) -> Section:
        """The tasks of what is compiled and of models; of mere functions only where there is nothing else."""
        if not overview.tasks:
            return Section(_FIRST, ())
        if overview.asked is not None and not overview.report.unfolded:
            return self._first(choice(overview))
        due = [one for one in overview.tasks if one.tier < GUESSED]
        guessed = [one for one in overview.tasks if one.tier == GUESSED]
        later = [one for one in overview.tasks if one.tier == UNASKED]
        named = [one for one in guessed if overview.is_candidate(one)]
        shown = due or named or later
        title = _FIRST if due else _BEFORE_GRAPHS if shown and not named else _IF_MORE
        left = len(shown) - min(len(shown), _MOST_TASKS)
        parts = [f"{left:,} more"] if left > 0 else []
        beside = len(guessed) - (len(named) if shown is named else 0)
        parts += [f"{beside:,} in functions that nothing compiles"] if beside else []
        listed = f"{'and ' if shown else ''}{', '.join(parts)}"
        more = f"{listed}: `compilelint check --all` lists every finding" if parts else ""
        return Section(title, tuple(map(self._task, shown[:_MOST_TASKS])), True, more)

    def _first(self, found: Choice) -> Section:
        """What a page on a deployment shows of it: the same as the first screen."""
        left = len(found.tasks) - _MOST_FIRST
        parts = [*([f"{left:,} more"] if left > 0 else []), *found.counts]
        listed = f"{'and ' if found.tasks else ''}{', '.join(parts)}"
        more = f"{listed}: `compilelint check --all` lists every finding" if parts else ""
        title = _FIRST if not found.tasks or found.tasks[0].tier < GUESSED else _IF_MORE
        return Section(title, tuple(map(self._task, found.tasks[:_MOST_FIRST])), True, more)

    def _task(self, task: Task) -> Item:
        finding = task.finding
        return Item(
            finding.message,
            tuple(self._about(task)),
            finding.location,
            finding.rule,
            finding.severity,
        )

    def _about(self, task: Task) -> Iterable[str]:
        finding = task.finding
        if why := self._why(task):
            yield why
        if task.others:
            places = [one.location for one in task.others]
            yield f"{len(places)} like it: {self._run(places, finding.location.path)}"
        if finding.help:
            yield f"do: {finding.help}"
        if task.cost is not None and not self._exports:
            yield f"expected: {gain(task)}"
        if finding.verdict and finding.verdict.outcome is not Outcome.NOT_REACHED:
            yield f"verify: {witnessed(finding)}"

    def _why(self, task: Task) -> str:
        parts = [f"only where `{escaped(task.off)}` is on, which is off by default"] if task.off else []
        parts += [task.reason] if task.reason and not self._exports else []
        if task.roots:
            parts.append(f"{'compiled' if task.tier == 0 else 'in'}: {_names(task.roots)}")
        if task.mode:
            asked = "asked for here" if task.asked else "before it is asked for"
            parts.append(f'counts under `mode="{task.mode}"`, {asked}')
        effects = [_COSTS[one] for one in task.finding.effects if one in _COSTS and not self._exports]
        return "; ".join([*effects[:1], *parts])

    # -------------------------------------------------------------- functions

    def compiled(self, overview: Overview) -> Section:
        """What the code compiles, the worst first, each with the calls that do."""
        functions = sorted(overview.of_kind("explicit"), key=_worst_first)
        stays = {} if self._exports else _to_stay_whole(functions)
        items = tuple(self._function(one, stays.get(one.name)) for one in _cut(functions, _MOST_FUNCTIONS))
        return Section("What is compiled", items, more=_rest(len(functions) - len(items)))

    def models(self, overview: Overview) -> Section:
        """Forwards that nothing here compiles: those with findings, the others counted."""
        every = overview.of_kind("forward", "autograd", "glob")
        named = sorted((one for one in every if one.findings or one.unrecorded or one.measured), key=_worst_first)
        items = tuple(self._function(one) for one in _cut(named, _MOST_MODELS))
        clean = len(every) - len(named)
        parts = [f"and {len(named) - len(items):,} more with findings"] if len(named) > len(items) else []
        parts += [f"{clean} {'other ' if named else ''}without a finding"] if clean else []
        return Section("Models that this code does not compile itself", items, more="; ".join(parts) if items else "")

    def _function(self, one: Compiled, stays: Location | None = None) -> Item:
        name = f"`{escaped(one.name)}`"
        outcome = {
            "fails": "cannot be exported" if self._exports else "fails to compile",
            "eager": "nothing of it stays compiled",
            "pieces": one.graphs.words + (", and a part uncompiled" if one.skips else ""),
            "whole": "can be exported, as far as is seen" if self._exports else "one graph",
        }[_outcome(one)]
        asked = ", as its mode asks" if one.asks_for_cuda_graphs else ""
        free = not self._exports and one.kind == "explicit" and one.state == "graphable" and not one.exported
        clear = f"; nothing found that keeps CUDA graphs from recording it{asked}" if free else ""
        details = list(self._details(one))
        if stays is not None:
            at = self._at(stays, one.location.path)
            details.append(f"`fullgraph=True` at {at} keeps it so: a break that comes later raises there")
        return Item(f"{name}: {outcome}{clear}", tuple(details), one.location)

    def _details(self, one: Compiled) -> Iterable[str]:
        here = one.location.path
        if one.calls:
            if self._exports:  # all of it is checked as if it were exported, whatever the call asks for
                yield f"compiled or exported at {self._run([at for at, _ in one.calls], here)}"
            else:
                calls = _listed([self._call(at, config, here) for at, config in one.calls])
                yield f"{'exported' if one.exported else 'compiled'} at {calls}"
        if one.failures:
            yield f"{'stopped' if self._exports else 'raises'} at {self._places(one.failures, here)}"
        if one.breaks and not one.whole:
            left = [finding for finding in one.breaks if finding.skips_frame]
            split = [finding for finding in one.breaks if not finding.skips_frame]
            parts = [f"a graph ends at {self._places(split, here)}"] if split else []
            yield "; ".join([*parts, *([f"runs eagerly after {self._places(left, here)}"] if left else [])])
        beside = [
            f"{counted(len(found), noun)} at {self._places(found, here)}"
            for noun, found in (("recompile", one.recompiles), ("host sync", one.syncs), ("finding", _others(one)))
            if found and not (self._exports and noun != "finding")
        ]
        if beside:
            yield "; ".join(beside)
        cuda = self._cuda(one)
        if cuda:
            yield cuda
        yield from (_ran(run) for run in one.runs)
        yield from (_speed(speed) for speed in one.speeds)

    def _cuda(self, one: Compiled) -> str:
        if one.state in ("fails", "eager") or not one.unrecorded:
            return ""
        places = self._places(one.unrecorded, one.location.path)
        if one.asks_for_cuda_graphs:
            return f"its mode asks for CUDA graphs, kept from recording it whole at {places}"
        return f"CUDA graphs, which its mode does not ask for, would not record it whole: {places}"

    def _call(self, at: Location, config: DynamoConfig, here: str) -> str:
        given = [(name, value) for name, value in configured(config) if not (config.export and name == "fullgraph")]
        options = ", ".join(f"{name}={_quoted(value)}" for name, value in given)
        return f"{self._at(at, here)}{f' (`{options}`)' if options else ''}"

    def _places(self, findings: Sequence[Finding], here: str) -> str:
        """`:161, :163 (CL507); :162 (CL502)`: by rule, in the order given."""
        by_rule: dict[str, list[Finding]] = {}
        for one in findings:
            by_rule.setdefault(one.rule.code, []).append(one)
        return "; ".join(
            f"{self._run([one.location for one in same], here)} ({code}{', confirmed' if _confirmed(same) else ''})"
            for code, same in by_rule.items()
        )

    def _run(self, places: Sequence[Location], here: str) -> str:
        """Places with each path where it changes; `here` is the file that is spoken of."""
        words = []
        for one in places:
            words.append(self._at(one, here))
            here = one.path
        return _listed(list(dict.fromkeys(words)))

    def _at(self, location: Location, here: str) -> str:
        """`model.py:12`; in the file that is spoken of, `:12`."""
        cell = "" if location.cell is None else spoken(location).rpartition(":")[0].rpartition(":")[0]
        path = "" if location.path == here else self._shown(location.path)
        return f"{path}{cell}:{location.span.line}"

    # ------------------------------------------------------------------ since

    def changed(self, overview: Overview) -> Section:
        """What is new since an earlier report, which functions got worse or better, and what is gone."""
        found = overview.since
        if found is None:
            return Section("", ())
        new = [Item(one.message, ("new",), one.location, one.rule, one.severity) for one in found.new[:_MOST_TASKS]]
        graphs = [
            Item(f"`{escaped(one.name)}`: {_pieces(one.after)}, was {_pieces(one.before)}")
            for one in sorted(found.graphs, key=lambda one: not one.is_worse)[:_MOST_TASKS]
        ]
        gone = [f"{escaped(one.place)} ({escaped(one.rule)})" for one in found.fixed]
        fixed = [Item(f"fixed: {_listed(gone)}")] if gone else []
        more = f"and {len(found.new) - len(new):,} more that are new" if len(found.new) > len(new) else ""
        return Section(f"Since {escaped(found.name)}", (*new, *graphs, *fixed), more=more)

    # --------------------------------------------------------------- measured

    def measured(self, overview: Overview) -> Section:
        """Measured functions and targets that no section above shows, and what the runs refuted."""
        left = set(unmatched(overview))
        items = [self._function(one) for one in overview.of_kind("unreached", "all") if one.measured]
        runs, speeds = overview.measured.runs, overview.measured.speeds
        items += [Item(f"`{escaped(one.target)}`: {_ran(one)}") for one in runs if one.target in left]
        items += [Item(f"`{escaped(one.target)}`: {_speed(one)}") for one in speeds if one.target in left]
        refuted = overview.refuted
        if refuted:
            items.append(Item(f"refuted by the runs, and no work: {self._places(refuted, '')}"))
        return Section("Measured", tuple(items))


_COSTS = {
    Effect.WRONG_RESULT: "a result may be wrong",
    Effect.RECOMPILE: "compiles again",
    Effect.SYNC: "the host waits",
    Effect.SLOW: "slower than need be",
}


def _confirmed(findings: Sequence[Finding]) -> bool:
    """Whether a run saw each of them."""
    seen = (Outcome.CONFIRMED, Outcome.RUN_ONLY)
    return all(one.verdict is not None and one.verdict.outcome in seen for one in findings)


def _cut(functions: Sequence[Compiled], most: int) -> list[Compiled]:
    """The first of them, and of the others those that were measured."""
    return [one for number, one in enumerate(functions) if number < most or one.measured]


def _worst_first(one: Compiled) -> tuple[object, ...]:
    order = [name for name, _ in _OUTCOMES]
    return order.index(_outcome(one)), -len(one.breaks), -len(one.findings) - len(one.unrecorded), one.name


def _others(one: Compiled) -> tuple[Finding, ...]:
    """Findings that no other line of the function's block counts."""
    counts = {id(found) for found in (*one.failures, *one.breaks, *one.recompiles, *one.syncs)}
    rules = {(found.rule.code, found.location) for found in one.unrecorded}
    return tuple(
        found for found in one.findings if id(found) not in counts and (found.rule.code, found.location) not in rules
    )


def _ran(run: Ran) -> str:
    if run.fate != "ran":
        return f"verify: not run ({escaped(run.fate)}{f': {escaped(run.detail)}' if run.detail else ''})"
    equal = f"differs from eager in {escaped(run.differs)}" if run.differs else "no difference from eager seen"
    seen = f"{counted(run.graphs, 'graph')}, {counted(run.breaks, 'break')}, {counted(run.recompiles, 'recompile')}"
    return f"verify ({escaped(run.mode)}): {seen}; {equal}"


def _speed(one: Speed) -> str:
    interval = f"{one.low:.2f} to {one.high:.2f}"
    times = f"{one.estimate:.2f} times as fast as eager ({interval})"
    return f"bench ({escaped(one.mode)}): {times}, with {escaped(one.configuration)}"


def _pieces(graphs: int) -> str:
    return counted(graphs, "graph") if graphs else "not compiled"


def _quoted(value: object) -> str:
    return f'"{escaped(value)}"' if isinstance(value, str) else repr(value)


def _names(names: Sequence[str]) -> str:
    shown = [f"`{escaped(name)}`" for name in names[:_MOST_NAMES]]
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(shown) + more


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_PLACES:,} more" if len(words) > _MOST_PLACES else ""
    return ", ".join(words[:_MOST_PLACES]) + more


def _rest(number: int) -> str:
    return f"and {counted(number, 'function')} more: `compilelint roots` lists all" if number else ""
