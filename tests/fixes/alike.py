"""Whether a fixed program does what the program did: in eager Python, and compiled, where it must not break.

`made` fixes a text with one rewrite alone, `alike` runs `f` of both texts. Values and gradients must be equal, NaN with
NaN, and what raises must raise the same class.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compilelint.fixes import code_of
from compilelint.fixes.engine.edits import rewritten
from compilelint.fixes.engine.laws import Offer
from compilelint.fixes.engine.registry import Rewriter, rewrites
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import options
from tests.fixes.test_pages_fixed import _function


def made(text: str, rewrite: Rewriter, folder: Path) -> tuple[str, str]:
    """The text after the rewrite's first offer, and what it assumes that the text does not show; "" where nothing is.

    The text comes back as it was where the rewrite offers nothing.
    """
    path = folder / "model.py"
    path.write_text(text, encoding="utf-8")
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    for finding in lint(options(path)).findings:
        known = finding.rewrite
        if known is None or rewrite not in (*rewrites(known.name), *rewrites(known.name, proven=True)):
            continue
        for offer in rewrite(finding, code):
            fix, unmet = (offer.fix, offer.unmet(code)) if isinstance(offer, Offer) else (offer, "")
            return rewritten(source, [fix]).text, unmet
    return text, ""


def outcome(function: Any, args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """What a call raises, by class, or its tensors and the gradients of those arguments that want one."""
    import torch

    for one in args:
        if isinstance(one, torch.Tensor):
            one.grad = None
    try:
        out = function(*args)
    except Exception as error:  # noqa: BLE001 - the class is what is compared
        return type(error).__name__, []
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    leaves = [one for one in args if isinstance(one, torch.Tensor) and one.requires_grad]
    if leaves and any(one.requires_grad for one in outs):
        sum(one.sum() for one in outs if one.requires_grad).backward()
    return "", [one.detach() for one in outs] + [one.grad for one in leaves]


def alike(before: str, after: str, args: tuple[Any, ...], folder: Path, *, exactly: bool = True) -> None:
    """Both programs do the same in eager Python, and the second compiled; it has no break unless it raises."""
    import torch

    from tests.rules.recorder import record

    new = _function(after, folder / "after.py")
    wanted = outcome(_function(before, folder / "before.py"), args)
    torch._dynamo.reset()
    for function in (new, torch.compile(new, backend="eager")):
        if function is not new and wanted[0]:
            continue  # what compiled code does where eager code raises is said of each rewrite
        raised, got = outcome(function, args)
        assert raised == wanted[0]
        for one, other in zip(got, wanted[1] if not raised else [], strict=True):
            if one is None or other is None:
                assert one is other
                continue
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            bounds: dict[str, Any] = {"rtol": 0, "atol": 0} if exactly else {}
            torch.testing.assert_close(one, other, equal_nan=True, **bounds)
    if not wanted[0]:
        assert record(new, [args], str(folder / "after.py")).breaks == []
