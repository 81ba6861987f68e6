"""Which tests are those of a tracer, by the text of one file."""

from __future__ import annotations

import ast
import textwrap

import pytest

from compilelint.dynamic.asking import Asking

HELPERS = """
    def compiling():
        try:
            import torch
            return torch.compiler.is_compiling()
        except ImportError:
            return False

    def capturing():
        return torch.cuda.is_current_stream_capturing()

    def tracing(x=None):
        found = compiling() or capturing()
        if x is not None:
            found |= is_proxy(x)
        return found

    def either():
        return compiling() or DEBUG

    def is_tracing():
        return DEBUG

    def again(deep):
        return again(deep - 1)
"""


def asked(test: str) -> bool:
    tree = ast.parse(textwrap.dedent(HELPERS))
    return Asking(tree).asks(ast.parse(test, mode="eval").body)


@pytest.mark.parametrize(
    "test",
    [
        "torch.compiler.is_compiling()",
        "not torch.compiler.is_compiling()",
        "torch.compiler.is_compiling() and odd",
        "odd and not is_compiling()",
        "is_compiling() or torch.jit.is_tracing()",
        "compiling()",
        "tracing()",
        "not (compiling() or capturing())",
    ],
)
def test_only_a_tracer_answers(test: str) -> None:
    assert asked(test)


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("torch.compiler.is_compiling() or debug", id="eager code may come as well"),
        pytest.param("not (is_compiling() or debug)", id="the same, negated"),
        pytest.param("either()", id="a helper of which eager code may have the answer"),
        pytest.param("tracing(x)", id="a helper that is given what it looks at"),
        pytest.param("is_tracing()", id="a name of the file is what the file says"),
        pytest.param("again(3)", id="a helper that calls itself"),
        pytest.param("debug", id="nothing of the kind"),
        pytest.param("unknown()", id="a helper of another file"),
    ],
)
def test_eager_code_may_come_too(test: str) -> None:
    assert not asked(test)


def test_the_lines_that_only_a_tracer_comes_to() -> None:
    text = """
        def check(x):
            if tracing():
                torch._check_tensor_all(x)
                return
            torch._check_with(ValueError, x)
            if not compiling():
                print(x)
            else:
                torch._check(x)

        def wait(x):
            return 1 if either() else 2
    """
    whole = textwrap.dedent(HELPERS) + textwrap.dedent(text)
    tree = ast.parse(whole)
    found = [whole.splitlines()[number - 1].strip() for number in sorted(Asking(tree).lines(tree))]
    assert found == ["torch._check_tensor_all(x)", "return", "torch._check(x)"]
