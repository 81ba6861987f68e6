"""One variant of one target in this process: prepared, then timed round by round, and asked for what it did.

The clock is `torch.utils.benchmark`'s, which waits for the device; its Timer warms up before each round and keeps the
garbage collector out. Nothing is timed while another variant is, since the parent asks one process at a time.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
import torch._dynamo
from torch.utils.benchmark import Timer
from torch.utils.benchmark.utils.timer import timer as clock

from compilelint.bench.plan import RECORDING, Config
from compilelint.bench.result import SETTLING
from compilelint.bench.worker import memory
from compilelint.bench.worker.agreement import agreement
from compilelint.bench.worker.blocks import repeated_blocks
from compilelint.bench.worker.copies import copies
from compilelint.bench.worker.profile import kernels
from compilelint.bench.worker.stack import compiler, stack
from compilelint.dynamic.protocol import Settings, target_of
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker import recorder
from compilelint.dynamic.worker.calling import copied, tensors
from compilelint.dynamic.worker.cuda_graphs import CudaGraphs
from compilelint.dynamic.worker.inputs import Call, NoInputsError, described, sets_for
from compilelint.dynamic.worker.job import Ended, or_end, setting_value
from compilelint.dynamic.worker.loading import Loaded, build, find

_STEADY_SECONDS = 0.3
_STRETCHES = 10

Question = Mapping[str, Any]


class Subject:
    """What a process holds between two questions."""

    def __init__(self, settings: Settings, literal: Callable[[str], Any]) -> None:
        self.settings = settings
        self.literal = literal
        self.recorder = recorder.Recorder()
        self.graphs: CudaGraphs | None = None
        self.recording = contextlib.ExitStack()
        self.config = Config()
        self.target = Target("")
        self.progress: Callable[[str], None] = lambda phase: None
        self.sets: list[list[Call]] = []
        self.step: Callable[[Call], Any] = str

    def answers(self, progress: Callable[[str], None]) -> dict[str, Callable[[Question], dict[str, Any]]]:
        """The questions by name; `progress` is called with each phase as it begins."""
        self.progress = progress
        return {
            "stack": lambda question: {"stack": stack(self.settings.device), "compiler": compiler()},
            "prepare": self.prepare,
            "round": self.round,
            "finish": self.finish,
            "soak": self.soak,
            "profile": lambda question: kernels(self._pass, self.settings.device),
            "copies": lambda question: {"copies": copies(self._pass, sum(map(len, self.sets)))},
            "compare": self.compare,
        }

    # ------------------------------------------------------------- preparing

    def prepare(self, question: Question) -> dict[str, Any]:
        """Build, make inputs, compile, and call until times are steady."""
        self.target = target_of(question["target"], self.literal)
        self.config = Config(**question["config"])
        for name, value in question["changes"].items():
            setattr(torch._dynamo.config, name, setting_value(name, value))
        loaded = self.loaded(self.target.seeds[0])
        self.progress("inputs")
        source, self.sets = self.sets_of(loaded, self.target.seeds[0])
        found = {
            "place": loaded.place,
            "torch": torch.__version__,
            "inputs_from": source,
            "sets": [", ".join(described(calls[0])) for calls in self.sets],
        }
        self.progress("eager")
        self._once_without_compiling(loaded)
        self.recording.enter_context(self.recorder.recording())
        if self.config.mode in RECORDING:
            self.graphs = CudaGraphs()
            self.recording.enter_context(self.graphs.recording())
        called, blocks = self.compiled(loaded.function)
        self.step = self._step(loaded.function, called)
        self.progress("compile")
        found |= {"blocks": blocks, **self._start()}
        memory.forget_peaks(self.settings.device)
        return {**found, "recorded": self._recorded(), "memory": memory.now(self.settings.device)}

    def loaded(self, seed: int) -> Loaded:
        """The model as `seed` makes it, in its mode and on its device."""
        self.progress("import")
        found = or_end("import-error", lambda: find(self.target.model))
        self.progress("build")
        torch.manual_seed(seed)
        loaded: Loaded = or_end("build-error", lambda: build(found, self.target.arguments))
        if isinstance(loaded.function, torch.nn.Module):
            loaded.function.train(self.target.mode == "train")
            or_end("build-error", lambda: loaded.function.to(self.settings.device))
        elif self.target.mode == "train":
            raise Ended("build-error", "a function has no parameters to train; name a module, or drop --train")
        return loaded

    def sets_of(self, loaded: Loaded, seed: int) -> tuple[str, list[list[Call]]]:
        try:
            return sets_for(self.target, loaded, seed, self.settings.device)
        except NoInputsError as none:
            raise Ended("no-inputs", str(none)) from none

    def _once_without_compiling(self, loaded: Loaded) -> None:
        """What every first call of a process pays (libraries, handles of the device) is no cost of compiling."""
        apart = copied(loaded.function)
        if apart is None:
            apart = loaded.function
        for call in itertools.chain(*self.sets):
            or_end("eager-error", partial(self._call, apart, apart, call))
            if isinstance(apart, torch.nn.Module):
                apart.zero_grad(set_to_none=True)

    def compiled(self, function: Any) -> tuple[Any, Any]:
        """What is called in place of the function, and the class and number of the blocks compiled instead of it."""
        config = self.config
        if config.mode is None:
            return function, None
        how: dict[str, Any] = {"dynamic": True} if config.dynamic else {}
        if config.mode != "default":
            how["mode"] = config.mode
        if not config.regional:
            return torch.compile(function, **how), None
        name, blocks = repeated_blocks(function)
        if not blocks:
            raise Ended("build-error", "the model repeats no block: no list of modules holds two of one class")
        for block in blocks:
            block.compile(**how)
        return function, [name, len(blocks)]

    def _step(self, function: Any, called: Any) -> Callable[[Call], Any]:
        """What is timed: a call, or in training a call with its gradients and the optimizer's step."""
        records = self.config.mode in RECORDING
        if self.target.mode != "train":

            def call_once(call: Call) -> Any:
                if records:
                    torch.compiler.cudagraph_mark_step_begin()
                return self._call(function, called, call)

            return call_once
        optimizer = torch.optim.AdamW(function.parameters(), lr=1e-6)

        def train_once(call: Call) -> None:
            if records:
                torch.compiler.cudagraph_mark_step_begin()
            self._call(function, called, call)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

        return train_once

    def _call(self, function: Any, called: Any, call: Call) -> Any:
        def call_compiled(*args: Any, **named: Any) -> Any:
            return called(*args, **named)

        args, named = call
        train = self.target.mode == "train"
        with torch.set_grad_enabled(train), self.precision():
            result = call_compiled(*args, **named)
        if train:
            _loss(result).backward()
        return result

    def precision(self) -> Any:
        """Autocast to bfloat16 where AMP is on."""
        if self.config.amp:
            return torch.autocast(self.settings.device, torch.bfloat16)
        return contextlib.nullcontext()

    def _start(self) -> dict[str, Any]:
        """Call until times are steady: what the first calls took, and how much of it is lost to starting."""
        blame = "eager-error" if self.config.mode is None else "compile-error"
        passes = [or_end(blame, self._pass) for _ in range(SETTLING)]
        later: list[list[float]] = []
        while len(later) < 2 or sum(map(sum, later)) < _STEADY_SECONDS:
            later.append(or_end(blame, self._pass))
        sizes = [len(calls) for calls in self.sets]
        steady = [min(times) for times in zip(*later, strict=True)]
        parts = iter(steady)
        return {
            "first_call": sum(passes[0]),
            "lost": max(sum(map(sum, passes)) - SETTLING * sum(steady), 0.0),
            "steady": [sum(next(parts) for _ in range(size)) / size for size in sizes],
        }

    def _pass(self) -> list[float]:
        """Every call of every input set once; seconds each."""
        times = []
        for call in itertools.chain(*self.sets):
            started = clock()
            self.step(call)
            times.append(clock() - started)
        self.recorder.call += 1
        return times

    def _recorded(self) -> dict[str, Any]:
        """What Dynamo did so far, as `dynamic.observations` reads it."""
        stats = torch._dynamo.utils.counters["stats"]
        recorded = copy.deepcopy(self.recorder.observed())
        cache = torch._dynamo.utils.counters["inductor"]
        return {
            **recorded,
            "graphs": stats["unique_graphs"],
            "ops": [stats["calls_captured"]],
            "calls": self.recorder.call,
            "cuda_graphs": None if self.graphs is None else copy.deepcopy(self.graphs.observed()),
            "cache_hits": cache["fxgraph_cache_hit"],
            "cache_misses": cache["fxgraph_cache_miss"],
        }

    # ---------------------------------------------------------------- timing

    def round(self, question: Question) -> dict[str, Any]:
        """Seconds of each call, by input set."""
        before = len(self.recorder.recompiles)
        self.recorder.call += 1
        used, started = time.process_time(), time.perf_counter()
        times = [self._timed(calls, count) for calls, count in zip(self.sets, question["counts"], strict=True)]
        return {
            "times": times,
            "recompiles": len(self.recorder.recompiles) - before,
            "busy": time.process_time() - used,
            "seconds": time.perf_counter() - started,
        }

    def _timed(self, calls: list[Call], count: int) -> list[float]:
        times: list[float] = []
        turns = itertools.cycle(calls)

        def once() -> None:
            call = next(turns)
            started = clock()
            self.step(call)
            times.append(clock() - started)

        timer = Timer("once()", globals={"once": once}, timer=clock, num_threads=torch.get_num_threads())
        timer.timeit(count)
        return times[-count:]  # without those of its warm-up

    def finish(self, question: Question) -> dict[str, Any]:
        """The most memory since it was prepared."""
        return {"memory": memory.peak(self.settings.device)}

    def soak(self, question: Question) -> dict[str, Any]:
        """Many calls in equal stretches, and what grew or was compiled again meanwhile."""
        calls = question["calls"]
        before, known = memory.now(self.settings.device), len(self.recorder.recompiles)
        self.recorder.call = 0
        times: list[float] = []
        late: list[int] = []
        turns = self._weighted(question["weights"])
        for number in range(calls):
            place, call = next(turns)
            started = clock()
            self.step(call)
            if place == 0:
                times.append(clock() - started)
            if len(self.recorder.recompiles) > known:
                known = len(self.recorder.recompiles)
                late.append(number)
        size = max(len(times) // _STRETCHES, 1)
        stretches = [times[start : start + size] for start in range(0, size * _STRETCHES, size)]
        after = memory.now(self.settings.device)
        return {
            "calls": calls,
            "stretches": [one for one in stretches if one],
            "growth": sum(after[name] - before[name] for name in after),
            "recompiles": late,
        }

    def _weighted(self, weights: list[float]) -> Iterator[tuple[int, Call]]:
        """Calls of the input sets in turn, each as often as its weight says."""
        turns = [itertools.cycle(calls) for calls in self.sets]
        owed = [0.0] * len(weights)
        while True:
            owed = [one + weight for one, weight in zip(owed, weights, strict=True)]
            place = max(range(len(owed)), key=owed.__getitem__)
            owed[place] -= sum(weights)
            yield place, next(turns[place])

    # -------------------------------------------------------------- comparing

    def compare(self, question: Question) -> dict[str, Any]:
        """How far compiled results are from eager ones, over the target's seeds. The last that is asked."""
        self.progress("compare")
        self.recording.close()
        torch._dynamo.reset()
        return agreement(self, tuple(question["seeds"]))


def _loss(result: Any) -> torch.Tensor:
    """The result's own loss, else the mean square of all that has a gradient."""
    named = result.get("loss") if isinstance(result, Mapping) else getattr(result, "loss", None)
    if isinstance(named, torch.Tensor) and named.requires_grad:
        return named.mean()
    parts = [one.float().square().mean() for one in tensors(result) if one.requires_grad and one.is_floating_point()]
    if not parts:
        raise Ended("build-error", "no part of the result has a gradient to train with")
    return torch.stack(parts).sum()
