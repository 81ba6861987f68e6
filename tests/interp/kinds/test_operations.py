"""What the interpreter believes of results: rank, dtype, and where a tensor comes from as Dynamo sees it."""

from __future__ import annotations

from compilelint.events import DynamoConfig
from compilelint.torchfacts import Capture
from tests.support.reveal import check


def test_reductions_without_a_dimension_are_0d() -> None:
    check("""
        def f(x: torch.LongTensor, m: torch.BoolTensor):
            reveal_type(x.sum())  # tensor int 0-d computed
            reveal_type(torch.mean(x.float()))  # tensor float 0-d computed
            reveal_type(m.sum())  # tensor int 0-d computed
            reveal_type(m.any())  # tensor bool 0-d computed
            reveal_type(x.argmax())  # tensor int 0-d computed
            reveal_type(x.max())  # tensor int 0-d computed
            reveal_type(x.norm())  # tensor float 0-d computed
    """)


def test_reductions_along_a_dimension() -> None:
    check("""
        def f(t: Tensor):
            x = torch.zeros(2, 3, 4)
            reveal_type(x.sum(-1))  # tensor float 2-d computed
            reveal_type(x.mean(dim=(1, 2)))  # tensor float 1-d computed
            reveal_type(x.sum(dim=1, keepdim=True))  # tensor float 3-d computed
            reveal_type(x.all(dim=1))  # tensor bool 2-d computed
            reveal_type(x.max(dim=1))  # tuple(tensor float 2-d computed, tensor int 2-d computed)
            reveal_type(torch.topk(x, 2)[1])  # tensor int 3-d computed
            reveal_type(t.sum(dim=1))  # tensor computed
    """)


def test_comparisons_are_masks() -> None:
    check("""
        def f(x: Tensor, y: Tensor, i: torch.LongTensor):
            reveal_type(x > 0)  # tensor bool computed
            reveal_type(x == y)  # tensor bool computed
            reveal_type(torch.isnan(x))  # tensor bool computed
            reveal_type((x > 0) & (y < 1))  # tensor bool computed
            reveal_type(~(x > 0))  # tensor bool computed
            reveal_type(torch.logical_not(i))  # tensor bool computed
            reveal_type(x.bool())  # tensor bool computed
            reveal_type((i > 0).long())  # tensor int computed
            reveal_type((i > 0).sum(-1))  # tensor int computed
    """)


def test_comparison_with_none_or_text_looks_at_no_data() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(x == None)  # bool
            reveal_type(x is None)  # False
            reveal_type(x is not None)  # True
            reveal_type(x == "auto")  # bool
    """)


def test_arithmetic_promotes() -> None:
    check("""
        def f(i: torch.LongTensor, m: torch.BoolTensor, t: Tensor):
            x = torch.rand(2)
            reveal_type(i + 1)  # tensor int computed
            reveal_type(i * 0.5)  # tensor float computed
            reveal_type(i / 2)  # tensor float computed
            reveal_type(i + x)  # tensor float computed
            reveal_type(x + x)  # tensor float 1-d computed
            reveal_type(m + m)  # tensor bool computed
            reveal_type(t + 1)  # tensor computed
            reveal_type(2 ** t)  # tensor computed
            reveal_type(-i)  # tensor int computed
    """)


def test_shapes_are_sizes_and_ranks_are_known_where_the_rank_is() -> None:
    check("""
        def f(x: Tensor):
            y = torch.zeros(2, 3)
            reveal_type(x.shape)  # tuple[int shape]
            reveal_type(x.shape[0])  # int shape
            reveal_type(y.shape)  # tuple(int shape, int shape)
            reveal_type(x.size(0) * 2)  # int shape
            reveal_type(x.numel() // 2)  # int shape
            reveal_type(x.shape[0] / 2)  # float shape
            reveal_type(x.shape[0] > 2)  # bool shape
            reveal_type(y.ndim)  # 2
            reveal_type(y.dim() == 2)  # True
            reveal_type(x.ndim)  # int
            reveal_type(len(x))  # int shape
    """)


def test_dtype_and_device_are_known_while_tracing() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(x.dtype)  # instance torch.dtype
            reveal_type(x.is_cuda)  # bool
            reveal_type(x.is_floating_point())  # bool
            reveal_type(x.device.type == "cuda")  # bool
    """)


def test_casts_keep_the_shape() -> None:
    check("""
        def f(x: Tensor):
            y = torch.zeros(2, 3)
            reveal_type(y.to(torch.long))  # tensor int 2-d computed
            reveal_type(y.to("cuda"))  # tensor float 2-d computed contiguous cuda
            reveal_type(y.type(torch.bool))  # tensor bool 2-d computed
            reveal_type(y.to(dtype=torch.float16))  # tensor float 2-d computed
            reveal_type(y.half())  # tensor float 2-d computed
            reveal_type(y.int())  # tensor int 2-d computed
            reveal_type(y.to(x))  # tensor 2-d computed
    """)


def test_views_change_rank_and_layout() -> None:
    check("""
        def f(x: Tensor):
            y = torch.zeros(2, 3)
            reveal_type(y.unsqueeze(0))  # tensor float 3-d computed
            reveal_type(y.view(-1))  # tensor float 1-d computed
            reveal_type(y.reshape(1, 2, 3))  # tensor float 3-d computed
            reveal_type(y.t())  # tensor float 2-d computed permuted 1 0 cpu
            reveal_type(y.t() * 2)  # tensor float 2-d computed cpu
            reveal_type(y.t().exp())  # tensor float 2-d computed permuted 1 0 cpu
            reveal_type(y.t().t())  # tensor float 2-d computed contiguous cpu
            reveal_type(y.expand(4, 2, 3))  # tensor float 3-d computed expanded cpu
            reveal_type(x.transpose(0, 1))  # tensor computed strided
            reveal_type(y.t().contiguous())  # tensor float 2-d computed contiguous cpu
            reveal_type(y.flatten())  # tensor float 1-d computed
    """)


def test_indexing_takes_ranks_away() -> None:
    check("""
        def f(x: Tensor, i: int):
            y = torch.zeros(2, 3, 4)
            reveal_type(y[0])  # tensor float 2-d computed
            reveal_type(y[i, 0])  # tensor float 1-d computed
            reveal_type(y[0, 0, 0])  # tensor float 0-d computed
            reveal_type(y[:, 0])  # tensor float 2-d computed
            reveal_type(y[None])  # tensor float 4-d computed
            reveal_type(y[..., None])  # tensor float 4-d computed
            reveal_type(y[[0, 1]])  # tensor float computed
            reveal_type(x[0])  # tensor computed
    """)


def test_factories() -> None:
    check("""
        def f(x: torch.LongTensor, n: int):
            reveal_type(torch.zeros(n))  # tensor float 1-d computed
            reveal_type(torch.ones((2, 3), dtype=torch.bool))  # tensor bool 2-d computed
            reveal_type(torch.arange(n))  # tensor int 1-d computed
            reveal_type(torch.arange(0.0, 1.0))  # tensor float 1-d computed
            reveal_type(torch.randint(0, 9, (2, 3)))  # tensor int 2-d computed
            reveal_type(torch.zeros_like(x))  # tensor int computed
            reveal_type(torch.full((2,), 1.0))  # tensor float 1-d computed
            reveal_type(torch.zeros(2, device="cuda"))  # tensor float 1-d computed contiguous cuda
            reveal_type(x.new_zeros(2))  # tensor int 1-d computed
    """)


def test_tensors_from_python_numbers_are_literals() -> None:
    check("""
        def f(x: Tensor, n: int):
            reveal_type(torch.tensor(3))  # tensor int 0-d literal
            reveal_type(torch.tensor(n))  # tensor int 0-d literal
            reveal_type(torch.tensor([1.0, 2.0]))  # tensor float 1-d literal
            reveal_type(torch.tensor(3) + 1)  # tensor int 0-d computed
            reveal_type(torch.as_tensor(x))  # tensor computed
    """)


def test_data_dependent_shapes() -> None:
    check("""
        def f(t: Tensor, m: torch.BoolTensor):
            x = t.float()
            reveal_type(x.nonzero())  # tensor int 2-d input
            reveal_type(torch.nonzero(x, as_tuple=True))  # tuple[tensor int 1-d input]
            reveal_type(torch.where(m))  # tuple[tensor int 1-d input]
            reveal_type(torch.masked_select(x, m))  # tensor float 1-d input
            reveal_type(x[m])  # tensor float input
            reveal_type(torch.unique(x))  # tensor float 1-d input
            reveal_type(torch.where(m, x, 0.0))  # tensor float computed
    """)


def test_many_results() -> None:
    check("""
        def f(t: Tensor):
            x = t.float()
            reveal_type(x.chunk(2))  # tuple[tensor float computed]
            reveal_type(torch.split(x, 1)[0])  # tensor float computed
            values, indices = x.sort()
            reveal_type(indices)  # tensor int computed
            reveal_type(torch.zeros(2, 3).unbind())  # tuple[tensor float 1-d computed]
            reveal_type(torch.stack([x, x]))  # tensor float computed
            reveal_type(torch.cat([x, x]).sum())  # tensor float 0-d computed
    """)


def test_losses_are_0d() -> None:
    check("""
        def f(x: Tensor, y: Tensor):
            reveal_type(F.cross_entropy(x, y))  # tensor float 0-d computed
            reveal_type(F.mse_loss(x, y, reduction="none"))  # tensor float computed
    """)


def test_an_unlisted_method_of_tensors_still_returns_a_tensor() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(x.logcumsumexp(0))  # tensor computed
            reveal_type(x.no_such_method())  # ?
    """)


def test_builtins_over_numbers_and_tensors() -> None:
    check("""
        def f(t: Tensor, n: int):
            x = t.float()
            reveal_type(max(n, 3))  # int
            reveal_type(min(x.sum(), n))  # tensor float 0-d computed
            reveal_type(sum([x, x]))  # tensor float computed
            reveal_type(abs(x))  # tensor float computed
            reveal_type(sum([1, 2]))  # int
            reveal_type(max(x.shape[0], 2))  # int shape
            reveal_type(math.sqrt(x.shape[0]))  # float shape
            reveal_type(math.ceil(2.5))  # int
    """)


# ---------------------------------------------------------------- sources and resume


def test_where_a_tensor_comes_from() -> None:
    check("""
        TABLE = torch.arange(10)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(2))
                self.register_buffer("steps", torch.tensor(0))

            def forward(self, x):
                reveal_type(self.weight)  # tensor float 1-d parameter
                reveal_type(self.steps)  # tensor int 0-d buffer
                reveal_type(self.steps + 1)  # tensor int 0-d computed
                reveal_type(TABLE)  # tensor int 1-d buffer
    """)


def test_behind_a_break_what_was_computed_is_an_input() -> None:
    check("""
        def f(x: torch.LongTensor):
            total = x.sum()
            held = [total]
            reveal_type(total)  # tensor int 0-d computed
            print(total)
            reveal_type(total)  # tensor int 0-d input
            reveal_type(held[0])  # tensor int 0-d input
            reveal_type(total + 1)  # tensor int 0-d computed
    """)


def test_a_record_is_resumed_with_its_fields() -> None:
    check("""
        @dataclass
        class Out:
            loss: Tensor

        def f(x: torch.LongTensor):
            out = Out(x.sum())
            print(x)
            reveal_type(out.loss)  # tensor int 0-d input
    """)


def test_what_is_read_from_data_is_a_plain_number_behind_the_read() -> None:
    check("""
        def f(x: torch.LongTensor):
            n = x.max().item()
            reveal_type(n)  # int
            reveal_type(n > 3)  # bool
            reveal_type(x.tolist())  # list[int]
            reveal_type(int(x.sum()))  # int
            reveal_type(x.float().mean().item())  # float
    """)


def test_captured_scalars_stay_data() -> None:
    check(
        """
        def f(x: torch.LongTensor):
            total = x.max()
            n = total.item()
            reveal_type(n)  # int data
            reveal_type(n + 1)  # int data
            reveal_type(total)  # tensor int 0-d computed
        """,
        config=DynamoConfig(captures=frozenset({Capture.SCALAR})),
    )


def test_a_break_in_a_callee_resumes_the_caller() -> None:
    check("""
        def log(x):
            print(x)

        def f(x: torch.LongTensor):
            total = x.sum()
            log(total)
            reveal_type(total)  # tensor int 0-d input
    """)


def test_a_break_on_one_path_only_leaves_the_other_computed() -> None:
    check("""
        def f(x: torch.LongTensor, flag: bool):
            total = x.sum()
            if flag:
                print("hello")
                reveal_type(total)  # tensor int 0-d input
            reveal_type(total)  # tensor int 0-d computed
    """)


def test_a_tensor_has_no_items_by_name() -> None:
    check("""
        def f(x: Tensor, hidden_states):
            reveal_type(x["a"])  # ?
            reveal_type(hidden_states["a"])  # tensor computed possible
    """)


def test_the_device_of_anything_is_a_device() -> None:
    check("""
        from nowhere import made

        def f(x: Tensor):
            thing = made()
            reveal_type((x > 0).to(thing.device))  # tensor bool computed
            reveal_type((x > 0).to(thing.dtype))  # tensor computed
            reveal_type((x > 0).to(thing.other))  # tensor computed
    """)
