"""Which compile calls record CUDA graphs."""

from __future__ import annotations

import pytest

from compilelint.project.compile_modes import records_cuda_graphs
from compilelint.syntax import ir
from tests.support.reveal import lowered


@pytest.mark.parametrize(
    ("arguments", "records"),
    [
        ("f", False),
        ("f, mode='default'", False),
        ("f, mode='reduce-overhead'", True),
        ("f, mode='max-autotune'", True),
        ("f, mode='max-autotune-no-cudagraphs'", False),
        ("f, mode=chosen", False),
        ("f, mode='reduce-overhead', backend='inductor'", True),
        ("f, mode='reduce-overhead', backend='eager'", False),
        ("f, options={'triton.cudagraphs': True}", True),
        ("f, options={'triton.cudagraphs': False}", False),
        ("f, options={'triton.cudagraphs': 1}", False),
        ("f, options={'triton.cudagraphs': on}", False),
        ("f, options={'max_autotune': True}", False),
        ("f, options={'max_autotune': True, 'triton.cudagraphs': True}", True),
        ("f, options=chosen", False),
    ],
)
def test_a_call_asks_for_cuda_graphs(arguments: str, records: bool) -> None:
    statement = lowered(f"torch.compile({arguments})").body[0]
    assert isinstance(statement, ir.ExprStmt)
    assert isinstance(statement.value, ir.Call)
    assert records_cuda_graphs(statement.value) is records
