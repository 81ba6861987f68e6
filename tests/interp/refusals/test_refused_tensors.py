"""Tensors that a graph refuses as what they are."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check


def test_a_sparse_tensor_ends_the_graph_behind_the_break_that_made_it() -> None:
    check("""
        def f(x: Tensor):
            s = x.to_sparse()  # call torch.Tensor.to_sparse
            return torch.sparse.sum(s)  # call torch.sparse.sum

        def g(x: Tensor):
            s = x.to_sparse()  # call torch.Tensor.to_sparse
            return x + 1
    """)


def test_so_does_one_that_is_built_and_one_that_a_method_gives() -> None:
    check("""
        class Model(nn.Module):
            def links(self, x):
                return x.to_sparse_csr()  # call torch.Tensor.to_sparse_csr

            def forward(self, x: Tensor, where: Tensor):
                built = torch.sparse_coo_tensor(where, x)  # call torch.sparse_coo_tensor
                dense = built.to_dense()  # call torch.Tensor.to_dense
                return self.links(x) @ x  # syntax @ of a sparse tensor
    """)


@pytest.mark.parametrize("out", ["y.T", "y.t()", "y.transpose(0, 1)"])
def test_out_takes_what_is_contiguous(out: str) -> None:
    check(f"""
        def f(x: Tensor, y: Tensor):
            return torch.abs(x, out={out})  # call torch.abs

        def g(x: Tensor, y: Tensor):
            return torch.abs(x, out=y)
    """)


def test_an_object_that_declines_torch_functions() -> None:
    check("""
        class Declines:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return NotImplemented

        def f(x: Tensor):
            try:
                return torch.add(x, Declines())  # call torch.add in try
            except TypeError:
                return x
    """)


def test_so_do_several() -> None:
    check("""
        def f(x: Tensor):
            held = torch.empty(2, 3).t(), torch.empty(3, 2, dtype=torch.long)
            torch.topk(x, 2, out=held)  # call torch.topk
            return held[0]

        def g(x: Tensor):
            held = torch.empty(3, 2), torch.empty(3, 2, dtype=torch.long)
            torch.topk(x, 2, out=held)
            return held[0]

        def sorted_into(x: Tensor):
            held = torch.empty(4, 3).t(), torch.empty(3, 4, dtype=torch.long)
            torch.sort(x, out=held)
            return held[0]

        def sorted_turned(x: Tensor):
            held = torch.empty(4, 3), torch.empty(4, 3, dtype=torch.long)
            torch.sort(x.t(), out=held)  # call torch.sort
            return held[0]
    """)
