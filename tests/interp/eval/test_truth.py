"""Truth tests as jumps: one event an operand, with what Dynamo does there and how sure we are."""

from __future__ import annotations

from compilelint.events import DynamoConfig
from tests.support.worker_messages import check


def test_each_kind_of_jump() -> None:
    check("""
        def f(x: Tensor):
            if x.sum() > 0:  # branch if
                x = x + 1
            elif x.any():  # branch elif
                x = x - 1
            while x.sum() < 3:  # branch while in while
                x = x * 2
            y = 1 if x.all() else 2  # branch if-expression
            return y
    """)


def test_jumps_on_an_input_and_on_the_data_of_a_parameter() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.gate = nn.Parameter(torch.zeros(1))

            def forward(self, x: Tensor):
                if self.gate:  # branch if
                    return x
                if x:  # branch if
                    return None
    """)


def test_every_operand_of_and_or_not_is_a_jump_of_its_own() -> None:
    check("""
        def f(x: Tensor, y: Tensor, flag: bool):
            if (
                x.any()  # branch if
                and y.any()  # branch if
                and not x.all()  # branch if
            ):
                pass
            if flag or x.any():  # branch if
                pass
            if not x.any():  # branch if
                pass
    """)


def test_and_or_as_values_test_all_operands_but_the_last() -> None:
    check("""
        def f(x: Tensor, y: Tensor, flag: bool):
            a = x and y  # branch and
            b = flag and x
            c = x or None  # branch or
            d = not x  # branch not
    """)


def test_a_chained_comparison_jumps_between_its_links() -> None:
    check("""
        def f(x: Tensor, n: int):
            a = 0 < x < 1  # branch comparison
            b = 0 < n < 3
            if 0 < x.sum() < 1:  # branch comparison; branch if
                pass
    """)


def test_a_comparison_as_a_value_is_no_jump() -> None:
    check("""
        def f(x: Tensor, y: Tensor):
            mask = (x > 0) & (y > 0) | ~(x == y)
            z = torch.where(mask, x, y)
            return z.masked_fill(mask, 0.0)
    """)


def test_what_dynamo_decides_while_tracing_is_no_jump_on_data() -> None:
    check("""
        def f(x: Tensor, m: Optional[Tensor] = None, n: int = 0):
            if m is None or x is not None:
                pass
            if x.shape[0] > 2 or x.ndim == 3 or len(x) or x.numel():
                pass
            if x.dtype == torch.bool or x.device.type == "cuda" or x.is_cuda or x.requires_grad:
                pass
            if isinstance(x, Tensor) and torch.is_tensor(x) and x.is_floating_point():
                pass
            if n and x.dim() and x.size(0):
                pass
    """)


def test_filters_of_comprehensions() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor]):
            a = [t for t in xs if t.any()]  # branch comprehension in comprehension
            b = [t for t in xs if t is not None]
            c = [t if t.any() else None for t in xs]  # branch if-expression in comprehension
    """)


def test_a_lambda_is_judged_where_its_body_stands() -> None:
    check("""
        def apply(function, x):
            return function(x)

        def f(x: Tensor):
            return apply(
                lambda t: 1 if t.any() else 2,  # branch if-expression
                x,
            )
    """)


def test_asserts() -> None:
    check("""
        def f(x: Tensor, y: Tensor):
            assert x.all(), "constant text becomes part of the graph"  # branch assert traces
            assert x.all()  # branch assert traces
            assert x.all(), f"text made of {x}"  # branch assert
            assert x.all() and y.all(), "two jumps"  # branch assert
            assert x.shape[0] == 2, "a size"
            assert x is not None
            assert isinstance(x, Tensor), "known"
    """)


def test_a_union_fires_at_likely() -> None:
    check("""
        def pick(x, flag: bool):
            return x if flag else False

        def f(x: Tensor, flag: bool, m: Optional[Tensor] = None):
            if pick(x, flag):  # branch if likely
                pass
            if m.any():  # branch if likely
                pass
            if m is not None and m.any():  # branch if
                pass
    """)


def test_a_tensor_by_name_alone_is_possible() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, x):
                if x.any():  # branch if likely
                    pass

        def helper(t: Tensor, mask):
            if mask > 0:  # branch if possible
                pass
    """)


def test_a_test_for_half_precision_lowers_what_stands_behind_it() -> None:
    check("""
        def f(x: Tensor):
            if x.dtype == torch.float16 and torch.isinf(x).any():  # branch if possible
                pass
            if x.dtype in (torch.float16, torch.bfloat16) and x.any():  # branch if possible
                pass
            if x.dtype == torch.float32 and x.any():  # branch if
                pass
    """)


def test_unknown_values_are_silent() -> None:
    check("""
        import config

        def f(x: Tensor, thing, *rest, **options):
            if config.flag or config.load():
                pass
            if thing > 0 or options.get("a") or rest:
                pass
            while thing:
                thing = thing.next
    """)


def test_numbers_read_from_data_are_plain_behind_the_read() -> None:
    check("""
        def f(x: Tensor):
            n = x.sum().item()  # call torch.Tensor.item
            if n > 3:
                pass
            total = int(x.max())  # call builtins.int
            while total > 0:
                total -= 1
    """)


def test_random_numbers_of_python_cannot_be_branched_on() -> None:
    check("""
        def f(x: Tensor):
            if random.uniform(0, 1) > 0.5:  # branch if
                pass
            y = x * random.uniform(0, 1)
    """)


def test_bool_of_an_object_is_its_own_method() -> None:
    check("""
        class Flag:
            def __init__(self, x):
                self.x = x

            def __bool__(self):
                return True

        def f(x: Tensor):
            if Flag(x):
                pass
    """)


def test_match_on_a_tensor_compares_data() -> None:
    check("""
        def f(x: Tensor, n: int):
            match x.sum():
                case 1:  # branch match
                    pass
            match n:
                case 1:
                    pass
    """)


def test_min_and_max_with_a_tensor_break_only_at_the_branch() -> None:
    check("""
        def f(x: Tensor, n: int):
            t = x.sum()
            m = min(t, 7)
            if m <= 0:  # branch if
                pass
            if max(n, 7) > 3:
                pass
    """)


def test_dead_branches_are_silent() -> None:
    check("""
        def is_tracing():
            try:
                import torch
                return torch.compiler.is_compiling()
            except ImportError:
                return False

        def f(x: Tensor):
            if not torch.compiler.is_compiling() and x.any():
                pass
            if torch.jit.is_scripting():
                if x.any():
                    pass
            if not is_tracing():
                x.item()
            if x is None and x.any():
                pass
            return x
            if x.any():
                pass
    """)


def test_one_side_of_a_folded_test_is_left() -> None:
    check("""
        def f(x: Tensor):
            if isinstance(x, (list, tuple)) and x[0].any():
                pass
            if isinstance(x, Tensor) and x.any():  # branch if
                pass
    """)


def test_two_training_modes_do_not_mix() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, x: Tensor):
                scale = x.sum() if self.training else 1
                if self.training:
                    return x * scale
                if scale > 0:
                    return x
    """)


def test_one_question_for_the_mode_follows_both_arms() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, x: Tensor):
                if self.training and x.any():  # branch if
                    return x
    """)


def test_a_branch_under_fullgraph_and_export_still_breaks() -> None:
    source = """
        def f(x: Tensor):
            if x.any():  # branch if
                pass
    """
    check(source, config=DynamoConfig(fullgraph=True))
    check(source, config=DynamoConfig(fullgraph=True, export=True))
