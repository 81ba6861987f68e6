"""An operation whose first argument may be no tensor proves nothing of it: torch itself is asked, call by call."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator

import pytest

from compilelint.interp.text.usage import _ANYTHING, _takes_a_tensor

pytestmark = pytest.mark.dynamo

ROOMS = ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")
# Arithmetic takes two numbers as well, but one that is spelled as a call of torch is done with tensors.
ARITHMETIC = frozenset(
    f"torch.{name}" for name in "add div divide floor_divide mul multiply result_type sub subtract true_divide".split()
)
# What is no operation: switches of the process, questions about the build, functions that torch imports for itself.
TOOLS = frozenset(
    """
    classproperty get_file_path is_vulkan_available prepare_multiprocessing_environment assert_int_or_pair
    has_torch_function has_torch_function_unary has_torch_function_variadic fork seed set_num_interop_threads
    """.split()
)


def samples() -> tuple[tuple[object, ...], ...]:
    import torch

    pair = [torch.ones(2), torch.ones(2)]
    numbers = ((3,), (3, 3), (3, 3, 3), (0.5,), (0.5, 0.5), ((2, 3),), ([0.5, 0.5],), (True,))
    return (*numbers, (pair,), ("i,i->i", *pair), (str,), (torch.float32, torch.float32), (torch.nn.Linear(1, 1),))


def operations() -> Iterator[str]:
    for room in ROOMS:
        for name in dir(importlib.import_module(room)):
            if name[0].islower() and name not in TOOLS and not name.startswith(("set_", "sym_")):
                yield f"{room}.{name}"


def takes_something_else(operation: str) -> bool:
    room, _, name = operation.rpartition(".")
    function = getattr(importlib.import_module(room), name)
    if not callable(function) or isinstance(function, type):
        return False
    for one in samples():
        with contextlib.suppress(Exception):
            function(*one)
            return True
    return False


@pytest.mark.filterwarnings("ignore")
def test_what_takes_no_tensor_first_is_no_evidence() -> None:
    import torch

    state = torch.get_rng_state()
    wrong = [one for one in operations() if _takes_a_tensor(one) and takes_something_else(one)]
    torch.set_rng_state(state)
    assert set(wrong) - ARITHMETIC == set()


@pytest.mark.parametrize("called", sorted(ARITHMETIC | {"F.relu", "torch.linalg.norm", "torch.split"}))
def test_an_operation_on_tensors_is(called: str) -> None:
    assert _takes_a_tensor(called)


@pytest.mark.parametrize(
    "called",
    [
        pytest.param("torch.nn.Conv1d", id="a class"),
        pytest.param("torch.nn.utils.weight_norm", id="a tool that takes a module"),
        pytest.param("torch.cuda.manual_seed", id="a switch"),
        *sorted(_ANYTHING)[:3],
    ],
)
def test_what_is_no_operation_is_not(called: str) -> None:
    assert not _takes_a_tensor(called)
