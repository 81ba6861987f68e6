"""CL627: launches of Triton kernels, as they are written in the functions that are operators."""

from __future__ import annotations

import libcst as cst

from compilelint.checks import custom_ops
from compilelint.checks.trees.tree_rule import TreeRule, last_name
from compilelint.model import Confidence
from compilelint.syntax import walk


class UnwrappedKernel(TreeRule):
    """`kernel[grid](...)` directly in the body of a `triton_op`."""

    rule = custom_ops.UNWRAPPED_KERNEL

    def visit_Call(self, node: cst.Call) -> None:
        around = self.inside(cst.FunctionDef)
        launched = node.func.value if isinstance(node.func, cst.Subscript) else None
        if around is None or not isinstance(launched, cst.Name):
            return
        kernel = self.function(launched)
        is_kernel = kernel and {walk.last_name(one) for one in kernel.decorators} & {"jit", "autotune", "heuristics"}
        if is_kernel and any(last_name(one.decorator).endswith("triton_op") for one in around.decorators):
            name = launched.value
            self.report(
                node,
                f"`{name}[...]()` needs real tensors, and here its arguments are fake",
                confidence=Confidence.CERTAIN,
                why="A `triton_op` is traced through with fake tensors; a raw launch asks them for a pointer and "
                "raises.",
                help=f"launch `torch.library.wrap_triton({name})[grid](...)`",
            )
