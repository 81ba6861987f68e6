"""Rules of our team for compilelint."""

from __future__ import annotations

import libcst as cst

from compilelint.lib import Effect, Rule, Safety

COMPILELINT_API = 1


class HostNoise(Rule):
    """A call of `numpy.random` where compiled code gets to.

    It has a page of its own, `TEAM001-host-noise.md`; without one, this text would be its page.
    """

    code = "TEAM001"
    name = "host-noise"
    summary = "compiled code draws noise on the host"
    effect = Effect.GRAPH_BREAK
    words = ("numpy",)
    fixes = Safety.UNSAFE

    INVALID = (
        """
        import numpy as np
        import torch
        from torch import nn


        class M(nn.Module):
            def forward(self, x: torch.Tensor):
                return x + np.random.rand()  # TEAM001
        """,
    )
    VALID = (
        """
        import torch
        from torch import nn


        class M(nn.Module):
            def forward(self, x: torch.Tensor):
                return x + torch.rand(())
        """,
        """
        import numpy as np


        def plot():
            return np.random.rand()
        """,
    )

    def visit_Call(self, node: cst.Call) -> None:
        if self.qualified_name(node.func) == "numpy.random.rand" and self.state(node).is_reached:
            self.report(
                node,
                "noise is drawn on the host",
                why="What NumPy draws is no part of the graph, or the same in every call.",
                help="draw it on the device: `torch.rand(())`",
                confidence=self.state(node).confidence,
                fix=None if node.args else cst.parse_expression("torch.rand(())"),
            )
