"""Indices: what must be read to index with, what a mask breaks, and slices by tensors."""

from __future__ import annotations

from tests.support.worker_messages import check

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
