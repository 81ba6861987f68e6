"""Advice on what runs around each step: reads, waits and copies, the optimizer, precision, and what is written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.report.layout.text import escaped
from compilelint.report.overview.deployment.plan import Advice, Purpose
from compilelint.report.overview.deployment.surroundings import Surroundings
from compilelint.report.overview.deployment.verdicts import SETTINGS
from compilelint.survey.practices import Practice
from compilelint.survey.practices.practice import COMPILED, EACH, INFERENCE, LOOP, TRAINING
from compilelint.torchfacts.costs import Cause, StepPrice, step_price

_SERVING = (COMPILED, INFERENCE, LOOP)  # the loop that is most certainly a step comes first


def around_steps(around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    """What the host does beside the computation, the dearest first."""
    yield from _reads(around, purpose)
    yield from _copies(around, purpose)
    if purpose == "train":
        yield from _optimizer(around)
    yield from _precision(around, purpose)
    if written := around.of("attention"):
        words = (
            "attention is written out at {at}: `torch.nn.functional.scaled_dot_product_attention`, with the bias as "
            "`attn_mask`, is one kernel and keeps no matrix of scores"
        )
        yield around.line("step", words, written)


def _of_step(found: Sequence[Practice], purpose: Purpose) -> list[Practice]:
    """What happens in each step of this purpose: in training, or in the loops that most certainly infer."""
    if purpose == "train":
        return [one for one in found if one.detail == TRAINING]
    by_place = ([one for one in found if one.detail == place] for place in _SERVING)
    return next((same for same in by_place if same), [])


def _most(price: StepPrice) -> str:
    return f"{price.high:.1f}" if price.high >= 0.1 else f"{price.high:.2f}"


def _reads(around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    price = step_price(Cause.READ, SETTINGS[purpose])
    cost = "" if price is None else f", up to {_most(price)} ms each, and the device runs empty meanwhile"
    rows = [] if price is None else [price.row]
    reads = _of_step(around.of("reads"), purpose)
    if each := [one for one in reads if one.name == EACH]:
        words = f"the host reads one parameter after the other at {{at}}{cost}: stack what is read and read it once"
        yield around.line("step", words, each, *rows)
    if others := [one for one in reads if one.name != EACH]:
        words = f"the host reads results at {{at}}{cost}: keep them on the device, read every hundredth step"
        yield around.line("step", words, others, *rows)
    if masks := _of_step(around.of("masks"), purpose):
        words = "a mask chooses items at {at}, and the host waits for their number: `torch.where(mask, new, old)`"
        yield around.line("step", words, masks)
    if waits := _of_step(around.of("waits"), purpose):
        names = ", ".join(f"`{escaped(name)}()`" for name in sorted({one.name for one in waits}))
        yield around.line("step", f"{names} at {{at}} in each step: the host waits for all that was launched", waits)


def _copies(around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    price = step_price(Cause.COPY, SETTINGS[purpose])
    if copies := _of_step(around.of("copies"), purpose):
        cost = "" if price is None else f", up to {_most(price)} ms each"
        words = f"tensors are made on the host and moved at {{at}}{cost}: keep tables on the device as buffers"
        yield around.line("step", words, copies, *([] if price is None else [price.row]))


def _optimizer(around: Surroundings) -> Iterator[Advice]:
    if plain := [one for one in around.of("optimizer") if not one.detail]:
        names = ", ".join(sorted({f"`{one.name}`" for one in plain}))
        yield around.line("step", f"{names} at {{at}}: `fused=True` is one kernel for all parameters", plain)
    every = around.of("tensor loop")
    if loops := [one for one in every if one.detail == TRAINING] or every:
        words = (
            "arithmetic for one tensor after the other at {at}: `torch._foreach_mul_` and its kin, or for averages "
            "`torch.optim.swa_utils.AveragedModel` with `get_ema_multi_avg_fn`, are one kernel for all"
        )
        yield around.line("step", words, loops)


def _precision(around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    set_, cast, half = around.of("precision"), around.of("autocast"), around.of("half")
    if purpose == "train":
        if not set_ and not cast and around.of("trains"):
            words = (
                '`torch.set_float32_matmul_precision("high")` is not set: matrix products run in full float32 precision'
            )
            yield Advice("step", words, None, ("float32/train/default",))
    elif cast and not half:
        words = "autocast at {at} casts the weights in each call: for inference `model.to(torch.bfloat16)` once"
        yield around.line("step", words, cast)
    elif not set_ and not cast and not half and not around.of("quantized"):
        words = "nothing is set to half precision or TF32: `model.to(torch.bfloat16)` reads half as much memory"
        yield Advice("step", words, None, ("float32/infer/default",))
