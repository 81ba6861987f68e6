"""Calls: closures, lambdas, partial, decorators both ways, stars and keywords, recursion, tables of functions."""

from __future__ import annotations

from tests.support.reveal import check


def test_results_of_functions() -> None:
    check("""
        def half(x):
            return x / 2, None

        def nothing(x):
            x + 1

        def pick(x, flag: bool):
            if flag:
                return x
            return 1

        def f(x: Tensor, flag: bool):
            reveal_type(half(x))  # tuple(tensor float computed, None)
            reveal_type(nothing(x))  # None
            reveal_type(pick(x, flag))  # 1 | tensor input
    """)


def test_arguments_by_position_keyword_and_default() -> None:
    check("""
        def g(a, /, b, c=None, *, d="mean", e=0):
            reveal_type(a)  # tensor input
            reveal_type(b)  # str
            reveal_type(c)  # int
            reveal_type(d)  # 'mean'
            reveal_type(e)  # tensor input

        def f(x: Tensor, s: str):
            g(x, s, e=x, c=3)
    """)


def test_stars_of_known_length() -> None:
    check("""
        def g(*args, **kwargs):
            reveal_type(args)  # tuple(tensor input, 'a')
            reveal_type(kwargs)  # dict(n: int)
            reveal_type(args[0])  # tensor input
            h(*args, **kwargs)

        def h(x, s, n):
            reveal_type(x)  # tensor input
            reveal_type(s)  # 'a'
            reveal_type(n)  # int

        def f(x: Tensor):
            g(x, "a", n=1)
    """)


def test_stars_of_unknown_length() -> None:
    check("""
        def g(head, *args, **kwargs):
            reveal_type(head)  # tensor input
            reveal_type(args)  # tuple[tensor input]
            reveal_type(kwargs)  # dict(...: tensor input)

        def f(x: Tensor, xs: list[Tensor], named: Dict[str, Tensor]):
            g(x, *xs, **named)
    """)


def test_lambdas() -> None:
    check("""
        def apply(function, x):
            return function(x)

        def f(x: Tensor):
            reveal_type((lambda t: t.sum())(x))  # tensor 0-d computed
            act = lambda t, n=2: (t, n)
            reveal_type(act(x))  # tuple(tensor input, 2)
            reveal_type(apply(lambda t: t > 0, x))  # tensor bool computed
    """)


def test_closures_see_the_names_around_them() -> None:
    check("""
        def f(x: Tensor):
            scale = 2

            def inner():
                return x * scale

            def counted():
                nonlocal scale
                scale = None

            reveal_type(inner())  # tensor computed
            counted()
            reveal_type(scale)  # 2 | None
    """)


def test_a_closure_outlives_the_function_that_made_it() -> None:
    check("""
        def make(scale):
            def scaled(x):
                return x, scale
            return scaled

        def f(x: Tensor):
            reveal_type(make(x)(3))  # tuple(int, tensor input)
    """)


def test_partial() -> None:
    check("""
        from functools import partial

        def g(a, b, c=0):
            return a, b, c

        def f(x: Tensor):
            h = partial(g, x, c=None)
            reveal_type(h)  # partial(function g, tensor input, c=None)
            reveal_type(h("b"))  # tuple(tensor input, 'b', None)
            reveal_type(partial(torch.sum, dim=0)(torch.zeros(2, 3)))  # tensor float 1-d computed
    """)


def test_a_wrapper_is_entered_and_so_is_what_it_wraps() -> None:
    check("""
        def doubled(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                reveal_type(args)  # tuple(tensor input)
                return function(*args, **kwargs), 2
            return wrapper

        @doubled
        def g(x):
            reveal_type(x)  # tensor input
            return x.sum()

        def f(x: Tensor):
            reveal_type(g(x))  # tuple(tensor 0-d computed, 2)
    """)


def test_a_decorator_with_arguments() -> None:
    check("""
        def repeat(times):
            def decorate(function):
                def wrapper(self, x):
                    return [function(self, x)] * times
                return wrapper
            return decorate

        class Net(nn.Module):
            def forward(self, x: Tensor):
                reveal_type(self.step(x))  # list[tensor 0-d computed]

            @repeat(3)
            def step(self, x):
                return x.sum()
    """)


def test_the_wrapper_around_a_root_is_traced() -> None:
    check("""
        def checked(function):
            def wrapper(self, *args, **kwargs):
                reveal_type(self)  # object Net
                return function(self, *args, **kwargs)
            return wrapper

        class Net(nn.Module):
            @checked
            def forward(self, x: Tensor):
                reveal_type(x)  # tensor input
    """)


def test_decorators_of_libraries_change_nothing() -> None:
    check("""
        class Net(nn.Module):
            @torch.no_grad()
            def forward(self, x: Tensor):
                reveal_type(self.step(x))  # tensor 0-d computed

            @functools.lru_cache(maxsize=None)
            @torch.inference_mode()
            def step(self, x):
                return x.sum()
    """)


def test_a_function_that_dynamo_does_not_enter_gives_what_it_promises() -> None:
    check("""
        @torch.compiler.disable
        def outside(x) -> Tensor:
            reveal_type(x)  # not reached
            return x

        @torch.compiler.disable(recursive=False)
        def silent(x):
            return x

        def f(x: Tensor):
            reveal_type(outside(x))  # tensor input likely
            reveal_type(silent(x))  # ?
    """)


def test_recursion_comes_to_an_end() -> None:
    check("""
        def depth(x, n: int):
            if n > 3:
                return x.sum()
            return depth(x, n + 1)

        def even(x, n: int):
            return 0 if n == 0 else odd(x, n - 1)

        def odd(x, n: int):
            return x if n == 0 else even(x, n - 1)

        def f(x: Tensor):
            reveal_type(depth(x, 0))  # tensor 0-d computed
            reveal_type(even(x, 9))  # 0 | tensor input
    """)


def test_what_stands_behind_a_call_that_never_returns_is_dead() -> None:
    check("""
        def fail(x):
            raise ValueError(x.shape)

        def f(x: Tensor, m: Optional[Tensor] = None):
            if m is None:
                fail(x)
                reveal_type(x)  # not reached
            reveal_type(m)  # tensor input
    """)


def test_recursion_over_structures() -> None:
    check("""
        def flat(value):
            if isinstance(value, (list, tuple)):
                return [flat(v) for v in value]
            return value.sum()

        def f(x: Tensor):
            reveal_type(flat(x))  # tensor 0-d computed
    """)


def test_a_table_of_functions_is_called_through_all_its_entries() -> None:
    check("""
        def total(x):
            return x.sum()

        def nothing(x):
            return None

        LOSSES = {"sum": total, "none": nothing}

        def f(x: Tensor, name: str):
            reveal_type(LOSSES["sum"](x))  # tensor 0-d computed
            reveal_type(LOSSES[name](x))  # None | tensor 0-d computed
            reveal_type(LOSSES.get(name, total)(x))  # None | tensor 0-d computed
    """)


def test_activations_by_name_are_tensors_of_the_library() -> None:
    check("""
        ACT = {"relu": F.relu, "gelu": F.gelu, "silu": torch.nn.SiLU}

        def f(x: Tensor, name: str):
            reveal_type(ACT["relu"](x))  # tensor computed
            reveal_type(getattr(F, "relu")(x))  # tensor computed
    """)


def test_a_function_of_unknown_origin_returns_anything() -> None:
    check("""
        from nowhere import helper

        def f(x: Tensor, callback):
            reveal_type(helper)  # library nowhere.helper
            reveal_type(helper(x))  # ?
            reveal_type(callback(x))  # ?
            helper(lambda t: reveal_type(t))  # ?
    """)


def test_an_annotated_return_speaks_for_an_unknown_result() -> None:
    check("""
        from nowhere import helper

        def g(x) -> Optional[Tensor]:
            return helper(x)

        def f(x: Tensor):
            reveal_type(g(x))  # None | tensor computed likely
    """)


def test_higher_order_builtins() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor]):
            reveal_type(list(map(torch.sum, xs)))  # list[tensor 0-d computed]
            reveal_type(functools.reduce(lambda a, b: a + b, xs))  # tensor computed
            reveal_type([t for t in filter(None, [1, 0])])  # list[int]
            reveal_type(sorted([3, 1]))  # list[int]
    """)


def test_methods_as_values() -> None:
    check("""
        class Net(nn.Module):
            def step(self, x):
                return x.sum()

            def forward(self, x: Tensor):
                step = self.step
                reveal_type(step)  # method step of object Net
                reveal_type(step(x))  # tensor 0-d computed
                reveal_type(Net.step(self, x))  # tensor 0-d computed
                total = x.sum
                reveal_type(total())  # tensor 0-d computed
    """)


def test_deep_chains_of_calls_are_followed() -> None:
    check("""
        def a(x): return b(x)
        def b(x): return c(x)
        def c(x): return d(x)
        def d(x): return e(x)
        def e(x): return x.sum()

        def f(x: Tensor):
            reveal_type(a(x))  # tensor 0-d computed
    """)


def test_a_question_far_down_is_answered() -> None:
    chain = "\n\n".join(f"        def g{n}():\n            return g{n + 1}()" for n in range(15))
    check(f"""
{chain}

        def g15():
            return torch.compiler.is_compiling()

        def f(x: Tensor):
            reveal_type(g0())  # True
    """)
