"""A pack for schedulers of diffusers: a step that reads timesteps on the host cannot be compiled with the model.

compilelint --rules examples/rule-packs/diffusers_schedulers.py src/diffusers/schedulers
"""

from __future__ import annotations

import libcst as cst

from compilelint.lib import Confidence, Effect, Rule

COMPILELINT_API = 1

SCHEDULER = """
import torch


class MyScheduler:
    def __init__(self):
        self.timesteps = torch.arange(10)
        self.step_index = None

    def step(self, output: torch.Tensor, timestep: torch.Tensor, sample: torch.Tensor):
        {line}
        return output

    def plot(self, timestep: torch.Tensor):
        {other}


scheduler = MyScheduler()


def f(output, timestep, sample):
    return scheduler.step(output, timestep, sample)


def inputs():
    return (torch.ones(3), torch.tensor(4), torch.ones(3))
"""


class SchedulerRule(Rule):
    """What both share: only the steps of schedulers matter, as they run once for each step of the model."""

    words, whole = ("Scheduler",), False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return node.name.value.endswith("Scheduler")

    @property
    def step(self) -> str:
        """The step of a scheduler that the node at hand stands in, by its name; empty if in none."""
        around = self.inside(cst.FunctionDef)
        steps = ("step", "add_noise", "scale_model_input", "index_for_timestep", "previous_timestep")
        return around.name.value if around is not None and around.name.value in steps else ""


class TimestepRead(SchedulerRule):
    """A timestep is looked up by its value: `(timesteps == t).nonzero()` and `.item()` wait for the device."""

    code, name = "DFS001", "timestep-read"
    summary = "a step of a scheduler reads a timestep on the host"
    effect = Effect.SYNC
    INVALID = (SCHEDULER.format(line="i = (self.timesteps == timestep).nonzero()[0].item()  # DFS001", other="pass"),)
    VALID = (SCHEDULER.format(line="i = self.step_index", other="return timestep.item()"),)

    def visit_Call(self, node: cst.Call) -> None:
        func = node.func
        if not self.step or not isinstance(func, cst.Attribute) or func.attr.value not in ("item", "tolist"):
            return
        state = self.state(func.value)
        sure = Confidence.LIKELY if state.tensor is not None else Confidence.POSSIBLE
        self.report(
            node,
            f"`.{func.attr.value}()` in `{self.step}` of a scheduler",
            why="The host waits for the device once for each step, and the step breaks a compiled loop.",
            help="count steps in a Python int (`step_index`), set once by `set_timesteps`",
            confidence=sure,
        )


class TensorBranch(SchedulerRule):
    """A step that branches on a tensor cannot be traced: schedules are known when they are set."""

    code, name = "DFS002", "step-branch"
    summary = "a step of a scheduler branches on a tensor"
    effect = Effect.GRAPH_BREAK
    INVALID = (SCHEDULER.format(line="if timestep > 3:  # DFS002\n            output = output + 1", other="pass"),)
    VALID = (
        SCHEDULER.format(line="if self.step_index is None:\n            output = output + 1", other="pass"),
        SCHEDULER.format(line="pass", other="return 1 if timestep > 3 else 2"),
    )

    def visit_If(self, node: cst.If) -> None:
        if self.step and self.state(node.test).is_tensor:
            self.report(
                node.test,
                f"`if` on a tensor in `{self.step}`",
                why=self.state(node.test).why,
                help="use `torch.where`, or decide when timesteps are set",
            )
