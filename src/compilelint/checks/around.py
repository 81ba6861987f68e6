"""CL83x: what the code around a compiled call pays for in each step, or once and dearly."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Around
from compilelint.model import Effect, Finding, Related, Rewrite, Rule, Safety
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts

READ_EACH_STEP = Rule("CL830", "read-each-step", "the host reads a compiled result in each step", Effect.SYNC)
UNEVEN_LAST_BATCH = Rule(
    "CL831",
    "uneven-last-batch",
    "the last batch of a training epoch may be smaller",
    Effect.RECOMPILE,
    fix=Safety.UNSAFE,
)
RATE_AS_NUMBER = Rule(
    "CL832",
    "rate-as-number",
    "a compiled optimizer step has a number for a rate that changes",
    Effect.RECOMPILE,
    fix=Safety.UNSAFE,
)

FLOAT32_PRODUCTS = Rule(
    "CL838", "float32-products", "a compiled model multiplies matrices in full float32 precision", Effect.SLOW
)


@check(READ_EACH_STEP, on=Around)
def read_each_step(event: Around, facts: TorchFacts) -> Iterator[Finding]:
    """`total += loss.item()` in every iteration."""
    if event.how == "read":
        yield at(
            READ_EACH_STEP,
            event,
            f"`{event.detail}` makes the host wait for `{event.name}` in each iteration",
            confidence=event.sure,
            because=[event.compiled_here, *(Related(one, "so does this") for one in event.others)],
            why="The next step is launched only when this one is done. That costs little while the host is the "
            "bottleneck, and more when CUDA graphs make the step short.",
            help="keep it on the device (`total += loss.detach()`) and read it after the loop or every n steps",
        )


@check(UNEVEN_LAST_BATCH, on=Around)
def uneven_last_batch(event: Around, facts: TorchFacts) -> Iterator[Finding]:
    """`DataLoader(data, batch_size=64)` in a training loop."""
    if event.how == "uneven":
        yield at(
            UNEVEN_LAST_BATCH,
            event,
            f"the last batch of `{event.detail}` brings another size to `{event.name}`",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Unless the batch size divides the data, the last batch recompiles with dynamic shapes, whose kernels "
            "are slower.",
            help="pass `drop_last=True` to the `DataLoader`",
            rewrite=Rewrite("uneven-batch"),
        )


@check(RATE_AS_NUMBER, on=Around)
def rate_as_number(event: Around, facts: TorchFacts) -> Iterator[Finding]:
    """`AdamW(p, lr=1e-3)`, a schedule, and `torch.compile(optimizer.step)`."""
    if event.how == "rate":
        yield at(
            RATE_AS_NUMBER,
            event,
            f"a schedule changes the rate of `{event.detail}`, which is a number in a compiled step",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Dynamo guards a number by its value, so the step recompiles when the rate changes.",
            help="pass the rate as a tensor: `lr=torch.tensor(1e-3)`, with `capturable=True` on a GPU",
            rewrite=Rewrite("number-rate"),
        )


@check(FLOAT32_PRODUCTS, on=Around)
def float32_products(event: Around, facts: TorchFacts) -> Iterator[Finding]:
    """`model = torch.compile(GPT().cuda())`, trained without autocast."""
    if event.how == "float32":
        yield at(
            FLOAT32_PRODUCTS,
            event,
            f"`{event.detail}` trains in float32, and its matrix products do not use TF32",
            confidence=event.sure,
            why="Since torch 1.12 products of float32 matrices run in full precision by default, without tensor cores. "
            "Where they fill the GPU, they take most of the step.",
            help='`torch.set_float32_matmul_precision("high")` before the first step, or `torch.autocast("cuda", '
            "torch.bfloat16)` around it",
        )
