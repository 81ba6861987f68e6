"""compilelint finds the lines of PyTorch code that keep `torch.compile` from capturing one fast graph."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilelint.monitor import watch as watch

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`compilelint.watch`, imported when a program asks for it: the command line needs it never."""
    if name == "watch":
        from compilelint.monitor import watch

        return watch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
