"""`survey.words`: the files that the survey need not read."""

from __future__ import annotations

import pytest

from compilelint.survey.words import names_operators, worth_surveying


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
