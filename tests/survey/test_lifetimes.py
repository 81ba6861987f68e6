"""What happens to a compiled model over time: each way to lose what was compiled, and the neighbours that lose nothing.

The calls are seen in the order of the source, within the scope that compiled the model.
"""

from __future__ import annotations

import pytest

from compilelint.events import WrapperUse
from compilelint.model import Confidence
from tests.support.survey_events import events_of

LIKELY = Confidence.LIKELY


def uses(*lines: str, compiled: str = "torch.compile(model)") -> list[tuple[str, str, Confidence]]:
    """What happens to the wrapper in a function of these lines: how, what exactly, how sure."""
    body = "\n    ".join(lines)
    text = f"def main(model, x, flag):\n    fast = {compiled}\n    {body}\n"
    return [(event.how, event.detail, event.sure) for event in events_of(text) if isinstance(event, WrapperUse)]


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ("model.half()", "model.half()"),
        ("fast.double()", "fast.double()"),
        ("model.to(torch.bfloat16)", "model.to()"),
        ("model.to(device='cuda')", "model.to()"),
        ("model.requires_grad_(False)", "model.requires_grad_()"),
        ("torch.nn.utils.prune.l1_unstructured(model, 'weight', 1)", "l1_unstructured(model)"),
        ("torch.nn.utils.prune.l1_unstructured(model.layer, 'weight', 1)", "l1_unstructured(model.layer)"),
    ],
)
def test_a_model_that_is_changed_between_two_calls(change: str, detail: str) -> None:
    assert uses("fast(x)", change, "fast(x)") == [("changed", detail, LIKELY)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("model.half()", "fast(x)", "fast(x)"), id="before the first call"),
        pytest.param(("fast(x)", "fast(x)", "model.half()"), id="when all calls are over"),
        pytest.param(("fast(x)", "if flag: model.half()", "fast(x)"), id="behind a test"),
        pytest.param(("fast(x)", "other.half()", "fast(x)"), id="another model"),
        pytest.param(("fast(x)", "model.eval()", "fast(x)"), id="into another mode"),
        pytest.param(("fast(x)", "model.to(memory_format=f)", "fast(x)"), id="into another layout"),
        pytest.param(("fast(x)", "prune(modeling, 'weight')", "fast(x)"), id="a name that begins alike"),
        pytest.param(("fast(x)", "fast = None", "model.half()", "fast(x)"), id="the name means something else by then"),
    ],
)
def test_changes_that_cost_no_version(lines: tuple[str, ...]) -> None:
    assert uses(*lines) == []


@pytest.mark.parametrize(
    ("lines", "layer"),
    [
        pytest.param(("model.layer.register_forward_hook(keep)",), "model.layer", id="by name"),
        pytest.param(("fast.layer.register_full_backward_hook(keep)",), "fast.layer", id="by the wrapper"),
        pytest.param(("for one in model.modules(): one.register_forward_pre_hook(keep)",), "one", id="in a loop"),
        pytest.param(("for n, one in fast.named_modules(): one.register_forward_hook(keep)",), "one", id="with names"),
    ],
)
def test_hooks_that_come_after_the_first_call(lines: tuple[str, ...], layer: str) -> None:
    assert uses("fast(x)", *lines, "fast(x)") == [("late-hook", layer, LIKELY)]


def test_hooks_of_layers_that_a_list_was_made_of() -> None:
    lines = ("rows = [m for m in model.modules() if ok(m)]", "for i, m in enumerate(rows): m.register_forward_hook(f)")
    assert uses("fast(x)", *lines, "fast(x)") == [("late-hook", "m", LIKELY)]


def test_hooks_of_blocks() -> None:
    lines = ("for block in model.blocks: block.register_forward_hook(f)",)
    assert uses("fast(x)", *lines, "fast(x)") == [("late-hook", "block", LIKELY)]


def test_a_first_call_behind_a_test() -> None:
    assert uses("if flag: fast(x)", "model.layer.register_forward_hook(keep)", "fast(x)") == [
        ("late-hook", "model.layer", Confidence.POSSIBLE)
    ]


def test_a_hook_behind_the_call_of_one_loop() -> None:
    lines = ("for x in xs:", "    fast(x)", "    if flag: model.layer.register_forward_hook(keep)")
    assert uses(*lines) == [("late-hook", "model.layer", LIKELY)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("model.layer.register_forward_hook(keep)", "fast(x)", "fast(x)"), id="before the first call"),
        pytest.param(("fast(x)", "fast(x)", "model.layer.register_forward_hook(keep)"), id="when all calls are over"),
        pytest.param(("fast(x)", "model.layer.register_forward_hook(keep)", "model(x)"), id="for the eager model"),
        pytest.param(("fast(x)", "model.register_forward_hook(keep)", "fast(x)"), id="of the model, where it runs"),
        pytest.param(("fast(x)", "fast.register_forward_hook(keep)", "fast(x)"), id="of the wrapper, where it runs"),
        pytest.param(("fast(x)", "fast._orig_mod.register_forward_hook(keep)", "fast(x)"), id="of what is wrapped"),
        pytest.param(("fast(x)", "other.layer.register_forward_hook(keep)", "fast(x)"), id="of another model"),
        pytest.param(("fast(x)", "x.register_hook(keep)", "fast(x)"), id="of a tensor"),
        pytest.param(
            ("with torch.no_grad(): fast(x)", "model.layer.register_forward_hook(keep)", "fast(x)"), id="with gradients"
        ),
        pytest.param(
            ("model.layer.register_forward_hook(a)", "fast(x)", "model.layer.register_forward_hook(b)", "fast(x)"),
            id="a second one of a layer, which runs",
        ),
    ],
)
def test_hooks_that_run(lines: tuple[str, ...]) -> None:
    assert uses(*lines) == []


def under_autocast(manager: str, *behind: str) -> list[tuple[str, str, Confidence]]:
    """A model that is compiled in a block and called behind it."""
    body = "\n    ".join(behind)
    text = f"def main(model, x, flag):\n    with {manager}:\n        fast = torch.compile(model)\n    {body}\n"
    return [(event.how, event.detail, event.sure) for event in events_of(text) if isinstance(event, WrapperUse)]


@pytest.mark.parametrize(
    "manager", ["torch.autocast('cuda')", "torch.cuda.amp.autocast()", "torch.amp.autocast('cpu')"]
)
def test_autocast_around_the_compile_call_alone(manager: str) -> None:
    assert under_autocast(manager, "fast(x)", "fast(x)") == [("autocast", "", LIKELY)]


@pytest.mark.parametrize(
    ("manager", "behind"),
    [
        pytest.param("torch.no_grad()", ("fast(x)",), id="another manager"),
        pytest.param("torch.autocast('cuda', enabled=flag)", ("fast(x)",), id="switched off, perhaps"),
        pytest.param("torch.autocast('cuda', torch.float16)", ("fast(x)",), id="more arguments"),
        pytest.param("torch.autocast('cuda')", ("with torch.autocast('cuda'): fast(x)",), id="around the call as well"),
        pytest.param("torch.autocast('cuda')", ("return fast",), id="never called here"),
    ],
)
def test_autocast_that_is_not_lost(manager: str, behind: tuple[str, ...]) -> None:
    assert under_autocast(manager, *behind) == []


RECORDS = 'torch.compile(model, mode="reduce-overhead")'


@pytest.mark.parametrize(
    ("lines", "compiled", "found"),
    [
        pytest.param(("for y in x: kept.append(fast(y))",), RECORDS, ["kept-output"], id="appended at once"),
        pytest.param(
            ("for y in x:\n        z = fast(y)\n        kept.append(z)",), RECORDS, ["kept-output"], id="named"
        ),
        pytest.param(("while flag: kept.extend(fast(x))",), RECORDS, ["kept-output"], id="in a `while`"),
        pytest.param(("kept.append(fast(x))",), RECORDS, [], id="once"),
        pytest.param(("for y in x: kept.append(fast(y).clone())",), RECORDS, [], id="a copy"),
        pytest.param(("for y in x: kept.append(fast(y))",), "torch.compile(model)", [], id="nothing is recorded"),
        pytest.param(("for y in x: print(fast(y))",), RECORDS, [], id="only looked at"),
        pytest.param(
            ("for y in x:\n        z = fast(y)\n        kept.append(y)",), RECORDS, [], id="something else is kept"
        ),
    ],
)
def test_results_that_the_next_run_overwrites(lines: tuple[str, ...], compiled: str, found: list[str]) -> None:
    assert [how for how, _, _ in uses(*lines, compiled=compiled)] == found


def test_a_wrapper_that_is_bound_behind_a_test_is_likely() -> None:
    text = "def main(model, x, flag):\n    fast = model\n"
    text += "    if flag:\n        fast = torch.compile(model)\n"
    text += "    for n in (8, 16): fast(torch.randn(n))\n"
    assert [event.sure for event in events_of(text) if isinstance(event, WrapperUse)] == [LIKELY]


def test_results_that_a_function_keeps_which_is_passed_the_model() -> None:
    text = """
def sample(net, rows):
    kept = []
    for x in rows:
        y = net(x)
        kept.append({value})
    return kept

def main(model, rows):
    sample(torch.compile(model), rows)
    fast = torch.compile(model, mode="reduce-overhead")
    sample(fast, rows)
"""
    found = [one for one in events_of(text.replace("{value}", "y")) if isinstance(one, WrapperUse)]
    assert [(one.how, one.name) for one in found] == [("kept-output", "net")]
    assert not [one for one in events_of(text.replace("{value}", "y.clone()")) if isinstance(one, WrapperUse)]
