"""Which rewrite may remove a break, and what is known that decides whether it is legal."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.torchfacts import load
from tests.support.reveal import Files, run

HEAD = "x: Tensor, i: torch.LongTensor, m: torch.BoolTensor, u, d: dict, o: Union[Tensor, int]"


def rewrites(files: Files) -> list[tuple[str, dict[str, object]]]:
    """Name and facts of the rewrite of each finding; an empty name where there is none."""
    book, facts = rulebook(), load("2.13.0")
    found = [one for event in run(files, unlinted=("lib.py",)) for one in book.findings_for(event, facts)]
    return [("", {}) if one.rewrite is None else (one.rewrite.name, dict(one.rewrite.known)) for one in found]


def of(line: str) -> list[tuple[str, dict[str, object]]]:
    """The rewrites for a compiled function that holds the line."""
    return rewrites(f"import copy, scipy.optimize\n@torch.compile\ndef f({HEAD}):\n    {line}\n    return x\n")


SCALARS = {"capture_scalar_outputs": True}
SHAPES = {"capture_dynamic_output_shape_ops": True}


@pytest.mark.parametrize(
    ("line", "name", "known"),
    [
        ("if m.any(): x = x + 1", "branch", {"dtype": "bool", "rank": 0, "always": True}),
        ("if x: x = x + 1", "branch", {"always": True}),
        ("print(x.shape)", "output", {}),
        ("warnings.warn('a')", "output", {}),
        ("x.requires_grad = True", "requires-grad", {}),
        ("y = torch.zeros(3, requires_grad=True)", "requires-grad-asked", {}),
        ("y = copy.copy(d)", "copy", {"plain": True}),
        ("y = copy.copy(u)", "copy", {"plain": False}),
        (
            "y = scipy.optimize.linear_sum_assignment(u)",
            "host-function",
            {"function": "scipy.optimize.linear_sum_assignment"},
        ),
        ("y = nn.Linear(2, 2)", "construction", {}),
        ("y = x.sum().item()", "host-read", {"rank": 0, "always": True, **SCALARS}),
        ("y = i.tolist()", "host-read", {"dtype": "int", "always": True, **SCALARS}),
        ("y = m.nonzero()", "dynamic-shape", SHAPES),
        ("y = F.one_hot(i)", "dynamic-shape", None),
        ("y = x[m]", "mask", {"dtype": "bool", "always": True, "of_tensor": True, **SHAPES}),
        ("y = x[i.max()]", "scalar-index", {"dtype": "int", "rank": 0, "always": True, "of_tensor": True}),
        ("y = x[: i.max()]", "dynamic-shape", SCALARS),
        ("y = np.prod(u)", "", None),
        ("x.real = u", "", None),
        ("y = sorted([x, x])", "", None),
        ("x.retain_grad()", "", None),
    ],
)
def test_the_rewrite_of_a_break(line: str, name: str, known: dict[str, object] | None) -> None:
    (found,) = of("import warnings\n    " + line)[-1:] or [("", {})]
    assert found[0] == name
    if known is not None:
        assert {key: found[1].get(key) for key in known} == known


def test_a_break_in_another_file_has_no_rewrite() -> None:
    lib = "def read(x):\n    return x.sum().item()\n"
    app = "from lib import read\n@torch.compile\ndef f(x: Tensor):\n    return read(x)\n"
    assert [name for name, _ in rewrites({"lib.py": lib, "app.py": app})] == [""]


@pytest.mark.parametrize(("made", "count"), [("torch.no_grad()", 1), ("torch.inference_mode()", 1)])
def test_a_manager_from_outside_is_entered(made: str, count: int) -> None:
    text = f"""
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.quiet = {made}

    def forward(self, x: Tensor):
        with self.quiet:
            return x + 1
"""
    assert [name for name, _ in rewrites(text)].count("outside-context") == count


def test_a_buffer_that_is_assigned() -> None:
    text = "class M(nn.Module):\n    def forward(self, x: Tensor):\n        self.b = nn.Buffer(x)\n        return x\n"
    assert "buffer" in [name for name, _ in rewrites(text)]
