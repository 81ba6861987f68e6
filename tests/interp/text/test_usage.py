"""What a body does with a parameter: under other names, until it is bound again, arm by arm."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.interp.text import usage
from compilelint.project.roots import functions_of
from tests.support.reveal import check, program_of


def evidence(source: str) -> dict[str, str]:
    program, (module,) = program_of({"m.py": textwrap.dedent(source)})
    (function,) = functions_of(program, module)
    return usage.evidence(function)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("n = q.size(0)", id="sizes are asked of it by a call"),
        pytest.param("n = q.unsqueeze(0)", id="only tensors have the method"),
        pytest.param("r = q\n    n = r.unsqueeze(0)", id="under another name"),
        pytest.param(
            "if isinstance(q, float):\n        q = make(q)\n    else:\n        n = q.unsqueeze(0)",
            id="bound again in the other arm only",
        ),
        pytest.param(
            "r = q\n    if isinstance(r, float):\n        r = make(r)\n    else:\n        n = r.size(0)",
            id="both at once",
        ),
        pytest.param("q = q.unsqueeze(0)", id="bound again by the same line"),
        pytest.param("q = q.to('cpu').float()\n    n = q.unsqueeze(0)", id="the same on another device"),
    ],
)
def test_it_is_a_tensor(body: str) -> None:
    assert "q" in evidence(f"def f(q):\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("n = q.size", id="images and arrays have a size that is no method"),
        pytest.param("q = make(q)\n    n = q.unsqueeze(0)", id="another value by then"),
        pytest.param("r = q\n    r = make(r)\n    n = r.unsqueeze(0)", id="the other name is another value by then"),
        pytest.param("q = make()\n    r = q\n    n = r.unsqueeze(0)", id="named after it was bound again"),
        pytest.param("q = q.sum()\n    n = q.unsqueeze(0)", id="another value that is made of it"),
        pytest.param("q = r.to('cpu')\n    n = q.unsqueeze(0)", id="something else is moved"),
        pytest.param("q = q.cuda()\n    q = q.half()", id="modules are moved too"),
        pytest.param("r = make(q)\n    n = r.unsqueeze(0)", id="made from it"),
        pytest.param(
            "if isinstance(q, float):\n        q = make(q)\n    n = q.unsqueeze(0)", id="perhaps another value by then"
        ),
        pytest.param("layer = torch.nn.Conv1d(q, 2 * q, 1)", id="how many channels a layer has"),
        pytest.param("torch.cuda.manual_seed(q)", id="a seed"),
        pytest.param("n = q.device", id="one attribute that others have too"),
    ],
)
def test_it_may_be_anything(body: str) -> None:
    assert "q" not in evidence(f"def f(q):\n    {body}\n")


def test_a_k_without_queries_or_values_is_a_number() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, q, k, v):
                reveal_type(k)  # tensor input likely
                return q

        class Top(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, k=None):
                reveal_type(k)  # ?
                return x

            @staticmethod
            def backward(ctx, grad):
                return grad, None
    """)
