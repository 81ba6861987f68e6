"""What the use of a parameter proves: that it is a tensor, or nothing, since arrays, modules and lists do the same."""

from __future__ import annotations

import pytest

from compilelint.interp.text import usage
from compilelint.project.roots import functions_of
from tests.support.reveal import program_of, sources


def evidence(*lines: str) -> dict[str, str]:
    """What the body says about the parameters of a function of these lines."""
    body = "\n    ".join(lines)
    program, (module,) = program_of(sources(f"def f(x, other):\n    {body}\n"))
    return usage.evidence(next(iter(functions_of(program, module))))


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("return x.unsqueeze(0)", "only tensors have `.unsqueeze`"),
        ("return x.clone().to(other).detach()", "only tensors have `.detach`"),
        ("return x.masked_fill(other, 0)", "only tensors have `.masked_fill`"),
        ("return (x > other).to(torch.int64)", "only comparisons of tensors have `.to`"),
        ("return (x[other] == 1).long()", "only comparisons of tensors have `.long`"),
        ("return (0 < x).float()", "only comparisons of tensors have `.float`"),
        ("return x[:, 0]", "indexed like a tensor"),
        ("return x[None]", "indexed like a tensor"),
        ("return x[..., 1]", "indexed like a tensor"),
        ("return torch.relu(x)", "passed to `torch.relu`"),
        ("return F.relu(x)", "passed to `F.relu`"),
        ("return x @ 3", "operand of `@`"),
        ("return 3 @ x", "operand of `@`"),
        ("return x.sum() / x.mean()", "used as a tensor (`.mean`, `.sum`)"),
        ("if other:\n        return x.unsqueeze(0)", "only tensors have `.unsqueeze`"),
        ("return [x.unsqueeze(0) for _ in other]", "only tensors have `.unsqueeze`"),
        ("return {'a': x.unsqueeze(0)}", "only tensors have `.unsqueeze`"),
    ],
)
def test_what_only_a_tensor_can_do(line: str, how: str) -> None:
    assert evidence(line).get("x") == how


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("return x + 1", id="arithmetic"),
        pytest.param("return x > 1", id="a comparison"),
        pytest.param("return (x > 1).any()", id="a comparison, with what arrays have too"),
        pytest.param("return (other > x).float()", id="a comparison of something else with it"),
        pytest.param("return int(x)", id="a conversion"),
        pytest.param("return x[0]", id="an item"),
        pytest.param("return x[1:]", id="a slice"),
        pytest.param("return x[1, 2]", id="a pair of numbers"),
        pytest.param("return x.shape", id="one attribute that arrays have too"),
        pytest.param("return x.sum()", id="one method that arrays have too"),
        pytest.param("return x.sum() + x.sum()", id="the same method twice"),
        pytest.param("return x.weight", id="an attribute of modules"),
        pytest.param("return torch.stack(x)", id="a function that takes lists"),
        pytest.param("return torch.tensor(x)", id="a function that takes numbers"),
        pytest.param("return math.sqrt(x)", id="another library"),
        pytest.param("return len(x)", id="len"),
        pytest.param("return other.x.unsqueeze(0)", id="an attribute of that name"),
        pytest.param("return x.made().detach()", id="what a method of another kind gives"),
        pytest.param("return x.encoder.clone().detach()", id="what an attribute of it gives"),
        pytest.param("x = other\n    return x.unsqueeze(0)", id="the name means something else by then"),
        pytest.param("for x in other:\n        x.unsqueeze(0)", id="the variable of a loop"),
        pytest.param("x, y = other\n    return x.unsqueeze(0)", id="unpacked"),
        pytest.param("def g(x):\n        return x.unsqueeze(0)\n    return g", id="a parameter of an inner function"),
    ],
)
def test_what_proves_nothing(line: str) -> None:
    assert "x" not in evidence(line)


def test_a_use_before_the_name_is_bound_again_counts() -> None:
    assert "x" in evidence("y = x.unsqueeze(0)", "x = other", "return x + y")
    assert "x" in evidence("x = x.unsqueeze(0)", "return x")


def test_every_parameter_is_judged_for_itself() -> None:
    assert evidence("return torch.relu(x), other[0]") == {"x": "passed to `torch.relu`"}


def evidence_of_items(*lines: str) -> dict[str, str]:
    """What the body says about variables that take items out of a parameter."""
    body = "\n    ".join(lines)
    program, (module,) = program_of(sources(f"def f(x, other):\n    {body}\n"))
    return usage.evidence_of_items(next(iter(functions_of(program, module))))


@pytest.mark.parametrize(
    "taken",
    [
        pytest.param("a, b = x", id="unpacked"),
        pytest.param("a, (b, c) = x", id="unpacked twice"),
        pytest.param("a = x[0]", id="by position"),
        pytest.param("a, b = x[0], x[1]", id="by position, in one line"),
        pytest.param('a = x["a"]', id="by key"),
    ],
)
def test_an_item_of_something_is_a_tensor_by_its_use(taken: str) -> None:
    assert evidence_of_items(taken, "return a.unsqueeze(0)") == {"a": "only tensors have `.unsqueeze`"}


def test_items_of_a_loop() -> None:
    assert evidence_of_items("for a in x:", "    other = a.unsqueeze(0)") == {"a": "only tensors have `.unsqueeze`"}


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("a = x", "return a.unsqueeze(0)"), id="the same thing under another name"),
        pytest.param(("a = make(x)", "return a.unsqueeze(0)"), id="a result"),
        pytest.param(("a = x[0]", "a = make(a)", "return a.unsqueeze(0)"), id="bound again before its use"),
        pytest.param(("a = make(x)", "a = x[0]", "return a.unsqueeze(0)"), id="something else at first"),
        pytest.param(("a = x[other]", "return a.unsqueeze(0)"), id="at an unknown place, which may be a slice"),
        pytest.param(("a, b = x", "return a + b"), id="arithmetic"),
    ],
)
def test_what_says_nothing_of_items(lines: tuple[str, ...]) -> None:
    assert evidence_of_items(*lines) == {}


def test_nothing_is_said_of_the_object_of_a_method() -> None:
    text = "class Collector:\n    def report(self):\n        return self.mean, self.std\n"
    program, (module,) = program_of(sources(text))
    assert usage.evidence(next(iter(functions_of(program, module)))) == {}
