"""Measures a target: a process for each variant, timed in turns, and all of it again several times.

The first processes find empty caches, the others filled ones. Within a round every variant is timed once, forwards in
one round and backwards in the next, so that a machine that gets slower favours none. Raises NoWorkerError and
NoCompilerError before anything is measured.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any

from compilelint.bench.plan import Plan, Variant
from compilelint.bench.result import Agreement, Bench, Copy, Kernels, Measured, Memory, Price, Soak, Start
from compilelint.bench.statistics import Interval, difference, ratio
from compilelint.bench.words import seconds
from compilelint.dynamic.no_worker import scratch_folder
from compilelint.dynamic.observations import run_of
from compilelint.dynamic.protocol import Job, Settings, job_message
from compilelint.dynamic.runner import beneath
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import End, Worker
from compilelint.model import Fate

PROGRAM = "compilelint.bench.worker.serve"
_LEAST_CALLS = 3

Progress = Callable[[str], None]


class NoCompilerError(Exception):
    """Inductor needs a C++ compiler on a CPU, and there is none: `what` is missing, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


@dataclass
class _Seat:
    """One variant and what is known of it so far."""

    variant: Variant
    cache: str
    fate: Fate = Fate.RAN
    detail: str = ""
    worker: Worker | None = None
    counts: list[int] = field(default_factory=list)
    rounds: list[tuple[tuple[float, ...], ...]] = field(default_factory=list)
    observed: dict[str, Any] = field(default_factory=dict)

    @property
    def scratch(self) -> str:
        """Its temporary folder, the same for all its processes: Inductor keeps precompiled headers there, which a
        second start finds as it finds the caches."""
        folder = os.path.join(self.cache, "tmp")
        os.makedirs(folder, exist_ok=True)
        return folder

    @property
    def failed(self) -> bool:
        return self.fate is not Fate.RAN


def bench(
    target: Target, settings: Settings, plan: Plan, progress: Progress = lambda text: None, more: Sequence[Variant] = ()
) -> Bench:
    """Measure a target in every configuration of the plan, and in `more` variants of it."""
    variants = (*map(Variant, plan.configs), *more)
    with scratch_folder() as folder:
        seats = [_Seat(one, os.path.join(folder, str(number))) for number, one in enumerate(variants)]
        session = _Session(target, settings, plan, progress, seats)
        for number in range(len(plan.processes)):
            session.turn(number)
    return session.result()


def not_measured(
    target: Target, settings: Settings, plan: Plan, more: Sequence[Variant], fate: Fate, detail: str
) -> Bench:
    """What is known of a target of which nothing could be measured."""
    seats = [_Seat(one, "", fate, detail) for one in (*map(Variant, plan.configs), *more)]
    return _Session(target, settings, plan, lambda text: None, seats).result()


@dataclass
class _Session:
    """All variants of one target, side by side."""

    target: Target
    settings: Settings
    plan: Plan
    progress: Progress
    seats: list[_Seat]
    stack: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0

    def turn(self, turn: int) -> None:
        """A process for each variant, from its start to its end, with its share of the rounds, unless all failed."""
        if all(seat.failed for seat in self.seats):
            return
        caches = "cold" if turn == 0 else "warm"
        names = " and ".join(seat.variant.name for seat in self.seats if not seat.failed)
        self.progress(f"{self.target.label}: starting processes for {names} (each imports torch)")
        with contextlib.ExitStack() as processes:
            for seat in self.seats:
                if not seat.failed:
                    seat.worker = Worker(self._settings(seat), program=PROGRAM, scratch=seat.scratch)
                    seat.worker.start()
                    processes.push(seat.worker)
            for seat in self.seats:
                if seat.worker is not None and not seat.failed:
                    seat.worker.await_ready()
            for seat in self.seats:
                if not seat.failed:
                    compiles = ", compiling" if seat.variant.config.mode is not None else ""
                    self.progress(f"{self.target.label}: {seat.variant.name}, {caches} caches{compiles}")
                    self._prepare(seat, caches)
                    self.progress(f"{self.target.label}: {seat.variant.name}, {self._prepared(seat)}")
                    if seat.failed and seat.variant == self.seats[0].variant:
                        self._give_up()
            if all(seat.failed for seat in self.seats):
                return
            first = sum(self.plan.processes[:turn])
            for number in range(first, first + self.plan.processes[turn]):
                self.progress(f"{self.target.label}: round {number + 1} of {self.plan.rounds}")
                for seat in self.seats if number % 2 == 0 else reversed(self.seats):
                    self._round(seat)
            self.progress(f"{self.target.label}: so far {self._so_far(turn)}")
            for seat in self.seats:
                if not seat.failed:
                    self._finish(seat, turn)

    def _prepared(self, seat: _Seat) -> str:
        """`1 graph, 0 breaks, first call 18.2 s, then about 1.5 ms`: what preparing says, before anything is timed."""
        if seat.failed:
            return f"not measured: {seat.detail.partition(chr(10))[0] or seat.fate.value}"
        observed = seat.observed["last"]
        calls = f"first call {seconds(observed['first_call'])}, then about {seconds(observed['steady'][0])}"
        if seat.variant.config.mode is None:
            return calls
        run = run_of(self.target, {**observed, **observed["recorded"], "fate": "ran"}, "", seat.variant.overlay)
        breaks = len(run.own_breaks)
        return f"{_counted(run.graphs, 'graph')}, {_counted(breaks, 'break')}, {calls}"

    def _so_far(self, turn: int) -> str:
        """`eager 11.6 ms, default 10.3 ms, in one process each`: medians of what was timed, of the first inputs."""
        timed = [(seat, [time for sets in seat.rounds for time in sets[0]]) for seat in self.seats if seat.rounds]
        parts = [f"{seat.variant.name} {seconds(median(times))}" for seat, times in timed if times]
        once = ["in one process each, so without an interval"] if turn == 0 and parts else []
        return ", ".join([*parts, *once])

    def _settings(self, seat: _Seat) -> Settings:
        """The caches of each variant are its own, and empty at first."""
        caches = {
            "TORCHINDUCTOR_CACHE_DIR": seat.cache,
            "TRITON_CACHE_DIR": os.path.join(seat.cache, "triton"),
            "TORCHINDUCTOR_FX_GRAPH_CACHE": "1",
        }
        own = replace(self.settings, environment={**self.settings.environment, **caches})
        return beneath(own, seat.variant.overlay)

    def _ask(self, seat: _Seat, event: str, blame: Fate, **more: Any) -> dict[str, Any]:
        """Ask a process; one that gives no answer, or reports a failure, is out."""
        assert seat.worker is not None
        self.asked += 1
        end: End = seat.worker.ask(
            self.asked, {"event": event, "blame": blame.value, **more}, self.plan.limit, self.target.memory
        )
        observed = end.observed or end.as_observed()
        if observed["fate"] != Fate.RAN.value:
            seat.fate, seat.detail = Fate(observed["fate"]), str(observed.get("detail", ""))
        return observed

    def _prepare(self, seat: _Seat, caches: str) -> None:
        if not self.stack:
            observed = self._ask(seat, "stack", Fate.BUILD_ERROR)
            compiles = any(one.variant.config.mode is not None for one in self.seats)
            if compiles and self.settings.device == "cpu" and not observed.get("compiler"):
                raise NoCompilerError(
                    "on a CPU, Inductor compiles with a C++ compiler, and none works here",
                    "install one (as in apt install g++), or name one in the environment: CXX=/path/to/g++",
                )
            self.stack = observed.get("stack", {})
        compiled = seat.variant.config.mode is not None
        target = replace(self.target, model=seat.variant.model or self.target.model)
        message = job_message(Job(0, target, changes=seat.variant.settings))
        observed = self._ask(
            seat,
            "prepare",
            Fate.COMPILE_ERROR if compiled else Fate.EAGER_ERROR,
            target=message["target"],
            config=asdict(seat.variant.config),
            changes=message["changes"],
        )
        if seat.failed:
            return
        seat.observed.setdefault(caches, observed)
        seat.observed["last"] = observed
        share = self.plan.seconds / len(observed["steady"])
        base = self.seats[0].observed.get(caches, observed)["steady"]
        # As many calls of each variant as of eager: the tails of few and of many calls are not alike.
        seat.counts = [max(_LEAST_CALLS, min(self.plan.most_calls, round(share / max(one, 1e-7)))) for one in base]

    def _give_up(self) -> None:
        """A model that does not run without compiling cannot be measured at all."""
        first = self.seats[0]
        for seat in self.seats[1:]:
            seat.fate, seat.detail = first.fate, first.detail

    def _round(self, seat: _Seat) -> None:
        if seat.failed:
            return
        observed = self._ask(seat, "round", Fate.COMPILE_ERROR, counts=seat.counts)
        if not seat.failed:
            seat.rounds.append(tuple(map(tuple, observed["times"])))
            for name in ("recompiles", "busy", "seconds"):
                seat.observed[name] = seat.observed.get(name, 0) + observed[name]

    def _finish(self, seat: _Seat, turn: int) -> None:
        """What is asked behind the rounds; a failure there costs no more than the answer."""
        name = seat.variant.name
        observed = self._ask(seat, "finish", Fate.COMPILE_ERROR)
        if turn == len(self.plan.processes) - 1 and not seat.failed:
            seat.observed["end"] = observed
            self.progress(f"{self.target.label}: {name}, profile")
            seat.observed["profile"] = self._ask(seat, "profile", Fate.COMPILE_ERROR)
            if seat is self.seats[0] and self.settings.device != "cpu" and not seat.failed:
                seat.observed["copies"] = self._ask(seat, "copies", Fate.EAGER_ERROR)
                seat.fate = Fate.RAN  # the times stand without them
            if self.plan.soak and not seat.failed:
                self.progress(f"{self.target.label}: {name}, {self.plan.soak} calls")
                weights = self._weights(seat)
                seat.observed["soak"] = self._ask(
                    seat, "soak", Fate.COMPILE_ERROR, calls=self.plan.soak, weights=list(weights)
                )
        if turn == 0 and seat.variant.config.mode is not None and not seat.failed:
            self.progress(f"{self.target.label}: {name}, compared with eager")
            seeds = self.target.seeds if len(self.target.seeds) > 1 else self.plan.seeds
            seat.observed["compare"] = self._ask(seat, "compare", Fate.COMPILE_ERROR, seeds=list(seeds))
            seat.fate = Fate.RAN  # what could not be compared is reported with the times

    def _weights(self, seat: _Seat) -> tuple[float, ...]:
        sets = len(seat.observed["cold"]["sets"])
        known = tuple(one.weight for one in self.target.inputs)
        return known if len(known) == sets else (1.0,) * sets

    # ---------------------------------------------------------------- result

    def result(self) -> Bench:
        """All of it as data, with the ratios to eager."""
        measured = tuple(self._measured(seat) for seat in self.seats)
        first = self.seats[0].observed.get("cold", {"sets": (), "inputs_from": ""})
        weights = self._weights(self.seats[0]) if first["sets"] else ()
        blank = Bench(
            self.target.label,
            self.target.mode,
            self.settings.device,
            self.plan,
            tuple(first["sets"]),
            weights,
            str(first["inputs_from"]),
            measured,
            self.stack,
        )
        ratios: dict[str, Interval] = {}
        overall: dict[str, Interval] = {}
        for one in measured[1:]:
            base = blank.base_of(one)
            if one.ran and measured[0].ran:
                overall[one.name] = ratio(measured[0].rounds, one.rounds, weights, processes=self.plan.processes)
            if one.ran and base is not None and base.ran and base is not one:
                ratios[one.name] = ratio(base.rounds, one.rounds, weights, processes=self.plan.processes)
        return replace(blank, ratios=ratios, overall=overall, prices=dict(_prices(blank)))

    def _measured(self, seat: _Seat) -> Measured:
        observed = seat.observed
        complete = not seat.failed and len(seat.rounds) == self.plan.rounds
        if not complete:
            fate = seat.fate if seat.failed else Fate.TIME_LIMIT
            return Measured(seat.variant, fate, seat.detail)
        end, cold = observed["end"], observed["cold"]
        memory = observed["last"]["memory"]
        recorded = {**cold, **cold["recorded"], "fate": "ran"}
        return Measured(
            seat.variant,
            Fate.RAN,
            rounds=tuple(seat.rounds),
            cold=_start(cold),
            warm=_start(observed["warm"]),
            memory=Memory(memory["host"], end["memory"]["host"], memory["device"], end["memory"]["device"]),
            agreement=_agreement(observed.get("compare")),
            kernels=_kernels(observed.get("profile")),
            run=run_of(self.target, recorded, "", seat.variant.overlay),
            late=observed["recompiles"],
            blocks=None if cold["blocks"] is None else (cold["blocks"][0], cold["blocks"][1]),
            busy=observed["busy"] / observed["seconds"] if observed["seconds"] else 0.0,
            soak=_soak(observed.get("soak")),
            copies=_copies(observed.get("copies")),
        )


def _prices(bench: Bench) -> Iterator[tuple[str, Price]]:
    """What each change is worth, against the same configuration without it."""
    for one in bench.measured:
        plain = bench.named(one.variant.config.name)
        if one.variant.change and one.ran and plain is not None and plain.ran:
            both, processes = (plain.rounds, one.rounds, bench.weights), bench.plan.processes
            yield one.name, Price(ratio(*both, processes=processes), difference(*both, processes=processes))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _start(observed: Mapping[str, Any]) -> Start:
    recorded = observed["recorded"]
    return Start(observed["first_call"], observed["lost"], recorded["cache_hits"], recorded["cache_misses"])


def _agreement(observed: Mapping[str, Any] | None) -> Agreement | None:
    if observed is None:
        return None
    if observed["fate"] != Fate.RAN.value:
        return Agreement((), 0.0, 0.0, unknown=f"comparing failed: {observed.get('detail', '')}")
    return Agreement(
        tuple(observed["seeds"]), observed["error"], observed["limit"], observed["name"], observed["unknown"]
    )


def _kernels(observed: Mapping[str, Any] | None) -> Kernels | None:
    if observed is None or observed["fate"] != Fate.RAN.value:
        return None
    return Kernels(observed["count"], observed["seconds"], observed["of"])


def _copies(observed: Mapping[str, Any] | None) -> tuple[Copy, ...]:
    if observed is None or observed["fate"] != Fate.RAN.value:
        return ()
    return tuple(
        Copy(one["way"], tuple((path, line) for path, line in one["frames"]), one["count"], one["seconds"])
        for one in observed["copies"]
    )


def _soak(observed: Mapping[str, Any] | None) -> Soak | None:
    if observed is None or observed["fate"] != Fate.RAN.value:
        return None
    return Soak(
        observed["calls"], tuple(map(tuple, observed["stretches"])), observed["growth"], tuple(observed["recompiles"])
    )
