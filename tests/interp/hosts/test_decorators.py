"""Decorators of a function that compiled code defines: what TorchDynamo (torch 2.13 and 2.15) refuses at the `def`."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

DEFINED = """
        import functools, contextlib

        def passes_on(fn):
            return fn

        def f(x: Tensor):
            @{decorator}
            def part(v):
                return v
            return x + 1
"""


@pytest.mark.parametrize(
    ("decorator", "name"),
    [
        ("torch.compile(backend='eager')", "torch.compile"),
        ("torch.compiler.disable", "torch.compiler.disable"),
        ("torch.compiler.disable()", "torch.compiler.disable"),
        ("functools.lru_cache", "functools.lru_cache"),
        ("functools.lru_cache(maxsize=2)", "functools.lru_cache"),
    ],
)
def test_the_graph_ends_at_the_def(decorator: str, name: str) -> None:
    check(f"{DEFINED.format(decorator=f'{decorator}  # call {name}')}\n        compiled = torch.compile(f)\n")


@pytest.mark.parametrize(
    "decorator", ["torch.compile(backend='eager')", "torch.compiler.disable", "torch._dynamo.disable()"]
)
@pytest.mark.parametrize("roots", ["auto", "all"])
def test_what_compiles_a_part_of_itself_is_eager_code_where_nothing_compiles_it(decorator: str, roots: str) -> None:
    check(DEFINED.format(decorator=decorator), roots=(roots,))


@pytest.mark.parametrize(
    "decorator",
    [
        "torch.compile",
        "torch.no_grad()",
        "torch.no_grad",
        "torch.autocast('cpu')",
        "torch.vmap",
        "contextlib.contextmanager",
        "functools.wraps(passes_on)",
        "passes_on",
    ],
)
def test_the_decorator_is_traced(decorator: str) -> None:
    check(DEFINED.format(decorator=decorator))
