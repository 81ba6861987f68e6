"""What a test leaves of a value on either side of it."""

from __future__ import annotations

from tests.support.reveal import check


def test_is_none() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None):
            if m is None:
                reveal_type(m)  # None
            else:
                reveal_type(m)  # tensor input
            reveal_type(m)  # None | tensor input
    """)


def test_early_return_and_raise() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None, n: Optional[Tensor] = None):
            if m is None:
                return x
            reveal_type(m)  # tensor input
            if n is None:
                raise ValueError("n")
            reveal_type(n)  # tensor input
    """)


def test_a_default_put_in_place_of_none() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None):
            if m is None:
                m = torch.ones(3, dtype=torch.bool)
            reveal_type(m)  # tensor computed
    """)


def test_truth_of_an_optional() -> None:
    check("""
        def f(x: Tensor, names: Optional[list[str]] = None, scale: Optional[float] = None):
            if names:
                reveal_type(names)  # list[str]
            if not scale:
                reveal_type(scale)  # None | float
            else:
                reveal_type(scale)  # float
    """)


def test_isinstance() -> None:
    check("""
        def f(x: Tensor, y: Union[int, float, Tensor], thing):
            if isinstance(y, Tensor):
                reveal_type(y)  # tensor input
            elif isinstance(y, int):
                reveal_type(y)  # int
            else:
                reveal_type(y)  # float
            if isinstance(thing, (list, tuple)):
                reveal_type(thing)  # list[?] | tuple[?]
    """)


def test_isinstance_with_an_early_exit() -> None:
    check("""
        def f(x: Tensor, y: Union[Tensor, list[Tensor]]):
            if not isinstance(y, Tensor):
                y = torch.stack(y)
            reveal_type(y)  # tensor computed
            reveal_type(isinstance(y, torch.Tensor))  # True
            reveal_type(isinstance(y, (int, str)))  # False
    """)


def test_isinstance_of_an_unknown_makes_it_one() -> None:
    check("""
        class Cache:
            pass

        def f(x: Tensor, n, thing):
            if torch.is_tensor(n):
                reveal_type(n)  # tensor input
            elif isinstance(n, np.ndarray):
                reveal_type(n)  # array input
            if isinstance(thing, Cache):
                reveal_type(thing)  # object Cache
            reveal_type(thing)  # ? | object Cache
    """)


def test_isinstance_or_isinstance() -> None:
    check("""
        def f(x: Tensor, n: Union[int, str, Tensor, None]):
            if isinstance(n, int) or isinstance(n, str):
                reveal_type(n)  # int | str
            if n is None or isinstance(n, Tensor):
                return
            reveal_type(n)  # int | str
    """)


def test_classes_of_the_program() -> None:
    check("""
        class Base: ...
        class Left(Base): ...
        class Right(Base): ...

        def f(x: Tensor, n: Union[Left, Right]):
            if isinstance(n, Left):
                reveal_type(n)  # object Left
            else:
                reveal_type(n)  # object Right
            reveal_type(isinstance(n, Base))  # True
            reveal_type(issubclass(Left, Base))  # True
            reveal_type(issubclass(Base, Left))  # bool
    """)


def test_an_instance_where_a_class_is_asked_for_decides_nothing() -> None:
    check("""
        class Base: ...

        def f(x: Tensor, n: int, cls: Base):  # annotated as people do who mean the class
            reveal_type(issubclass(n, Base))  # bool
            reveal_type(issubclass(cls, Base))  # bool
    """)


def test_and_narrows_what_stands_behind_it() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None):
            m is not None and reveal_type(m)  # tensor input
            m is None or reveal_type(m)  # tensor input
            y = reveal_type(m) if m is not None else x  # tensor input
    """)


def test_and_or_of_several_tests() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor], n: Optional[Tensor]):
            if m is not None and n is not None:
                reveal_type(m)  # tensor input
                reveal_type(n)  # tensor input
            if m is None or n is None:
                return
            reveal_type(m)  # tensor input
            reveal_type(n)  # tensor input
    """)


def test_not_turns_a_test_around() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor]):
            if not (m is None):
                reveal_type(m)  # tensor input
            if not m is None:
                reveal_type(m)  # tensor input
            if None is not m:
                reveal_type(m)  # tensor input
    """)


def test_the_walrus_is_narrowed_too() -> None:
    check("""
        def pick(x: Tensor, n: int) -> Optional[Tensor]:
            return x if n else None

        def f(x: Tensor, n: int):
            if (y := pick(x, n)) is not None:
                reveal_type(y)  # tensor input
            reveal_type(y)  # None | tensor input
    """)


def test_attributes_of_self_are_narrowed_until_they_are_written() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, bias):
                super().__init__()
                self.bias = nn.Parameter(torch.zeros(2)) if bias else None

            def forward(self, x):
                reveal_type(self.bias)  # None | tensor float 1-d parameter
                if self.bias is not None:
                    reveal_type(self.bias)  # tensor float 1-d parameter
                    self.bias = None
                    reveal_type(self.bias)  # None
    """)


def test_items_of_a_dict_under_a_constant_key() -> None:
    check("""
        def f(x: Tensor, batch: Dict[str, Optional[Tensor]]):
            if batch["mask"] is not None:
                reveal_type(batch["mask"])  # tensor input
            reveal_type(batch["mask"])  # None | tensor input
    """)


def test_hasattr_and_callable() -> None:
    check("""
        def f(x: Tensor, n: Optional[Tensor], act):
            if hasattr(n, "shape"):
                reveal_type(n)  # tensor input
            if callable(n):
                reveal_type(n)  # not reached
    """)


def test_rank() -> None:
    check("""
        def f(x: Tensor, y: Tensor, z: Tensor):
            if x.ndim == 2:
                reveal_type(x)  # tensor 2-d input
            if y.dim() == 1:
                reveal_type(y)  # tensor 1-d input
            if len(z.shape) == 0:
                reveal_type(z)  # tensor 0-d input
            if x.dim() != 3:
                return
            reveal_type(x)  # tensor 3-d input
    """)


def test_dtype() -> None:
    check("""
        def f(x: Tensor, y: Optional[Tensor] = None):
            if x.dtype == torch.bool:
                reveal_type(x)  # tensor bool input
            else:
                reveal_type(x)  # tensor input
            if y is not None and y.dtype == torch.long:
                reveal_type(y)  # tensor int input
    """)


def test_assert_narrows() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None, n: Union[int, Tensor] = 0):
            assert m is not None
            reveal_type(m)  # tensor input
            assert isinstance(n, int), "an int"
            reveal_type(n)  # int
    """)


def test_while_narrows() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None):
            while m is None:
                reveal_type(m)  # None
                m = x
            reveal_type(m)  # tensor input
    """)


def test_both_arms_that_exclude_each_other_leave_nothing() -> None:
    check("""
        def f(x: Tensor):
            if x is None:
                reveal_type(x)  # not reached
            if not isinstance(x, torch.Tensor):
                reveal_type(x)  # not reached
            if isinstance(x, (list, tuple)):
                reveal_type(x)  # not reached
    """)


def test_a_flag_of_self_is_known_by_type_only() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.causal = False

            def forward(self, x):
                reveal_type(self.causal)  # bool
                if self.causal:
                    reveal_type(x)  # tensor input likely
    """)


def test_a_guess_by_name_yields_to_a_test() -> None:
    check("""
        def f(x: Tensor, image):
            if isinstance(image, (list, tuple)):
                reveal_type(image)  # list[?] | tuple[?]
    """)


def test_nothing_is_evaluated_behind_a_test_that_leaves_nothing() -> None:
    """While a recursion has no result yet, a test of that result leaves no value; what other statements say stands."""
    check("""
        def walk(x: Tensor, kind, other):
            if other is None:
                return x
            inner = walk(x, kind, other)
            if isinstance(inner, kind) or isinstance(inner, other):
                return x
            reveal_type(x)  # tensor input
            return inner

        def f(x: Tensor, kind, other):
            y = walk(x, kind, other)
            reveal_type(x)  # tensor input
            return y
    """)


def test_behind_is_none_nothing_is_left_of_what_cannot_be_none() -> None:
    check("""
        def f(x: Tensor, y: Optional[Tensor]):
            if x is None:
                reveal_type(x)  # not reached
            if y is None:
                reveal_type(y)  # None
            if x == None:
                reveal_type(x)  # not reached
    """)


def test_what_is_always_true_is_not_left_where_a_test_failed() -> None:
    check("""
        def half(x):
            return x / 2

        class Table:
            pass

        def f(x: Tensor, k: int):
            step = half if k else None
            made = Table if k else None
            if not step:
                reveal_type(step)  # None
            else:
                reveal_type(step)  # function half
            if not made:
                reveal_type(made)  # None
    """)
