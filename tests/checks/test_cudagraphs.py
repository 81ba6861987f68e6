"""CL82x on small programs: what CUDA graphs cannot record is reported where a mode asks for them, and only there."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from compilelint.torchfacts import load
from tests.support.reveal import run

CERTAIN, LIKELY = Confidence.CERTAIN, Confidence.LIKELY


def said(
    line: str, decorator: str = '@torch.compile(mode="reduce-overhead")', head: str = "x: Tensor"
) -> list[Confidence]:
    """How sure each CL820 is about a function that holds the line."""
    book, facts = rulebook(), load("2.13.0")
    text = f"{decorator}\ndef f({head}):\n    y = x + 1\n    {line}\n    return y\n"
    found = [one for event in run(text) for one in book.findings_for(event, facts)]
    return [one.confidence for one in found if one.rule.code == "CL820"]


@pytest.mark.parametrize("line", ["x.add_(1)", "x.copy_(y)", "x.fill_(0)", "x[0] = 1", "x[:, 0] = y", "x.zero_()"])
def test_an_input_is_written(line: str) -> None:
    assert said(line) == [CERTAIN]
    assert said(line, head="x: Union[Tensor, int]") == [LIKELY]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("y.add_(1)", id="what is computed here"),
        pytest.param("y[0] = 1", id="an item of it"),
        pytest.param("x.requires_grad_()", id="no data is written"),
        pytest.param("x.detach_()", id="nor here"),
        pytest.param("z = x.add(1)", id="out of place"),
        pytest.param("z = x[0]", id="read"),
        pytest.param("z = x.__len__()", id="a special method"),
    ],
)
def test_nothing_of_an_input_is_written(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize(
    ("decorator", "count"),
    [
        pytest.param('@torch.compile(mode="max-autotune")', 1, id="another mode that records"),
        pytest.param('@torch.compile(options={"triton.cudagraphs": True})', 1, id="an option that records"),
        pytest.param("@torch.compile", 0, id="no mode"),
        pytest.param('@torch.compile(mode="max-autotune-no-cudagraphs")', 0, id="a mode that does not"),
        pytest.param('@torch.compile(mode="reduce-overhead", backend="eager")', 0, id="a backend that does not"),
        pytest.param("", 0, id="not compiled"),
    ],
)
def test_only_where_graphs_are_recorded(decorator: str, count: int) -> None:
    assert len(said("x.add_(1)", decorator)) == count


def _codes(text: str) -> list[tuple[str, Confidence]]:
    book, facts = rulebook(), load("2.13.0")
    found = [one for event in run(text) for one in book.findings_for(event, facts)]
    return [(one.rule.code, one.confidence) for one in found if one.rule.code in ("CL820", "CL825")]


OPERATOR = """\
@torch.library.custom_op("cases::write", mutates_args={mutated})
def write(cache: Tensor, value: Tensor) -> None:
    cache.copy_(value)

@torch.compile(mode="reduce-overhead")
def f(x: Tensor, y: Tensor):
    {call}
    return x + y
"""


@pytest.mark.parametrize(
    ("mutated", "call", "count"),
    [
        pytest.param('{"cache"}', "write(x, y)", 1, id="a set"),
        pytest.param('("cache",)', "write(x, value=y)", 1, id="a tuple"),
        pytest.param('("cache",)', "write(value=y, cache=x)", 1, id="by name"),
        pytest.param('("cache", "value")', "write(x, y)", 1, id="two, said once"),
        pytest.param('"unknown"', "write(x, y)", 1, id="not said which"),
        pytest.param('("cache",)', "torch.ops.cases.write(x, y)", 1, id="by its name in torch.ops"),
        pytest.param('("cache",)', "write(x + 1, y)", 0, id="of what is computed here"),
        pytest.param("()", "write(x, y)", 0, id="none"),
    ],
)
def test_an_operator_writes_what_it_says_that_it_mutates(mutated: str, call: str, count: int) -> None:
    assert _codes(OPERATOR.format(mutated=mutated, call=call)) == [("CL820", CERTAIN)] * count


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        pytest.param("for s in given:\n        s.mul_(0.9)", 1, id="items of a list"),
        pytest.param('given["k"].index_copy_(0, i, x)', 1, id="an item of a dict"),
        pytest.param("for s in g(given):\n        s.mul_(0.9)", 0, id="items of what a call returns"),
        pytest.param("given = g(given)\n    given[0].mul_(0.9)", 0, id="bound again"),
        pytest.param("given[0].append_(x)", 0, id="no method of tensors"),
    ],
)
def test_an_item_of_an_argument_is_written(lines: str, count: int) -> None:
    head = "x: Tensor, given, i: Tensor, g"
    text = f'@torch.compile(mode="reduce-overhead")\ndef f({head}):\n    {lines}\n    return x\n'
    assert _codes(text) == [("CL820", LIKELY)] * count


PAST = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.past = None

    @torch.compile(mode="reduce-overhead")
    def forward(self, x: Tensor):
        key = x * 2
        if self.past is not None:
            key = torch.cat([self.past[0], key])
        self.past = {kept}
        return key
"""


@pytest.mark.parametrize(("kept", "count"), [("(key, key + 1)", 1), ("[key]", 1), ("(1, 2)", 0), ("(key.shape, 2)", 0)])
def test_results_that_a_tuple_keeps_for_the_next_call(kept: str, count: int) -> None:
    assert [code for code, _ in _codes(PAST.format(kept=kept))] == ["CL825"] * count


def test_the_optional_arguments_that_lead_to_a_line_are_named() -> None:
    book, facts = rulebook(), load("2.13.0")
    text = """
    def add(x, rows: Optional[Tensor] = None):
        if rows is not None:
            x.add_(rows)
        return x

    @torch.compile(mode="reduce-overhead")
    def f(x: Tensor, labels: Optional[Tensor] = None, rows: Optional[Tensor] = None, flag=None):
        if labels is not None and flag:
            add(x, rows)
        if not (rows is None):
            x.mul_(2)
        if labels is None:
            x.sub_(1)
        return x
    """
    found = [one for event in run(text) for one in book.findings_for(event, facts) if one.rule.code == "CL820"]
    ends = {one.message.split("`")[1]: one.why.partition("none here.")[2].strip() for one in found}
    assert ends == {
        ".add_": "This way is taken only by calls that pass `labels`, `flag` and `rows`.",
        ".mul_": "This way is taken only by calls that pass `rows`.",
        ".sub_": "",
    }


@pytest.mark.parametrize(
    ("test", "count"),
    [
        pytest.param("0.0 <= self.table[0] <= 1.0", 1, id="an item is compared"),
        pytest.param("self.table[0]", 0, id="an item as it is"),
        pytest.param("x.sum() > 0", 0, id="of the device"),
    ],
)
def test_a_test_of_a_table_on_the_host(test: str, count: int) -> None:
    book, facts = rulebook(), load("2.13.0")
    text = f"""
class Steps:
    def __init__(self):
        self.table = torch.linspace(0, 1, 10)

    @torch.compile(mode="reduce-overhead")
    def step(self, x: Tensor):
        if {test}:
            return x
        return x + 1
"""
    found = [one for event in run(text) for one in book.findings_for(event, facts) if one.rule.code == "CL823"]
    assert len({one.message for one in found}) == count
