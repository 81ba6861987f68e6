"""Host reads, calls that end a graph, indices that must be read, and where a break leaves the frame."""

from __future__ import annotations

from compilelint.events import DynamoConfig
from compilelint.torchfacts import Capture
from tests.support.worker_messages import check

SCALARS = DynamoConfig(captures=frozenset({Capture.SCALAR}))
SHAPES = DynamoConfig(captures=frozenset({Capture.SCALAR, Capture.DYNAMIC_SHAPE}))


# ------------------------------------------------------------------------- reads


def test_reading_data() -> None:
    check("""
        def f(x: Tensor):
            a = x.item()  # call torch.Tensor.item
            b = x.tolist()  # call torch.Tensor.tolist
            c = float(x)  # call builtins.float
            d = int(x)  # call builtins.int
            e = bool(x)  # call builtins.bool
            g = x.float(), x.int(), x.bool(), x.long()
    """)


def test_conversions_of_what_is_no_tensor_are_silent() -> None:
    check("""
        import config

        def f(x: Tensor, n: int, thing):
            int(n), float(x.shape[0]), int(config.size), float(thing), bool([x]), int("3")
            int(x.numel() / 2), float(math.sqrt(x.size(0)))
    """)


def test_capturing_scalars_keeps_the_read_and_moves_the_break() -> None:
    check(
        """
        def f(x: Tensor):
            n = x.sum().item()
            y = torch.zeros(n)
            if n > 3:  # branch if
                pass
        """,
        config=SCALARS,
    )


def test_fullgraph_reads_without_a_break() -> None:
    check(
        """
        def f(x: Tensor):
            return x.sum().item()
        """,
        config=DynamoConfig(fullgraph=True),
    )


def test_data_dependent_shapes() -> None:
    check("""
        def f(x: Tensor, m: torch.BoolTensor):
            a = x.nonzero()  # call torch.Tensor.nonzero
            b = torch.masked_select(x, m)  # call torch.masked_select
            c = torch.unique(x)  # call torch.unique
            d = torch.where(m)  # call torch.where
            e = torch.where(m, x, 0.0)
            g = x.repeat_interleave(2)
            h = x.repeat_interleave(m.long(), output_size=9)
            i = torch.repeat_interleave(x, m.long())  # call torch.repeat_interleave
    """)


def test_capturing_shapes_keeps_them_in_the_graph() -> None:
    check(
        """
        def f(x: Tensor, m: torch.BoolTensor):
            a = x.nonzero()
            b = torch.masked_select(x, m)
            c = x[m]  # index load x[mask] traces
        """,
        config=SHAPES,
    )


def test_what_follows_a_dynamic_shape_is_concrete() -> None:
    check("""
        def f(x: Tensor):
            found = x.nonzero()  # call torch.Tensor.nonzero
            if len(found) > 0 and found.shape[0] > 1:
                pass
            if found.numel() == 0:
                pass
    """)


def test_tensor_only_methods_select_the_tensor_arm() -> None:
    check("""
        import config

        def f(x: Tensor, n: Union[int, Tensor], m: Optional[Tensor] = None):
            m.item()  # call torch.Tensor.item likely
            n.item()  # call torch.Tensor.item likely
            config.load().item()  # call torch.Tensor.item likely
    """)


def test_library_calls_that_dynamo_skips() -> None:
    check("""
        import time, warnings

        logger = logging.getLogger(__name__)

        def f(x: Tensor):
            print(x)  # call builtins.print
            logger.info("x")  # call logging.Logger.info
            logger.warning_once("x")  # call logging.Logger.warning_once
            time.sleep(1)  # call time.sleep
    """)


def test_text_made_of_tensors() -> None:
    check("""
        def f(x: Tensor, n: int):
            a = f"{x}"
            b = "%s" % x  # syntax % of tensor
            c = f"{n} {x.shape}"
            d = "%d" % n
    """)


def test_membership_and_sorting() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor], names: list[str]):
            b = "a" in names
            c = sorted(xs)  # call builtins.sorted
            d = sorted(xs, key=lambda t: t.shape[0])
            e = sorted(names)
            g = any(t.any() for t in xs)  # call builtins.any
            a = 3 in x  # syntax value in tensor
    """)


# ------------------------------------------------------------------------- index


def test_a_mask_breaks_as_a_load_not_as_a_store() -> None:
    check("""
        def f(x: Tensor, m: torch.BoolTensor, i: torch.LongTensor):
            a = x[m]  # index load x[mask]
            b = x[x > 0]  # index load x[mask]
            c = x[:, m]  # index load x[mask]
            x[m] = 0.0  # index store traces
            x[m] = x  # index store traces
            d = x[i]
            e = x[i, 0]
            x[m] += 1  # index load x[mask]; index store traces
    """)


def test_a_computed_0d_index_is_read_an_input_is_not() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("step", torch.tensor(0))

            def forward(self, x: Tensor, i: torch.LongTensor):
                a = x[i]
                b = x[self.step]
                c = x[self.step + 1]  # index load x[scalar tensor]
                d = x[i.argmax()]  # index load x[scalar tensor]
                e = x[torch.tensor(3)]
    """)


def test_behind_a_break_a_computed_index_is_an_input() -> None:
    check("""
        def f(x: Tensor):
            i = x.argmax()
            print("break")  # call builtins.print
            a = x[i]
            b = x[i + 1]  # index load x[scalar tensor]
    """)


def test_slices_by_tensors() -> None:
    check("""
        def f(x: Tensor, n: int):
            k = x.argmax()
            b = x[:n]
            c = x[: x.shape[0] // 2]
            x[:n] = 0  # index store traces
            d = x[:, None, ..., 0]
            a = x[:k]  # index load x[:n tensor]
    """)


def test_lists_indexed_by_tensors() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor]):
            a = xs[x.argmax()]  # index load list[scalar tensor]
            b = range(9)[x.argmax()]  # index load range[scalar tensor]
            c = xs[0]
    """)


def test_sizes_and_bounds() -> None:
    check("""
        def f(x: Tensor, i: torch.LongTensor):
            n = i.max()
            a = torch.arange(n)  # call torch.arange
            b = torch.zeros(x.shape[0], 2)
            c = torch.zeros(i.sum(), 2)  # call torch.zeros
            d = x.view(-1, 2)
            e = torch.full((2,), i.sum())
    """)


# -------------------------------------------------------- where a break leaves the frame


def test_blocks_around_a_break() -> None:
    check("""
        class Timer:
            def __enter__(self): ...
            def __exit__(self, *error): ...

        def f(x: Tensor, xs: list[Tensor], flag: bool):
            if flag:
                if x.any():  # branch if
                    pass
            with torch.no_grad():
                if x.any():  # branch if
                    pass
            for t in xs:
                if t.any():  # branch if in for
                    pass

        def g(x: Tensor):
            try:
                x.item()  # call torch.Tensor.item in try
            except RuntimeError:
                x.tolist()  # call torch.Tensor.tolist in except skipped
            with Timer():
                x.item()  # call torch.Tensor.item in with skipped
    """)


def test_behind_a_certain_break_in_a_block_the_frame_is_skipped() -> None:
    check("""
        class Timer:
            def __enter__(self): ...
            def __exit__(self, *error): ...

        def f(x: Tensor):
            with Timer():
                y = x.sum().item()  # call torch.Tensor.item in with
                z = x.max().item()  # call torch.Tensor.item in with skipped
            if x.any():  # branch if skipped
                pass
    """)


def test_who_loops_has_something_to_loop_over() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor]):
            for t in xs:
                a = t.item()  # call torch.Tensor.item in for
                b = t.tolist()  # call torch.Tensor.tolist in for skipped
            if x.any():  # branch if skipped
                pass

        def g(x: Tensor, n: int):
            while n > 0:
                n = n - int(x.item())  # call torch.Tensor.item in while
            if x.any():  # branch if
                pass
    """)


def test_a_break_that_is_likely_skips_the_frame_and_a_possible_one_does_not() -> None:
    check("""
        def f(x: Tensor, n: Union[int, Tensor]):
            for _ in range(1):
                n.item()  # call torch.Tensor.item likely in for
            x.item()  # call torch.Tensor.item skipped

        def g(x: Tensor):
            for _ in range(1):
                if x.dtype == torch.float16 and x.any():  # branch if possible in for
                    pass
            x.item()  # call torch.Tensor.item
    """)


def test_a_manager_that_dynamo_cannot_enter() -> None:
    check("""
        import threading

        LOCK = threading.Lock()

        def f(x: Tensor):
            with LOCK:  # enter threading.Lock
                y = x + 1
            x.item()  # call torch.Tensor.item skipped
    """)


# ---------------------------------------------------------------------- who is charged


def test_a_break_is_charged_where_it_happens_in_a_linted_file() -> None:
    check(
        {
            "app.py": """
            from ops import check

            def f(x: Tensor):
                check(x)
        """,
            "ops.py": """
            def check(x):
                if x.any():  # branch if
                    raise ValueError
        """,
        }
    )


def test_a_break_in_a_file_that_is_not_linted_is_charged_to_the_call() -> None:
    check(
        {
            "app.py": """
                from lib.ops import check, outer

                def f(x: Tensor):
                    check(x)  # branch if inside lib/ops.py:2
                    outer(x)  # branch if inside lib/ops.py:2
            """,
            "lib/__init__.py": "",
            "lib/ops.py": """
                def check(x):
                    if x.any():
                        raise ValueError

                def outer(x):
                    check(x)
            """,
        },
        unlinted=("lib",),
    )


def test_a_known_summary_charges_every_caller() -> None:
    check(
        {
            "app.py": """
                from lib import check

                def f(x: Tensor):
                    check(x)  # call torch.Tensor.item inside lib.py:2

                def g(x: Tensor):
                    for _ in range(2):
                        check(x)  # call torch.Tensor.item in for inside lib.py:2
            """,
            "lib.py": """
                def check(x):
                    x.item()
            """,
        },
        unlinted=("lib",),
    )


def test_a_helper_that_logs_while_running_eagerly_only() -> None:
    check("""
        def warn(text):
            if not torch.compiler.is_compiling():
                print(text)

        def f(x: Tensor):
            warn("x")
    """)


def test_a_function_under_disable_ends_the_graph_at_its_call() -> None:
    check("""
        @torch.compiler.disable
        def outside(x):
            return x.item()

        def f(x: Tensor):
            outside(x)  # call torch.compiler.disable
    """)


def test_a_constructor_is_code_only_where_it_runs_in_the_region() -> None:
    check("""
        class Loss:
            def __init__(self, x):
                self.scale = x.item()  # call torch.Tensor.item

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.n = torch.zeros(3).sum().item()

            def forward(self, x: Tensor):
                return Loss(x)
    """)


def test_a_property_a_wrapper_and_a_callback_are_code_too() -> None:
    check("""
        def logged(function):
            def wrapper(self, x):
                print("before")  # call builtins.print
                return function(self, x)
            return wrapper

        class Net(nn.Module):
            @property
            def size(self):
                return torch.zeros(3).sum().item()  # call torch.Tensor.item

            @logged
            def step(self, x):
                x.item()  # call torch.Tensor.item

            def forward(self, x: Tensor):
                self.size
                self.step(x)
                list(map(lambda t: t.tolist(), [x]))  # call torch.Tensor.tolist
    """)


def test_numbers_that_go_through_numpy() -> None:
    """Element by element a float is folded; whole numbers and reductions are arrays, whose data must be read."""
    check("""
        def f(x: Tensor, n: int, unknown):
            a = int(np.ceil(n / 2))
            b = float(np.sqrt(x.shape[0]))
            c = int(np.ceil(n))  # call builtins.int likely
            d = int(np.prod(x.shape))  # call builtins.int likely
            e = int(np.floor(unknown))  # call builtins.int possible
            g = x.view(int(np.round(2.6)), -1)
    """)


def test_an_iterator_that_a_call_made_is_advanced() -> None:
    check("""
        def f(x: Tensor, given, owner):
            a = next(owner.rows())
            made = owner.rows()
            b = next(made)
            c = next(given)  # syntax next(iterator from outside) likely
            d = next(owner.held)  # syntax next(iterator from outside) likely
    """)


def test_what_only_prepares_an_error_is_possible() -> None:
    check("""
        def f(x: Tensor, bad: bool):
            if x.isnan().any():  # branch if
                found = x.sum().item()  # call torch.Tensor.item possible
                raise ValueError(f"{found} is not finite")
            if bad:
                found = x.sum().item()  # call torch.Tensor.item
    """)


def test_an_object_with_operators_of_its_own_meets_a_tensor() -> None:
    check("""
        class Scale:
            def __init__(self, v):
                self.v = v

            def __mul__(self, other):
                return other * self.v

            __rmul__ = __mul__

        class Plain: ...

        def f(x: Tensor):
            return x * (Scale(2) * 3)

        def g(x: Tensor):
            return x * Plain()

        def h(x: Tensor):
            return Scale(2) * x  # syntax tensor * Scale object
    """)


def test_what_dynamo_does_not_know_of_arrays() -> None:
    check("""
        def f(x: Tensor):
            a = x.numpy()
            return a.T.reshape(-1).copy(), a.nbytes, a.shape, a.ndim

        def g(x: Tensor):
            return x.numpy().flags  # attribute numpy.ndarray.flags

        def h(x: Tensor):
            return x.numpy().tobytes()  # call numpy.ndarray.tobytes
    """)
