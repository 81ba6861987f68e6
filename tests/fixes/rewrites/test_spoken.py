"""What a print or a log says of tensors comes out of compiled code too: the same text, in the same order."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compilelint.fixes.rewrites.spoken import said_by_an_operator
from tests.fixes.alike import made
from tests.fixes.test_pages_fixed import _function

PROGRAM = """import torch


def f(x: torch.Tensor, least: torch.Tensor):
    loss = x.pow(2).mean()
    print(f"loss {loss.item():.3f} of {x.shape[0]}, twice {round(2 * loss.item(), 5)}")
    if torch.compiler.is_compiling():
        _check_f(x, least)
    elif (x < least).any():
        raise ValueError(f"below {least.item()}")
    return loss


@torch.library.custom_op("NAME::check_f", mutates_args=(), schema="(Tensor x, Tensor least) -> ()")
def _check_f(x, least):
    if (x < least).any():
        raise ValueError(f"below {least.item()}")


_check_f.register_effect(torch.library.EffectType.ORDERED)


@_check_f.register_fake
def _(x, least):
    pass
"""


def test_eager_code_prints_and_compiled_code_calls_an_operator(tmp_path: Path) -> None:
    after, unmet = made(PROGRAM, said_by_an_operator, tmp_path)
    assert "    if torch.compiler.is_compiling():\n        _say_f(loss, x)\n    else:\n        print(f" in after
    assert 'schema="(Tensor loss, Tensor x) -> ()"' in after
    assert not unmet, "eager code is as it was, and the tensors are those that the compiler sees"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("{loss.item():.3f}", "{loss}", id="the text shows the gradient of a tensor"),
        pytest.param("    print(", "    y = print(", id="what it gives is used"),
        pytest.param("loss.item():.3f", "loss.add_(1).item():.3f", id="the text has an effect"),
        pytest.param("{x.shape[0]}", "{what}", id="a name from elsewhere"),
        pytest.param('loss.item(), 5)}")', 'loss.item(), 5)}", *[x])', id="an argument that is unpacked"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = PROGRAM.replace(old, new, 1)
    assert text != PROGRAM
    assert made(text, said_by_an_operator, tmp_path)[0] == text


def test_a_long_schema_stands_on_several_lines(tmp_path: Path) -> None:
    names = [f"a_rather_long_name_of_a_loss_{number}" for number in range(5)]
    given = ", ".join(f"{name}: torch.Tensor" for name in names)
    said = ", ".join(f"{name}.item()" for name in names)
    text = f"import torch\n\n\ndef f(x: torch.Tensor, {given}):\n    print({said})\n    return x\n"
    after, _ = made(text, said_by_an_operator, tmp_path)
    schema = after.split("schema=", 1)[1].split(",\n)", 1)[0]
    assert schema.count("\n") >= 1
    assert ast.literal_eval(f"({schema})") == f"({', '.join(f'Tensor {name}' for name in names)}) -> ()"


@pytest.mark.dynamo
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_same_text_also_where_a_later_operator_raises(
    backend: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    after, _ = made(PROGRAM.replace("NAME", f"spoken_{backend}"), said_by_an_operator, tmp_path)
    after = after.replace('"model::', f'"spoken_model_{backend}::')
    torch._dynamo.reset()
    eager = _function(after, tmp_path / "after.py")
    compiled = torch.compile(eager, backend=backend, fullgraph=True)
    said = {}
    for name, run in (("eager", eager), ("compiled", compiled)):
        capsys.readouterr()
        assert run(torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(0.0)).item() == 2.5
        with pytest.raises(ValueError, match=r"below 3\.0"):
            run(torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(3.0))
        said[name] = capsys.readouterr().out
    assert said["compiled"] == said["eager"] == 2 * "loss 2.500 of 2, twice 5.0\n"
