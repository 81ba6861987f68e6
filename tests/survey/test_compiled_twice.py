"""`survey.compiled_twice`: two compile calls of one thing, and calls that only look like it."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Compile
from tests.support.survey_events import NET, events_of


def again(*lines: str) -> list[tuple[str, str]]:
    """How and what is compiled again in a function of these lines."""
    body = textwrap.indent("\n".join(lines), "    ")
    found = events_of(f"{NET}def f(model, blocks, flag):\n{body}\n    return model\n")
    return [(one.use, one.target) for one in found if isinstance(one, Compile) and one.use.startswith("again")]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param(("model = torch.compile(torch.compile(model))",), ("again", "model"), id="nested"),
        pytest.param(("model = torch.compile(torch.compile(Net()))",), ("again", ""), id="nested, no name"),
        pytest.param(
            ("model = torch.compile(model)", "model = torch.compile(model, mode='max-autotune')"),
            ("again", "model"),
            id="by its name",
        ),
        pytest.param(
            ("fast = torch.compile(model)", "if flag: model = torch.compile(fast)"), ("again", "fast"), id="at times"
        ),
        pytest.param(
            ("model = Net()", "model.compile()", "model = torch.compile(model)"),
            ("again-in-place", "model"),
            id="in place",
        ),
    ],
)
def test_what_is_compiled_twice(lines: tuple[str, ...], found: tuple[str, str]) -> None:
    assert again(*lines) == [found]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("if flag: model = torch.compile(model)", "else: model = torch.compile(model)"), id="either"),
        pytest.param(
            ("if flag: model = torch.compile(model)", "model = torch.compile(model)"), id="the first may not run"
        ),
        pytest.param(("for b in blocks: b.compile()", "model = torch.compile(model)"), id="blocks and whole"),
        pytest.param(("model = torch.compile(model)", "model = Net()", "model = torch.compile(model)"), id="another"),
        pytest.param(
            ("model = Net()", "model.compile()", "model = Net()", "model = torch.compile(model)"), id="another one"
        ),
        pytest.param(("fast = torch.compile(model)", "other = torch.compile(model)"), id="the model itself, twice"),
        pytest.param(
            ("model.unet = torch.compile(model.unet)", "model = load()", "model.unet = torch.compile(model.unet)"),
            id="a part of another object",
        ),
        pytest.param(
            ("from lib import g", "g = torch.compile(g)", "from lib import g", "g = torch.compile(g)"), id="imported"
        ),
        pytest.param(
            ("def g(x): return x", "g = torch.compile(g)", "def g(x): return 1", "g = torch.compile(g)"), id="defined"
        ),
    ],
)
def test_what_is_compiled_once(lines: tuple[str, ...]) -> None:
    assert again(*lines) == []
