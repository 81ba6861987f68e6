"""Configurations by their names."""

from __future__ import annotations

import pytest

from compilelint.bench.plan import Config, Plan, PlanError, configs_from, default_names, quick


def names(*asked: str, device: str = "cuda") -> list[str]:
    return [one.name for one in configs_from(asked, device)]


def test_eager_is_always_measured_and_first() -> None:
    assert names("default", "dynamic") == ["eager", "default", "dynamic"]


def test_amp_is_held_against_eager_with_amp() -> None:
    assert names("default", "amp") == ["eager", "eager+amp", "default", "default+amp"]
    assert Config("default", amp=True).base == Config(amp=True)


def test_a_name_says_the_code_that_turns_it_on() -> None:
    (_, one) = configs_from(["reduce-overhead+dynamic"], "cuda")
    assert one.call == 'torch.compile(model, mode="reduce-overhead", dynamic=True)'
    (_, block) = configs_from(["regional"], "cpu")
    assert block.call == "for block in blocks: block.compile()"


def test_every_name_is_read_back() -> None:
    for name in ("default", "dynamic", "regional", "max-autotune+dynamic+regional", "dynamic+regional"):
        assert names(name)[-1] == name


@pytest.mark.parametrize(
    ("asked", "device", "complaint"),
    [
        ("defualt", "cpu", "did you mean default"),
        ("reduce-overhead", "cpu", "records CUDA graphs, and the device is cpu"),
        ("max-autotune", "cpu", "records CUDA graphs"),
        ("eager+dynamic", "cpu", "eager and compiled at once"),
        ("default+max-autotune", "cuda", "several modes"),
        ("amp+amp", "cuda", "several modes"),
    ],
)
def test_what_cannot_be_measured_is_refused(asked: str, device: str, complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint.replace("+", r"\+")):
        configs_from([asked], device)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_is_measured_unasked_can_be_measured(device: str) -> None:
    assert len(configs_from(default_names(device), device)) == 1 + len(default_names(device))


def test_a_quick_plan_starts_everything_three_times_and_times_every_round() -> None:
    plan = quick(Plan(configs_from(["default"], "cpu")))
    assert plan.processes == (2, 2, 2)
    assert plan.seeds == (0,)
    assert plan.most_calls < Plan(()).most_calls
