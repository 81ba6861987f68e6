"""Rewrites planted on purpose: the bodies of a model before and after, and what the proof says of each.

Each case is one target in a file of its own. All wrong texts stand in one copy of the project and all right ones in
another, so that three runs of the targets judge them all.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.proof import Originals, Proof
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.session.fixing.prove import judged

HEAD = """import logging
import random

import torch
from torch import nn

CALLS = []
logger = logging.getLogger("shop")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.other = nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("times", torch.arange(4.0))
        self.index = 0

    def forward(self, {parameters}):
"""


@dataclass(frozen=True)
class Planted:
    """The body of `forward` as it was and as a wrong rewrite leaves it; `right` is one that must be kept.

    `made` names the function of the file that makes the inputs, if they are not `inputs`. `built` are lines at the end
    of `__init__`, of the old text, the wrong and the right one.
    """

    name: str
    old: str
    wrong: str
    right: str = ""
    inputs: tuple[str, ...] = ("2x4",)
    parameters: str = "x"
    says: str = "differs"
    mode: str = "train"
    made: str = ""
    built: tuple[str, str, str] = ("", "", "")


INPUTS = """

def inputs():
    return torch.randn(2, 4), torch.tensor(2.0)


def steps():
    return torch.randn(2, 4), torch.tensor(2)


def spoken():
    return torch.randn(2, 6, 4), torch.tensor([[1, 2], [3, 1]])


def listed():
    return torch.randn(2, 4), [torch.randn(2, 4)]


def sizes():
    return torch.randn(4, 4), torch.tensor([1, 3])
"""


def verdicts_of(cases: Sequence[Planted], root: Path) -> dict[str, str]:
    """By case and kind of text, why it is refused; empty where it is kept."""
    original = root / "project"
    original.mkdir()
    targets = []
    for number, case in enumerate(cases):
        (original / _file(number)).write_text(_text(case, "old"), encoding="utf-8")
        words = [f"case{number}:{case.made}"] if case.made else list(case.inputs)
        targets.append(Target(f"case{number}:Model", (input_set(words, "test"),), mode=case.mode))
    settings = Settings(python=sys.executable, paths=(str(original),), cwd=str(original))
    found: dict[str, str] = {}
    with Originals(targets, settings) as originals:
        for kind in ("wrong", "right"):
            copy = root / kind
            shutil.copytree(original, copy)
            for number, case in enumerate(cases):
                if getattr(case, kind):
                    (copy / _file(number)).write_text(_text(case, kind), encoding="utf-8")
            wanted = [number for number, case in enumerate(cases) if getattr(case, kind)]
            proofs = originals.proofs(Overlay(str(original), str(copy)), only=wanted)
            for number, proof in zip(wanted, proofs, strict=True):
                found[f"{kind}: {cases[number].name}"] = _objection(original, copy, _file(number), proof)
    return found


def _text(case: Planted, kind: str) -> str:
    built = case.built[("old", "wrong", "right").index(kind)]
    inside, _, below = getattr(case, kind).partition(
        "\n\n\n"
    )  # what stands behind two empty lines is no part of `forward`
    lines = "".join(f"        {line}\n" for line in inside.split("\n"))
    head = HEAD.replace("self.index = 0\n", f"self.index = 0\n        {built}\n" if built else "self.index = 0\n")
    return head.replace("{parameters}", case.parameters) + lines + f"\n\n{below}\n" * bool(below) + INPUTS


def _file(number: int) -> str:
    return f"case{number}.py"


def _objection(original: Path, copy: Path, name: str, proof: Proof) -> str:
    change = {str(original / name): ((original / name).read_text(), (copy / name).read_text())}
    return judged([proof.before], [proof], change).objection
