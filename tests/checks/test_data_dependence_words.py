"""CL1xx in words: which rule speaks of each construct, what it says happens there, and what it proposes."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.checks.idioms.idiom import Place
from compilelint.events import Syntax
from compilelint.torchfacts import load
from tests.support.reveal import run

HEAD = "def f(x: Tensor, y: Tensor, d: dict, s: str, n: int):\n    {}\n    return x\n"


def said(line: str) -> list[tuple[str, str, str]]:
    """Code, message and help of what is reported."""
    book, facts = rulebook(), load("2.13.0")
    found = [one for event in run(HEAD.format(line)) for one in book.findings_for(event, facts)]
    return [(one.rule.code, one.message, one.help) for one in found]


@pytest.mark.parametrize(
    ("line", "code", "message", "help_"),
    [
        ("if x.any(): pass", "CL101", "`if` depends on", "choose with `torch.where`"),
        ("while x.any(): x = x - 1", "CL101", "`while` depends on", "Python counter"),
        ("assert x.any() and n", "CL101", "`assert` with `and`", "an assertion of its own"),
        ("z = x.any() and n", "CL101", "`and` needs", "use `&`"),
        ("z = x.any() or n", "CL101", "`or` needs", "use `|`"),
        ("z = not x.any()", "CL101", "`not` needs", "use `~`"),
        ("z = 0 < x.sum() < 3", "CL101", "a chained comparison needs", "join them with `&`"),
        ("z = n if x.any() else 1", "CL101", "the conditional expression", "choose with `torch.where`"),
        ("z = [v for v in (x, y) if v.any()]", "CL101", "the comprehension filters by", "a mask of fixed shape"),
        ("bool(x)", "CL101", "`bool()` needs the truth", "leave out `bool()`"),
        ("x.item()", "CL102", "`.item()` reads", "a 0-d tensor"),
        ("x.tolist()", "CL102", "`.tolist()` reads", "keep the tensor"),
        ("int(x)", "CL102", "`int()` reads", "`.to(torch.int64)` casts"),
        ("float(x)", "CL102", "`float()` reads", "`.detach().float()` casts"),
        ("math.sqrt(x)", "CL102", "`math.sqrt()` reads", "of the same name in `torch`"),
        ("x[y.argmax()]", "CL103", "the index is a 0-d tensor computed here: `y.argmax()`", "`x.index_select"),
        ("x[: y.argmax()]", "CL103", "a slice bound is a tensor: `y.argmax()`", "mask instead of slicing"),
        ("z = [1, 2][y.argmax()]", "CL103", "a Python sequence is indexed", "stack the entries"),
        ("z = range(3)[y.argmax()]", "CL103", "a range is indexed", "`start + step * index`"),
        ("z = torch.zeros(y.argmax())", "CL104", "takes a number from `y.argmax()`", "pass the size as a Python int"),
        ("z = x.new_zeros(y.argmax())", "CL104", "takes a number from `y.argmax()`", "pass the size as a Python int"),
        ("torch.equal(x, y)", "CL104", "reads the data", "`(a == b).all()`"),
        ("torch.allclose(x, y)", "CL104", "reads the data", "`torch.isclose(a, b).all()`"),
        ("assert x.any(), f'{n}'", "CL105", "with a message that is computed", "a plain string"),
        ("torch._assert(x.any(), 'a')", "CL105", "needs the truth", "`torch._assert_async`"),
        ("z = 3 in x", "CL106", "`in` searches the argument `x`", "`torch.isin`"),
        ("str(x)", "CL107", "`str()` turns", "format after"),
        ("'%s' % x", "CL107", "`%` turns", "format after"),
        ("sorted([x, y])", "CL109", "`sorted()` compares", "`torch.sort`"),
        ("x.nonzero()", "CL120", "`.nonzero()` of `x` returns a data-dependent shape", "keep the mask itself"),
        (
            "torch.where(x > 0)",
            "CL120",
            "`torch.where()` of `x > 0` returns a data-dependent shape",
            "keep the mask itself",
        ),
        ("x[y > 0]", "CL120", "`x` is indexed with a boolean mask: `y > 0`", "return the mask with them"),
        ("x.repeat_interleave(y)", "CL120", "data-dependent shape", "`output_size=`"),
        ("F.one_hot(y)", "CL120", "data-dependent shape", "`num_classes=`"),
    ],
)
def test_what_is_said_of_a_construct(line: str, code: str, message: str, help_: str) -> None:
    ((got_code, got_message, got_help),) = said(line)
    assert got_code == code
    assert message in got_message
    assert help_ in got_help


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("z = s in x", id="a text is looked for: what is searched is a dict or list"),
        pytest.param("z = 'a' in x", id="a constant text"),
        pytest.param("z = s in d", id="in a dict"),
        pytest.param("z = torch.zeros(n)", id="a size from Python"),
        pytest.param("z = x[: n]", id="a slice bound from Python"),
        pytest.param("z = math.sqrt(n)", id="a number"),
        pytest.param("z = torch.where(x > 0, x, y)", id="torch.where of three"),
        pytest.param("z = x > 0", id="a comparison as a value"),
        pytest.param("z = sorted([n, 2])", id="numbers are sorted"),
    ],
)
def test_nothing_is_said_where_no_data_is_needed(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize(
    ("form", "operation"), [("int(tensor)", "int"), ("range(tensor)", "range"), ("slice", "slice")]
)
def test_a_read_by_syntax_is_known_by_what_is_called_in_it(form: str, operation: str) -> None:
    """Its proposal is that of the call; today torch's facts name no such read whose proposal differs."""
    assert Place(Syntax(None, None, form), load("2.13.0")).operation == operation  # type: ignore[arg-type]
