"""Scripts from targets: inputs as code, and each way in which a name may be used."""

from __future__ import annotations

import ast

import pytest

from compilelint.dynamic.targets import Input, input_set
from compilelint.reproduce.script import NoInputsError, described, finished, scripts_of, written
from compilelint.reproduce.sliced import Slicer


@pytest.mark.parametrize(
    ("text", "name", "expression"),
    [
        ("2x3:float32", "", "torch.randn(2, 3)"),
        ("4:float32", "", "torch.randn(4)"),
        ("scalar:float32", "", "torch.randn(())"),
        ("2x3:float64", "", "torch.randn(2, 3, dtype=torch.float64)"),
        ("ids=2x16:int64", "ids", "torch.randint(0, 2, (2, 16))"),
        ("ids=4:int32", "ids", "torch.randint(0, 2, (4,), dtype=torch.int32)"),
        ("mask=2x4:bool", "mask", "torch.rand((2, 4)) < 0.5"),
        ("[2x3:float32, 4:float32]", "", "[torch.randn(2, 3), torch.randn(4)]"),
        ("flag=True", "flag", "True"),
        ("'mean'", "", "'mean'"),
        ("None", "", "None"),
    ],
)
def test_an_input_as_a_run_describes_it_becomes_code(text: str, name: str, expression: str) -> None:
    assert described(text) == (name, expression)


@pytest.mark.parametrize("text", ["<Config object at 0x7f>", "cfg=Namespace(a=1", "{key: 2x3:float32, a b}"])
def test_an_input_that_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(NoInputsError, match="cannot be written as code"):
        described(text)


def test_an_input_as_the_user_writes_it_becomes_code() -> None:
    found = [written(one) for one in input_set(["4x8", "ids=2x3:int64<7", "flag=py:True"], "").inputs]
    assert found == [("", "torch.randn(4, 8)"), ("ids", "torch.randint(0, 7, (2, 3))"), ("flag", "True")]
    assert written(Input("n", None, value=3)) == ("n", "3")


def test_every_way_to_use_a_name_is_a_candidate_and_all_parse() -> None:
    text = "from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n"
    slicer = Slicer({"m": text}.get, lambda name: False)
    found = list(scripts_of(slicer, ("m", "Net"), [("", "torch.randn(4, 8)")], None, {"width": 8}, False))
    assert len(found) == 31
    for one in found:
        ast.parse(one)
        assert one.startswith("import torch\n")
    assert (
        'model = Net(width=8).eval()\ncompiled = torch.compile(model, backend="eager")\ncompiled(torch.randn(4, 8))'
        in found[0]
    )
    assert 'compiled = torch.compile(Net, backend="eager")' in found[1]
    assert "model = Net(width=8)[0].eval()" in found[2]
    assert "compiled(torch.randn(5, 8))" in found[10], "another size shows a recompile by size"


def test_inputs_that_are_no_code_are_left_to_the_factory() -> None:
    slicer = Slicer({"m": "def make():\n    pass\n"}.get, lambda name: False)
    found = list(scripts_of(slicer, ("m", "make"), None, None, {}, False))
    assert all("model, inputs = make()\n" in one for one in found)
    assert [one.count("compiled(*inputs)") for one in found[::4]] == [1, 1, 3, 3], "a recompile shows when called again"
    assert "for args, kwargs in inputs:" in found[3], "it may give several calls"


def test_values_that_must_agree_come_from_the_function_that_makes_them() -> None:
    code = {"m": "class Net:\n    pass\n", "data": "HALF = 2\n\n\ndef sample():\n    return HALF\n\n\nOTHER = 1\n"}
    slicer = Slicer(code.get, lambda name: False)
    first, *_, last = scripts_of(slicer, ("m", "Net"), [("", "3")], ("data", "sample"), {}, False)
    assert "sample" not in first, "random values say that it does not depend on them"
    assert "HALF = 2" in last
    assert "inputs = sample()\n" in last
    assert "OTHER" not in last


def test_a_training_target_stays_in_training_mode() -> None:
    slicer = Slicer({"m": "def make():\n    pass\n"}.get, lambda name: False)
    assert not any(".eval()" in one for one in scripts_of(slicer, ("m", "make"), [], None, {}, True))


def test_the_head_says_what_it_shows_and_with_which_versions() -> None:
    text = finished("import torch\n", "Graph break GB0170: Data-dependent branching", "2.13.0", "3.11.7")
    assert text.splitlines()[:2] == [
        "# Graph break GB0170: Data-dependent branching",
        "# torch 2.13.0, Python 3.11.7; TORCH_LOGS=graph_breaks,recompiles shows it.",
    ]
