"""Tensors are strided unless something says otherwise: what a test for another layout guards seldom runs."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from tests.support.reveal import run

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
