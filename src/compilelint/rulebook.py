"""Rules, checks and pages: how a judged event becomes a finding, and what is written about its rule.

A rule is a literal `Rule`, a function under `@check`, and a page in `rules/`. `Rulebook` holds them all and hands
every event to the checks that want it; `at` builds the finding, so that no check repeats where, how sure and from which
root. Does not belong here: what any single rule means.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar, overload

from compilelint.events import Event
from compilelint.model import Confidence, Doubt, Effect, Finding, Fix, Location, Related, Rewrite, Rule, Safety, weakest
from compilelint.model.slotted import dataclass
from compilelint.torchfacts import TorchFacts
from compilelint.values import Origin

E = TypeVar("E", bound=Event)
E1 = TypeVar("E1", bound=Event)
E2 = TypeVar("E2", bound=Event)
E3 = TypeVar("E3", bound=Event)

REQUIRED_HEADINGS = ("What it finds", "Why it matters", "Bad", "Good", "Run with")
OPTIONAL_HEADINGS = ("Fix", "When to ignore it", "More")

UNPARSABLE_FILE = Rule("CL901", "unparsable-file", "the file cannot be read as Python", Effect.TOOL)
UNUSED_SUPPRESSION = Rule(
    "CL902", "unused-suppression", "the suppression matches no finding", Effect.TOOL, fix=Safety.SAFE
)
FAILED_CHECK = Rule("CL903", "failed-check", "a rule of compilelint failed on this line", Effect.TOOL)
MALFORMED_SUPPRESSION = Rule("CL904", "malformed-suppression", "the suppression cannot be understood", Effect.TOOL)
TARGET_NOT_RUN = Rule("CL905", "target-not-run", "a target of `verify` could not be run", Effect.TOOL)
RUN_ONLY_BREAK = Rule("CL906", "run-only-break", "a run of Dynamo broke where nothing was predicted", Effect.TOOL)
DIVERGING_RESULT = Rule(
    "CL907", "diverging-result", "the compiled model does not do what the eager one does", Effect.TOOL
)
RUN_ONLY_RECOMPILE = Rule("CL908", "run-only-recompile", "a run of Dynamo compiled the same code again", Effect.TOOL)
TOOL_RULES = (
    UNPARSABLE_FILE,
    UNUSED_SUPPRESSION,
    FAILED_CHECK,
    MALFORMED_SUPPRESSION,
    TARGET_NOT_RUN,
    RUN_ONLY_BREAK,
    DIVERGING_RESULT,
    RUN_ONLY_RECOMPILE,
)
"""Rules about the tool's own work and what its runs saw: reported by the session, not by a check.

Findings of a run carry the effect that was seen (a graph break, a wrong result), not that of their rule.
"""

# An origin chain says why we believe something; past the third step it retells the program.
_MOST_STEPS = 3

# Below this share of common letters, "did you mean" is a guess.
_ALIKE = 0.6


class RulebookError(Exception):
    """Rules contradict each other, or a page is missing or malformed; the text names what, where, and what to do."""

    def __init__(self, what: str, where: str, hint: str) -> None:
        super().__init__(f"{what} ({where}); {hint}")
        self.what = what
        self.where = where
        self.hint = hint


# --------------------------------------------------------------------- checks


@dataclass(frozen=True, slots=True)
class Check:
    """A rule's function and the events it wants. Calling it calls the function.

    `breaks_only` says that it has nothing to say about an event that cannot end a graph: nearly every event, so that
    most checks are not even asked.
    """

    rule: Rule
    on: tuple[type[Event], ...]
    function: Callable[[Any, TorchFacts], Iterator[Finding]]
    breaks_only: bool = False

    def __call__(self, event: Event, facts: TorchFacts) -> Iterator[Finding]:
        return self.function(event, facts)


@overload
def check(rule: Rule, *, on: type[E]) -> Callable[[Callable[[E, TorchFacts], Iterator[Finding]]], Check]: ...
@overload
def check(
    rule: Rule, *, on: tuple[type[E1], type[E2]]
) -> Callable[[Callable[[E1 | E2, TorchFacts], Iterator[Finding]]], Check]: ...
@overload
def check(
    rule: Rule, *, on: tuple[type[E1], type[E2], type[E3]]
) -> Callable[[Callable[[E1 | E2 | E3, TorchFacts], Iterator[Finding]]], Check]: ...
def check(rule: Rule, *, on: Any) -> Callable[[Callable[[Any, TorchFacts], Iterator[Finding]]], Check]:
    """Decorator: this function finds `rule` in events of one type, or of two or three (a tuple)."""

    def make(function: Callable[[Any, TorchFacts], Iterator[Finding]]) -> Check:
        return Check(rule, on if isinstance(on, tuple) else (on,), function)

    return make


@dataclass(frozen=True, slots=True)
class LibRule:
    """A rule that looks at LibCST trees (`compilelint.lib`): `make` gives a new visitor for each file.

    `words` are texts of which a file must hold one to be opened for it; without any, every file is. `scout` names the
    statements of the top level that it wants to see, of what is known of a file; without one, it sees all, or, if not
    `whole`, those that hold a word. `beliefs` says that it asks what the engine believes. `pack` says where it comes
    from, `state` what it is made of, for caches.
    """

    rule: Rule
    pack: str
    make: Callable[[], object]
    words: tuple[str, ...] = ()
    state: str = ""
    scout: Callable[[Any], Iterable[Any]] | None = None
    beliefs: bool = True
    whole: bool = True

    def wants(self, held: Container[str]) -> bool:
        """Whether a file may hold what the rule is about, by its text, or by those of the words that it holds."""
        return not self.words or any(word in held for word in self.words)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules, sorted by code, their checks, and those of packs that look at LibCST trees.

    `rules` holds the rules about the tool too. Raises RulebookError where two rules share a code or a name.
    `notes` say which packs are not used, and why.
    """

    checks: tuple[Check, ...]
    lib: tuple[LibRule, ...] = ()
    notes: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = field(init=False)
    _wanting: Mapping[type[Event], tuple[Check, ...]] = field(init=False, repr=False)
    _always: Mapping[type[Event], tuple[Check, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.checks, key=lambda one: (one.rule.code, one.function.__name__)))
        object.__setattr__(self, "checks", ordered)
        own = [*TOOL_RULES, *(one.rule for one in ordered), *(one.rule for one in self.lib)]
        object.__setattr__(self, "rules", _sorted_rules(own))
        wanting: dict[type[Event], tuple[Check, ...]] = {}
        for one in ordered:
            for kind in one.on:
                wanting[kind] = (*wanting.get(kind, ()), one)
        object.__setattr__(self, "_wanting", wanting)
        always = {kind: tuple(one for one in found if not one.breaks_only) for kind, found in wanting.items()}
        object.__setattr__(self, "_always", always)

    def only(self, rules: Iterable[Rule]) -> Rulebook:
        """The same book with the checks of some rules only."""
        codes = {rule.code for rule in rules}
        own = tuple(one for one in self.checks if one.rule.code in codes)
        return Rulebook(own, tuple(one for one in self.lib if one.rule.code in codes), self.notes)

    @property
    def words(self) -> frozenset[str]:
        """The texts that rules on trees ask for."""
        return frozenset(word for one in self.lib for word in one.words)

    def rule(self, word: str) -> Rule | None:
        """The rule of a code or name, in any case; None if there is none."""
        wanted = word.casefold()
        return next((rule for rule in self.rules if wanted in (rule.code.casefold(), rule.name)), None)

    def findings_for(self, event: Event, facts: TorchFacts) -> Iterator[Finding]:
        """What all checks say about one event."""
        outcome = event.outcome
        harmless = outcome is None or not (outcome.breaks or outcome.breaks_fullgraph or outcome.mixed)
        for one in (self._always if harmless else self._wanting).get(type(event), ()):
            said = _said(one, event, facts)
            if said:
                yield from said


def _said(one: Check, event: Event, facts: TorchFacts) -> list[Finding]:
    """What one check says; a check that fails says so in a finding of its own, and the others go on.

    Broad on purpose: one wrong assumption in a check must cost its own rule on one line, not the report on a thousand
    files. Nothing is hidden: the finding is an error and names the rule.
    """
    try:
        return list(one.function(event, facts))
    except Exception as error:
        import logging

        logging.getLogger(__name__).debug("rule %s failed", one.rule.code, exc_info=True)
        failure = f"{type(error).__name__}: {error}".splitlines()[0]
        message = f"rule {one.rule.code} ({one.rule.name}) failed here: {failure}"
        context = event.site.context
        return [
            Finding(
                FAILED_CHECK,
                message,
                FAILED_CHECK.effects,
                Confidence.CERTAIN,
                event.site.location,
                function=context.function,
                why="This is a defect of compilelint; the other rules were applied.",
                help="Please report it with the line above; `--verbose` shows the traceback.",
            )
        ]


def _sorted_rules(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Each rule once, by code; a rule may have several checks, a code or name only one rule."""
    by_code: dict[str, Rule] = {}
    by_name: dict[str, Rule] = {}
    for rule in rules:
        for known, key in ((by_code, rule.code), (by_name, rule.name)):
            other = known.setdefault(key, rule)
            if other != rule:
                where = f"{other.code} {other.name}, {rule.code} {rule.name}"
                raise RulebookError(f"two rules are called {key}", where, "give one of them another code or name")
    return tuple(by_code[code] for code in sorted(by_code))


_GUESSED = frozenset({"forward", "autograd", "unreached"})  # kinds of roots that no call compiles and no option names
_LONGEST_WORD = 100  # comparing takes as long as both words are, multiplied


def nearest(word: str, rules: Iterable[Rule]) -> str | None:
    """The code or name most like `word`, for "did you mean"; None if nothing is alike.

    A name that holds all its parts comes before one that is merely spelled alike.
    """
    if len(word) > _LONGEST_WORD:
        return None
    known = {text.casefold(): text for rule in rules for text in (rule.code, rule.name)}
    parts = set(word.casefold().split("-"))
    holding = [text for text in known if parts <= set(text.split("-"))]
    if holding and len(word) > 2:
        return known[holding[0]]
    import difflib

    likeness = {text: difflib.SequenceMatcher(None, word.casefold(), text).ratio() for text in sorted(known)}
    best = max(likeness, key=likeness.__getitem__, default="")
    return known[best] if likeness.get(best, 0.0) >= _ALIKE else None


# ------------------------------------------------------------------- findings


def at(
    rule: Rule,
    event: Event,
    message: str,
    *,
    confidence: Confidence = Confidence.CERTAIN,
    because: Iterable[Origin | Related | None] = (),
    why: str = "",
    help: str = "",  # noqa: A002 - called like the field it fills
    fix: Fix | None = None,
    rewrite: Rewrite | None = None,
    also: Iterable[Effect] = (),
) -> Finding:
    """A finding of `rule` at the event's place.

    `also` are effects besides those of the rule.
    `confidence` is what the check would claim; the site may allow less. `because` holds origins of the values that
    matter (None is passed over), each given with the steps before it. Under `fullgraph=True` and export a graph break
    stops compilation, so it becomes an error too. Raises ValueError for an event without a place.
    """
    site = event.site
    location = site.location
    if not location.path or location.span.line < 1:
        raise ValueError(f"a finding of {rule.code} needs a place, got {location}")
    context = site.context
    root = f"{context.root} (unreached)" if context.root_kind == "unreached" else context.root
    effects = worst_first({*_effects(rule, event), *also})
    sure = weakest(confidence, site.cap)
    if context.root_kind == "unreached":
        sure = Doubt.COMPILED_BY_GUESS.lower(sure)
    if Effect.CUDAGRAPH in effects and context.root_kind in _GUESSED and context.is_export:
        sure = Doubt.NOT_KNOWN_TO_BE_COMPILED.lower(sure)  # it replays nothing: another runtime does
    return Finding(
        rule,
        message,
        effects,
        sure,
        location,
        function=context.function,
        break_ids=_break_ids(event),
        roots=(root,),
        root_places=((root, *context.root_place),),
        call_chain=context.chain(),
        related=_related(because, location),
        why=why,
        help=help,
        fix=fix,
        rewrite=rewrite,
    )


def _effects(rule: Rule, event: Event) -> tuple[Effect, ...]:
    config = event.site.context.config
    if Effect.GRAPH_BREAK in rule.effects and event.breaks and config.raises:
        return worst_first({*rule.effects, Effect.ERROR})
    return rule.effects


def worst_first(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """Each effect once, in the order of the enum."""
    return tuple(sorted(set(effects), key=list(Effect).index))


def _break_ids(event: Event) -> tuple[str, ...]:
    if event.outcome is None:
        return ()
    config = event.site.context.config
    found = event.outcome.fullgraph_gb_id if config.fullgraph or config.export else event.outcome.gb_id
    return (found,) if found else ()


def _related(because: Iterable[Origin | Related | None], primary: Location) -> tuple[Related, ...]:
    """The places behind the finding, nearest first; each place once, and never the finding's own."""
    found: dict[Location, Related] = {}
    for one in because:
        for related in [one] if isinstance(one, Related) else _steps(one):
            if related.location != primary:
                found.setdefault(related.location, related)
    return tuple(found.values())


def _steps(origin: Origin | None) -> Iterator[Related]:
    for _ in range(_MOST_STEPS):
        if origin is None:
            return
        if origin.place is not None:
            where, pos = origin.place
            yield Related(where.location(pos), origin.how)
        origin = origin.parent


# ---------------------------------------------------------------------- pages


@dataclass(frozen=True, slots=True)
class Page:
    """What is written about a rule: `sections` maps a heading to its Markdown, in the order of the page."""

    code: str
    name: str
    text: str
    sections: Mapping[str, str]
    path: str


def pages_folder() -> Path | None:
    """Where the pages lie: in the installed package, else in the source tree (editable installs); None if nowhere."""
    here = Path(__file__).resolve().parent
    for folder in (here / "_rules", here.parent.parent / "rules"):
        if folder.is_dir():
            return folder
    return None


def pages(folder: Path | None = None) -> Mapping[str, Page]:
    """All pages by code. Raises RulebookError for a page that is malformed or stands twice."""
    folder = folder or pages_folder()
    found: dict[str, Page] = {}
    for path in sorted(folder.glob("CL*.md")) if folder else ():
        page = parse_page(path.read_text(encoding="utf-8"), path.name)
        if page.code in found:
            raise RulebookError(f"{page.code} has two pages", f"{found[page.code].path}, {path.name}", "keep one")
        found[page.code] = page
    return found


def page_of(rule: Rule) -> Page | None:
    """The page of one rule: what its pack brings, else ours; None where there is none."""
    return pages_of([rule]).get(rule.code)


def pages_of(rules: Iterable[Rule]) -> dict[str, Page]:
    """The pages of some rules, those of packs included, by code. Headings of packs are their own business."""
    rules = list(rules)
    own = pages() if any(not rule.pack for rule in rules) else {}
    found = {rule.code: own[rule.code] for rule in rules if rule.code in own and not rule.pack}
    for rule in rules:
        if rule.pack:
            found[rule.code] = Page(rule.code, rule.name, rule.page, _sections(rule.page), rule.pack)
    return found


def parse_page(text: str, file_name: str) -> Page:
    """A page from its Markdown. Headings inside code blocks are code. Raises RulebookError for wrong headings."""
    code, _, name = file_name.removesuffix(".md").partition("-")
    bodies = _sections(text)
    _verify_headings(list(bodies), file_name)
    return Page(code, name, text, bodies, file_name)


def _sections(text: str) -> dict[str, str]:
    """The text under each heading of the second level. Headings inside code blocks are code."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        if not fence and line.startswith("## "):
            lines = sections.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {heading: "\n".join(written).strip() for heading, written in sections.items()}


def _verify_headings(headings: list[str], file_name: str) -> None:
    known = (*REQUIRED_HEADINGS, *OPTIONAL_HEADINGS)
    where = f"rules/{file_name}"
    for heading in headings:
        if heading not in known:
            raise RulebookError(f"unknown heading {heading!r}", where, "use: " + ", ".join(known))
    for heading in REQUIRED_HEADINGS:
        if heading not in headings:
            raise RulebookError(f"no heading {heading!r}", where, f"add a section `## {heading}`")
