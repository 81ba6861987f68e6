"""Doubts about whether a line runs, or what stands there: each lowers the break behind it, and nothing else does."""

from __future__ import annotations

import pytest

from compilelint import events
from compilelint.model import Confidence
from compilelint.values import tensor_arm
from tests.support.reveal import Files, run

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def sure(files: Files, unlinted: tuple[str, ...] = (), roots: tuple[str, ...] = ("auto",)) -> list[Confidence]:
    """How far each break is believed: what is known of the line, and of the value there."""
    found = []
    for event in run(files, roots, unlinted=unlinted):
        if event.breaks:
            value = event.condition if isinstance(event, events.Branch) else getattr(event, "receiver", None)
            tensor = None if value is None else tensor_arm(value)
            found.append(event.site.cap if tensor is None else min(event.site.cap, tensor.confidence))
    return found


def forward(*lines: str, head: str = "self, x: Tensor, given, n: int") -> str:
    """A module whose forward holds these lines."""
    body = "\n        ".join(lines)
    return f"class M(nn.Module):\n    def forward({head}):\n        {body}\n        return x\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(("raise ValueError(x.sum().item())",), [POSSIBLE], id="in the text of an error"),
        pytest.param(("if n:", "    x.sum().item()", "    raise ValueError(n)"), [POSSIBLE], id="before an error"),
        pytest.param(("if n:", "    x.sum().item()", "    return x"), [CERTAIN], id="before a return"),
        pytest.param(
            ("if n:", "    pass", "else:", "    x.sum().item()", "    raise ValueError(n)"),
            [POSSIBLE],
            id="before an error in the other arm",
        ),
        pytest.param(
            ("try:", "    raise ValueError(x.sum().item())", "except ValueError:", "    pass"),
            [CERTAIN],
            id="in the text of an error that is caught",
        ),
        pytest.param(
            ("if n:", "    raise ValueError(n)", "x.sum().item()"), [CERTAIN], id="behind a test that only raises"
        ),
        pytest.param(
            (
                "try:",
                "    if n:",
                "        x.sum().item()",
                "        raise ValueError",
                "except ValueError:",
                "    pass",
            ),
            [CERTAIN],
            id="before an error that is caught",
        ),
    ],
)
def test_a_program_that_fails_anyway(lines: tuple[str, ...], expected: list[Confidence]) -> None:
    assert sure(forward(*lines)) == expected


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        pytest.param("isinstance(given, str) and x.sum() > 0", POSSIBLE, id="an unknown value is mostly no str"),
        pytest.param("isinstance(given, (list, tuple)) and x.sum() > 0", POSSIBLE, id="nor a list or tuple"),
        pytest.param("isinstance(given, torch.Tensor) and x.sum() > 0", CERTAIN, id="it may well be a tensor"),
        pytest.param("isinstance(n, int) and x.sum() > 0", CERTAIN, id="what is known to be an int"),
        pytest.param("isinstance(given, str) or x.sum() > 0", CERTAIN, id="otherwise"),
        pytest.param("x.dtype == torch.float16 and x.sum() > 0", POSSIBLE, id="half precision"),
        pytest.param("x.dtype in (torch.float16, torch.bfloat16) and x.sum() > 0", POSSIBLE, id="either half"),
        pytest.param("torch.bfloat16 == x.dtype and x.sum() > 0", POSSIBLE, id="written the other way round"),
        pytest.param("x.dtype == torch.float32 and x.sum() > 0", CERTAIN, id="single precision"),
        pytest.param("x.dtype != torch.float16 and x.sum() > 0", CERTAIN, id="anything but half"),
        pytest.param("x.dtype == torch.float16 or x.sum() > 0", CERTAIN, id="half precision or"),
    ],
)
def test_what_follows_an_unlikely_operand(test: str, expected: Confidence) -> None:
    assert sure(forward(f"if {test}:", "    x = x + 1"))[-1] == expected


def test_the_doubt_ends_with_the_test() -> None:
    body = ("if x.dtype == torch.float16 and x.sum() > 0:", "    x = x + 1", "x.sum().item()")
    assert sure(forward(*body)) == [POSSIBLE, CERTAIN]
