"""One line that matters to a deployment, and the closed list of what such lines do."""

from __future__ import annotations

from typing import Literal, TypeAlias

from compilelint.model import Location
from compilelint.model.slotted import dataclass

PracticeKind: TypeAlias = Literal[
    "compiles",
    "sharded",
    "distributed",
    "replicated",
    "checkpoint",
    "autocast",
    "scaler",
    "quantized",
    "optimizer",
    "trains",
    "accumulates",
    "reads",
    "masks",
    "waits",
    "copies",
    "loader",
    "precision",
    "half",
    "caches",
    "marked",
    "uncompiled",
    "methods",
    "handed",
    "once",
    "unrolls",
    "grows",
    "single",
    "attention",
    "tensor loop",
    "made",
    "stepped",
    "passes",
    "instead",
    "past",
    "scripted",
]
"""What a line does."""

Order: TypeAlias = Literal["", "inside", "around"]
"""Whether a wrapper is given what is compiled (`around`), or is compiled itself (`inside`)."""


@dataclass(frozen=True, slots=True)
class Practice:
    """One line that matters to a deployment.

    `kind` is one of these. About compile calls: `compiles` (`name` is what is compiled as written, `detail` its mode),
    `uncompiled` (what was compiled under another name, `detail`, is called as it was), `methods` (of a compiled
    wrapper, `name`, only methods are called, `detail`; `handed` where others are given the wrapper too), `once` (`name`
    is compiled and called in no loop, beside `detail`, which is), `marked` (a dimension is marked dynamic), `caches`.

    Around models: `sharded`, `distributed` and `replicated` (FSDP, DDP and DataParallel, `order` says where the compile
    call stands), `checkpoint`, `autocast`, `scaler`, `quantized`, `precision` (of float32 products), `half` (a dtype of
    two bytes), `loader` (`detail` is `keeps last` where the last batch may be smaller).

    In each step: `trains` (a backward pass), `optimizer` (`name` is the class; `detail` is `fused` or empty),
    `accumulates` (gradients of several backward passes are added up before a step), `reads` (the host reads a tensor;
    `name` is `each` where it reads one parameter after the other), `masks` (a mask chooses items, so that the host
    waits for their number), `waits` (`name` is what waits for the device), `copies` (a tensor is made on the host and
    moved); their `detail` says where: one of `PLACES`.

    Of the computation itself: `unrolls` (a loop over the size of a tensor calls something in each pass), `grows` (a
    tensor becomes longer in each pass, and something is called with it), `single` (a batch of one is computed and
    read), `attention` (written out, in place of one operator), `tensor loop` (the same arithmetic for one tensor
    after the other; `detail` is `training` where a step of training does so).

    Of what scripts do with a model (`name` is its class): `made`, `stepped` (called in a step of training; `detail` is
    the method), `passes` (each pass of a loop without a backward pass calls it; `detail` is what is called), `instead`
    (a method, `detail`, is called in a loop or a step), `past` (`forward` itself is called, by `name`), `scripted` (a
    class of TorchScript).
    """

    kind: PracticeKind
    location: Location
    name: str = ""
    detail: str = ""
    order: Order = ""


UNKNOWN = "?"
"""A mode that is no text in the source."""

TRAINING, COMPILED, INFERENCE, LOOP = PLACES = ("training", "compiled", "inference", "loop")
"""Where a line runs: in each step of training, in a loop that calls what is compiled, in one without gradients, in
another loop.
"""

EACH = "each"
"""The name of a read that is made for one parameter after the other."""
