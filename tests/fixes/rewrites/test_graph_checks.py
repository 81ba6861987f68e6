"""A check that raises for what a tensor holds stays a check in compiled code, and the same one in eager code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = "import torch\n\n\ndef f(x: torch.Tensor, n: int, layer):\n    y = x + 1\n{check}    return y\n"
IN_GRAPH = """\
    if torch.compiler.is_compiling():
        torch._assert_async({condition}, {text})
    elif {test}:
        raise {error}
"""


def made(test: str, error: str, folder: Path) -> str:
    """The body of the function between its first and last line, after the fixes."""
    check = f"    if {test}:\n        raise {error}\n"
    text, _ = fixed(PROGRAM.format(check=check), folder)
    return text.partition("y = x + 1\n")[2].rpartition("    return y")[0]


@pytest.mark.parametrize(
    ("test", "error", "condition", "text"),
    [
        ("(x < 0).any()", 'ValueError("negative")', "torch.logical_not((x < 0).any())", '"ValueError: negative"'),
        ("(x < 0).any()", 'RuntimeError("negative")', "torch.logical_not((x < 0).any())", '"negative"'),
        ("not (x > 0).all()", "torch.Low('negative')", "(x > 0).all()", "'Low: negative'"),
        ("x.any()", "ValueError", "torch.logical_not(x.any())", '"ValueError: x.any()"'),
        ("x.any()", 'ValueError(f"{n}")', "torch.logical_not(x.any())", '"ValueError: x.any()"'),
    ],
)
def test_a_check_is_asserted_in_the_graph(test: str, error: str, condition: str, text: str, tmp_path: Path) -> None:
    assert made(test, error, tmp_path) == IN_GRAPH.format(condition=condition, text=text, test=test, error=error)


@pytest.mark.parametrize(
    ("test", "error"),
    [
        pytest.param("0 < x.sum() < 3", 'ValueError("a")', id="a chain, which is no tensor"),
        pytest.param("(x < 0).any() and n", 'ValueError("a")', id="a part of the test"),
        pytest.param("layer(x).any()", 'ValueError("a")', id="asking may change state"),
    ],
)
def test_other_checks_are_not_asserted(test: str, error: str, tmp_path: Path) -> None:
    assert "_assert_async" not in made(test, error, tmp_path)


@pytest.mark.slow
@pytest.mark.dynamo
def test_both_ways_refuse_and_accept_the_same(tmp_path: Path) -> None:
    import torch

    text, _ = fixed(PROGRAM.format(check='    if (x < 0).any():\n        raise ValueError("negative")\n'), tmp_path)
    path = tmp_path / "made.py"
    path.write_text(text, encoding="utf-8")
    names: dict[str, object] = {}
    exec(compile(text, str(path), "exec"), names)
    function = names["f"]
    assert callable(function)
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    good, bad = torch.ones(3), -torch.ones(3)
    assert torch.equal(compiled(good, 1, None), function(good, 1, None))
    for one, error in ((function, ValueError), (compiled, RuntimeError)):
        with pytest.raises(error, match="negative"):
            one(bad, 1, None)
