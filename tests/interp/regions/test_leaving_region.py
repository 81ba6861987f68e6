"""What a compiled function returns and Dynamo cannot rebuild, and compiled generator functions."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

LEAVES = (
    ("(i for i in [1, 2])", "syntax a generator that is returned"),
    ("enumerate([1, 2])", "syntax a generator that is returned"),
    ("managed(2)", "syntax a context manager that is returned"),
)
REBUILT = ("zip([1], [2])", "map(torch.sin, [x])", "iter([1])", "torch.no_grad()", "numbers()", "None")
MANAGED = """
        import contextlib

        @contextlib.contextmanager
        def managed(k):
            yield k

        def numbers():
            yield 1
"""


@pytest.mark.parametrize(("value", "event"), LEAVES)
def test_what_is_returned_beside_a_tensor(value: str, event: str) -> None:
    check(f"""{MANAGED}
        def f(x: Tensor):
            return x + 1, {value}  # {event}

        def alone(x: Tensor):
            return {value}
    """)


@pytest.mark.parametrize("value", REBUILT)
def test_what_is_rebuilt(value: str) -> None:
    check(f"""{MANAGED}
        def f(x: Tensor):
            return x + 1, {value}
    """)


def test_what_traced_code_takes_never_leaves() -> None:
    check(f"""{MANAGED}
        def inner(x: Tensor):
            return x + 1, managed(2)

        def outer(x: Tensor):
            y, manager = inner(x)
            with manager as k:
                return y * k
    """)


def test_a_generator_function_is_refused_where_it_is_what_is_compiled() -> None:
    check(
        """
        def walked(x: Tensor):
            yield x

        def walks(x: Tensor):
            return list(walked(x))

        def compiled(x: Tensor):  # syntax a generator function as the compiled function
            yield x

        class Model(nn.Module):
            def forward(self, x: Tensor):
                yield x
        """,
        roots=("all",),
    )


def test_a_context_manager_that_does_not_yield_is_not_entered() -> None:
    check("""
        import contextlib

        @contextlib.contextmanager
        def given_back(k):
            return iter([k])

        @contextlib.contextmanager
        def yielded(k):
            yield k

        def f(x: Tensor):
            with given_back(2) as k:  # syntax with
                return x * k

        def g(x: Tensor):
            with yielded(2) as k:
                return x * k
    """)


COUNTER = "torch.autograd._unsafe_preserve_version_counter(x)"
CONTEXTS = """
        KEPT = []

        class Holder:
            pass

        HOLDER = Holder()

        class Appends(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                KEPT.append(ctx)
                return x * 2

        class Sets(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                HOLDER.last = ctx
                return x * 2

        class Gives(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2, ctx

        class Local(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                rows = []
                rows.append(ctx)
                ctx.own = 3
                return x * 2
"""


def test_the_context_of_an_autograd_function() -> None:
    check(f"""{CONTEXTS}
        def appended(x: Tensor):
            y = Appends.apply(x)
            return y + 1  # syntax what was kept outside

        def stored(x: Tensor):
            y = Sets.apply(x)
            return y + 1  # syntax what was kept outside

        def returned(x: Tensor):
            y, context = Gives.apply(x)
            return y + 1, context  # syntax torch.autograd.function.FunctionCtx that is returned

        class Keeps(nn.Module):
            def forward(self, x: Tensor):
                y, self.last = Gives.apply(x)
                return y + 1  # syntax what was kept outside

        def dropped(x: Tensor):
            y, context = Gives.apply(x)
            return y + 1

        def local(x: Tensor):
            return Local.apply(x) + 1
    """)


def test_a_context_that_a_called_function_keeps() -> None:
    check(f"""{CONTEXTS}
        def appended(x: Tensor):
            y = Appends.apply(x)
            return y + 1

        def f(x: Tensor):
            y = appended(x)
            return y + 2  # syntax what was kept outside

        def cut(x: Tensor):
            y = appended(x)
            torch._dynamo.graph_break()  # call torch._dynamo.graph_break
            return y + 2
    """)


def test_what_preserves_a_version_counter() -> None:
    check(f"""
        def returned(x: Tensor):
            keep = {COUNTER}
            return x * 2, keep  # syntax torch.autograd._unsafe_preserve_version_counter that is returned

        def entered(x: Tensor):
            with {COUNTER}:
                x.add_(1)
            return x * 2
    """)


def test_a_method_of_what_was_made_inside() -> None:
    check("""
        class Thing:
            def own(self):
                return 3

        THING = Thing()

        def made(x: Tensor):
            thing = Thing()
            return x * 2, thing.own  # syntax a method of what is made here that is returned

        def held(x: Tensor):
            return x * 2, THING.own

        def managed(x: Tensor):
            mode = torch.autocast("cpu")
            return x * 2, mode.__enter__
    """)
