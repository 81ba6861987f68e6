"""A house pack for models of transformers: nothing is read on the host in `generate`, and masks are built once.

compilelint --rules examples/rule-packs/transformers_house.py src/transformers/models
"""

from __future__ import annotations

import libcst as cst

from compilelint.lib import Effect, Rule

COMPILELINT_API = 1

MODEL = """
import torch
from torch import nn


class Box:
    def item(self):
        return 1


class Model(nn.Module):
    def {name}(self, x: torch.Tensor):
        mask = torch.ones(3, 3).tril()
        box = Box()
        for layer in range(3):
            {line}
        return x


model = Model()


def f(x):
    return model.{name}(x)


def inputs():
    return (torch.ones(3, 3),)
"""


class ReadInGenerate(Rule):
    """A loop of `generate` that reads a tensor on the host waits for the device once a token."""

    code, name = "HFT001", "read-in-generate"
    summary = "a loop of `generate` reads a tensor on the host"
    effect = Effect.SYNC
    words, whole = ("def generate", "def _sample", "def _beam_search", "def _assisted_decoding"), False
    INVALID = (MODEL.format(name="generate", line="x = x + x.sum().item()  # HFT001"),)
    VALID = (
        MODEL.format(name="generate", line="x = x + x.sum()"),
        MODEL.format(name="forward", line="x = x + x.sum().item()"),
        MODEL.format(name="generate", line="x = x + box.item()"),
    )

    def visit_Call(self, node: cst.Call) -> None:
        func, around = node.func, self.inside(cst.FunctionDef)
        if around is None or not around.name.value.startswith(("generate", "_sample", "_beam", "_assisted")):
            return
        if self.inside(cst.For, cst.While) is None or not isinstance(func, cst.Attribute):
            return
        state = self.state(func.value)
        if func.attr.value in ("item", "tolist") and state.tensor is not None:
            self.report(
                node,
                f"`.{func.attr.value}()` in a loop of `{around.name.value}`",
                why=f"The host waits for the device in every step: {state.why}.",
                help="keep it as a tensor, and read once behind the loop",
                confidence=min(state.confidence, state.tensor.confidence),
            )


class MaskInLoop(Rule):
    """A causal mask is the same in every layer: built in the loop over layers it is built as often."""

    code, name = "HFT002", "mask-in-loop"
    summary = "a causal mask is built again in a loop"
    effect = Effect.SLOW
    words, whole = ("triu", "tril"), False
    INVALID = (MODEL.format(name="forward", line="x = x * torch.tril(torch.ones(3, 3))  # HFT002"),)
    VALID = (
        MODEL.format(name="forward", line="x = x * mask"),
        MODEL.format(name="forward", line="x = x * torch.tril(x)"),
    )

    def visit_Call(self, node: cst.Call) -> None:
        func = node.func
        named = self.qualified_name(func).removeprefix("torch.") in ("tril", "triu")
        if self.inside(cst.For, cst.While) is None or not named or not node.args:
            return
        made = node.args[0].value
        maker = self.qualified_name(made.func) if isinstance(made, cst.Call) else ""
        if maker in ("torch.ones", "torch.full", "torch.zeros") and self.state(node).is_reached:
            why = "Each pass runs the same kernels again, and the compiled graph holds them as often."
            self.report(node, "a causal mask is built in a loop", why=why, help="build it once, in front of the loop")
