"""The parts of torch that Dynamo keeps out of, against its own trace rules."""

from __future__ import annotations

import importlib
from types import FunctionType

import pytest

from compilelint.torchfacts import load
from compilelint.torchfacts.packages import ENTERED, NOT_ENTERED

PARTS = (
    "torch._dynamo.debug_utils",
    "torch._dynamo.exc",
    "torch._dynamo.testing",
    "torch._dynamo.utils",
    "torch._functorch.aot_autograd",
    "torch._inductor.utils",
)


def test_what_is_kept_out_of_by_name() -> None:
    facts = load("2.13")
    assert facts.keeps_out_of("torch._dynamo.testing.unsupported")
    assert not facts.keeps_out_of("torch._dynamo.mark_dynamic")
    assert not facts.keeps_out_of("torch._dynamo.comptime.comptime.print_graph")
    assert facts.keeps_out_of("torch._refs.abs")
    assert not facts.keeps_out_of("torch._refs.reshape")


@pytest.mark.dynamo
def test_what_dynamo_enters_all_the_same() -> None:
    from torch._dynamo import trace_rules

    listed = {*trace_rules.MOD_INLINELIST, *trace_rules.LEGACY_MOD_INLINELIST}
    assert {f"{name}." for name in listed if f"{name}.".startswith(NOT_ENTERED)} == set(ENTERED)


@pytest.mark.dynamo
def test_dynamo_skips_nine_in_ten_of_the_functions_defined_there() -> None:
    from torch._dynamo import trace_rules
    from torch._dynamo.variables.functions import SkipFunctionVariable

    looked_up = []
    for part in PARTS:
        module = importlib.import_module(part)
        own = [f for f in vars(module).values() if isinstance(f, FunctionType) and f.__module__ == part]
        looked_up += [trace_rules.lookup(f) is SkipFunctionVariable for f in own]
    assert len(looked_up) > 300
    assert sum(looked_up) >= 0.9 * len(looked_up)
