"""What to do about a target, in words with their numbers; nothing is said that an interval does not bear out.

A configuration counts as faster where the whole interval of its ratio lies above 1, and its results agree with eager's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from compilelint.bench.causes import of_causes
from compilelint.bench.result import Bench, Measured, Price, Soak, middle
from compilelint.bench.statistics import Interval, ratio
from compilelint.bench.words import calls, factor, place_of, seconds
from compilelint.model import TargetRun

AdviceKind: TypeAlias = Literal["whole", "block", "fix", "shapes", "eager", "inconclusive", "not-run"]
WHOLE: Final = "whole"
BLOCK: Final = "block"
FIX: Final = "fix"
SHAPES: Final = "shapes"
EAGER: Final = "eager"
INCONCLUSIVE: Final = "inconclusive"
NOTHING: Final = "not-run"

_CLEARLY = 1.25  # an interval with both this and its inverse inside holds a clear gain and a clear loss
_DRIFT = 1.05  # a soak's last stretch may be this much slower than its first


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do: its kind, in a sentence with numbers, why, and how to go back. `choice` names the configuration."""

    kind: AdviceKind
    advice: str
    reasons: tuple[str, ...] = ()
    roll_back: str = ""
    choice: str = ""


def advise(bench: Bench) -> Advice:
    """The advice for a target."""
    eager = bench.measured[0]
    if not eager.ran:
        return Advice(NOTHING, f"not measured: {eager.detail.partition(chr(10))[0] or eager.fate.value}")
    reasons = tuple(_reasons(bench))
    prices = sorted(_worth_it(bench), key=lambda one: -one[1].saved.estimate)
    sure = [one for one in bench.measured if is_faster(bench, one)]
    best = min(sure, key=bench.typical, default=None)
    if prices:
        first = "; ".join(_priced(bench, one, price) for one, price in prices)
        now = f"as it is, {_choice(bench, best)}" if best is not None else "for now, leave it eager"
        back = _back(best or prices[0][0])
        return Advice(FIX, f"fix first: {first}; {now}", reasons, back, best.name if best else "")
    if best is None and any(_says_nothing(bench, one) for one in bench.measured[1:]):
        busy = "the machine is busy, or its times vary for another reason; measure again where nothing else runs"
        return Advice(INCONCLUSIVE, f"inconclusive: {busy} ({_undecided(bench)})", reasons)
    if best is None:
        return Advice(EAGER, f"leave it eager: {_undecided(bench)}", reasons)
    plain = bench.named("default")
    if best.variant.config.dynamic and plain is not None and plain.ran and _compiles_again(plain):
        again = len(plain.run.recompiles) if plain.run is not None else 0
        why = f" (`default` recompiled {_times(again)} for these inputs)"
        return Advice(
            SHAPES, f"change the shape strategy: {_choice(bench, best)}{why}", reasons, _back(best), best.name
        )
    block = _cheaper_block(bench, best, sure)
    if block is not None:
        return Advice(BLOCK, f"compile the block: {_choice(bench, block)}", reasons, _back(block), block.name)
    kind: AdviceKind = BLOCK if best.variant.config.regional else WHOLE
    what = "the block" if kind == BLOCK else "the whole model"
    return Advice(kind, f"compile {what}: {_choice(bench, best)}", reasons, _back(best), best.name)


def is_faster(bench: Bench, one: Measured) -> bool:
    """Compiled as the project stands, right, and known to be faster than plain eager and eager of its precision."""
    if one.variant.config.mode is None or one.variant.change or not one.ran:
        return False
    agrees = one.agreement is None or one.agreement.holds or bool(one.agreement.unknown)
    ratios = (bench.ratios.get(one.name), bench.overall.get(one.name))
    return agrees and all(interval is not None and interval.low > 1.0 for interval in ratios)


def _says_nothing(bench: Bench, one: Measured) -> bool:
    """Whether a configuration with the right results may be clearly faster than eager, and as well clearly slower."""
    interval = bench.ratios.get(one.name)
    if interval is None or one.variant.config.mode is None or one.variant.change or not one.ran:
        return False
    wrong = one.agreement is not None and not one.agreement.holds and not one.agreement.unknown
    return not wrong and interval.low < 1 / _CLEARLY and interval.high > _CLEARLY


def _compiles_again(one: Measured) -> bool:
    run = one.run
    return run is not None and (bool(run.limits) or any(again.cause == "inputs" for again in run.recompiles))


def _cheaper_block(bench: Bench, best: Measured, sure: list[Measured]) -> Measured | None:
    """The block, where it is not known to be slower than the best, starts sooner and has paid no later."""
    for one in sure:
        if one is best or not one.variant.config.regional or one.cold is None or best.cold is None:
            continue
        slower = ratio(best.rounds, one.rounds, bench.weights, processes=bench.plan.processes).high < 1.0
        pays, others_pay = bench.break_even(one), bench.break_even(best)
        later = pays is not None and others_pay is not None and pays > others_pay
        if not slower and not later and one.cold.lost < best.cold.lost:
            return one
    return None


# ----------------------------------------------------------------------- words


def ratio_words(interval: Interval, base: str = "") -> str:
    """A ratio with its interval, and whether it says anything."""
    than = f" as {base}" if base else ""
    words = f"{interval.estimate:.2f} times as fast{than} (95 % {factor(interval.low)} to {factor(interval.high)})"
    return f"{words}, within the noise" if interval.holds_one else words


def _beside(bench: Bench, one: Measured) -> str:
    """How many times as fast as eager of its precision, and with AMP as plain eager too."""
    if not one.variant.config.amp:
        return ratio_words(bench.ratios[one.name], "eager")
    without = ratio_words(bench.overall[one.name], "eager without AMP")
    return f"{ratio_words(bench.ratios[one.name], 'eager+amp')}, {without}"


def _choice(bench: Bench, one: Measured) -> str:
    text = f"`{one.variant.config.call}` is {_beside(bench, one)}"
    cold, warm = bench.break_even(one), bench.break_even(one, warm=True)
    if cold is not None and one.cold is not None:
        text += f"; starting costs {seconds(one.cold.lost)}, which pays off after {calls(cold)}"
    if warm is not None and one.warm is not None:
        text += f" (with filled caches {seconds(one.warm.lost)}, {calls(warm)})"
    return text


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _worth_it(bench: Bench) -> Iterator[tuple[Measured, Price]]:
    """Changes that are known to save time, and with which compiling is known to beat eager."""
    for one in bench.measured:
        price, overall = bench.prices.get(one.name), bench.overall.get(one.name)
        if price is not None and price.ratio.low > 1.0 and overall is not None and overall.low > 1.0:
            yield one, price


def _priced(bench: Bench, one: Measured, price: Price) -> str:
    faster = f"with it, compiled is {ratio_words(bench.overall[one.name], 'eager')}"
    return f"{_saving(one, price)} and is {price.ratio.estimate:.2f} times as fast; {faster}"


def _saving(one: Measured, price: Price) -> str:
    low, high = seconds(price.saved.low), seconds(price.saved.high)
    return f"{one.variant.change} saves {seconds(price.saved.estimate)} a call (95 % {low} to {high})"


def _undecided(bench: Bench) -> str:
    """What each configuration came to, where none is known to be faster."""
    parts = []
    for one in bench.measured[1:]:
        if one.variant.config.mode is None or one.variant.change:
            continue
        interval = bench.ratios.get(one.name)
        if interval is None:
            parts.append(f"`{one.name}` did not run")
        elif one.agreement is not None and not one.agreement.holds and not one.agreement.unknown:
            parts.append(f"`{one.name}` gives different results")
        elif interval.high < 1.0:
            parts.append(f"`{one.name}` is slower, {_beside(bench, one)}")
        else:
            parts.append(f"`{one.name}` is {_beside(bench, one)}")
    return "; ".join(parts) or "nothing else was measured"


def _reasons(bench: Bench) -> Iterator[str]:
    """What was seen beside the times."""
    yield from _of_configurations(bench)
    yield from of_causes(bench)


def _of_configurations(bench: Bench) -> Iterator[str]:
    for one in bench.measured:
        if not one.ran:
            yield f"`{one.name}` did not run: {one.detail.partition(chr(10))[0] or one.fate.value}"
            continue
        if one.agreement is not None and not one.agreement.holds:
            yield _disagreement(one)
        if one.run is not None:
            yield from _of_run(one, one.run)
        if one.late:
            yield f"`{one.name}` recompiled {_times(one.late)} while it was timed"
        if one.soak is not None:
            yield from _of_soak(one)
        price, overall = bench.prices.get(one.name), bench.overall.get(one.name)
        if price is not None and price.ratio.low <= 1.0:
            yield f"{one.variant.change}: {ratio_words(price.ratio)}, so no gain is proven"
        elif price is not None and overall is not None and overall.low <= 1.0:
            yield f"{_saving(one, price)}, and compiled is then {ratio_words(overall, 'eager')}"


def _disagreement(one: Measured) -> str:
    found = one.agreement
    assert found is not None
    if found.unknown:
        return f"`{one.name}` could not be compared with eager: {found.unknown}"
    return (
        f"`{one.name}` gives different results: {found.name} is off by {found.error:.1e}, allowed is {found.limit:.0e}"
    )


def _of_run(one: Measured, run: TargetRun) -> Iterator[str]:
    if run.cuda_graphs is not None and not run.cuda_graphs.recorded:
        yield f"`{one.name}` recorded no CUDA graph"
    for left in run.cuda_graphs.left_out if run.cuda_graphs is not None else ():
        at = f", at {place_of(left.path, left.line)}" if left.path else ""
        yield f"`{one.name}` leaves this out of its CUDA graphs{at}: {left.reason}"
    for found in run.own_breaks:
        yield f"`{one.name}` breaks at {place_of(found.path, found.line)}: {found.words}"
    for limit in run.limits:
        place = place_of(limit.path, limit.line)
        yield f"`{one.name}` hit the recompile limit on `{limit.function}` ({place})"
    state = [again for again in run.recompiles if again.cause == "state"]
    if state:
        where = state[0].source or state[0]
        guard = state[0].guards[0] if state[0].guards else "a guard"
        times = _times(len(state))
        yield f"`{one.name}` recompiled {times} for its own state, at {place_of(where.path, where.line)}: {guard}"


def _of_soak(one: Measured) -> Iterator[str]:
    soak = one.soak
    assert soak is not None
    for call in soak.recompiles[:3]:
        yield f"`{one.name}` recompiled in call {call + 1:,} of {soak.calls:,}"
    drifted = list(_drift(one, soak))
    yield from drifted
    steady = "" if drifted else "got no slower, "
    settled = "" if soak.recompiles or one.variant.config.mode is None else "recompiled nothing, "
    grown = f"holds {soak.growth / 2**20:+,.1f} MB of memory since"
    yield f"`{one.name}`, {soak.calls:,} calls in a row: {steady}{settled}{grown}"


def _drift(one: Measured, soak: Soak) -> Iterator[str]:
    if len(soak.stretches) > 1:
        parts = tuple((part,) for part in soak.stretches)
        half = len(parts) // 2
        drift = ratio(parts[-half:], parts[:half], (1.0,))
        if drift.low > _DRIFT:
            first, last = middle(soak.stretches[0]), middle(soak.stretches[-1])
            yield f"`{one.name}` got slower over {soak.calls:,} calls: {seconds(first)} to {seconds(last)} a call"


def _back(one: Measured) -> str:
    return (
        f"to go back, take out `{one.variant.config.call}`; without touching code, start with TORCH_COMPILE_DISABLE=1, "
        'or call torch.compiler.set_stance("force_eager") in the running program'
    )
