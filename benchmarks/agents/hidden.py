"""Inputs on which an answer is judged, which the agent does not see: both arms of each test that a program makes.

A case is a tuple of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

Arguments = tuple[object, ...]


def _seeded(seed: int, make: Callable[[], Arguments]) -> Arguments:
    torch.manual_seed(seed)
    return make()


def cases(name: str) -> Sequence[Arguments]:
    """The arguments of each call on which the answer to a program is judged.

    Raises:
        KeyError: There is no program of this name.
    """
    return [_seeded(i, make) for i, make in enumerate(_CASES[name])]


_CASES: dict[str, list[Callable[[], Arguments]]] = {
    "early_exit": [
        lambda: (torch.randn(3, 16),),
        lambda: (1e-4 * torch.randn(2, 16),),
        lambda: (torch.zeros(1, 16),),
    ],
    "masked_mean": [
        lambda: (torch.randn(2, 5, 8), torch.rand(2, 5) > 0.5),
        lambda: (torch.randn(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool)),
        lambda: (torch.randn(2, 5, 8), torch.ones(2, 5, dtype=torch.bool)),
    ],
    "loss_log": [
        lambda: (torch.randn(6, 12), torch.randint(0, 5, (6,))),
        lambda: (100 * torch.randn(6, 12), torch.randint(0, 5, (6,))),
    ],
    "lengths_mask": [
        lambda: (torch.randint(0, 20, (3, 7)), torch.tensor([1, 7, 3])),
        lambda: (torch.randint(0, 20, (3, 7)), torch.tensor([7, 7, 7])),
        lambda: (torch.randint(0, 20, (3, 7)), torch.tensor([9, 2, 1])),
    ],
    "experts": [
        lambda: (torch.randn(10, 8),),
        lambda: (torch.randn(1, 8),),
        lambda: (torch.ones(6, 8),),
    ],
    "check_range": [
        lambda: (torch.randint(0, 16, (4, 5)),),
        lambda: (torch.tensor([[-1, 3, 4, -5, 0]]),),
    ],
    "numpy_window": [lambda: (torch.randn(3, 16),), lambda: (torch.zeros(2, 16),), lambda: (-9 * torch.rand(1, 16),)],
    "kv_cache": [
        lambda: (torch.randn(2, 8), torch.randn(2, 2, 12, 8), torch.tensor(0)),
        lambda: (torch.randn(2, 8), torch.randn(2, 2, 12, 8), torch.tensor(7)),
        lambda: (torch.randn(2, 8), torch.randn(2, 2, 12, 8), torch.tensor(11)),
    ],
    "print_shape": [lambda: (torch.randn(2, 3, 9),), lambda: (torch.full((2, 3, 9), float("inf")),)],
    "clamp_half": [
        lambda: (torch.randn(2, 5, 8),),
        lambda: (torch.full((2, 5, 8), float("inf")),),
        lambda: (torch.full((2, 5, 8), 3e38),),
    ],
    "span_mask": [
        lambda: (torch.randn(2, 9, 6), torch.tensor([[0, 2], [3, 8]])),
        lambda: (torch.randn(2, 9, 6), torch.tensor([[4, 4], [5, 6]]), 3),
        lambda: (torch.randn(2, 9, 6), torch.tensor([[9, 9], [9, 12]])),
    ],
    "box_filter": [
        lambda: (torch.randn(6, 8),),
        lambda: (10 * torch.randn(3, 8),),
        lambda: (torch.zeros(2, 8),),
    ],
    "optional_bool": [
        lambda: (torch.randn(2, 4, 8), torch.randn(4, 4)),
        lambda: (torch.randn(2, 4, 8), torch.zeros(4, 4)),
        lambda: (torch.randn(2, 4, 8),),
    ],
    "lock_cache": [lambda: (torch.randn(2, 6, 8),), lambda: (torch.randn(1, 6, 8),)],
    "unique_count": [
        lambda: (torch.tensor([0, 0, 0, 0, 0]),),
        lambda: (torch.tensor([0, 1, 2, 3, 5]),),
    ],
    "grad_penalty": [lambda: (torch.randn(5, 3),), lambda: (torch.zeros(2, 3),)],
    "sorted_routes": [
        lambda: (torch.randn(4, 6), torch.tensor([1.0, -1.0, 0.0, 5.0])),
        lambda: (torch.randn(4, 6), torch.tensor([-1.0, -1.0, 0.5, -0.5])),
        lambda: (torch.randn(4, 6), torch.tensor([1.7, 0.2, 1.0, 0.9])),
    ],
    "split_sizes": [
        lambda: (torch.randn(9, 5), torch.tensor([2, 3, 4])),
        lambda: (torch.randn(9, 5), torch.tensor([1, 1, 7])),
    ],
    "temperature": [
        lambda: (torch.randn(3, 8), torch.tensor(0.7)),
        lambda: (torch.randn(3, 8), torch.tensor(0.0)),
        lambda: (torch.randn(3, 8), torch.tensor(3.0)),
    ],
    "stats_dict": [lambda: (torch.randn(4, 6),), lambda: (-5 * torch.rand(2, 6),)],
    "pad_to_longest": [
        lambda: (torch.randn(2, 8, 4), torch.tensor([8, 3])),
        lambda: (torch.randn(2, 8, 4), torch.tensor([1, 1])),
    ],
    "ema_update": [lambda: (torch.randn(7, 5),), lambda: (torch.randn(3, 5),), lambda: (5 + torch.randn(3, 5),)],
    "custom_round": [
        lambda: (torch.randn(3, 6),),
        lambda: (40 * torch.randn(3, 6),),
        lambda: (1e-3 * torch.randn(1, 6),),
    ],
    "assert_rows": [
        lambda: (torch.randn(3, 4), torch.softmax(torch.randn(3, 2), -1)),
        lambda: (torch.randn(3, 4), 3 * torch.rand(3, 2) + 0.1),
    ],
    "beam_topk": [
        lambda: (torch.randn(2, 5), torch.zeros(2)),
        lambda: (torch.randn(3, 5), torch.tensor([0.0, -50.0, 1.0])),
    ],
    "table_guard": [
        lambda: (torch.randn(2, 4), torch.randn(2, 4), torch.tensor(9)),
        lambda: (torch.randn(2, 4), torch.randn(2, 4), torch.tensor(1)),
        lambda: (torch.randn(2, 4), torch.randn(2, 4), torch.tensor(2)),
    ],
    "warn_once": [
        lambda: (torch.randn(2, 4, 6), torch.tensor([[1, 2, 0, 0], [0, 0, 0, 1]])),
        lambda: (torch.randn(2, 4, 6), torch.tensor([[True, False, True, True], [False] * 4])),
    ],
    "index_put_any": [
        lambda: (torch.tensor([[1, 9, 9, 2], [9, 3, 4, 5]]), torch.randn(3, 3)),
        lambda: (torch.tensor([[9, 1, 1, 9], [0, 3, 4, 9]]), torch.randn(3, 3)),
        lambda: (torch.tensor([[9, 9, 9, 9], [0, 3, 4, 9]]), torch.randn(3, 3)),
    ],
    "closest_mode": [lambda: (torch.randn(6, 4),), lambda: (torch.ones(6, 4),)],
    "schedule_scale": [
        lambda: (torch.randn(4, 5), torch.tensor([0, 2, -100, 1])),
        lambda: (torch.randn(4, 5), torch.tensor([-100, -100, -100, -100])),
        lambda: (torch.randn(4, 5), torch.tensor([2, 2, 1, 0])),
    ],
}
