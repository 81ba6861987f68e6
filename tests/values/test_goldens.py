"""What every function of the lattice says of every sample, and the join of every two, against `golden/samples.txt`.

The laws (`test_lattice_laws.py`) say what must hold of any lattice; this says which one it is. After a change that is
meant: `python -m tests.values.test_goldens`, and read the difference line by line.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from compilelint.values import (
    NONE,
    Const,
    Mapping,
    Scalar,
    Sequence,
    Tensor,
    Value,
    arms,
    dependence,
    join,
    resumed,
    tensor_arm,
    truth,
)
from compilelint.values.lattice import (
    element_of,
    is_drawn,
    is_none,
    kind_of,
    type_name,
    uncompiled,
    usual_of,
    without,
)
from compilelint.values.words import describe, reason
from tests.support.samples import SAMPLES

GOLDEN = Path(__file__).parent / "golden" / "samples.txt"


def said(value: Value) -> Iterator[str]:
    """All that can be asked of one value."""
    yield f"{describe(value)} | {describe(value, placed=True)} | {describe(value, whole=True)}"
    arm = tensor_arm(value)
    answers: dict[str, object] = {
        "size": value.size,
        "because": reason(value),
        "type": type_name(value),
        "truth": truth(value),
        "is None": is_none(value),
        "depends": dependence(value).name,
        "drawn": is_drawn(value),
        "kind": kind_of(value) if isinstance(value, (Const, Scalar)) else "",
        "usually": None if (usual := usual_of(value)) is None else describe(usual),
        "tensor": None if arm is None else describe(arm, whole=True),
        "scalar": isinstance(value, Tensor) and value.is_computed_scalar,
        "arms": len(arms(value)),
        "without None": describe(without(value, Const)),
        "without tensors": describe(without(value, (Tensor, Sequence))),
        "resumed": describe(resumed(value), whole=True),
        "in a region": describe(uncompiled(value)),
        "any item": describe(element_of(value)) if isinstance(value, Sequence) else "",
        "under `loss`": describe(value.get("loss") or NONE) if isinstance(value, Mapping) else "",
    }
    yield "  " + "; ".join(f"{name} {answer}" for name, answer in answers.items() if answer not in ("", None))


def written() -> str:
    lines = []
    for name, value in SAMPLES.items():
        lines += [f"# {name}", *said(value)]
    lines.append("# joined")
    for (a, one), (b, other) in itertools.combinations(SAMPLES.items(), 2):
        lines.append(f"{a} + {b}: {describe(join(one, other), whole=True)}")
    return "\n".join(lines) + "\n"


def test_the_lattice_is_the_one_recorded() -> None:
    assert written() == GOLDEN.read_text(encoding="utf-8"), "if it is right so: python -m tests.values.test_goldens"


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8")
