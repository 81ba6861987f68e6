"""What torch really returns for calls given as text; run as a program, so that a crash of torch costs no test process.

Reads `{name: [[number of the inputs, call]]}` as JSON from standard input and writes `{name: [[number, call,
outcome]]}` of those that ran; an outcome is written as `torchfacts.generate.result_calls` does.
"""

from __future__ import annotations

import functools
import json
import sys
import warnings
from typing import Any

INPUTS: tuple[dict[str, str], ...] = tuple(
    {
        "x": x,
        "y": y,
        "v": "torch.ones(3, dtype=torch.float64)",
        "s": "torch.tensor(1.5)",
        "n": "torch.tensor(2)",
        "i": f"torch.zeros({size}, dtype=torch.int64)",
        "m": f"torch.ones({size}, dtype=torch.bool)",
    }
    for size, x, y in (
        ("3, 3", "torch.ones(3, 3)", "torch.ones(3, 3, dtype=torch.int32)"),
        ("3", "torch.ones(3)", "torch.ones(3, 3)"),
        ("3, 1, 3", "torch.ones(3, 1, 3)", "torch.ones(3, 3)"),
        ("2, 3, 3", "torch.ones(2, 3, 3)", "torch.ones(3)"),
        ("4, 6", "torch.ones(6, 4).t()", "torch.ones(4, 6)"),
        ("()", "torch.ones(())", "torch.ones(3, 2)"),
        ("4, 2", "torch.ones(4, 2, dtype=torch.int64)", "torch.ones(2)"),
        ("3", "torch.ones(3, dtype=torch.int64)", "torch.ones(())"),
        ("()", "torch.ones((), dtype=torch.int64)", "torch.ones(3)"),
        ("3, 3", "torch.ones(3, 3, dtype=torch.bool)", "torch.ones(3, 3)"),
        ("3", "torch.ones(3, dtype=torch.bool)", "torch.ones(3, dtype=torch.int64)"),
        ("3, 3", "torch.ones(3, 3, dtype=torch.complex64)", "torch.ones(3, 3)"),
        ("2, 3, 4", "torch.ones(4, 3, 2).permute(2, 1, 0)", "torch.ones(2, 3, 4)"),
        ("2, 4, 6, 6", "torch.ones(2, 4, 6, 6)", "torch.ones(3, 4, 3, 3)"),
        ("2, 3, 3", "torch.ones(2, 3, 3, dtype=torch.int64)", "torch.ones(2, 3, 3)"),
    )
)
"""What the names in a call stand for: tensors of other sizes than those that the rules were found with."""
FIRST = 7  # of the inputs: a form that raises on all of these is not tried on the rest

_REST = """
    ; 1; -1; 0; 3; 0.25; None; True; 1, True; (0, -1); [0]; (3, 3); 2.0, 1; 1, 0; 0, 2; 0, 2, 1; 3, 3; 2, 0, True;
    dim=1; dim=-1, keepdim=True; keepdim=True; dim=(0,), keepdim=False; dim=None; axis=0; p=1; p=1, dim=0; k=2; 0, 1, 1;
    descending=True; as_tuple=True; return_counts=True; return_inverse=True, dim=0; correction=1; unbiased=True;
    dtype=torch.float64; dtype=torch.int64; 0, dtype=torch.float32; diagonal=-1; dim0=0, dim1=1; start_dim=0, end_dim=1;
    y; y, 1; y, dim=0; x; x, x; y, y; x, 1, x; i; 0, i; 1, i, x; 0, i, 2.0; m; m, 7; v; v, 0; v, dim=0; s; n; s, 0;
    n, n;    other=y; other=3; x, alpha=3; x, reduction='none'; x, reduction='sum'; i, reduction='none'; v.long();
    index=i, dim=0;    0, v.long(); x, 3, 2; x, rounding_mode='trunc'; x, x, x, x; -1, (1, -1); 1, 3, 1; scale_factor=2;
    (2, 2); 2; 2, 2
""".replace("\n", " ")
FORMS: tuple[str, ...] = (
    *(f"x, {rest}" if rest else "x" for rest in (one.strip() for one in _REST.split(";"))),
    *"[x, x]; [x, x], 1; (x, y); [x, x, x], dim=0; [x]; m, x, y; m, x, 0; m, 1.5, x; m, 0, 1; m, s, x".split("; "),
    *"y, x; v, x; input=x; input=x, dim=0; input=x, other=y; 'ij,jk->ik', x, y; 'ij->', x; 'bij->bj', x;".split("; "),
)
WITHOUT_TENSORS: tuple[str, ...] = tuple(
    one.strip()
    for one in """
    4; 2, 5; (2, 5); 1, 7, 3; 0.0, 1.0, 4; [3, 1]; [[0.5], [1]]; 3, dtype=torch.float32; 2.0; 0, 9, (2, 2); True;
    [True]; (2,), 7; (2, 3), 0.5; 6, (2, 3); 3, 4, 5; size=(2, 3); 4, size=(2, 3); []; 1, 4; 1.0, 4; 0, 1, 0.5; 6
    """.split(";")
)


def _with_ones(described: list[Any], value: Any) -> list[Any]:
    """An outcome with, for each tensor, the dimensions of size one behind it: they lie anywhere in memory."""
    if described[0] == "t":
        return [*described, [at for at, size in enumerate(value.shape) if size == 1]]
    if described[0] == "s":
        return [*described[:2], [_with_ones(*pair) for pair in zip(described[2], value, strict=True)], *described[3:]]
    return described


def _outcomes(asked: dict[str, list[str]]) -> dict[str, Any]:
    import torch

    from compilelint.torchfacts.generate.apart import forked
    from compilelint.torchfacts.generate.result_calls import limited, outcome

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)

    @functools.cache
    def given(number: int) -> dict[str, Any]:
        return {name: eval(text, {"torch": torch}) for name, text in INPUTS[number].items()}

    def ran(call: str, number: int) -> Any:
        torch.default_generator.manual_seed(0)
        values = {name: value.clone(memory_format=torch.preserve_format) for name, value in given(number).items()}
        try:
            with limited():
                found = eval(call, {"torch": torch, **values})
            return _with_ones(outcome(found, list(values.values())), found)
        except Exception:  # noqa: BLE001 - most forms are those of other operations
            return None

    def of(name: str) -> Any:
        found = []
        for call in asked[name]:
            numbers = [0] if "x" not in call and "y" not in call else range(FIRST)
            first = [[number, call, ran(call, number)] for number in numbers]
            found += first
            if len(first) > 1 and any(out is not None for _, _, out in first):
                found += [[number, call, ran(call, number)] for number in range(FIRST, len(INPUTS))]
        return [one for one in found if one[2] is not None]

    return forked(of, sorted(asked))


if __name__ == "__main__":
    json.dump(_outcomes(json.load(sys.stdin)), sys.stdout)
