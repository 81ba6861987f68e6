"""Compiles one probe with the real Dynamo and judges the outcome.

Default mode first; where that is not clean again with `fullgraph=True` and with each capture flag. Counting breaks
takes three witnesses: `counters["graph_break"]` misses a data-dependent jump at the top level, `graph_break_reasons`
shows that one, and a frame that was skipped silently shows only as a frame that was not compiled.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import logging
import re
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch._dynamo as dynamo
from torch._dynamo import exc
from torch._dynamo.utils import counters
from torch.utils._pytree import tree_map

from compilelint.torchfacts.generate.fault import Fault
from compilelint.torchfacts.generate.probes import Module, Probe
from compilelint.torchfacts.reasons import reason_of_key, reason_of_words
from compilelint.torchfacts.verdict import Verdict
from compilelint.torchfacts.vocabulary import Capture, Reason

SECONDS = 40
Begins = Callable[[str, str], bool]
"""Gets the identity and the key of what begins now, so that a crash is known to be its; False where it is not to."""
_BOTH = {flag.value: True for flag in Capture}


class TimeUpError(Exception):
    """One attempt took longer than `SECONDS`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt: `kind` is ok, break, skip or error; `words` is Dynamo's type or the exception's name."""

    kind: str
    words: str = ""
    gb_id: str | None = None


def registry() -> dict[str, Any]:
    """torch's own registry file: id -> list of entries; empty where this torch has none."""
    path = Path(dynamo.__file__).with_name("graph_break_registry.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return content


_IDS = {entry["Gb_type"]: gb_id for gb_id, entries in registry().items() for entry in entries}


def quieten() -> None:
    """Silences torch's loggers and warnings and takes one thread; to be called once a process."""
    warnings.filterwarnings("ignore")
    for name in ["torch", *(name for name in logging.root.manager.loggerDict if name.startswith("torch"))]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, _alarm)


def _alarm(*_: object) -> None:
    raise TimeUpError


@contextlib.contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    """Captured output, no warnings, and TimeUpError after that many seconds."""
    signal.alarm(seconds)
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.alarm(0)


def fresh(arguments: Sequence[Any]) -> list[Any]:
    """Copies of tensor arguments, so that one attempt cannot change the next one's inputs."""

    def copied(value: Any) -> Any:
        if type(value) is torch.Tensor and value.layout == torch.strided:
            return value.detach().clone().requires_grad_(value.requires_grad)
        return value

    return list(tree_map(copied, list(arguments)))


def runs_eagerly(function: Callable[..., Any], arguments: Sequence[Any], seconds: int = SECONDS) -> bool:
    """Whether the function runs at all, uncompiled."""
    with Fault() as fault, limited(seconds):
        function(*fresh(arguments))
    return fault.error is None


def first_that_runs(module: Module, candidates: Iterable[Probe], seconds: int, begins: Begins) -> Probe | None:
    """The first of the probes that runs uncompiled; None where none does."""
    for number, probe in enumerate(candidates):
        if not begins(f"try {number} {probe.key}", probe.key):
            continue
        with Fault() as fault:
            function = module.function(probe)
        if fault.error is None and runs_eagerly(function, probe.arguments(), seconds):
            return probe
    return None


def first_line(text: object) -> str:
    """The first line of a message, at most 200 characters, addresses and paths taken out."""
    line = (str(text).strip().splitlines() or [""])[0][:200]
    return re.sub(r"0x[0-9a-f]+", "0x", line)


def attempt(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    fullgraph: bool = False,
    config: Mapping[str, Any] | None = None,
) -> Outcome:
    """One compilation and one call under the given mode."""
    dynamo.reset()
    counters.clear()
    graphs: list[torch.fx.GraphModule] = []

    def backend(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        graphs.append(graph)
        forward: Callable[..., Any] = graph.forward
        return forward

    with Fault() as fault, limited(), dynamo.config.patch(**config) if config else contextlib.nullcontext():
        torch.compile(function, backend=backend, fullgraph=fullgraph)(*fresh(arguments))
    error = fault.error
    if error is None:
        return Outcome("ok") if fullgraph else _seen_in_counters(len(graphs))
    if isinstance(error, exc.Unsupported):
        return _unsupported(error)
    if isinstance(error, TimeUpError):
        return Outcome("timeout")
    gb_id = _IDS.get(first_line(error)) if "Explanation:" in str(error) else None
    return Outcome("error", type(error).__name__, gb_id)


def _unsupported(error: exc.Unsupported) -> Outcome:
    words = getattr(error, "gb_type", None) or first_line(getattr(error, "msg", error))
    return Outcome("break", words, _IDS.get(words))


def _seen_in_counters(graphs: int) -> Outcome:
    found = list(counters.get("graph_break") or ())
    if not found:
        reasons = getattr(dynamo.utils, "graph_break_reasons", ())
        found = [reason.reason for reason in reasons if getattr(reason, "graph_break", True)]
    if not found and graphs > 1:
        found = ["several graphs"]
    if found:
        words = first_line(found[0])
        return Outcome("break", words, _IDS.get(words))
    frames = counters.get("frames") or {}
    if frames.get("total", 0) > frames.get("ok", 0):
        words = first_line(next(iter(counters.get("unimplemented") or ()), ""))
        return Outcome("skip", words, _IDS.get(words))
    return Outcome("ok")


def measure(module: Module, probe: Probe) -> Verdict | str:
    """The verdict on a probe, or a word for why there is none: `eager` (it does not run uncompiled), `timeout`."""
    # The probe's own set-up may fail in this environment, too.
    with Fault() as fault:
        function, arguments = module.function(probe), probe.arguments()
    if fault.error is not None or not runs_eagerly(function, arguments):
        return "eager"
    plain = attempt(module.function(probe), arguments)
    if plain.kind == "timeout":
        return "timeout"
    full = attempt(module.function(probe), arguments, fullgraph=True)
    return _judged(module, probe, arguments, plain, full)


def _judged(module: Module, probe: Probe, arguments: Sequence[Any], plain: Outcome, full: Outcome) -> Verdict:
    if plain.kind == "ok":
        return Verdict(full="" if full.kind == "ok" else full.gb_id or ("error" if full.kind == "error" else "break"))
    words, gb_id = plain.words, plain.gb_id
    # A jump on data and a skipped frame say so in their own words only under fullgraph.
    if full.kind != "ok" and (plain.kind == "skip" or words.startswith(("generic_jump", "several graphs"))):
        words, gb_id = full.words, full.gb_id
    reason = reason_of_key(probe.key)
    if reason is None:
        reason = Reason.COMPILE_ERROR if plain.kind == "error" and gb_id is None else reason_of_words(words)
    same = full.kind == "break" and (full.gb_id, full.words) == (gb_id, words)
    mode = "ok" if full.kind == "ok" else "error" if full.kind == "error" else "" if same else full.gb_id or "break"
    return Verdict(reason, gb_id, plain.kind == "skip", plain.kind == "error", mode, _cures(module, probe, arguments))


def _cures(module: Module, probe: Probe, arguments: Sequence[Any]) -> frozenset[Capture]:
    if attempt(module.function(probe), arguments, config=_BOTH).kind != "ok":
        return frozenset()
    for flag in Capture:
        if attempt(module.function(probe), arguments, config={flag.value: True}).kind == "ok":
            return frozenset({flag})
    return frozenset(Capture)


def eager_result(module: Module, probe: Probe) -> tuple[Any, list[Any]]:
    """Result and (fresh) arguments of one uncompiled call. Raises whatever the call raises."""
    function = module.function(probe)
    arguments = fresh(copy.copy(probe.arguments()))
    with limited():
        return function(*arguments), arguments
