"""Listens to Inductor while it records CUDA graphs: what was recorded, what was left out of the recording, and where.

Inductor decides this in three places: before a graph is recorded at all (a skip), where a graph is cut around a node
that cannot be recorded (a split), and when a recording begins. Each is replaced by a function that notes and goes on.
What a torch version lacks is left out, and `missing` names it.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Iterator
from typing import Any

from compilelint.dynamic.worker.hooks import Hooks

WARM_CALLS = 3
"""How often an input is called at least: once to warm up, once to record, once to replay."""

_SAYS = "log_cudagraph_skip_and_bump_counter"
_SAYING = ("cudagraph_utils", "cudagraph_trees", "output_code", "compile_fx")
_FRAME = re.compile(r'File "([^"]+)", line (\d+)(?:, in (\S+))?')
_FOUND = re.compile(r"\s*Found from.*", re.DOTALL)
_DUE = re.compile(r"^(?:skipping|disabling) cudagraphs? (?:for backward )?due to ")
_MOST_TEXT = 300


class CudaGraphs:
    """What Inductor recorded, and what it left out: reasons in its own words, each with the stack it names."""

    def __init__(self) -> None:
        self.recorded = 0
        self.left_out: list[dict[str, Any]] = []
        self.missing: list[str] = []
        self.error = ""  # what a recording or a replay raised

    @contextlib.contextmanager
    def asked(self) -> Iterator[None]:
        """Have everything recorded that is compiled, as `mode="reduce-overhead"` does, and note what comes of it."""
        config: Any = importlib.import_module("torch._inductor.config")
        # What comes from a cache is lowered by no one, and says nothing of what was left out of it.
        with config.patch({"triton.cudagraphs": True, "force_disable_caches": True}), self.recording():
            yield

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Note what Inductor decides while the block runs."""
        modules = [importlib.import_module(f"torch._inductor.{name}") for name in _SAYING]
        scheduler: Any = importlib.import_module("torch._inductor.scheduler")
        trees: Any = importlib.import_module("torch._inductor.cudagraph_trees")
        with Hooks(self.missing) as hooks:
            for module in modules:
                if hasattr(module, _SAYS):
                    hooks.replace(module, _SAYS, self._skipping)
            hooks.replace(scheduler.Scheduler, "should_partition", self._splitting)
            hooks.replace(trees.CUDAGraphNode, "__init__", self._beginning)
            yield

    def observed(self) -> dict[str, Any] | None:
        """As plain data; None where this torch lacks a hook, and what was left out is not known whole."""
        known = {"recorded": self.recorded, "left_out": self.left_out, "error": self.error}
        return None if self.missing else known

    def _skipping(self, original: Any) -> Any:
        def skip(text: str) -> Any:
            self._note(_DUE.sub("", _FOUND.sub("", text)), stack_of(text))
            return original(text)

        return skip

    def _splitting(self, original: Any) -> Any:
        def should_partition(this: Any, node: Any, *args: Any, **named: Any) -> Any:
            reason = original(this, node, *args, **named)
            if reason:
                origins = getattr(getattr(node, "node", None), "origins", None) or ()
                traces = {str(getattr(one, "stack_trace", "") or "") for one in origins}
                for trace in sorted(traces) or [""]:
                    self._note(str(reason), stack_of(trace))
            return reason

        return should_partition

    def _beginning(self, original: Any) -> Any:
        def begin(this: Any, *args: Any, **named: Any) -> None:
            original(this, *args, **named)
            self.recorded += 1

        return begin

    def _note(self, reason: str, stack: list[list[Any]]) -> None:
        one = {"reason": " ".join(reason.split())[:_MOST_TEXT], "stack": stack}
        if one not in self.left_out:
            self.left_out.append(one)


def stack_of(text: str) -> list[list[Any]]:
    """The frames that a text names, outermost first: path, line, function ("" where it names none)."""
    return [[path, int(line), function or ""] for path, line, function in _FRAME.findall(text)]
