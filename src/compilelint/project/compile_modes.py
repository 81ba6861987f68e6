"""Which calls of `torch.compile` ask for CUDA graphs."""

from __future__ import annotations

from compilelint.events import RECORDING_MODES
from compilelint.syntax import ir


def records_cuda_graphs(call: ir.Call) -> bool:
    """Whether a call of `torch.compile` or `.compile()` asks for CUDA graphs, by mode or by option."""
    if _text(_keyword(call, "mode")) in RECORDING_MODES:
        return _text(_keyword(call, "backend")) in (None, "inductor")
    options = _keyword(call, "options")
    if not isinstance(options, ir.DictDisplay):
        return False
    pairs = zip(options.keys, options.values, strict=True)
    return any(
        _text(key) == "triton.cudagraphs" and isinstance(value, ir.Const) and value.value is True
        for key, value in pairs
    )


def _keyword(call: ir.Call, name: str) -> ir.Expr | None:
    return next((value for key, value in call.keywords if key == name), None)


def _text(expr: ir.Expr | None) -> str | None:
    """The text of a string literal."""
    return expr.value if isinstance(expr, ir.Const) and isinstance(expr.value, str) else None
