"""The survey itself: names, places and scopes."""

from __future__ import annotations

from compilelint.events import Operator, Setting, WrapperUse
from compilelint.values import UNKNOWN, Const
from tests.support.survey_events import events_of


def test_a_setting_has_its_canonical_name_and_value() -> None:
    (event,) = events_of("import torch._dynamo.config as cfg\ncfg.recompile_limit = 16")
    assert isinstance(event, Setting)
    assert event.name == "torch._dynamo.config.recompile_limit"
    assert isinstance(event.value, Const)
    assert event.value.value == 16


def test_a_value_that_is_computed_is_unknown() -> None:
    (event,) = events_of("def f(n):\n    torch._dynamo.config.recompile_limit = n")
    assert isinstance(event, Setting)
    assert event.value is UNKNOWN


def test_operators_are_reported_once_with_what_all_files_say() -> None:
    op = '@torch.library.custom_op("a::b", mutates_args=())\ndef b(x: Tensor) -> Tensor: return x + 1\n'
    fake = 'torch.library.register_fake("a::b")(print)\ntorch.library.register_autograd("a::b", print)\n'
    (event,) = events_of(op, fake)
    assert isinstance(event, Operator)
    assert (event.name, event.how, event.fake, event.autograd, event.undeclared) == (
        "a::b",
        "custom_op",
        True,
        True,
        (),
    )


def test_a_wrapper_knows_where_it_was_made() -> None:
    (event,) = events_of("c = torch.compile(nn.Linear(2, 2))\ntorch.save(c, 'f')")
    assert isinstance(event, WrapperUse)
    assert (event.how, event.name, event.made.span.line) == ("saved", "c", 2)
