"""What a page's `measured` needs to show an effect that is no graph break: copies between devices, errors, gradients.

Needs torch, no GPU: copies are read from the graph that AOTAutograd makes of fake CUDA tensors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses import FakeTensorMode


def graph_of(function: Callable[..., Any], *args: torch.Tensor) -> list[torch.fx.Node]:
    """The nodes of the graph that a backend gets for one call without gradients."""
    nodes: list[torch.fx.Node] = []

    def compiler(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., Any]:
        nodes.extend(node for node in graph.graph.nodes if node.op == "call_function")
        forward: Callable[..., Any] = graph.forward
        return forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend=aot_autograd(fw_compiler=compiler))(*args)
    return nodes


def count(function: Callable[..., Any], operation: str, *args: torch.Tensor) -> int:
    """How often an ATen operation (`clone`, `_to_copy`) stands in the graph."""
    return Counter(str(node.target).split(".")[1] for node in graph_of(function, *args))[operation]


def crossings(make: Callable[[], Callable[..., Any]], *sizes: tuple[int, ...], device: str = "cuda") -> list[str]:
    """The copies between devices in the graph of `make()` called with tensors of these sizes on a fake `device`.

    What `make` makes is moved there first, as a module is. A copy that is not waited for is marked.
    """
    found = []
    with FakeTensorMode(allow_non_fake_inputs=True):
        function = make()
        if isinstance(function, torch.nn.Module):
            _move(function, device)
        for node in graph_of(function, *(torch.ones(size, device=device) for size in sizes)):
            if node.target is torch.ops.aten._to_copy.default and isinstance(node.args[0], torch.fx.Node):
                one, other = node.args[0].meta["val"].device.type, node.meta["val"].device.type
                if one != other:
                    found.append(f"{one} -> {other}" + (", not waited for" if node.kwargs.get("non_blocking") else ""))
    return found


def _move(module: torch.nn.Module, device: str) -> None:
    """Put parameters and buffers on a fake device: a build without CUDA cannot copy them there, only make new ones."""
    for part in module.modules():
        for name, one in part._parameters.items():
            part._parameters[name] = torch.nn.Parameter(torch.empty_like(one, device=device), requires_grad=False)
        for name, one in part._buffers.items():
            part._buffers[name] = torch.empty_like(one, device=device)


def outcome(function: Callable[..., Any], *args: Any) -> str:
    """What calling the function and, where its result has one, its gradient raises: "runs", else the error's text."""
    torch._dynamo.reset()
    try:
        result = function(*args)
        if isinstance(result, torch.Tensor) and result.requires_grad:
            result.sum().backward()
    except Exception as error:  # noqa: BLE001 - whatever it raises is what the page shows
        return str(error).replace("\n", " ") or type(error).__name__
    return "runs"


def both(function: Callable[..., Any], *values: Any) -> tuple[str, str]:
    """`outcome` in eager code and compiled, each with fresh arguments; tensors among them require gradients."""
    return (
        outcome(function, *fresh(values)),
        outcome(torch.compile(function, backend="aot_eager"), *fresh(values)),
    )


def fresh(values: tuple[Any, ...]) -> list[Any]:
    """Copies of the tensors among the values, with gradients where they are of floating point."""
    return [
        one.detach().clone().requires_grad_(one.is_floating_point()) if isinstance(one, torch.Tensor) else one
        for one in values
    ]


def gradient(function: Callable[..., Any], value: torch.Tensor, weight: torch.Tensor) -> tuple[list[Any], list[Any]]:
    """The gradient of `(function(value) * weight).sum()` in eager code and compiled."""
    found = []
    for one in (function, torch.compile(function, backend="aot_eager")):
        torch._dynamo.reset()
        (leaf,) = fresh((value,))
        (one(leaf) * weight).sum().backward()
        found.append(leaf.grad.tolist())
    return found[0], found[1]
