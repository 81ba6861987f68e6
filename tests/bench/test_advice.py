"""The advice in words: what the numbers bear out, and nothing else."""

from __future__ import annotations

import re

import pytest

from compilelint.bench.advice import BLOCK, EAGER, FIX, INCONCLUSIVE, NOTHING, SHAPES, WHOLE, advise
from compilelint.bench.result import Agreement, Bench, Soak
from compilelint.bench.words import calls, seconds
from tests.bench.samples import bench_of, failed, measured, recompiled


def test_a_model_that_gains_is_compiled_whole_and_the_price_of_starting_is_named() -> None:
    found = advise(bench_of(measured("eager", 2e-3), measured("default", 1e-3)))
    assert (found.kind, found.choice) == (WHOLE, "default")
    assert re.search(
        r"`torch.compile\(model\)` is 2\.\d\d times as fast as eager \(95 % \d\.\d\d to 2\.0\d\)", found.advice
    )
    assert re.search(r"starting costs 20 s, which pays off after (19|20),\d{3} calls", found.advice)
    assert "TORCH_COMPILE_DISABLE=1" in found.roll_back


def test_the_block_is_compiled_where_it_is_as_fast_and_starts_sooner() -> None:
    block = measured("regional", 1e-3, blocks=("Block", 12))
    slow_start = bench_of(measured("eager", 2e-3), measured("default", 1e-3), block)
    assert advise(slow_start).kind == WHOLE, "it starts no sooner"
    sooner = measured("regional", 1e-3, blocks=("Block", 12))
    object.__setattr__(sooner.cold, "lost", 5.0)
    found = advise(bench_of(measured("eager", 2e-3), measured("default", 1e-3), sooner))
    assert (found.kind, found.choice) == (BLOCK, "regional")


def test_a_block_that_gains_less_and_so_pays_later_is_not_advised() -> None:
    block = measured("regional", 1.55e-3, scatter=0.1, blocks=("Block", 12))
    object.__setattr__(block.cold, "lost", 19.0)  # sooner than the whole, by a second
    whole = measured("default", 1.5e-3, scatter=0.1)
    bench = bench_of(measured("eager", 2e-3, scatter=0.01), whole, block)
    assert (advise(bench).kind, advise(bench).choice) == (WHOLE, "default")


def test_what_lies_within_the_noise_is_no_gain() -> None:
    found = advise(bench_of(measured("eager", 1e-3, scatter=0.3), measured("default", 0.99e-3, scatter=0.3)))
    assert found.kind == EAGER
    assert found.advice.startswith("leave it eager")
    assert "within the noise" in found.advice


def test_what_may_be_a_clear_gain_and_a_clear_loss_is_inconclusive() -> None:
    found = advise(bench_of(measured("eager", 1e-3, scatter=3.0), measured("default", 1e-3, scatter=3.0)))
    assert found.kind == INCONCLUSIVE
    assert found.advice.startswith("inconclusive: the machine is busy")
    wrong = measured("default", 1e-3, scatter=3.0, agreement=Agreement((0,), 0.5, 1e-4, "output[0]"))
    assert advise(bench_of(measured("eager", 1e-3, scatter=3.0), wrong)).kind == EAGER


def test_a_slower_configuration_is_called_slower() -> None:
    found = advise(bench_of(measured("eager", 1e-3), measured("default", 2e-3)))
    assert found.kind == EAGER
    assert "`default` is slower, 0.5" in found.advice


def test_a_fast_configuration_with_other_results_is_not_advised() -> None:
    wrong = measured("default", 1e-3, agreement=Agreement((0,), 0.5, 1e-4, "output[0]"))
    found = advise(bench_of(measured("eager", 2e-3), wrong))
    assert found.kind == EAGER
    assert "`default` gives different results" in found.advice
    assert found.reasons == ("`default` gives different results: output[0] is off by 5.0e-01, allowed is 1e-04",)


def test_a_change_that_is_known_to_gain_comes_first_with_its_price() -> None:
    fixed = measured("default", 1e-3, change="CL101 at net.py:3")
    found = advise(bench_of(measured("eager", 2e-3), measured("default", 1.5e-3), fixed))
    assert found.kind == FIX
    assert re.search(r"CL101 at net.py:3 saves \d{3} µs a call \(95 % \d{3} µs to \d{3} µs\)", found.advice)
    assert "as it is, `torch.compile(model)` is 1.3" in found.advice


def test_a_change_after_which_eager_is_still_as_fast_is_no_advice() -> None:
    fixed = measured("default", 1.5e-3, change="CL101 at net.py:3")
    found = advise(bench_of(measured("eager", 1e-3), measured("default", 2e-3), fixed))
    assert found.kind == EAGER
    assert any("CL101 at net.py:3 saves" in one and "0.6" in one for one in found.reasons)


def test_a_change_within_the_noise_is_said_to_gain_nothing() -> None:
    same = measured("default", 1e-3, scatter=0.3, change="the switch")
    found = advise(bench_of(measured("eager", 3e-3), measured("default", 1e-3, scatter=0.3), same))
    assert found.kind == WHOLE
    assert any(one.startswith("the switch:") and "no gain is proven" in one for one in found.reasons)


def test_sizes_that_are_compiled_again_call_for_another_shape_strategy() -> None:
    again = measured("default", 1.4e-3, run=recompiled("inputs"))
    found = advise(bench_of(measured("eager", 2e-3), again, measured("dynamic", 1e-3)))
    assert (found.kind, found.choice) == (SHAPES, "dynamic")
    assert "dynamic=True" in found.advice
    assert "recompiled once" in found.advice


def test_code_that_is_compiled_again_for_its_own_state_is_named() -> None:
    again = measured("default", 1e-3, run=recompiled("state"), late=3)
    found = advise(bench_of(measured("eager", 2e-3), again))
    assert any("recompiled once for its own state, at /p/net.py:7: self.calls == 0" in one for one in found.reasons)
    assert "`default` recompiled 3 times while it was timed" in found.reasons


def test_amp_is_judged_by_what_compiling_adds_and_by_the_whole() -> None:
    sides = (measured("eager", 4e-3), measured("eager+amp", 2e-3), measured("default+amp", 1e-3))
    found = advise(bench_of(*sides))
    assert found.choice == "default+amp"
    assert re.search(
        r"is (1\.9|2\.0)\d times as fast as eager\+amp .* (3\.9|4\.0)\d times as fast as eager without AMP",
        found.advice,
    )
    slower = (measured("eager", 1e-3), measured("eager+amp", 4e-3), measured("default+amp", 2e-3))
    assert advise(bench_of(*slower)).kind == EAGER, "AMP itself loses more than compiling gains"


def test_a_configuration_that_failed_is_listed_beside_those_that_ran() -> None:
    found = advise(bench_of(measured("eager", 2e-3), measured("default", 1e-3), failed("dynamic", "boom\nmore")))
    assert found.kind == WHOLE
    assert "`dynamic` did not run: boom" in found.reasons


def test_a_target_that_does_not_run_is_said_to_be_unmeasured() -> None:
    bench = bench_of(failed("eager", "no module named x"))
    assert advise(bench).kind == NOTHING
    assert advise(bench).advice == "not measured: no module named x"


def drifting(last: float) -> Bench:
    stretches = tuple(
        tuple(1e-3 * (1 + last * place / 9) * (1 + 0.001 * call) for call in range(20)) for place in range(10)
    )
    soaked = measured("default", 1e-3, soak=Soak(200, stretches, 0, (57,)))
    return bench_of(measured("eager", 2e-3), soaked)


def test_a_soak_shows_drift_and_late_recompiles() -> None:
    found = advise(drifting(0.5)).reasons
    assert "`default` recompiled in call 58 of 200" in found
    assert any(one.startswith("`default` got slower over 200 calls: 1.01 ms to 1.5") for one in found)
    assert not any("got slower" in one for one in advise(drifting(0.0)).reasons)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.5, "2.5 s"),
        (0.0123, "12.3 ms"),
        (4.56e-5, "45.6 µs"),
        (-0.002, "-2 ms"),
        (9.999e-4, "1 ms"),
        (0.9999, "1 s"),
        (4321.0, "4,321 s"),
    ],
)
def test_times_have_the_unit_that_fits(value: float, expected: str) -> None:
    assert seconds(value) == expected


def test_a_soak_in_which_nothing_happens_is_reported_too() -> None:
    soaked = measured("default", 1e-3, soak=Soak(200, ((1e-3,) * 20,) * 10, 3 << 20))
    found = advise(bench_of(measured("eager", 2e-3), soaked)).reasons
    assert "`default`, 200 calls in a row: got no slower, recompiled nothing, holds +3.0 MB of memory since" in found


def test_amp_that_loses_is_held_against_both_kinds_of_eager() -> None:
    sides = (measured("eager", 1e-3), measured("eager+amp", 4e-3, scatter=0.3), measured("default+amp", 4e-3))
    assert re.search(
        r"is \d\.\d\d times as fast as eager\+amp .*, 0\.2\d times as fast as eager without AMP",
        advise(bench_of(*sides)).advice,
    )


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1.2, "1 call"), (987.4, "987 calls"), (593_217, "593,000 calls"), (1_018_798, "1,020,000 calls")],
)
def test_calls_are_given_no_more_exactly_than_times_are_known(number: float, expected: str) -> None:
    assert calls(number) == expected
