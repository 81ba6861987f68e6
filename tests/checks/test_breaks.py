"""From an event to a finding: how sure, at what cost, in which words. No parser and no interpreter needed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest

from compilelint.checks import rulebook
from compilelint.checks.breaks import switch_for
from compilelint.events import Branch, Call, Context, DynamoConfig, Event, Keyword, Site, Syntax
from compilelint.model import Confidence, Effect, Finding, Location, Span
from compilelint.torchfacts import ArgKind, Fact, SyntaxForm, available, load
from compilelint.torchfacts import Call as CallKinds
from compilelint.torchfacts.registry import entries
from compilelint.torchfacts.settings import settings
from compilelint.values import UNKNOWN, Const, Instance, Origin, Source, Tensor, Union
from tests.support.reveal import run

BOOK = rulebook()
FACTS = load("2.13.0")
TENSOR = Tensor("float", 1, Source.INPUT, origin=Origin("argument `x`, annotated `Tensor`"))


class File:
    """A file of ten columns a line: position 12 is line 1, column 2."""

    path = "/project/model.py"

    def location(self, pos: int) -> Location:
        line, column = divmod(pos, 10)
        return Location(self.path, Span(line, column, line, column + 1))


FRAME = Context(File(), "M.forward", True, "M.forward", "forward")
SITE = Site(FRAME, 12)


def said(event: Event) -> list[Finding]:
    """What all rules say."""
    return list(BOOK.findings_for(event, FACTS))


def only(event: Event) -> Finding:
    (finding,) = said(event)
    return finding


def branch(condition: Tensor | Union = TENSOR, site: Site = SITE, keyword: Keyword = "if") -> Branch:
    return Branch(site, FACTS.syntax(SyntaxForm.IF), keyword, condition)


def call(name: str, *args: Tensor, site: Site = SITE, fact: Fact | None = None) -> Call:
    return Call(site, fact or FACTS.callable(name), name, None, args, {}, UNKNOWN)


def test_a_branch_on_a_proven_tensor_is_certain_and_names_its_origin() -> None:
    finding = only(branch())
    assert (finding.rule.code, finding.confidence, finding.break_ids) == ("CL101", Confidence.CERTAIN, ("GB0170",))
    assert "argument `x`, annotated `Tensor`" in finding.message


@pytest.mark.parametrize("sure", Confidence)
def test_a_finding_is_as_sure_as_the_tensor_it_is_about(sure: Confidence) -> None:
    assert only(branch(TENSOR.but(confidence=sure))).confidence is sure


def test_one_arm_of_a_union_is_likely() -> None:
    assert only(branch(Union((TENSOR, Const(None))))).confidence == Confidence.LIKELY


def test_the_cap_of_the_place_counts() -> None:
    assert only(branch(site=replace(SITE, cap=Confidence.POSSIBLE))).confidence == Confidence.POSSIBLE


def test_behind_an_earlier_break_of_a_skipped_frame_a_finding_is_no_more_than_possible() -> None:
    finding = only(branch(site=replace(SITE, blocks=("for",), after_skip=True)))
    assert finding.confidence == Confidence.POSSIBLE
    assert "earlier break" in finding.why


def test_a_break_in_a_loop_says_that_the_whole_frame_is_lost() -> None:
    assert "none of `M.forward` is compiled" in only(branch(site=replace(SITE, blocks=("if", "for")))).why
    assert "nothing of" not in only(branch()).why


def test_a_break_in_a_loop_of_a_resumed_piece_loses_that_piece_alone() -> None:
    """Measured: `sin; add; print; for ...: print` keeps the graph `[sin, add]`."""
    why = only(branch(site=replace(SITE, blocks=("for",), resumed=True))).why
    assert "so what follows the graph break before it in `M.forward` stays uncompiled" in why
    assert "none of" not in why


def test_callers_are_named() -> None:
    inner = replace(FRAME, function="helper", caller=FRAME, call_pos=34)
    finding = only(branch(site=Site(inner, 12)))
    assert "Every caller up to `M.forward`" in finding.why
    assert [step.function for step in finding.call_chain] == ["M.forward"]


def test_under_fullgraph_a_break_is_an_error() -> None:
    site = Site(replace(FRAME, config=DynamoConfig(fullgraph=True)), 12)
    assert only(branch(site=site)).effects[0] is Effect.ERROR


def test_under_fullgraph_item_is_captured() -> None:
    site = Site(replace(FRAME, config=DynamoConfig(fullgraph=True)), 12)
    item = Call(site, FACTS.callable("torch.Tensor.item"), "torch.Tensor.item", TENSOR, (), {}, UNKNOWN)
    assert said(item) == []
    assert only(replace(item, site=SITE)).rule.code == "CL102"


def test_a_form_to_fear_among_unknown_arguments_is_possible() -> None:
    fact = FACTS.callable("torch.repeat_interleave")
    assert fact is not None
    unsure = fact.for_call(CallKinds((ArgKind.TENSOR, ArgKind.UNKNOWN)))
    assert (unsure.breaks, unsure.mixed, unsure.worst.breaks) == (False, True, True)
    finding = only(call("torch.repeat_interleave", TENSOR, fact=unsure))
    assert (finding.rule.code, finding.confidence) == ("CL120", Confidence.POSSIBLE)


def test_a_torch_function_need_not_prove_that_it_gets_a_tensor() -> None:
    likely = TENSOR.but(confidence=Confidence.LIKELY)
    assert only(call("torch.nonzero", likely)).confidence is Confidence.CERTAIN


def test_in_a_function_that_is_not_seen_to_be_compiled_only_lines_with_tensors_are_likely() -> None:
    site = Site(replace(FRAME, root_kind="unreached"), 12)
    assert only(call("builtins.print", site=site)).confidence == Confidence.POSSIBLE
    assert only(call("builtins.print", TENSOR, site=site)).confidence == Confidence.LIKELY
    assert only(call("builtins.print")).confidence is Confidence.CERTAIN
    assert only(branch(site=site)).confidence == Confidence.LIKELY


def test_a_line_without_tensors_is_likely_where_its_function_takes_tensors() -> None:
    context = replace(FRAME, root_kind="unreached")
    site = Site(replace(context, takes_tensors=True), 12)
    assert only(call("builtins.print", site=site)).confidence == Confidence.LIKELY
    assert only(call("builtins.print", site=Site(context, 12))).confidence == Confidence.POSSIBLE


def test_contexts_of_torch_and_arrays_that_are_computed_are_meant_by_the_guess_that_a_function_is_compiled() -> None:
    site = Site(replace(FRAME, root_kind="unreached"), 12)
    skipped = FACTS.skipped_call()
    for name, sure in (
        ("cv2.getGaussianKernel", Confidence.LIKELY),
        ("scipy.ndimage.distance_transform_edt", Confidence.LIKELY),
        ("cv2.imread", Confidence.POSSIBLE),
        ("cv2.VideoCapture", Confidence.POSSIBLE),
        ("wandb.log", Confidence.POSSIBLE),
    ):
        assert only(call(name, fact=skipped, site=site)).confidence == sure, name
    kernel = call("torch.backends.cuda.sdp_kernel", site=site)
    made = replace(kernel, result=Instance("torch.backends.cuda.sdp_kernel", inside=True))
    assert only(kernel).confidence == Confidence.POSSIBLE
    assert only(made).confidence == Confidence.LIKELY


def test_who_builds_parameters_where_nothing_is_seen_to_be_compiled_sets_a_model_up() -> None:
    site = Site(replace(FRAME, root_kind="unreached"), 12)
    assert only(call("torch.nn.Linear", TENSOR, site=site)).confidence == Confidence.POSSIBLE
    assert only(call("torch.nn.Linear", TENSOR)).confidence is Confidence.CERTAIN


def test_in_host_code_that_is_not_seen_to_be_compiled_a_likely_tensor_is_not_enough() -> None:
    pipeline = Site(replace(FRAME, root_kind="unreached", host_class=True), 12)
    likely = TENSOR.but(confidence=Confidence.LIKELY)
    assert only(branch(likely, site=pipeline)).confidence == Confidence.POSSIBLE
    assert only(branch(site=pipeline)).confidence == Confidence.LIKELY


def test_a_break_in_a_file_that_is_not_linted_is_reported_at_the_call_that_leads_there() -> None:
    library = Site(replace(FRAME, function="warn_once", linted=False, caller=FRAME, call_pos=34), 56)
    finding = only(call("builtins.print", site=replace(SITE, pos=34, inner=library)))
    assert finding.location.span.line == 3
    assert "in `warn_once`, which is called here" in finding.message
    assert [related.location.span.line for related in finding.related] == [5]


def test_what_traces_is_not_spoken_of() -> None:
    assert said(call("torch.relu", TENSOR)) == []
    assert said(call("torch.no_such_function")) == []


def test_membership_has_its_own_rule_although_it_is_a_host_read() -> None:
    form = SyntaxForm.IN
    assert only(Syntax(SITE, FACTS.syntax(form), form.value, (Const(3.0), TENSOR))).rule.code == "CL106"
    assert said(Syntax(SITE, FACTS.syntax(form), form.value, (Const("key"), TENSOR))) == []


def test_a_library_call_needs_no_tensor() -> None:
    logger = Instance("logging.Logger")
    name = "logging.Logger.warning"
    finding = only(Call(SITE, FACTS.callable(name), name, logger, (), {}, UNKNOWN))
    assert (finding.rule.code, finding.confidence) == ("CL202", Confidence.CERTAIN)


@pytest.mark.parametrize("keyword", get_args(Keyword))
def test_every_kind_of_jump_has_words_of_its_own(keyword: Keyword) -> None:
    apart: tuple[Keyword, ...] = ("if", "while", "and", "or", "not")
    others = {only(branch(keyword=other)).message for other in apart if other != keyword}
    finding = only(branch(keyword=keyword))
    assert finding.message not in others
    assert "{" not in finding.message


@pytest.mark.parametrize(
    ("blocks", "skips"),
    [
        ((), False),
        (("if",), False),
        (("for",), True),
        (("while",), True),
        (("if", "try"), True),
        (("with", "if"), True),
    ],
)
def test_a_break_in_a_block_that_python_must_run_skips_the_frame(blocks: tuple[str, ...], skips: bool) -> None:
    assert only(branch(site=replace(SITE, blocks=blocks))).skips_frame is skips


def test_where_compiling_stops_with_an_error_no_frame_is_skipped() -> None:
    site = Site(replace(FRAME, config=DynamoConfig(fullgraph=True)), 12, ("for",))
    assert not only(branch(site=site)).skips_frame


def test_a_torch_function_is_as_sure_as_there_is_nothing_but_tensors_to_give_it() -> None:
    """What it takes need not be proven to be a tensor; only something else on another path may have another form."""
    guessed = TENSOR.but(confidence=Confidence.POSSIBLE)
    assert only(call("torch.nonzero", guessed)).confidence is Confidence.CERTAIN
    event = call("torch.nonzero")
    assert only(replace(event, args=(Union((TENSOR, Const(1))),))).confidence == Confidence.LIKELY


def test_in_a_function_that_is_analysed_as_a_guess_a_line_without_tensors_is_possible() -> None:
    guess = Site(replace(FRAME, root_kind="unreached"), 12)
    assert only(call("builtins.print", site=guess)).confidence == Confidence.POSSIBLE
    assert only(call("builtins.print", TENSOR, site=guess)).confidence == Confidence.LIKELY
    assert only(call("builtins.print")).confidence is Confidence.CERTAIN


def test_a_torch_function_takes_tensors_so_what_may_be_one_is_likely() -> None:
    name = "torch.nonzero"
    perhaps = Union((TENSOR.but(confidence=Confidence.POSSIBLE), UNKNOWN))
    finding = only(Call(SITE, FACTS.callable(name), name, None, (perhaps,), {}, UNKNOWN))
    assert finding.confidence == Confidence.LIKELY


def test_a_product_that_flattens_fails_the_compilation_and_is_no_break() -> None:
    text = "def f(x: Tensor):\n    return torch.as_tensor(np.outer(x.reshape({}).numpy(), [1.0]))\n"
    book, facts = rulebook(), load("2.13.0")
    found = [one for event in run(text.format("2, 2")) for one in book.findings_for(event, facts)]
    assert [(one.rule.code, one.fails_to_compile, one.ends_graph) for one in found] == [("CL690", True, False)]
    assert not [one for event in run(text.format("-1")) for one in book.findings_for(event, facts)]


@pytest.mark.parametrize("version", available())
def test_each_switch_that_torch_hints_at_is_a_setting_of_that_version(version: str) -> None:
    facts = load(version)
    ids = [f"GB{number:04}" for number in range(10_000)]
    found = {switch for gb_id in ids if (switch := switch_for(facts, gb_id))}
    names = settings().get(version, {}).get("torch._dynamo.config", frozenset())
    assert not names or {one.split(".")[-1].partition(" ")[0] for one in found} <= names
    assert all(one.endswith((" = True", " = False")) for one in found)


# Lists that a user adds to, by the rule whose help names them, and switches that fixes set.
_NAMED_ELSEWHERE = {"ignore_logging_functions": "CL202", "reorderable_logging_functions": "CL201"}
_CAPTURES = frozenset({"capture_dynamic_output_shape_ops", "capture_scalar_outputs"})


@pytest.mark.parametrize("version", available())
def test_every_setting_in_a_hint_of_torch_reaches_the_help(version: str) -> None:
    facts = load(version)
    named = re.compile(r"torch\._dynamo\.(?:config\.)?(\w+)(?:`? to `|\s*=\s*)True|config\.(\w+)|turn `(\w+)` off")
    program = "def f(x: Tensor):\n    print(x)\n    logging.getLogger().info(1)\n    return x\n"
    events = list(run(program))
    helps = {one.rule.code: one.help for event in events for one in BOOK.findings_for(event, facts)}
    for entry in entries(version).values():
        settings_named = {next(filter(None, found)) for hint in entry.hints for found in named.findall(hint)}
        for name in settings_named - _CAPTURES if entry.live else ():
            shown = (
                helps.get(_NAMED_ELSEWHERE[name], "") if name in _NAMED_ELSEWHERE else switch_for(facts, entry.gb_id)
            )
            assert name in shown, (entry.gb_id, entry.hints)


def test_a_hint_of_torch_is_a_part_of_the_help() -> None:
    book, facts = rulebook(), load("2.13.0")
    events = run("def f(x: Tensor):\n    return torch.autograd.grad(x.sum(), x)[0]\n")
    said = [one.help for event in events for one in book.findings_for(event, facts) if one.rule.code == "CL503"]
    hint = "`torch._dynamo.config.trace_autograd_ops = True`, which serves where the loss is returned detached"
    assert [text.endswith(hint) for text in said] == [True]
    assert switch_for(facts, "GB0124") == ""  # a capture, which a fix sets
    assert switch_for(facts, None) == ""
