"""Two lists of runs against each other: what counts as a difference."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo

NONE: frozenset[str] = frozenset()


def _run(
    error: str = "", drawn: str = "a", state: dict[str, Any] | None = None, said: str = "", **found: Any
) -> dict[str, Any]:
    made = {"label": "seed 0, eval", "found": found, "error": error, "drawn": drawn, "said": said}
    return made if state is None else {**made, "state": state}


def _row(*numbers: float) -> Any:
    import torch

    return torch.tensor(numbers)


def _differs(one: dict[str, Any], other: dict[str, Any], compiled: bool = False) -> str:
    from compilelint.dynamic.worker.exercising import differing

    found = differing([one], [other], NONE, compiled=compiled, reordered=False)
    return f"{found[0]['kind']}: {found[0]['name']}" if found else ""


@pytest.mark.parametrize(
    ("one", "other", "eager", "compiled"),
    [
        pytest.param(_run(), _run(), "", "", id="nothing"),
        pytest.param(
            _run("IndexError: 0"), _run(), "exception: what is raised", "exception: what is raised", id="raised no more"
        ),
        pytest.param(_run("IndexError: 0"), _run("IndexError: 5"), "", "", id="another text of the same class"),
        pytest.param(
            _run("IndexError: 0"),
            _run("RuntimeError: 0"),
            "exception: what is raised",
            "exception: what is raised",
            id="another class",
        ),
        pytest.param(
            _run("IndexError: 0"),
            _run("TorchRuntimeError: 0"),
            "exception: what is raised",
            "",
            id="Dynamo's own class, where the cause is the same",
        ),
        pytest.param(
            _run(),
            _run("TorchRuntimeError: 0"),
            "exception: what is raised",
            "exception: what is raised",
            id="Dynamo's own class, where eager raises nothing",
        ),
        pytest.param(
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(1.0, 1.0)}),
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(float("nan"), 1.0)}),
            "",
            "",
            id="a NaN that was given spreads further",
        ),
        pytest.param(
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(1.0, 1.0)}),
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(float("nan"), 2.0)}),
            "output: output",
            "output: output",
            id="another number beside a NaN that was given",
        ),
        pytest.param(_run(said="x"), _run(), "output: what is printed and logged", "", id="what was said is not"),
        pytest.param(_run(drawn="a"), _run(drawn="b"), "state: the number of random draws", "", id="other draws"),
        pytest.param(_run(output=1.0), _run(output="1"), "output: output", "output: output", id="another type"),
        pytest.param(
            _run(state={"self.step": "1"}),
            _run(state={"self.step": "2"}),
            "state: self.step",
            "state: self.step",
            id="another state",
        ),
    ],
)
def test_what_differs(one: dict[str, Any], other: dict[str, Any], eager: str, compiled: str) -> None:
    assert (_differs(one, other), _differs(one, other, compiled=True)) == (eager, compiled)


def test_nan_is_equal_to_the_same_nan_only() -> None:
    import torch

    usual = torch.tensor([1.0, float("nan")])
    negative = usual.clone()
    negative.view(torch.int32)[1] ^= -(2**31)
    assert _differs(_run(output=usual), _run(output=usual.clone())) == ""
    assert _differs(_run(output=usual), _run(output=negative)) == "output: output"
    assert _differs(_run(output=usual), _run(output=torch.tensor([1.0, 0.0]))) == "output: output"
