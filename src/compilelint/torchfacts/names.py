"""Other spellings of one torch name, brought to the one the tables use.

The tables name things where the documentation does: `torch.nn.LSTM`, not `torch.nn.modules.rnn.LSTM`.
"""

from __future__ import annotations

_PREFIXES = (
    ("torch._tensor.Tensor.", "torch.Tensor."),
    ("torch._C.TensorBase.", "torch.Tensor."),
    ("torch.nn.Parameter.", "torch.Tensor."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.autograd.grad_mode.", "torch."),
    ("torch.functional.", "torch."),
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch._C._linalg.linalg_", "torch.linalg."),
    ("torch._C._fft.fft_", "torch.fft."),
    ("torch._C._special.special_", "torch.special."),
    ("torch._VariableFunctions.", "torch."),
    ("torch.nn.modules.module.", "torch.nn."),
    ("torch.random.", "torch."),
    ("logging.root.", "logging.Logger."),
    ("posixpath.", "os.path."),
    ("ntpath.", "os.path."),
    ("posix.", "os."),
)

# Hooks of modules are stored alike: measured on 2.13 and 2.15, each of these breaks as `register_forward_hook` does.
_HOOKS = frozenset(
    f"torch.nn.Module.register_{kind}_hook"
    for kind in ("forward_pre", "full_backward", "full_backward_pre", "backward")
)


def other_spelling(name: str) -> str | None:
    """The table's spelling of `name`, None where no rule applies (it may be the table's already)."""
    if name in _HOOKS:
        return "torch.nn.Module.register_forward_hook"
    if name.startswith("torch.nn.modules."):
        head, _, rest = name.removeprefix("torch.nn.modules.").partition(".")
        return f"torch.nn.{rest}" if rest else f"torch.nn.{head}"
    for prefix, replacement in _PREFIXES:
        if name.startswith(prefix):
            return replacement + name.removeprefix(prefix)
    if name.startswith("numpy.ma.") or "." in name:
        return None
    return f"builtins.{name}"
