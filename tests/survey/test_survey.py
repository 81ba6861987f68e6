"""The survey itself: names, places, scopes, and files that it need not read."""

from __future__ import annotations

import pytest

from compilelint.events import Operator, Setting, WrapperUse
from compilelint.survey.survey import names_operators, worth_surveying
from compilelint.values import UNKNOWN, Const
from tests.support.survey_events import events_of


def test_a_file_without_its_words_is_not_read() -> None:
    assert not worth_surveying("import torch\n\nclass M(torch.nn.Module):\n    def forward(self, x): return x\n")
    assert worth_surveying("model = torch.compile(model)")


@pytest.mark.parametrize(
    "text",
    [
        "from torch import compile",
        "import torch._dynamo.config",
        'os.environ["TORCHDYNAMO_DISABLE"] = "1"',
        'os.putenv("TORCH_COMPILE_DISABLE", "1")',
        'set_stance("force_eager")',
        "kept.move_to_end(key)",
        "kept.popitem()",
        "@lru_cache",
        "@functools.cache",
        "from functools import cache",
        "def f(): yield 1",
        "model.compile()",
        "model.compile(); re.compile(x)",
    ],
)
def test_each_of_its_words_is_enough(text: str) -> None:
    assert worth_surveying(text)


@pytest.mark.parametrize("text", ["re.compile(x)", "regex.compile(x); re.compile(y)", "model.compile", "x = 1"])
def test_other_words_are_none_of_its(text: str) -> None:
    assert not worth_surveying(text)


@pytest.mark.parametrize(
    "text",
    [
        '@custom_op("a::b", mutates_args=())',
        '@triton_op("a::b", mutates_args={})',
        'torch.library.define("a::b", "() -> ()")',
        "torch.ops.a.b(x)",
        "from x import Library",
        "from torch.utils import cpp_extension",
        'ctypes.CDLL("a.so")',
        'ctypes.cdll.LoadLibrary("a.so")',
        '@register_fake("a::b")',
        'register_autograd("a::b", f)',
        '@register_kernel("a::b", "cpu")',
        '@impl_abstract("a::b")',
    ],
)
def test_each_way_to_register_operators_is_seen_in_the_text(text: str) -> None:
    assert names_operators(text)
    assert not names_operators("import torch\nx = torch.compile(f)")


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
