"""Advice on a deployment, by topic, from what the code around the models does: each sentence names its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compilelint.model import Confidence, Effect, Finding, Location
from compilelint.report.layout.text import counted, escaped
from compilelint.report.overview.deployment.around_steps import around_steps
from compilelint.report.overview.deployment.expected import cold_start, steps_until_it_pays
from compilelint.report.overview.deployment.plan import Advice, Purpose
from compilelint.report.overview.deployment.surroundings import Surroundings
from compilelint.report.overview.deployment.uses import models, used
from compilelint.report.overview.deployment.verdicts import SETTINGS
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.roots import Compiled
from compilelint.survey.practices import UNKNOWN, Practice, PracticeKind
from compilelint.torchfacts.costs import Compilation, compilation_price

_BLOCKS, _FLAT = "CL814", "CL816"  # repeated blocks; FSDP with flat parameters


def obstacle(around: Surroundings, purpose: Purpose) -> str:
    """Why CUDA graphs are not for this code, whatever its functions look like; empty where nothing was seen."""
    if purpose == "train" and (found := around.of("accumulates")):
        at = around.at([found[0].location])
        return f"gradients of several backward passes are added up before {at}, and a recorded run overwrites the last"
    return ""


def advice(overview: Overview, found: Sequence[Compiled], around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    """All that is to be said, topic by topic."""
    if purpose == "edge":
        yield from _edge(around)
        return
    yield from models(around)
    yield from _wrappers(overview, around)
    yield from used(around, purpose)
    yield from _mode(found, around, purpose)
    yield from _shapes(found, around, purpose)
    yield from _region(overview, around)
    yield from _placement(overview, around, purpose)
    yield from around_steps(around, purpose)
    yield from _start(found, around, purpose)
    yield from _skip(found, purpose)


# ---------------------------------------------------------------------- mode


def _wrappers(overview: Overview, around: Surroundings) -> Iterator[Advice]:
    """Compile calls that compile nothing, or not what is called."""
    compiled = {_line(root.compiled_at) for root in overview.report.roots if root.compiled_at is not None}
    idle = {_line(one.location) for one in overview.report.calls if one.resolved} - compiled
    for one in (*around.of("methods"), *(each for each in around.of("handed") if _line(each.location) in idle)):
        words = (
            f"`{escaped(one.name)}` is a compiled wrapper of which only methods are called ({escaped(one.detail)}): "
            "none of them is compiled; compile the method, `x.method = torch.compile(x.method)`, at {at}"
        )
        yield around.line("mode", words, [one])
    for one in around.of("uncompiled"):
        words = f"`{escaped(one.name)}` is called uncompiled at {{at}}, beside its compiled `{escaped(one.detail)}`"
        yield around.line("mode", words, [one])


def _line(at: Location) -> tuple[str, int]:
    return at.path, at.span.line


def _mode(found: Sequence[Compiled], around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    if tuned := [one for one in around.of("compiles") if one.detail.startswith("max-autotune")]:
        yield around.line(
            "mode",
            "`max-autotune` at {at} times many kernels in the first step, which takes minutes: only for long runs",
            tuned,
        )
    why = obstacle(around, purpose)
    asking = [one for one in around.of("compiles") if one.detail in ("reduce-overhead", "max-autotune", UNKNOWN)]
    if why and asking:
        yield around.line("mode", f"no CUDA graphs at {{at}}: {why}; `max-autotune-no-cudagraphs` has none", asking)
    if any(one.asks_for_cuda_graphs for one in found) or asking:
        known = any(one.detail != UNKNOWN for one in asking) or any(one.asks_for_cuda_graphs for one in found)
        where = "" if known else f"the mode is a setting at {around.at([one.location for one in asking])}; "
        yield Advice(
            "mode",
            f"{where}results of recorded calls are overwritten by the next call: `.clone()` what is kept (0.01 ms), "
            "and call `torch.compiler.cudagraph_mark_step_begin()` before each step",
            None,
            ("clone/infer/reduce-overhead",),
        )
    if once := _distinct_lines(around.of("once")):
        words = (
            f"{_names(once)} at {{at}} is called once, beside {_details(once)}, which a loop calls: it gains no more "
            "than the time of one eager call, and compiles again for each new layout of its arguments"
        )
        yield around.line("mode", words, once)
    if single := around.of("single"):
        words = (
            'a batch of one is computed and read at {at}: the host is the bottleneck there, `mode="reduce-overhead"`'
        )
        yield around.line("mode", words, single)
    if loops := around.of("unrolls"):
        words = "loops over the size of a tensor at {at} unroll where they are compiled: compile what one pass computes"
        yield around.line("mode", words, loops)
    if purpose == "serve" and not asking and not why:
        yield Advice(
            "mode",
            'at batch 1 a small model waits for the host: `mode="reduce-overhead"`, sizes fixed; `max-autotune` where '
            "a server runs for days and most time is in large matrix products",
        )


# -------------------------------------------------------------------- shapes


def _shapes(found: Sequence[Compiled], around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    again = _distinct(finding for one in found for finding in one.recompiles)
    if again:
        price = compilation_price(Compilation.AGAIN)
        cost = "" if price is None else f", about {price.expected(10):.0f} to {price.expected(150):.0f} s each time"
        places = around.at([finding.location for finding in again])
        yield Advice("shapes", f"{counted(len(again), 'line')} may compile again{cost}: {places}", again[0].location)
    if purpose == "train" and (last := [one for one in around.of("loader") if one.detail]):
        yield around.line("shapes", "`drop_last=True` at {at}: a smaller last batch compiles again", last, "recompile")
    if opened := [at for one in found for at, config in one.calls if config.dynamic]:
        words = (
            f"`dynamic=True` at {around.at(opened)}: one graph for all sizes, with slower kernels, and a CUDA graph "
        )
        yield Advice("shapes", f"{words}recorded for each size: pad where sizes are few", opened[0], ("record",))
    if longer := around.of("grows"):
        names = _names(longer)
        words = (
            f"{names} becomes longer in each pass at {{at}}, and each length is another size: write into a tensor of "
            "the full length and mask the rest, or mark the dimension dynamic, without CUDA graphs"
        )
        yield around.line("shapes", words, longer)
    if marked := around.of("marked"):
        yield around.line("shapes", "the code marks dimensions that vary at {at}: do it before the first call", marked)
    yield Advice("shapes", _STRATEGY[purpose], None, ("recompile", "record"))


_STRATEGY = {
    "train": "one size: leave `dynamic` unset; up to about eight: pad to these sizes, one compilation each; more: "
    "`torch._dynamo.mark_dynamic(x, dim)` before the first call, without CUDA graphs",
    "serve": "pad requests to a few sizes and call each once before the first request (another CUDA graph takes about "
    "20 ms); sizes without a bound: `torch._dynamo.mark_dynamic(x, dim)` and the default mode",
}


# -------------------------------------------------------------------- region


def _region(overview: Overview, around: Surroundings) -> Iterator[Advice]:
    whole, block = cold_start(), cold_start(Compilation.BY_BLOCK)
    if whole is None or block is None:
        return
    prices = f"the first step takes {whole[0]:.0f} to {whole[1]:.0f} s for the whole, {block[1]:.0f} s by block"
    lost = "what the blocks lose in each step, fusion across them, `bench --config default,regional` measures"
    blocks = _distinct(one for one in overview.report.findings if one.rule.code == _BLOCKS)
    if blocks:
        at = around.at([one.location for one in blocks])
        words = f"the model repeats one block ({at}): compile the block where starts are frequent; {prices}; {lost}"
        yield Advice("region", words, blocks[0].location, ("cold", "by-block"))
    else:
        words = f"compile the whole; a block that repeats, where there is one, starts faster: {prices}; {lost}"
        yield Advice("region", words, None, ("cold", "by-block"))


# ----------------------------------------------------------------- placement


def _placement(overview: Overview, around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    flat = any(one.rule.code == _FLAT for one in overview.report.findings)
    for kind, words in _PLACED.items():
        if not (found := around.of(kind)):
            continue
        order = {"around": " (`torch.compile` is inside)", "inside": " (`torch.compile` is outside)"}
        seen = next((order[one.order] for one in found if one.order), "")
        if kind == "sharded" and flat:
            words = "flat parameters at {at} leave everything uncompiled: `use_orig_params=True`, or `fully_shard`"
        yield around.line("placement", words.replace("{order}", seen), found)
    if purpose == "train" and not any(around.of(kind) for kind in _PLACED):
        yield Advice("placement", "no DDP, FSDP, checkpoint, autocast or quantization was seen: nothing to place", None)


_PLACED: dict[PracticeKind, str] = {
    "replicated": "`DataParallel` at {at} copies the model in each step, and threads run the copies: "
    "`DistributedDataParallel` with one process a device, then compile",
    "distributed": "DDP at {at}{order}: either order compiles; Dynamo splits the graph at DDP's buckets so that "
    "communication overlaps, which `fullgraph=True` does not see",
    "sharded": "FSDP at {at}{order}: compile each block, then shard it; the block is the unit of both",
    "checkpoint": "activation checkpoint at {at}: `use_reentrant=False`, inside of what is compiled; measure without "
    "it too, since Inductor recomputes cheap results by itself",
    "autocast": "autocast at {at}: enter it around the compiled call, not around `torch.compile`",
    "scaler": "gradient scaler at {at}: outside of what is compiled; a fused optimizer spares its read in each step, "
    "bfloat16 the scaler",
    "quantized": "quantization at {at}: first quantize, then compile; without compiling it is often slower than before",
}


# --------------------------------------------------------------------- start


def _start(found: Sequence[Compiled], around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    first, again = cold_start(), compilation_price(Compilation.AGAIN)
    if first is not None and again is not None:
        what = f"{len(found):,} compiled functions, each" if len(found) > 1 else "from empty caches"
        words = f"first step {first[0]:.0f} to {first[1]:.0f} s ({what}), each further size about as long"
        yield Advice("start", words, None, ("cold", "recompile"))
    if caches := around.of("caches"):
        yield around.line("start", "caches are kept at {at}", caches)
    else:
        yield Advice(
            "start",
            "set `TORCHINDUCTOR_CACHE_DIR` to a disk that outlives the job: by default compiled code is in the "
            "temporary folder; or `torch.compiler.save_cache_artifacts()` after the warm-up and "
            "`load_cache_artifacts()` at the next start (torch 2.7)",
        )
    if purpose == "serve":
        words = "call the model once for each size, under the same `torch.inference_mode()`, before the first request"
        yield Advice("start", words)


# ---------------------------------------------------------------------- skip


def _skip(found: Sequence[Compiled], purpose: Purpose) -> Iterator[Advice]:
    setting = SETTINGS[purpose]
    recorded = any(one.asks_for_cuda_graphs for one in found)
    steps = steps_until_it_pays(setting, recorded)
    if steps is not None:
        mode = "with CUDA graphs" if recorded else "in the default mode"
        unit = "steps" if purpose == "train" else "calls"
        low, high = (f"{float(f'{count:.2g}'):,.0f}" for count in steps)
        words = f"the first step has paid for itself after about {low} to {high} {unit} {mode}"
        yield Advice("skip", f"{words}; do not compile shorter runs, nor debugging: `TORCH_COMPILE_DISABLE=1`")


# ---------------------------------------------------------------------- edge


def _edge(around: Surroundings) -> Iterator[Advice]:
    yield Advice(
        "mode",
        "there is no Python on the device: `torch.export.export(model.eval(), args)`, then "
        "`torch._inductor.aoti_compile_and_package`; modes of `torch.compile` do not apply",
    )
    yield Advice(
        "shapes",
        'name what varies: `dynamic_shapes={"x": {0: torch.export.Dim("batch", max=8)}}`; all else is fixed at the '
        "sizes of the example",
    )
    if quantized := around.of("quantized"):
        yield around.line("placement", "quantization at {at}: before the export, on the same example inputs", quantized)
    if casts := around.of("autocast"):
        yield around.line("placement", "autocast at {at} is recorded as casts: convert the weights before", casts)
    yield Advice("start", "nothing is compiled on the device: loading the package is the cold start")
    yield Advice("skip", "no price was measured on such devices: measure eager and package on the device itself")


def _names(found: Iterable[Practice]) -> str:
    return ", ".join(dict.fromkeys(f"`{escaped(one.name)}`" for one in found))


def _details(found: Iterable[Practice]) -> str:
    return ", ".join(dict.fromkeys(f"`{escaped(one.detail)}`" for one in found))


def _distinct_lines(found: Iterable[Practice]) -> list[Practice]:
    return list({(one.kind, one.name, _line(one.location)): one for one in found}.values())


def _distinct(found: Iterable[Finding]) -> list[Finding]:
    sure = (one for one in found if one.confidence >= Confidence.LIKELY or Effect.SLOW in one.effects)
    return list({(one.rule.code, one.location): one for one in sure}.values())
