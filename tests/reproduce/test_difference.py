"""What counts as a script that shows a difference, and the comparison at its end."""

from __future__ import annotations

import ast

import pytest

from compilelint.reproduce.difference import candidates_of, comparison, is_apart, shows
from compilelint.reproduce.sliced import Slicer
from compilelint.reproduce.trial import Shown

NOT_CLOSE = Shown(False, "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 3 / 4", ())
ENDED = Shown(True, "", ())


@pytest.mark.parametrize(
    ("shown", "apart"),
    [
        pytest.param(NOT_CLOSE, True, id="numbers"),
        pytest.param(Shown(False, "AssertionError: Scalars are not equal!", ()), True, id="plain values"),
        pytest.param(
            Shown(False, "AssertionError: The values for attribute 'shape' do not match", ()), True, id="shape"
        ),
        pytest.param(ENDED, False, id="equal"),
        pytest.param(Shown(False, "AssertionError", ()), False, id="an assertion of the model's own"),
        pytest.param(Shown(False, "ValueError: sizes do not match", ()), False, id="another error"),
    ],
)
def test_a_script_differs_where_its_comparison_says_so(shown: Shown, apart: bool) -> None:
    assert is_apart(shown) is apart


@pytest.mark.parametrize(
    ("plain", "found"),
    [
        pytest.param(ENDED, True, id="the compiler's alone"),
        pytest.param(NOT_CLOSE, False, id="it differs from call to call without the compiler"),
    ],
)
def test_what_differs_without_the_compiler_is_chance(plain: Shown, found: bool) -> None:
    ran: list[str] = []

    def run(text: str) -> Shown:
        ran.append(text)
        return NOT_CLOSE if len(ran) == 1 else plain

    assert shows("import torch\nx = 1\n", run) == (found, plain)
    assert ran[1].startswith("import torch\ntorch.compile = ")


@pytest.mark.parametrize(
    ("backend", "code", "words"),
    [
        pytest.param("aot_eager", "", "equal_nan=True)", id="torch's own tolerance where nothing is reordered"),
        pytest.param("inductor", "x.float()", "rtol=0.00013, atol=0.001)", id="single"),
        pytest.param("inductor", "x.half()", "rtol=0.1, atol=0.001)", id="half"),
        pytest.param("inductor", "torch.bfloat16", "rtol=1.6, atol=0.001)", id="the narrowest"),
    ],
)
def test_the_comparison_allows_what_verify_allows(backend: str, code: str, words: str) -> None:
    text = comparison(backend, code)
    assert text.endswith(words)
    assert ("fallback_random" in text) is (backend == "inductor")


def test_each_way_to_call_a_target_is_a_candidate_that_ends_in_the_comparison() -> None:
    slicer = Slicer({"net": "class Net:\n    pass\n"}.get, lambda module: False)
    given = [("", "torch.randn(2)"), ("scale", "3")]
    found = [*candidates_of(slicer, ("net", "Net"), given, None, {"width": 4}, False, "aot_eager")]
    assert "model = Net(width=4).eval()\nargs, kwargs = (torch.randn(2), ), {'scale': 3}\n" in found[0]
    for text in found:
        assert comparison("aot_eager", text) in ast.unparse(ast.parse(text))
    assert len(set(found)) == len(found) == 13
