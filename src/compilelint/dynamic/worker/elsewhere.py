"""A second device where there is none: tensors that say they are on it, and have their numbers on the host.

The rules are those of CUDA: all tensors of an operation are on one device; only single numbers of the host may stand
beside others, and indices of the host may index what is elsewhere. Numbers can be read. Without gradients.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

DEVICE = torch.device("lazy")
"""A name that every torch knows, and that no code asks for."""

_aten = torch.ops.aten
_MOVES = frozenset({_aten._to_copy, _aten.copy_, _aten._local_scalar_dense, _aten.lift_fresh, _aten.lift_fresh_copy})
_INDEXING = frozenset({_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_})
_MAKES = (torch.tensor, torch.as_tensor, torch.asarray)  # they copy to a device without asking a mode


_MODULE = SimpleNamespace(
    _initialized=False,  # so that the state of its random numbers is not kept
    is_available=lambda: True,
    is_initialized=lambda: False,
    device_count=lambda: 1,
    current_device=lambda: 0,
    device=lambda _: contextlib.nullcontext(),
    synchronize=lambda *_: None,
    get_rng_state=lambda *_: torch.get_rng_state(),
    set_rng_state=lambda state, *_: torch.set_rng_state(state),
)


class Elsewhere(torch.Tensor):  # type: ignore[misc]
    """A tensor on the second device; `held` has its numbers."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> Elsewhere:
        made: Elsewhere = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


class _Operations(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, noted: list[str]) -> None:
        super().__init__()
        self._noted = noted

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = _run(func, args, kwargs or {})
        if torch.Tag.nondeterministic_seeded in func.tags:
            there = any(isinstance(one, Elsewhere) for one in tree_leaves(made))
            self._noted.append("elsewhere" if there else "host")
        return made


class _Making(TorchFunctionMode):  # type: ignore[misc]
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = dict(kwargs or {})
        if func in _MAKES and _is_elsewhere(given.get("device")):
            del given["device"]
            return moved(func(*args, **given))
        return func(*args, **given)


@contextlib.contextmanager
def second_device() -> Iterator[list[str]]:
    """While this holds, tensors can be made there, and moved; on which device random numbers are drawn is kept.

    Each device has its own random numbers: what is drawn on another one is other numbers.
    """
    noted: list[str] = []
    # `torch.cuda` of this device: `torch.utils.checkpoint` and autocast ask for it by the device's name
    setattr(torch, DEVICE.type, _MODULE)
    try:
        with torch.no_grad(), _Operations(noted), _Making():
            yield noted
    finally:
        delattr(torch, DEVICE.type)


def moved(value: torch.Tensor) -> torch.Tensor:
    """The tensor there."""
    return value if isinstance(value, Elsewhere) else Elsewhere(value.detach())


def move_module(module: torch.nn.Module) -> None:
    """Move parameters and buffers, as `Module.to` does; what is no buffer stays."""
    made: dict[int, torch.Tensor] = {}
    for one in module.modules():
        for kept in (one._parameters, one._buffers):
            for name, tensor in kept.items():
                if tensor is not None:
                    there = made.setdefault(id(tensor), moved(tensor))
                    kept[name] = torch.nn.Parameter(there, False) if kept is one._parameters else there


def _is_elsewhere(device: Any) -> bool:
    return device is not None and torch.device(device).type == DEVICE.type


def _run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    there = [one for one in given if isinstance(one, Elsewhere)]
    family = getattr(func, "overloadpacket", func)
    if there and family not in _MOVES:
        _check(family, args, given)
    asked = kwargs.get("device")
    if _is_elsewhere(asked):
        kwargs = {**kwargs, "device": torch.device("cpu")}
    by_held = {id(one.held): one for one in there}
    made = func(*tree_map(_held, args), **tree_map(_held, kwargs))
    goes_there = _is_elsewhere(asked) if asked is not None else _first_is_there(family, args, there)

    def placed(one: Any) -> Any:
        if not isinstance(one, torch.Tensor):
            return one
        known = by_held.get(id(one))  # what was written is itself
        return known if known is not None else moved(one) if goes_there else one

    return tree_map(placed, made)


def _held(one: Any) -> Any:
    return one.held if isinstance(one, Elsewhere) else one


def _first_is_there(family: Any, args: Any, there: list[Elsewhere]) -> bool:
    """Whether results are on the second device: as their first tensor is, or for most operations as any is."""
    if family in _INDEXING or family in _MOVES:
        return isinstance(args[0], Elsewhere)
    return bool(there)


def _check(family: Any, args: Any, given: list[torch.Tensor]) -> None:
    """Raise what torch raises where tensors of two devices meet."""
    if family in _INDEXING and isinstance(args[0], Elsewhere):
        return
    here = [one for one in given if not isinstance(one, Elsewhere) and one.dim()]
    if here:
        raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices")
