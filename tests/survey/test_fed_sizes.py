"""`survey.fed_sizes`: sizes that a loop varies and a compiled call gets, with the dimension that varies."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import WrapperUse
from compilelint.model import Confidence
from tests.support.survey_events import events_of

CERTAIN, LIKELY = Confidence.CERTAIN, Confidence.LIKELY


def sizes(*lines: str, compiled: str = "torch.compile(model)") -> list[WrapperUse]:
    """What is said of sizes in a function of these lines, with a compiled `fast` and a tensor `x`."""
    body = textwrap.indent("\n".join(lines), "    ")
    text = "import torch.nn.functional as F\nfrom torch.utils.data import DataLoader\n"
    text += f"def main(model, x, data, flag):\n    fast = {compiled}\n{body}\n"
    return [event for event in events_of(text) if isinstance(event, WrapperUse) and event.how.startswith("sizes")]


LOOP = "for n in (8, 16): fast({})"


@pytest.mark.parametrize(
    ("line", "name", "dimensions"),
    [
        pytest.param(LOOP.format("torch.randn(n, 3)"), "n", (0,), id="made for it"),
        pytest.param(LOOP.format("torch.randn(3, n)"), "n", (1,), id="in its second dimension"),
        pytest.param(LOOP.format("torch.zeros(size=(3, n))"), "n", (1,), id="by keyword"),
        pytest.param(LOOP.format("torch.zeros((3, n), device='cuda')"), "n", (1,), id="as a tuple"),
        pytest.param(LOOP.format("x, mask=torch.ones(n)"), "n", (0,), id="in another argument"),
        pytest.param(LOOP.format("torch.ones(n, 3).to('cuda')"), "n", (0,), id="moved"),
        pytest.param(LOOP.format("torch.ones(n, 3).t()"), "n", (), id="the dimension is not followed"),
        pytest.param(LOOP.format("x[:, :n]"), "n", (1,), id="cut"),
        pytest.param(LOOP.format("x[..., :n]"), "n", (), id="cut behind an ellipsis"),
        pytest.param(LOOP.format("x[:n]"), "n", (0,), id="cut in the batch"),
        pytest.param(LOOP.format("x.narrow(1, 0, n)"), "n", (1,), id="narrowed"),
        pytest.param(LOOP.format("F.interpolate(x, size=n)"), "n", (2, 3), id="resized"),
        pytest.param(LOOP.format("F.interpolate(x, (n, n))"), "n", (2, 3), id="resized to a pair"),
        pytest.param("for n in range(1, 9): fast(torch.randn(n))", "n", (0,), id="a range with a start"),
        pytest.param("for n in (8, 16):\n    y = torch.randn(n)\n    fast(y)", "n", (0,), id="made a line before"),
        pytest.param(
            "for i in range(100):\n    n = 8 + i * 4\n    fast(x[:, :n])", "n", (1,), id="computed of the round"
        ),
        pytest.param(
            "for i in range(100):\n    n = min(64, 8 + i // 4)\n    y = x[:, :n]\n    fast(y)",
            "n",
            (1,),
            id="up to a bound",
        ),
        pytest.param(
            "for i, y in enumerate(data):\n    n = 8 + i\n    fast(y[:, :n])", "n", (1,), id="of an enumeration"
        ),
        pytest.param("n = 64\nfor y in data:\n    fast(y[:, :n])\n    n += 16", "n", (1,), id="raised in the loop"),
        pytest.param(
            "n = 64\nfor y in data:\n    if flag: n *= 2\n    fast(y[:, :n])", "n", (1,), id="raised at times"
        ),
        pytest.param(
            "sizes = [128, 160, 192]\nfor e in range(3):\n    n = sizes[e]\n    fast(F.interpolate(x, n))",
            "n",
            (2, 3),
            id="from a list by the epoch",
        ),
        pytest.param(
            "for n in (8, 16):\n    for y in DataLoader(data, batch_size=n): fast(y)",
            "n",
            (0,),
            id="of a loader in place",
        ),
        pytest.param(
            "for n in (8, 16):\n    loader = DataLoader(data, n)\n    for i, y in enumerate(loader): fast(y)",
            "n",
            (0,),
            id="of a loader with a name",
        ),
    ],
)
def test_sizes_that_vary_are_found_with_their_dimension(line: str, name: str, dimensions: tuple[int, ...]) -> None:
    assert [(one.how, one.detail, one.dimensions, one.sure) for one in sizes(line)] == [
        ("sizes", name, dimensions, LIKELY)
    ]


@pytest.mark.parametrize(
    ("lines", "compiled"),
    [
        pytest.param((LOOP.format("torch.randn(n)"),), "torch.compile(model, dynamic=True)", id="compiled for all"),
        pytest.param((LOOP.format("torch.randn(n)"),), "torch.compile(model, dynamic=flag)", id="perhaps for all"),
        pytest.param(
            ("for n in (8, 16):\n    torch._dynamo.reset()\n    fast(torch.randn(n))",),
            "torch.compile(model)",
            id="forgotten in between",
        ),
        pytest.param(
            ("for n in (8, 16):\n    slow = torch.compile(model)\n    slow(torch.randn(n))",),
            "model",
            id="compiled in each round",
        ),
        pytest.param(("for n in (8,): fast(torch.randn(n))",), "torch.compile(model)", id="one size"),
        pytest.param(("for n in (8, 8): fast(torch.randn(n))",), "torch.compile(model)", id="the same size twice"),
        pytest.param(("for n in range(9): fast(torch.randn(n))",), "torch.compile(model)", id="a count of rounds"),
        pytest.param(("for n in (8, 16): fast(torch.full((3,), x))",), "torch.compile(model)", id="of one size"),
        pytest.param(("for n in (8, 16): fast(torch.full((3,), n))",), "torch.compile(model)", id="what fills it"),
        pytest.param(("for n in (8, 16): fast(torch.randint(0, n, (3,)))",), "torch.compile(model)", id="a bound"),
        pytest.param(("for n in (8, 16): fast(n * x)",), "torch.compile(model)", id="no size"),
        pytest.param(
            ("for n in (8, 16): fast(torch.zeros(3, dtype=n))",), "torch.compile(model)", id="another argument"
        ),
        pytest.param(
            ("torch._dynamo.mark_dynamic(x, 0)", LOOP.format("torch.randn(n)")), "torch.compile(model)", id="marked"
        ),
        pytest.param(("n = 8", "for y in data: fast(y[:, :n])"), "torch.compile(model)", id="the same in each round"),
        pytest.param(
            ("for n in (8, 16):\n    y = x[:, :n]\n    y = F.pad(y, (0, 64))[:, :64]\n    fast(y)",),
            "torch.compile(model)",
            id="padded again to one size",
        ),
        pytest.param(
            ("for i in range(9):\n    n = lookup(i)\n    fast(x[:, :n])",),
            "torch.compile(model)",
            id="what a function gives is not known to differ",
        ),
        pytest.param(("for i in range(0, 64, 8): fast(x[i:i + 8])",), "torch.compile(model)", id="a window that moves"),
        pytest.param(
            ("step = 1", "for y in data:\n    step += 1\n    fast(y)"), "torch.compile(model)", id="a counter"
        ),
        pytest.param(
            ("for n in (8, 16):\n    for y in DataLoader(data, batch_size=8): fast(y)",),
            "torch.compile(model)",
            id="a loader of one size",
        ),
    ],
)
def test_sizes_that_do_not_vary_or_are_allowed_to(lines: tuple[str, ...], compiled: str) -> None:
    assert sizes(*lines, compiled=compiled) == []


def test_sizes_that_are_written_down_are_counted() -> None:
    fixed = "torch.compile(model, dynamic=False)"
    (many,) = sizes("for n in range(1, 20): fast(torch.randn(n))", compiled=fixed)
    assert (many.how, many.count, many.sure) == ("sizes-fixed", 19, CERTAIN)
    (few,) = sizes("for n in range(1, 9): fast(torch.randn(n))", compiled=fixed)
    assert (few.count, few.sure) == (8, CERTAIN)
    (unknown,) = sizes("for n in range(1, flag): fast(torch.randn(n))", compiled=fixed)
    assert (unknown.count, unknown.sure) == (None, LIKELY)


def test_sizes_reach_a_decorated_step_and_one_that_is_passed_on() -> None:
    text = """
    @torch.compile
    def step(x): return x * 2

    def run(x):
        for n in (8, 16): step(x[:n])

    def go(fast, x):
        for n in (8, 16): fast(x[:n])

    def main(model, x):
        m = torch.compile(model)
        go(m, x)
    """
    found = [one for one in events_of(textwrap.dedent(text)) if isinstance(one, WrapperUse)]
    assert [(one.name, one.how) for one in found] == [("step", "sizes"), ("fast", "sizes")]


def fed(text: str) -> list[tuple[str, str, int | None, Confidence]]:
    """What is said of sizes in a whole file: the object, the size by name, how many there are and how sure that is."""
    found = [one for one in events_of(textwrap.dedent(text)) if isinstance(one, WrapperUse)]
    return [(one.name, one.detail, one.count, one.sure) for one in found if one.how.startswith("sizes")]


@pytest.mark.parametrize(
    ("parameter", "caller"),
    [
        pytest.param("sizes", "run(m, [8, 16])", id="passed in place"),
        pytest.param("sizes", "run(m, sizes=(8, 16))", id="by keyword"),
        pytest.param("sizes", "lengths = [8, 16]\n    run(m, lengths)", id="passed under a name"),
        pytest.param("sizes", "run(m, LENGTHS)", id="passed as a constant of the module"),
        pytest.param("sizes=(8, 16)", "run(m)", id="by default"),
    ],
)
def test_sizes_that_a_parameter_brings_are_followed_to_the_call_that_passes_the_compiled_object(
    parameter: str, caller: str
) -> None:
    head = f"LENGTHS = (8, 16)\ndef run(model, {parameter}):\n    for n in sizes:\n        model(torch.randn(n, 4))\n"
    text = f"{head}def main(model):\n    m = torch.compile(model)\n    {caller}\n"
    assert fed(text) == [("model", "n", None, LIKELY)]


def test_of_a_function_that_compiles_itself_any_call_counts() -> None:
    head = (
        "def run(net, sizes):\n    model = torch.compile(net)\n    for n in sizes:\n        model(torch.randn(n, 4))\n"
    )
    assert fed(f"{head}def main(net):\n    run(net, [8])\n    run(net, [8, 16])\n") == [("model", "n", None, LIKELY)]
    assert fed(f"{head}def main(net):\n    run(net, [8])\n") == []
    assert fed(f"{head}def main(net, given):\n    run(net, given)\n") == []
    assert fed(head) == []


def test_what_only_calls_without_the_compiled_object_pass_is_not_fed_to_it() -> None:
    text = """
    def run(model, sizes):
        for n in sizes:
            model(torch.randn(n, 4))

    def main(net):
        run(net, [8, 16])
        run(torch.compile(net), [8, 16])
        fast = torch.compile(net)
        run(fast, [8])
    """
    assert fed(text) == []


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        pytest.param("for i, n in enumerate(LENGTHS):", ["n"], id="the item of an enumeration"),
        pytest.param("for n, y in enumerate(LENGTHS):", [], id="its count is none of them"),
        pytest.param("for n in tqdm(LENGTHS):", ["n"], id="behind a progress bar"),
        pytest.param("for n in OTHER:", [], id="a name that is bound twice"),
    ],
)
def test_sizes_that_a_name_of_the_module_holds(loop: str, found: list[str]) -> None:
    head = "LENGTHS = (8, 16)\nOTHER = (8, 16)\nOTHER = (8,)\n"
    text = f"{head}def main(net):\n    fast = torch.compile(net)\n    {loop}\n        fast(torch.randn(n, 4))\n"
    assert [one[1] for one in fed(text)] == found


def test_sizes_that_the_object_keeps_are_followed_within_its_class() -> None:
    text = """
    class Trainer:
        def __init__(self, net):
            self.sizes = [8, 16]
            self.fast = torch.compile(net)

        def fit(self):
            for n in self.sizes:
                self.fast(torch.randn(n, 4))
    """
    assert [(one[1], one[2]) for one in fed(text)] == [("n", None)]
