"""Tensors are strided unless something says otherwise: what a test for another layout guards seldom runs."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from tests.support.reveal import run
from tests.support.worker_messages import check

TEXT = """
from torch import Tensor, nn

def is_sparse(src):
    if isinstance(src, Tensor):
        if src.layout == torch.sparse_coo:
            return True
        if src.layout == torch.sparse_csr:
            return True
    return False

def parts(adj):
    if adj.layout == torch.sparse_coo:
        return adj.indices().detach().long(), adj.values()
    raise ValueError

class Model(nn.Module):
    def forward(self, x: Tensor, edges: Tensor):
        value = None
        if {test}:
            edges, value = parts(edges)
        mask = edges[0] != edges[1]
        return edges[:, mask]
"""


@pytest.mark.parametrize("test", ["is_sparse(edges)", "edges.layout == torch.sparse_coo", "edges.is_sparse"])
def test_what_the_arm_for_sparse_tensors_stores_makes_nothing_behind_it_doubtful(test: str) -> None:
    sure = {
        e.site.location.span.line: e.site.cap
        for e in run({"app.py": "import torch\n" + TEXT.format(test=test)})
        if e.breaks
    }
    behind = max(sure)
    assert sure.pop(behind) is Confidence.CERTAIN
    assert all(cap < Confidence.CERTAIN for cap in sure.values())


def test_rows_of_a_tensor_of_unknown_layout_are_not_known_to_be_strided() -> None:
    """`out=` rows of `zeros_like(x)`: run under torch 2.13, no graph ends; a column ends one."""
    check("""
        def f(x: Tensor):
            y = torch.zeros_like(x)
            torch.cumsum(x[:-1], dim=0, out=y[1:])
            return y

        def column(x: Tensor):
            y = torch.zeros(4, 4)
            torch.cumsum(x, dim=0, out=y[:, 1])  # call torch.cumsum
            return y
    """)
