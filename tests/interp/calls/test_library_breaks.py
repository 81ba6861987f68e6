"""Calls that read data or end a graph: conversions, dynamic shapes, skipped functions, texts, sorting, NumPy."""

from __future__ import annotations

from compilelint.events import DynamoConfig
from compilelint.torchfacts import Capture
from tests.support.worker_messages import check

SCALARS = DynamoConfig(captures=frozenset({Capture.SCALAR}))
SHAPES = DynamoConfig(captures=frozenset({Capture.SCALAR, Capture.DYNAMIC_SHAPE}))


# ------------------------------------------------------------------------- reads


def test_reading_data() -> None:
    check("""
        import operator

        def f(x: Tensor):
            a = x.item()  # call torch.Tensor.item
            b = x.tolist()  # call torch.Tensor.tolist
            c = float(x)  # call builtins.float
            d = int(x)  # call builtins.int
            i = operator.index(x)  # call operator.index
            j = operator.index(3)
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


def test_in_place_views_of_what_the_graph_is_given() -> None:
    check("""
        TABLE = torch.ones(3, 4)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("kept", torch.ones(3, 4))
                self.hidden = torch.ones(3, 4)

            def forward(self, x: Tensor):
                self.kept.detach_()  # call torch.Tensor.detach_
                self.hidden.t_()  # call torch.Tensor.t_
                return x

        def f(x: Tensor):
            x.detach_()  # call torch.Tensor.detach_
            TABLE.unsqueeze_(0)  # call torch.Tensor.unsqueeze_
            return x

        def g(x: Tensor):
            y = x.clone()
            y.detach_()
            y.t_()
            print("b")  # call builtins.print
            y.t_()  # call torch.Tensor.t_
            return y
    """)


def test_the_data_of_what_is_computed_is_not_exchanged() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))

            def forward(self, x: Tensor):
                self.weight.data = self.weight.data * 2
                x.data = torch.ones(4)
                y = x + 1
                y.data = x  # attribute torch.Tensor.data
                return y
    """)


def test_functions_that_are_skipped_by_name() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint_sequential

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.chain = nn.Sequential(nn.ReLU(), nn.ReLU())

            def forward(self, x: Tensor):
                y = checkpoint_sequential(self.chain, 2, x)  # call torch.utils.checkpoint.checkpoint_sequential
                traced = torch.jit.trace(lambda t: t + 1, x)  # call torch.jit.trace
                return y if torch.jit.isinstance(x, Tensor) else x  # call torch.jit.isinstance
    """)


def test_nothing_is_found_in_an_empty_list_and_nothing_compared() -> None:
    check("""
        def f(x: Tensor):
            if x.sum() in []:
                return x
            if x.sum() in [1, 2]:  # branch if
                return -x
            return x + 1
    """)


def test_tensors_taken_from_one_tuple_are_several() -> None:
    check("""
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                return a * b

            @staticmethod
            def backward(ctx, g):
                return g, g

        def f(pair: tuple[Tensor, ...], x: Tensor):
            a, b = pair
            Product.apply(pair[0], pair[1])
            Product.apply(a, b)
            return Product.apply(x, x)  # call torch.autograd.Function.apply
    """)


def test_a_tensor_becomes_one_of_a_class_of_the_program() -> None:
    check("""
        class Plain(torch.Tensor):
            pass

        class Dispatches(torch.Tensor):
            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        def f(x: Tensor):
            y = x.as_subclass(Plain) * 2
            z = x.as_subclass(Dispatches)  # call torch.Tensor.as_subclass
            return y + z.as_subclass(torch.Tensor)  # call torch.Tensor.as_subclass
    """)


def test_the_flag_of_something_unknown_is_a_tensors_flag() -> None:
    check("""
        def f(x: Tensor, batch, thing):
            batch[0].requires_grad = False  # attribute torch.Tensor.requires_grad likely
            thing.training = False
    """)


def test_functions_of_the_parts_of_torch_that_dynamo_keeps_out_of() -> None:
    check("""
        from torch._dynamo.testing import unsupported
        from torch._inductor.utils import ceildiv

        def f(x: Tensor):
            x = unsupported(x, x)  # call torch._dynamo.testing.unsupported
            n = ceildiv(7, 2)  # call torch._inductor.utils.ceildiv
            torch._dynamo.mark_static(x)
            return x * n
    """)


def test_methods_of_random_generators() -> None:
    check("""
        def f(x: Tensor):
            state = torch.default_generator.get_state()  # call torch.default_generator.get_state
            return x, state

        def g(x: Tensor):
            made = torch.Generator()  # call torch.Generator
            made.manual_seed(3)  # call torch.Generator.manual_seed
            return x
    """)


def test_torch_compile_without_its_function_in_the_region() -> None:
    check("""
        def f(x: Tensor):
            plain = torch.compile(torch.relu)
            chosen = torch.compile(torch.relu, dynamic=True)
            late = torch.compile(dynamic=True)(torch.relu)  # call torch.compile
            return chosen(plain(late(x)))
    """)


def test_mark_dirty_of_what_is_returned_under_its_name_and_of_what_is_not() -> None:
    check("""
        class Returned(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)  # call torch.autograd.function.FunctionCtx.mark_dirty possible
                x.add_(1)
                return x

            @staticmethod
            def backward(ctx, grad):
                return grad

        class Result(Returned):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)  # call torch.autograd.function.FunctionCtx.mark_dirty
                return x.add_(1)

        def f(x: Tensor):
            a = Returned.apply(x * 2)  # call torch.autograd.Function.apply possible
            return a, Result.apply(x * 2)  # call torch.autograd.Function.apply
    """)


def test_a_function_of_scipy_is_one_break_whatever_is_done_with_its_result() -> None:
    check("""
        from scipy.optimize import linear_sum_assignment

        def f(cost: Tensor):
            i, j = linear_sum_assignment(cost.numpy())  # call scipy.optimize.linear_sum_assignment
            return torch.as_tensor(i)[j], cost[i, j].sum(), len(i)
    """)
