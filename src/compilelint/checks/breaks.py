"""How a graph break becomes a finding: which rule claims it, how sure we are, and what the break costs there.

A break has one `Reason`, and one rule claims each reason (`Rule.breaks`), so nothing is reported twice and nothing
falls through. Families say in their own words what happened (`Words`); the rest is the same for all and stands here.
Does not belong here: what any single reason means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from compilelint.checks.idioms import advice
from compilelint.checks.refusal_words import words_of
from compilelint.checks.rewriting import rewrite_for
from compilelint.checks.written import operands, tensor_part
from compilelint.events import UNSPLIT, Attribute, Branch, Call, Enter, Event, Index, Mutation, Site, Syntax
from compilelint.model import Confidence, Doubt, Effect, Finding, Related, Rule, Safety, weakest
from compilelint.model.patterns import late_pattern
from compilelint.rulebook import Check, at, worst_first
from compilelint.torchfacts import Fact, Reason, SyntaxForm, TorchFacts
from compilelint.values import (
    Instance,
    Origin,
    Sequence,
    Tensor,
    Union,
    Value,
    is_drawn,
    tensor_arm,
)

EVERY_EVENT: tuple[type[Event], ...] = (Attribute, Branch, Call, Enter, Index, Mutation, Syntax)

# Constructs that share a reason with others and have a rule of their own, because the remedy is another.
RULE_OF_FORM = {SyntaxForm.IN.value: "CL106"}

_NOTHING: Iterator[Finding] = iter(())  # used up from the start, so it can be shared


class Words(NamedTuple):
    """What a rule says: `message` what ends the graph, `why` what Dynamo does with it, `help` what to write instead.

    Without a `help` the idiom decides (`checks.idioms`); an idiom that fits goes before it.
    """

    message: str
    why: str
    help: str = ""


def break_rule(code: str, name: str, summary: str, *reasons: Reason, fix: Safety | None = None) -> Rule:
    """A rule about graph breaks for these reasons."""
    return Rule(code, name, summary, Effect.GRAPH_BREAK, tuple(reason.value for reason in reasons), fix)


def on_break(rule: Rule) -> Callable[[Callable[[Event], Words | None]], Check]:
    """Decorator: these are the words of `rule` for a break whose reason it claims, whatever construct breaks.

    None in their place keeps silent about this event.
    """

    def make(words_for: Callable[[Event], Words | None]) -> Check:
        reasons = frozenset(Reason(name) for name in rule.breaks)
        by_form = rule.code in RULE_OF_FORM.values()

        def judge(event: Event, facts: TorchFacts) -> Iterator[Finding]:
            if not by_form and not _may_claim(reasons, event.outcome):
                return _NOTHING  # every break is put before every rule, so this is asked most of all
            broken = feared(event)
            if broken is None or not claims(rule, reasons, event, broken):
                return _NOTHING
            words = words_for(event)
            if words is None:
                return _NOTHING
            known = words_of(broken.gb_id)
            if known is not None:
                words = Words(known.message.format(spelled(event)), known.why, known.help)
            fitting = "" if known is not None else advice(rule.code, event, facts)
            words = words if not fitting else Words(words.message, words.why, fitting)
            words = seen_from(event, _of_random_number(event) or _with_switch(words, facts, broken.gb_id))
            finding = at(
                rule,
                event,
                words.message,
                confidence=confidence_of(event),
                because=because(event),
                why=" ".join([words.why, *choices(event.site), cost(event, broken)]),
                help=words.help,
                rewrite=rewrite_for(event, broken),
            )
            if broken.raises:
                return iter((raising(finding),))
            return iter((replace(finding, skips_frame=skips_frame(event, broken)),))

        judge.__name__ = words_for.__name__
        judge.__doc__ = words_for.__doc__
        return Check(rule, EVERY_EVENT, judge, breaks_only=True)

    return make


def seen_from(event: Event, words: Words) -> Words:
    """The words as they must read at a call, where the break itself lies in a file that is not linted."""
    inner = event.site.inner
    if inner is None:
        return words
    done = "compiled" if event.site.compiles else "called"
    message = f"{words.message}, in `{inner.context.function}`, which is {done} here"
    there = words.help.removeprefix(_OUTSIDE).removeprefix(", or ")
    change = f", or change it there: {there}" if there else ""
    return Words(message, words.why, f"this code is not linted: {_OUTSIDE}{change}")


_OUTSIDE = "call it outside the compiled region"


def _with_switch(words: Words, facts: TorchFacts, gb_id: str | None) -> Words:
    """The words with the switch that torch itself names for an id, where they do not name it."""
    switch = switch_for(facts, gb_id)
    if not switch or not words.help or switch.partition(" ")[0] in words.help:
        return words
    return words._replace(help=f"{words.help}; torch hints at `{switch}`{_SERVES.get(_named(switch), '')}")


_SERVES = {"trace_autograd_ops": ", which serves where the loss is returned detached"}
"""Where a setting that torch hints at cures the break, as it was run."""


def _named(switch: str) -> str:
    """The name of a setting: `allow_rnn` of `torch._dynamo.config.allow_rnn = True`."""
    return switch.partition(" ")[0].rpartition(".")[2]


def switch_for(facts: TorchFacts, gb_id: str | None) -> str:
    """The setting that cures a break by torch's own hint in this version: `torch._dynamo.config.NAME = True`.

    Empty where torch names none, and for the switches of captures, which fixes set (`Fact.cured_by`).
    """
    entry = None if gb_id is None else facts.graph_break(gb_id)
    for hint in () if entry is None else entry.hints:
        found = _SETTING.search(hint)
        if found is not None and not found[1].startswith("capture_"):
            return f"torch._dynamo.config.{found[1]} = True"
        off = _SWITCHED_OFF.search(hint)
        if off is not None:
            return f"torch._dynamo.config.{off[1]} = False"
    return ""


# One hint of torch leaves out `config`: `torch._dynamo.trace_autograd_ops=True`.
_SETTING = late_pattern(r"torch\._dynamo\.(?:config\.)?(\w+)(?:`? to `|\s*=\s*)True")
_SWITCHED_OFF = late_pattern(r"turn `(\w+)` off")
_MOST_NAMED = 3


_NEEDS_VALUE = frozenset(
    {Reason.BRANCH_ON_DATA, Reason.DATA_DEPENDENT_INDEX, Reason.DATA_DEPENDENT_OP, Reason.UNTRACEABLE_BUILTIN}
)
_JUMPS = {"if-expression": "the conditional expression", "comprehension": "the comprehension", "search": "`in`"}
_DRAWN_PLACES = {
    "size": "a size",
    SyntaxForm.SLICE_SCALAR.value: "a slice bound",
}


def _of_random_number(event: Event) -> Words | None:
    """The words for what is done with a number that Python's `random` drew; None where there is none."""
    reason = None if event.outcome is None else event.outcome.reason
    if reason not in _NEEDS_VALUE or not any(map(is_drawn, _values(event))):
        return None
    if isinstance(event, Branch):
        message = f"{_JUMPS.get(event.keyword, f'`{event.keyword}`')} depends on a random number"
    elif isinstance(event, Index):
        message = f"{_DRAWN_PLACES.get(event.how, 'the index')} is a random number"
    elif isinstance(event, Call):
        message = f"{spelled(event)} needs the value of a random number"
    else:
        message = f"`{form_of(event)}` of a random number"
    why = "A number from Python's `random` becomes a tensor while Dynamo traces, so its value is not known."
    return Words(message, why, "draw it before the compiled call and pass it in, or draw a tensor with `torch.rand`")


def _values(event: Event) -> Iterator[Value]:
    """What the event is about, the parts of an index and of the sizes in a call among it."""
    found: list[Value] = []
    if isinstance(event, Index):
        found.append(event.index)
    elif isinstance(event, Call):
        found.extend((*event.args, *event.keywords.values()))
    else:
        found.extend(operands(event))
    for value in found:
        yield value
        if isinstance(value, Sequence):
            yield from value.items or ()
            for part in value.items or ():
                if isinstance(part, Sequence):
                    yield from part.items or ()


def choices(site: Site | None) -> Iterator[str]:
    """A sentence that names the callees in which the graph ends, where several may be called and not all do it."""
    while site is not None:
        choice = site.choice
        if choice is not None and len(choice.names) < choice.of:
            named = [f"`{name}`" for name in choice.names[:_MOST_NAMED]]
            more = len(choice.names) - len(named)
            text = ", ".join(named) + (f" and {more} more" if more else "")
            yield f"One of {choice.of} callees is called here; it happens in {text}."
        site = site.inner


def because(event: Event) -> list[Origin | Related]:
    """The places that explain the event: where it really happens, and where its tensors come from."""
    inner = event.site.inner
    there = [] if inner is None else [Related(inner.location, "graph break here")]
    return [*there, *origins(event)]


def feared(event: Event) -> Fact | None:
    """The fact that makes the event a break under its root's configuration; None if it cannot be one."""
    outcome = event.outcome
    if outcome is None:
        return None
    breaks = event.site.context.config.breaks
    if breaks(outcome):
        return outcome
    return outcome.worst if outcome.mixed and breaks(outcome.worst) else None


def claims(rule: Rule, reasons: frozenset[Reason], event: Event, broken: Fact) -> bool:
    """Whether `rule` is the one that reports this break; `reasons` are those of the rule."""
    form = form_of(event)
    if form in RULE_OF_FORM:
        return RULE_OF_FORM[form] == rule.code
    return (broken.reason or Reason.OTHER) in reasons


def _may_claim(reasons: frozenset[Reason], outcome: Fact | None) -> bool:
    """Whether a fact, or its worst form, has one of the reasons."""
    if outcome is None:
        return False
    if (outcome.reason or Reason.OTHER) in reasons:
        return True
    return outcome.mixed and (outcome.worst.reason or Reason.OTHER) in reasons


def form_of(event: Event) -> str:
    """The syntax form of an event that has one, else an empty string."""
    if isinstance(event, Syntax):
        return event.form
    return event.how if isinstance(event, Index) else ""


def raising(finding: Finding) -> Finding:
    """The same finding where compilation fails with an error although eager runs."""
    return replace(finding, effects=worst_first({Effect.ERROR, *finding.effects}))


# ----------------------------------------------------------------- confidence


def confidence_of(event: Event) -> Confidence:
    """How sure we are that the graph ends here, before the site's own cap.

    The weakest tensor among the values that decide counts. A fact that depends on arguments we do not know is likely
    where its usual form breaks and possible where only its worst form does.
    """
    sure = weakest(Confidence.CERTAIN, *(arm.confidence for arm in deciding(event)))
    outcome = event.outcome
    if outcome is not None:
        if outcome.mixed:
            breaks = event.site.context.config.breaks(outcome)
            sure = (Doubt.DEPENDS_ON_ARGUMENTS if breaks else Doubt.WORST_FORM_ONLY).lower(sure)
        elif outcome.assumed:
            sure = Doubt.ASSUMED_FACT.lower(sure)
    context = event.site.context
    if event.site.after_skip:
        sure = Doubt.FRAME_LEFT_BEFORE.lower(sure)  # the earlier line is reported
    if context.root_kind == "unreached":
        if not context.takes_tensors and not touches_a_tensor(event):
            sure = Doubt.NO_TENSOR_TAKES_PART.lower(sure)
        if sets_up(event):
            sure = Doubt.BUILDS_PARAMETERS.lower(sure)
        if context.host_class and sure < Confidence.CERTAIN:
            sure = Doubt.HOST_CLASS.lower(sure)
    return sure


def touches_a_tensor(event: Event) -> bool:
    """Whether a tensor takes part in what happens.

    Functions that nothing compiled reaches are analysed because tensors go through them, which is a guess that they
    are compiled. A line there that handles tensors, runs a layer or enters a context of torch is meant by that guess;
    one that logs, imports or opens files in another function, which the guess calls, is as likely to show that all of
    it is host code by design.
    """
    if isinstance(event, Enter):
        return event.name.startswith("torch.")
    if isinstance(event, Call) and (_enters(event) or _computes_arrays(event.name)):
        return True
    if isinstance(event, Call) and tensor_arm(event.result) is not None:
        return True  # it makes one, as NumPy's generators do
    values = [*operands(event), *(event.args if isinstance(event, Call) else ())]
    return any(tensor_arm(value) is not None or _is_layer(value) for value in values)


def _enters(event: Call) -> bool:
    """Whether the call makes a context of torch: `torch.backends.cuda.sdp_kernel()`, no class such as a data loader."""
    made = event.result
    is_own = isinstance(made, Instance) and made.name == event.name
    return is_own and event.name.startswith("torch.") and event.name.rpartition(".")[2][:1].islower()


def _computes_arrays(name: str) -> bool:
    """Whether a function computes: gradients, or numbers of a package, as `cv2.getGaussianKernel()` does."""
    package, _, rest = name.partition(".")
    shows = rest in _SHOWS or rest.startswith("Video")
    return package == "scipy" or (package == "cv2" and not shows) or name.startswith("torch.autograd.")


_SHOWS = frozenset("imread imwrite imshow imdecode imencode namedWindow destroyAllWindows waitKey".split())


def _is_layer(value: Value) -> bool:
    return isinstance(value, Instance) and value.name.startswith("torch.nn.")


def sets_up(event: Event) -> bool:
    """Whether parameters are built: outside of anything known to be compiled that is how a model is made."""
    return event.outcome is not None and event.outcome.reason is Reason.PARAMETER_CONSTRUCTION


def deciding(event: Event) -> Iterator[Tensor]:
    """The tensors without which the event would be no break.

    A torch function takes tensors only, so what it is given need not be proven to be one; a builtin such as `int` is
    harmless for anything else. Where a torch function may get something else on another path, it may have another form.
    """
    for value in operands(event):
        arm = tensor_arm(value)
        if arm is None:
            continue
        if isinstance(event, Call) and event.receiver is None and _takes_tensors_only(event):
            if isinstance(value, Union):
                yield arm.but(confidence=Doubt.ONE_OF_SEVERAL.cap)
        else:
            yield arm


def _takes_tensors_only(event: Call) -> bool:
    return event.name.startswith("torch.") and (
        event.outcome is None or event.outcome.reason is not Reason.ASSERT_ON_DATA
    )


def origins(event: Event) -> Iterator[Origin]:
    """Why we believe in the tensors of the event, the one that decides first.

    Where an index is a tensor, it alone decides: what it is taken from may come from anywhere.
    """
    index = [tensor_part(event.index)] if isinstance(event, Index) else []
    decided = any(tensor_arm(value) is not None for value in index)
    for value in index if decided else [*index, *operands(event)]:
        arm = tensor_arm(value)
        if arm is not None and arm.origin is not None:
            yield arm.origin


# ----------------------------------------------------------------------- cost


def skips_frame(event: Event, broken: Fact) -> bool:
    """Whether the break leaves the whole frame to Python, because Dynamo cannot split it there."""
    config = event.site.context.config
    in_block = not UNSPLIT.isdisjoint(event.site.blocks)
    skips = in_block or (broken.skips_frame and not event.site.in_callee)
    return skips and not (broken.raises or config.raises)


def cost(event: Event, broken: Fact) -> str:
    """What the break costs at this place, in one or two sentences."""
    site = event.site
    context = site.context
    here = f"`{context.function}`" if context.function else "the frame"
    if broken.raises:
        known = words_of(broken.gb_id)
        anyway = known is not None and known.fails_in_eager
        return "The call fails, compiled or not." if anyway else "Compilation fails here, although eager code runs."
    if context.config.fullgraph or context.config.export:
        return "The root is compiled with `fullgraph=True` or exported, so compilation fails here."
    if context.config.raises:
        return "`error_on_graph_break(True)` holds here, so compilation fails here."
    blocks = ["try" if block == "finally" else block for block in site.blocks if block in UNSPLIT]
    after = f"what follows the graph break before it in {here} stays uncompiled"
    lost = after if site.resumed else f"none of {here} is compiled"
    if blocks:
        text = f"Inside a `{blocks[-1]}` Dynamo cannot split the frame, so {lost}."
    elif site.in_callee:
        text = f"Graph break: Dynamo compiles the rest of {here} as a separate graph."
    elif isinstance(event, Enter) and not broken.skips_frame:
        text = f"Dynamo cannot resume inside this `with`, so the rest of {here} stays uncompiled."
    elif broken.skips_frame:
        text = f"Dynamo cannot split the frame here, so {lost}."
    else:
        text = f"Graph break: Dynamo compiles the rest of {here} as a separate graph."
    if context.caller is not None:
        text += f" Every caller up to `{context.root}` is split as well."
    if site.after_skip:
        text += " An earlier break already leaves this frame uncompiled; this one appears once that is fixed."
    return text


# -------------------------------------------------------------------- wording


def spelled(event: Event) -> str:
    """What stands in the source, as near as the event shows: "`.item()`", "`int()`", "`with torch.device`"."""
    if isinstance(event, Call):
        return f"`{short(event.name)}()`"
    if isinstance(event, Attribute):
        return f"`{short(event.name)} = ...`" if event.store else f"`{short(event.name)}`"
    if isinstance(event, Enter):
        return f"`with {short(event.name)}`" if event.name else "`with`"
    if isinstance(event, Branch):
        return f"`{event.keyword}`"
    if isinstance(event, Mutation):
        return f"`{event.name}`"
    form = form_of(event)
    return f"`{form}`" if form else "this"


def short(name: str) -> str:
    """A dotted name as it is usually written: methods without their class, builtins without their module."""
    for prefix, shown in (
        ("torch.Tensor.", "."),
        ("torch.nn.Module.", "."),
        ("logging.Logger.", "."),
        ("builtins.", ""),
        ("torch.nn.functional.", "F."),
        ("torch._higher_order_ops.", ""),
        ("numpy.ndarray.", "."),
        ("numpy.", "np."),
    ):
        if name.startswith(prefix):
            return shown + name.removeprefix(prefix)
    return name
