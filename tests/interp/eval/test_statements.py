"""Control flow: loops to a fixpoint, try, with, comprehensions, match, generators, dead code."""

from __future__ import annotations

from compilelint.events import DynamoConfig
from tests.support import worker_messages as events
from tests.support.reveal import check


def test_a_loop_reaches_its_fixpoint() -> None:
    check("""
        def f(x: Tensor, n: int):
            total = 0
            for i in range(n):
                reveal_type(i)  # int
                reveal_type(total)  # 0 | tensor computed
                total = total + x
            reveal_type(total)  # 0 | tensor computed
    """)


def test_a_chain_through_a_loop() -> None:
    check("""
        def f(x: Tensor, n: int):
            a = b = None
            for _ in range(n):
                b = a
                a = x
            reveal_type(b)  # None | tensor input
    """)


def test_break_and_continue_carry_their_state() -> None:
    check("""
        def f(x: Tensor, n: int):
            y = None
            for i in range(n):
                if i == 1:
                    continue
                if i == 2:
                    y = x
                    break
                reveal_type(y)  # None
            reveal_type(y)  # None | tensor input
    """)


def test_else_of_a_loop() -> None:
    check("""
        def f(x: Tensor, n: int):
            found = None
            for i in range(n):
                pass
            else:
                found = 1
            reveal_type(found)  # 1
    """)


def test_while_true_ends_by_break_alone() -> None:
    check("""
        def f(x: Tensor, n: int):
            y = None
            while True:
                if n > 3:
                    y = x
                    break
                n = n + 1
            reveal_type(y)  # tensor input
    """)


def test_rows_of_a_tensor() -> None:
    check("""
        def f(x: Tensor):
            for row in torch.zeros(2, 3):
                reveal_type(row)  # tensor float 1-d computed
            for row in x:
                reveal_type(row)  # tensor computed
            first, second = x
            reveal_type(second)  # tensor computed
            head, *rest = x
            reveal_type(rest)  # list[tensor computed]
    """)


def test_handlers_start_from_before_and_after_the_body() -> None:
    check("""
        def f(x: Tensor):
            y = None
            try:
                y = x + 1
            except RuntimeError as error:
                reveal_type(y)  # None | tensor computed
                reveal_type(error)  # instance builtins.Exception
            reveal_type(y)  # None | tensor computed
    """)


def test_else_and_finally() -> None:
    check("""
        def f(x: Tensor):
            y = z = None
            try:
                y = x
            except ValueError:
                return
            else:
                reveal_type(y)  # tensor input
                z = 1
            finally:
                reveal_type(x)  # tensor input
            reveal_type(z)  # 1
    """)


def test_finally_runs_after_a_return() -> None:
    check("""
        def f(x: Tensor):
            try:
                return x
            finally:
                reveal_type(x)  # tensor input
            reveal_type(x)  # not reached
    """)


def test_with_binds_what_is_entered() -> None:
    check("""
        class Timer:
            def __enter__(self):
                return 3

            def __exit__(self, *error):
                return None

        def f(x: Tensor):
            with torch.no_grad():
                y = x + 1
            reveal_type(y)  # tensor computed
            with Timer() as t:
                reveal_type(t)  # 3
    """)


def test_comprehensions() -> None:
    check("""
        def f(x: Tensor, names: list[str]):
            reveal_type([len(n) for n in names])  # list[int]
            reveal_type([row.sum() for row in torch.zeros(2, 3)])  # list[tensor float 0-d computed]
            reveal_type({n: x for n in names})  # dict(...: tensor input)
            reveal_type({n for n in names})  # set[str]
            reveal_type([y for y in (x, x)])  # list(tensor input, tensor input)
            reveal_type([a for pair in [(1, x)] for a in pair])  # list[1 | tensor input possible]
            reveal_type(list(n for n in names))  # list[str]
    """)


def test_a_comprehension_has_names_of_its_own() -> None:
    check("""
        def f(x: Tensor, names: list[str]):
            n = 3
            ys = [n for n in names]
            reveal_type(n)  # 3
    """)


def test_a_filter_narrows() -> None:
    check("""
        def f(x: Tensor, masks: list[Optional[Tensor]]):
            reveal_type([m for m in masks if m is not None])  # list[tensor input]
    """)


def test_match_on_constants_and_captures() -> None:
    check("""
        def f(x: Tensor, mode: str):
            match mode:
                case "sum":
                    y = x.sum()
                case "none" | "mean":
                    y = None
                case other:
                    reveal_type(other)  # str
                    y = 1
            reveal_type(y)  # 1 | None | tensor 0-d computed
    """)


def test_match_by_class_narrows() -> None:
    check("""
        def f(x: Tensor, n: Union[int, Tensor]):
            match n:
                case Tensor():
                    reveal_type(n)  # tensor input
                case int():
                    reveal_type(n)  # int
    """)


def test_generators_yield_their_items() -> None:
    check("""
        def rows(x):
            yield x.sum()
            yield None

        def both(x):
            yield from rows(x)

        def f(x: Tensor):
            reveal_type(rows(x))  # generator[None | tensor 0-d computed]
            for row in both(x):
                reveal_type(row)  # None | tensor 0-d computed
    """)


def test_code_that_is_dead_while_compiling() -> None:
    check("""
        def f(x: Tensor):
            if torch.compiler.is_compiling():
                y = 1
            else:
                y = 2
                reveal_type(y)  # not reached
            reveal_type(y)  # 1
            if torch.jit.is_scripting() or torch.jit.is_tracing():
                reveal_type(y)  # not reached
            if not torch.jit.is_scripting():
                reveal_type(y)  # 1
    """)


def test_type_checking_is_false_while_compiling() -> None:
    check("""
        import typing

        def f(x: Tensor):
            if typing.TYPE_CHECKING:
                reveal_type(x)  # not reached
            if TYPE_CHECKING:
                reveal_type(x)  # not reached
    """)


def test_a_helper_around_is_compiling_through_try_and_or() -> None:
    check(
        {
            "app.py": """
            from lib.checks import is_compiling, is_tracing

            def f(x: Tensor):
                reveal_type(is_compiling())  # True
                reveal_type(is_tracing(x))  # True
                if not is_tracing(x) and x.any():
                    reveal_type(x)  # not reached
        """,
            "lib/__init__.py": "",
            "lib/checks.py": """
            def is_compiling():
                try:
                    import torch._dynamo as dynamo
                    return dynamo.is_compiling()
                except Exception:
                    return False

            def is_tracing(tensor=None) -> bool:
                found = is_compiling() or torch.jit.is_tracing()
                if tensor is not None:
                    found |= isinstance(tensor, torch.fx.Proxy)
                return found
        """,
        }
    )


def test_exporting_is_asked_of_the_root() -> None:
    source = """
        def f(x: Tensor):
            reveal_type(torch.compiler.is_exporting())  # ANSWER
    """
    check(source.replace("ANSWER", "False"))
    check(source.replace("ANSWER", "True"), config=DynamoConfig(export=True))


def test_numbers_are_folded() -> None:
    check("""
        def f(x: Tensor):
            n = 2 * 3
            reveal_type(n)  # 6
            if n > 4:
                y = 1
            else:
                y = None
            reveal_type(y)  # 1
            reveal_type(n if n < 4 else x)  # tensor input
            reveal_type("a" in ("a", "b"))  # True
            reveal_type(1 / 0)  # ?
    """)


def test_conditional_expressions_join_their_arms() -> None:
    check("""
        def f(x: Tensor, flag: bool, scale: Optional[float] = None):
            reveal_type(x if flag else None)  # None | tensor input
            reveal_type(flag and x)  # bool | tensor input
            reveal_type(scale or 1.0)  # float
            reveal_type(scale is not None and scale > 1)  # bool
    """)


def test_both_training_modes_are_followed_apart() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, x: Tensor):
                if self.training:
                    noise = x.sum()
                else:
                    noise = None
                reveal_type(noise)  # None | tensor 0-d computed
                if self.training:
                    reveal_type(noise)  # tensor 0-d computed
                else:
                    reveal_type(noise)  # None
    """)


def test_del_and_rebinding() -> None:
    check("""
        def f(x: Tensor):
            y = x
            del y
            x = 3
            reveal_type(x)  # 3
            a, b = b, a = 1, 2
            reveal_type(a)  # 2
            x += 1
            reveal_type(x)  # 4
    """)


def test_unpacking() -> None:
    check("""
        def f(x: Tensor, pairs: list[Tuple[int, Tensor]]):
            (a, b), c = (1, x), None
            reveal_type(b)  # tensor input
            reveal_type(c)  # None
            first, *middle, last = 1, 2, x, None
            reveal_type(middle)  # list(2, tensor input)
            reveal_type(last)  # None
            for i, (n, t) in enumerate(pairs):
                reveal_type(t)  # tensor input
            h, w = x.shape[-2:]
            reveal_type(h)  # int shape
    """)


def test_a_walrus_in_a_comprehension_is_bound_outside() -> None:
    check("""
        def f(x: Tensor, names: list[str]):
            ys = [(last := n) for n in names]
            reveal_type(last)  # str
    """)


def test_a_module_that_a_root_defines_is_run_as_what_it_hands_on() -> None:
    events.check(
        """
        def make(n):
            class Net(nn.Module):  # syntax class statement
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(n, n)

                def forward(self, x: Tensor):
                    y = self.layer(x)
                    return y if y.sum() > 0 else -y  # branch if-expression

            return Net()
        """,
        ("all",),
    )


def test_a_global_that_is_deleted() -> None:
    events.check("""
        def f(x: Tensor):
            global LAST
            LAST = x
            del LAST  # syntax del
            y = x + 1
            del y
            return x
    """)


def test_a_method_of_a_tensor_has_no_hash() -> None:
    events.check("""
        def f(x: Tensor):
            return {x.sum: 1}  # syntax tensor's method as a key

        def g(x: Tensor):
            return {x.sum, x.mean}  # syntax tensor's method as a key

        def h(x: Tensor):
            return {"sum": x.sum}
    """)
