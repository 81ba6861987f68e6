"""Arguments of `torch.compile` that torch refuses, or takes and ignores.

What happens to each was measured on torch 2.13 on the CPU; the rule pages show it. Judged by what stands in the call
itself; what hides in `**settings` is not guessed at.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import CompileArgument
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import Spot, is_literal, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import FunctionRef

# Every mode of every torch since 2.0; `lite` came with 2.10.
_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")
# They log a warning, "ignoring extra kwargs", and go on; `mode="default"` is not even handed to them.
_OPTIONLESS_BACKENDS = frozenset({"eager", "eager_noexcept", "aot_eager", "aot_eager_decomp_partition", "cudagraphs"})


def arguments(spot: Spot, call: ir.Call) -> Iterator[CompileArgument]:
    """What is wrong with the arguments of one call of `torch.compile`."""
    given = {name: value for name, value in call.keywords if name is not None and not is_literal(value, None)}
    mode, options, backend = given.get("mode"), given.get("options"), given.get("backend")
    if mode is not None and isinstance(options, ir.DictDisplay):
        sure = _both_given(spot, mode)
        if sure is not None:
            yield CompileArgument(spot.site(mode), None, "mode-and-options", "mode", "options", sure)
    word = text_of(mode)
    if word is not None and word not in _MODES:
        yield CompileArgument(spot.site(mode), None, "unknown-mode", word, ", ".join(_MODES[:4]), Confidence.CERTAIN)
    if isinstance(options, ir.DictDisplay):
        for key, value in zip(options.keys, options.values, strict=True):
            if isinstance(value, ir.DictDisplay) and value.keys and key is not None:
                inner = text_of(value.keys[0]) or "name"
                name = text_of(key) or "the option"
                yield CompileArgument(spot.site(value), None, "nested-option", name, inner, Confidence.CERTAIN)
    dynamic = text_of(given.get("dynamic"))
    if dynamic is not None:
        yield CompileArgument(spot.site(given["dynamic"]), None, "dynamic-text", dynamic, "", Confidence.CERTAIN)
    if backend is not None:
        yield from _for_backend(spot, backend, {k: v for k, v in (("mode", mode), ("options", options)) if v})


def _for_backend(spot: Spot, backend: ir.Expr, extra: dict[str, ir.Expr]) -> Iterator[CompileArgument]:
    """What a backend that is not Inductor makes of `mode` and `options`."""
    name = text_of(backend)
    for word, value in extra.items():
        if name in _OPTIONLESS_BACKENDS and (
            isinstance(value, ir.DictDisplay) or text_of(value) not in (None, "default")
        ):
            yield CompileArgument(spot.site(value), None, "ignored", word, name or "", Confidence.CERTAIN)
        takes = _parameters(spot, backend)
        if takes is not None and word not in takes and text_of(value) != "default":
            shown = dotted_name(backend) or "the lambda"
            sure = (
                Confidence.CERTAIN if isinstance(value, (ir.Const, ir.DictDisplay)) else Doubt.ARGUMENT_MAY_BE_NONE.cap
            )
            yield CompileArgument(spot.site(value), None, "backend-takes-none", word, shown, sure)


def _parameters(spot: Spot, backend: ir.Expr) -> set[str] | None:
    """The parameters of a backend whose definition is at hand; None where it is not, or takes anything."""
    if isinstance(backend, ir.Lambda):
        node = backend.function
    else:
        meaning = spot.scope.meaning(backend)
        if not isinstance(meaning, FunctionRef) or not isinstance(meaning.code, FunctionInfo):
            return None
        node = meaning.code.node
    if node.decorators or any(p.kind == "double-star" for p in node.params):
        return None
    return {p.name for p in node.params}


def _both_given(spot: Spot, mode: ir.Expr) -> Confidence | None:
    """How sure it is that a mode is given; None for a parameter that may be None."""
    if isinstance(mode, ir.Const):
        return Confidence.CERTAIN
    if isinstance(mode, ir.Name):
        function = spot.scope.function
        params = () if function is None else function.node.params
        if any(p.name == mode.id for p in params):
            return None
    return None if isinstance(mode, ir.IfExp) else Doubt.ARGUMENT_MAY_BE_NONE.cap
