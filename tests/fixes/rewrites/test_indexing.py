"""What is chosen under a mask gives what was picked: values and gradients, for masks that pick all, some and none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixes.goldens import Golden, goldens

pytestmark = pytest.mark.dynamo

TEXTS: dict[str, Golden] = {case.title: case for case in goldens() if case.file == "indexing"}
WEIGHT = "a weight is added to the rows under a mask"
GAP = "a function of torch and a name of a number, under a mask of unknown rank"
MEAN = "a mean under a mask"


def made(text: str | None) -> Any:
    """What a golden defines: `f`, or a module of the class `M` with fixed weights."""
    import torch

    names: dict[str, Any] = {}
    exec(compile(text or "", "golden.py", "exec"), names)
    torch.manual_seed(3)
    return names["f"] if "f" in names else names["M"]()


def given(title: str, kind: str, seed: int) -> tuple[Any, ...]:
    import torch

    torch.manual_seed(seed)
    x = torch.randn(0 if kind == "empty" else 3, 5, 4)
    x = {"all": x.abs() + 0.1, "none": -x.abs() - 0.1}.get(kind, x)
    x.requires_grad_()
    if title != WEIGHT:
        return (x,)
    labels = torch.randint(0, 2, x.shape[:2])
    return x, {"all": torch.ones_like(labels), "none": torch.zeros_like(labels)}.get(kind, labels)


def results(function: Any, args: tuple[Any, ...]) -> list[Any]:
    """The value, the gradient of the input, and those of weights."""
    out = function(*args)
    out.sum().backward()
    weights = list(function.parameters()) if hasattr(function, "parameters") else []
    found = [out.detach(), args[0].grad, *(one.grad for one in weights)]
    args[0].grad = None
    for one in weights:
        one.grad = None
    return found


@pytest.mark.parametrize("kind", ["some", "all", "none", "empty"])
@pytest.mark.parametrize("title", [WEIGHT, GAP, MEAN])
def test_eager_and_compiled_code_give_what_eager_code_gave(title: str, kind: str) -> None:
    import torch

    case = TEXTS[title]
    before, after = made(case.before), made(case.after)
    for seed in range(3):
        wanted = results(before, given(title, kind, seed))
        for one in (after, torch.compile(after, backend="eager")):
            got = results(one, given(title, kind, seed))
            for first, second in zip(got, wanted, strict=True):
                torch.testing.assert_close(first, second, equal_nan=True)


@pytest.mark.parametrize("title", [WEIGHT, GAP, MEAN])
def test_what_is_picked_breaks_the_graph_and_what_is_chosen_does_not(title: str) -> None:
    import torch

    breaks = []
    for text in (TEXTS[title].before, TEXTS[title].after):
        torch._dynamo.reset()
        breaks.append(torch._dynamo.explain(made(text))(*given(title, "some", 0)).graph_break_count)
    assert breaks[0] > 0
    assert breaks[1] == 0
