"""Where compiled results begin to differ: the first operation of a captured graph, by bisection over its prefixes.

Every graph that Dynamo captures is run as it is, and beside it what the backend makes of it, on copies of the same
arguments. So one run says both whether the captured graphs already differ from eager, and which graph the backend
changes. A prefix ends after an operation and gives all values that are still needed. Two neighbours are found, of which
the shorter one agrees with the backend and the longer one does not: at most log2(n) + 2 compilations.
"""

from __future__ import annotations

import copy
import linecache
import operator
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
import torch._dynamo
import torch.fx

from compilelint.dynamic.worker import recorder
from compilelint.dynamic.worker.calling import Forked, derivatives
from compilelint.dynamic.worker.faults import hands_over, said, shown_path
from compilelint.dynamic.worker.inputs import described
from compilelint.dynamic.worker.judging import differences_of
from compilelint.dynamic.worker.recorder import is_watchable
from compilelint.dynamic.worker.snapshot import Snapshot, first_differences, flat

CAPTURED = "the captured graph already differs, whatever compiles it"
TOGETHER = "each captured graph alone gives the same, so it cannot be bisected"

_FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+), in ')
_MOST_SECONDS = 60.0
_MOST_INPUTS = 4


class Beside(recorder.Recorder):
    """Runs captured graphs as they are and what `train` and `dynamic` make of them beside; `text` says what it found.

    `compilations` counts those of prefixes.
    """

    def __init__(self, *, train: bool, dynamic: bool | None) -> None:
        super().__init__()
        self._train, self._dynamic = train, dynamic
        self._name = ""
        self._begun = torch.get_rng_state()
        self.compilations = 0
        self.text = ""

    def backend(self, name: str) -> Callable[..., Any]:
        """A backend that gives what the graph itself gives."""
        self._name = name
        inner = torch._dynamo.lookup_backend(name)

        def record(graph: torch.fx.GraphModule, inputs: list[Any]) -> Any:
            own = torch.fx.GraphModule(graph, copy.deepcopy(graph.graph))  # a backend may change what it is given
            compiled = inner(graph, inputs)

            @hands_over
            def run(*args: Any) -> Any:
                if self.text:
                    return own.forward(*args)
                kept, begun = [_copy(one) for one in args], torch.get_rng_state()
                result = own.forward(*args)
                with torch.random.fork_rng(devices=[]):
                    self._begun = begun
                    self._look(own, compiled, kept)
                return result

            return run

        return record

    def _look(self, graph: torch.fx.GraphModule, compiled: Callable[..., Any], args: Sequence[Any]) -> None:
        expected = self._ran(graph.forward, args)
        differs = self._differs(expected, self._ran(compiled, args))
        if not differs:
            return
        if self._differs(expected, self._ran(graph.forward, args)):
            self.text = "the captured graph differs from itself when it is run again, so it cannot be bisected"
            return
        try:
            self.text = self._bisected(graph, args)
        except Exception as error:  # noqa: BLE001 - a part of a graph may be refused by any backend
            self.text = (
                f"the backend changes a graph that cannot be bisected: {said(error).partition(chr(10))[0][:200]}"
            )

    def _bisected(self, graph: torch.fx.GraphModule, args: Sequence[Any]) -> str:
        nodes = [node for node in graph.graph.nodes if node.op.startswith("call_")]
        agrees, differs, tried = -1, len(nodes) - 1, False
        while differs - agrees > 1 or not tried:
            middle = (agrees + differs) // 2 if differs - agrees > 1 else differs
            prefix = prefix_of(graph, nodes[middle], self._kinds(graph, args))
            if self._compiled_differs(prefix, args):
                differs, tried = middle, True
            elif middle == differs:
                return "the backend changes a graph, but none of its parts, so it cannot be bisected"
            else:
                agrees = middle
        return self._words(graph, nodes, differs, args)

    def _words(self, graph: torch.fx.GraphModule, nodes: Sequence[Any], number: int, args: Sequence[Any]) -> str:
        node = nodes[number]
        seen = _Arguments(graph, node)
        torch.set_rng_state(self._begun)
        seen.run(*(_copy(one) for one in args))
        shapes = described((tuple(_flat_tensors(seen.given)), {}))
        of = f" of {', '.join(shapes[:_MOST_INPUTS])}" if shapes else ""
        alone, held = alone_of(graph, node, seen)
        how = "alone, too" if self._compiled_differs(alone, held) else "after what comes before it, not alone"
        where = place_of(node)
        order = f"operation {number + 1} of {len(nodes)} in its graph"
        return f"the first operation that differs is {name_of(node)}{of} ({order}; {how}){where}"

    def _kinds(self, graph: torch.fx.GraphModule, args: Sequence[Any]) -> dict[str, Any]:
        kinds = _Kinds(graph)
        torch.set_rng_state(self._begun)
        kinds.run(*(_copy(one) for one in args))
        return kinds.found

    def _compiled_differs(self, graph: torch.fx.GraphModule, args: Sequence[Any]) -> bool:
        self.compilations += 1
        compiled = torch.compile(graph, backend=self._name, dynamic=self._dynamic)
        return self._differs(self._ran(graph.forward, args), self._ran(compiled, args))

    def _differs(self, eager: Snapshot, compiled: Snapshot) -> bool:
        reordered = self._name not in ("eager", "aot_eager")
        return any(True for _ in first_differences(eager, compiled, reordered, most=1))

    def _ran(self, function: Callable[..., Any], args: Sequence[Any]) -> Snapshot:
        """Results, changed arguments and, in training, gradients of a graph."""
        given = [_copy(one) for one in args]
        torch.set_rng_state(self._begun)
        result = function(*given)
        found: Snapshot = {}
        flat(list(result), "output", found)
        flat(given, "input", found)
        if self._train and torch.is_grad_enabled():
            found |= derivatives(None, result, (tuple(given), {}), 1)
        return found


def limit_of(timeout: float, used: float) -> float:
    """The seconds that a search may take: at most half of the target's remaining time."""
    return max(min(_MOST_SECONDS, (timeout - used) / 2), 0.001)


def end_after(seconds: float) -> None:
    """Let this process, a copy that only searches, be ended by the system when its time is over."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def words_of(searched: Forked | None, reference: dict[str, Any], breaks: Sequence[Mapping[str, Any]]) -> str:
    """Where a difference begins: what a copy that `searched` found; without one, of a backend that runs the graphs."""
    if searched is None:
        return CAPTURED + first_break(breaks)
    if searched.run().fate != "ran":
        return "the first operation that differs was not found in time"
    beside = searched.read()
    if beside["text"]:
        return str(beside["text"])
    return CAPTURED + first_break(breaks) if any(differences_of(reference, beside, reordered=False)) else TOGETHER


def first_break(breaks: Iterable[Mapping[str, Any]]) -> str:
    """`; the first graph break is at net.py:12`; empty where there is none."""
    for one in breaks:
        frames = [frame for frame in one["stack"] if is_watchable(frame[0])]
        if frames:
            return f"; the first graph break is at {shown_path(frames[-1][0])}:{frames[-1][1]}"
    return ""


# ---------------------------------------------------------------------- graphs


def prefix_of(graph: torch.fx.GraphModule, last: torch.fx.Node, kinds: Mapping[str, Any]) -> torch.fx.GraphModule:
    """The graph up to `last`, giving all tensors that the rest needs; `kinds` says what each node is."""
    made = torch.fx.Graph()
    at: dict[Any, Any] = {}
    for node in graph.graph.nodes:
        at[node] = made.node_copy(node, lambda one: at[one])
        if node is last:
            break
    outputs = []
    for node, new in at.items():
        if node.op == "placeholder" or (node is not last and all(user in at for user in node.users)):
            continue
        kind = kinds.get(node.name)
        if kind is torch.Tensor:
            outputs.append(new)
        elif isinstance(kind, int):
            outputs += [made.call_function(operator.getitem, (new, place)) for place in range(kind)]
    made.output(tuple(outputs))
    return torch.fx.GraphModule(graph, made)


def alone_of(
    graph: torch.fx.GraphModule, node: torch.fx.Node, seen: _Arguments
) -> tuple[torch.fx.GraphModule, list[Any]]:
    """A graph of one operation, and the arguments that it has in the whole."""
    made = torch.fx.Graph()
    at: dict[Any, Any] = {}
    held = []
    for one in node.all_input_nodes:
        if one.op == "get_attr":
            at[one] = made.node_copy(one)
        else:
            at[one] = made.placeholder(one.name)
            held.append(seen.values[one.name])
    out = made.node_copy(node, lambda one: at[one])
    kind = seen.kind
    if isinstance(kind, int):
        made.output(tuple(made.call_function(operator.getitem, (out, place)) for place in range(kind)))
    else:
        made.output((out,))
    return torch.fx.GraphModule(graph, made), held


class _Kinds(torch.fx.Interpreter):  # type: ignore[misc]
    """Runs a graph node by node, and keeps what each gives: a tensor, or how many of them."""

    def __init__(self, graph: torch.fx.GraphModule) -> None:
        super().__init__(graph)
        self.found: dict[str, Any] = {}

    def run_node(self, n: torch.fx.Node) -> Any:
        result = super().run_node(n)
        self.found[n.name] = _kind(result)
        return result


class _Arguments(torch.fx.Interpreter):  # type: ignore[misc]
    """Runs a graph, and keeps copies of what one operation is called with: `given`, and `values` by node."""

    def __init__(self, graph: torch.fx.GraphModule, wanted: torch.fx.Node) -> None:
        super().__init__(graph)
        self._wanted = wanted.name
        self.given: Any = ()
        self.values: dict[str, Any] = {}
        self.kind: Any = None

    def run_node(self, n: torch.fx.Node) -> Any:
        if n.name != self._wanted:
            return super().run_node(n)
        self.values = {one.name: _copy(self.env[one]) for one in n.all_input_nodes}
        self.given = list(self.values.values())
        result = super().run_node(n)
        self.kind = _kind(result)
        return result


def _kind(value: Any) -> Any:
    """What a node gives: a tensor, the length of a tuple of tensors, or None."""
    if isinstance(value, torch.Tensor):
        return torch.Tensor
    if isinstance(value, (tuple, list)) and value and all(isinstance(one, torch.Tensor) for one in value):
        return len(value)
    return None


def _flat_tensors(values: Iterable[Any]) -> list[torch.Tensor]:
    return [one for one in values if isinstance(one, torch.Tensor)]


@hands_over
def _copy(one: Any) -> Any:
    """A tensor with the same numbers, strides and need for gradients; other values as they are."""
    if not isinstance(one, torch.Tensor):
        return one
    made = torch._dynamo.utils.clone_input(one.detach()).requires_grad_(one.requires_grad)
    return made if one.is_leaf else made.clone()


# ----------------------------------------------------------------------- words


def name_of(node: torch.fx.Node) -> str:
    """`torch.relu`, `Tensor.view`: an operation as the user knows it."""
    target = node.target
    if isinstance(target, str):
        return f"Tensor.{target}" if node.op == "call_method" else target
    name = getattr(target, "__name__", str(target))
    if getattr(torch, name, None) is target:
        return f"torch.{name}"
    module = str(getattr(target, "__module__", None) or "").replace("_operator", "operator")
    return f"{module}.{name}" if module else name


def place_of(node: torch.fx.Node) -> str:
    """` at net.py:12: y = torch.relu(x)`: the user's line of an operation; empty where torch kept none."""
    frames = [one for one in _FRAME.finditer(node.stack_trace or "") if is_watchable(one["path"])]
    if not frames:
        return ""
    path, line = frames[-1]["path"], int(frames[-1]["line"])
    text = linecache.getline(path, line).strip()
    return f" at {shown_path(path)}:{line}" + (f": {text[:100]}" if text else "")
