"""Globals that TorchDynamo writes into the user's modules, which are no state that the user's code left.

What `torch.compiler.assume_constant_result` functions give is stored under the function's name in the globals of the
frame that calls them, plainly named as if the module had made it.
"""

from __future__ import annotations

import functools
from typing import Any

from torch._dynamo import output_graph

_written: dict[int, set[str]] = {}


def is_installed(scope: dict[str, Any], name: str) -> bool:
    """Whether Dynamo, not the module itself, wrote a name into a module's globals."""
    return name in _written.get(id(scope), ())


def watch() -> None:
    """Note from now on what Dynamo writes; where a version of torch writes otherwise, nothing is noted."""
    graph = output_graph.OutputGraph
    register = getattr(graph, "register_attr_or_module", None)
    if register is None or hasattr(register, "__wrapped__"):
        return

    @functools.wraps(register)
    def noting(self: Any, *args: Any, **options: Any) -> Any:
        known = {*self.nn_modules}
        made = register(self, *args, **options)
        added = {*self.nn_modules} - known
        _written.setdefault(id(self.global_scope), set()).update(one for one in added if one in self.global_scope)
        return made

    graph.register_attr_or_module = noting
