"""Advice on how scripts use their models: what a loop calls in each pass, which methods, what goes past a wrapper."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.report.layout.text import escaped
from compilelint.report.overview.deployment.plan import Advice, Purpose
from compilelint.report.overview.deployment.surroundings import Surroundings
from compilelint.survey.practices import Practice

_MOST_MODELS = 6


def used(around: Surroundings, purpose: Purpose) -> Iterator[Advice]:
    """What decides how to compile, from what scripts do with their models."""
    if found := around.of("scripted"):
        words = (
            "modules of TorchScript at {at}: Dynamo does not look into them, so nothing of them "
            "is compiled; derive from `nn.Module`, without the decorators of `torch.jit`, then compile"
        )
        yield around.line("mode", words, found)
    direct = {one.name for one in around.of("stepped") if one.detail in ("", "forward")}
    direct |= {one.name for one in around.of("passes") if "." not in one.detail}
    for name, same in _by_class(one for one in around.of("instead") if one.name not in direct).items():
        methods = ", ".join(dict.fromkeys(f"`{escaped(one.detail)}`" for one in same))
        words = (
            f"of `{escaped(name)}` methods are called at {{at}} ({methods}), and not the model itself, so that "
            "`torch.compile(model)` compiles nothing: compile each method, `model.method = torch.compile(model.method)`"
        )
        yield around.line("mode", words, same)
    if passes := around.of("passes"):
        names = ", ".join(dict.fromkeys(f"`{escaped(one.detail)}`" for one in passes))
        words = (
            f"each pass of a loop calls {names} at {{at}}, without a backward pass: compile what one pass computes, "
            'the loop stays outside; small batches are bound by the host there, `mode="reduce-overhead"`, sizes fixed'
        )
        yield around.line("mode", words, passes, "graphs/infer/reduce-overhead")
    if past := around.of("past"):
        words = (
            "`forward` itself is called at {at}, which goes past hooks and past what `model.compile()` compiled: call "
            "the module"
        )
        yield around.line("mode", words, past)


def _by_class(found: Iterator[Practice]) -> dict[str, list[Practice]]:
    named: dict[str, list[Practice]] = {}
    for one in found:
        named.setdefault(one.name, []).append(one)
    return named


def models(around: Surroundings) -> Iterator[Advice]:
    """A line for each model: where it is made, called in training and in other loops."""
    named: dict[str, dict[str, list[Practice]]] = {}
    for kind, words in _DONE.items():
        for one in around.of(kind):  # type: ignore[arg-type]
            named.setdefault(one.name, {}).setdefault(words, []).append(one)
    used_ = {name: done for name, done in named.items() if len(done) > 1}
    for name, done in list(used_.items())[:_MOST_MODELS]:
        parts = [f"{words} {around.at([one.location for one in found])}" for words, found in done.items()]
        yield Advice("use", f"`{escaped(name)}`: {'; '.join(parts)}")


_DONE = {"made": "made at", "stepped": "trained at", "passes": "called in each pass of a loop at"}
