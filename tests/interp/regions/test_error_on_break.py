"""`error_on_graph_break`: where a graph that ends is an error (run under real Dynamo 2.13, the unknown flag aside)."""

from __future__ import annotations

import pytest

from compilelint.events import Branch, Event
from compilelint.interp import Interpreter, roots_of
from tests.support.reveal import facts, program_of

HEAD = """
import torch
from torch._dynamo import error_on_graph_break as errors

def inner(x):
    if x.sum() > 0:
        return x + 1
    return x

"""
ROOT = "@torch.compile(backend='eager')\n"


@pytest.mark.parametrize(
    ("source", "raises"),
    [
        pytest.param(f"{ROOT}def f(x):\n    return inner(x)\n", [False], id="nothing asks for it"),
        pytest.param(
            f"{ROOT}def f(x):\n    with torch._dynamo.error_on_graph_break(True):\n"
            "        x = inner(x)\n    return x\n",
            [True],
            id="a block around a call",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    with errors(True):\n        x = inner(x)\n    return x\n",
            [True],
            id="by another name",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    with errors(True):\n        x = x + 1\n    return inner(x)\n",
            [False],
            id="a block that has ended",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    with errors(True):\n        with errors(False):\n"
            "            x = inner(x)\n    return x\n",
            [False],
            id="taken back",
        ),
        pytest.param(
            f"@errors(True)\ndef g(x):\n    return inner(x)\n{ROOT}def f(x):\n    return g(x)\n",
            [True],
            id="a decorator",
        ),
        pytest.param(
            f"@errors(flag)\ndef g(x):\n    return inner(x)\n{ROOT}def f(x):\n    return g(x)\n",
            [False],
            id="a flag that is not known",
        ),
        pytest.param(
            "@torch.compile(backend='eager', fullgraph=True)\ndef f(x):\n    with errors(False):\n"
            "        x = inner(x)\n    return x\n",
            [True],
            id="fullgraph is not taken back",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    return inner(x)\nwith errors(True):\n    f(torch.ones(2))\n",
            [True],
            id="the host's block around the call",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    return inner(x)\n@errors(True)\ndef main():\n    f(torch.ones(2))\nmain()\n",
            [True],
            id="a decorator of the host",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    return inner(x)\nf(torch.ones(2))\nwith errors(True):\n    f(torch.ones(2))\n",
            [False],
            id="a call before the block, which has compiled it",
        ),
        pytest.param(
            f"{ROOT}def f(x):\n    return inner(x)\nwith errors(True):\n    with errors(False):\n"
            "        f(torch.ones(2))\n",
            [False],
            id="taken back around the call",
        ),
        pytest.param(
            "def f(x):\n    return inner(x)\nwith errors(True):\n    g = torch.compile(f, backend='eager')\n"
            "g(torch.ones(2))\n",
            [False],
            id="a block around the compile call alone",
        ),
    ],
)
def test_where_a_graph_that_ends_is_an_error(source: str, raises: list[bool]) -> None:
    program, modules = program_of({"app.py": HEAD + source})
    seen: list[Event] = []
    interp = Interpreter(program, facts(), seen.append)
    interp.analyse(roots_of(interp, modules, ("explicit",)))
    assert [one.site.context.config.raises for one in seen if isinstance(one, Branch)] == raises
