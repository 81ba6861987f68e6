"""What the code around compiled calls does: reads in each step, smaller last batches; and what costs nothing."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Around
from compilelint.model import Confidence
from tests.support.survey_events import events_of


def around(text: str) -> list[tuple[str, str]]:
    """How and what, of everything that is reported around compiled calls."""
    return [(event.how, event.detail) for event in events_of(textwrap.dedent(text)) if isinstance(event, Around)]


def loop(*lines: str, compiled: str = "torch.compile(model)") -> list[tuple[str, str]]:
    """The same of a loop of these lines, in a function that compiled `fast`."""
    body = "\n        ".join(lines)
    return around(f"def main(model, data, env):\n    fast = {compiled}\n    for x in data:\n        {body}\n")


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        pytest.param(("loss = fast(x)", "total += loss.item()"), "loss.item()", id="summed"),
        pytest.param(("total += fast(x).sum().item()",), "....item()", id="of the call itself"),
        pytest.param(
            ("loss = crit(fast(x), x)", "losses.append(loss.item())"), "loss.item()", id="through a criterion"
        ),
        pytest.param(("out = fast(x)", "a, b = out.a, out.b", "log(float(b))"), "float(b)", id="through a pair"),
        pytest.param(("loss = fast(x)", "print(f'{loss:.3f}')"), "print(...)", id="printed in an f-string"),
        pytest.param(("loss = fast(x)", "print(loss)"), "print(loss)", id="printed"),
        pytest.param(("loss = fast(x)", "bar.set_postfix(loss=loss.item())"), "loss.item()", id="on a progress bar"),
        pytest.param(("loss = fast(x)", "if torch.isnan(loss):", "    break"), "isnan(loss)", id="a test for NaN"),
        pytest.param(("with ctx:", "    loss = fast(x)", "value = loss.item()"), "loss.item()", id="within a with"),
    ],
)
def test_what_the_host_reads_in_each_iteration(lines: tuple[str, ...], read: str) -> None:
    assert loop(*lines) == [("read", read)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("loss = fast(x)", "if step % 100 == 0:", "    print(loss.item())"), id="every hundredth step"),
        pytest.param(("loss = fast(x)", "total += loss.detach()"), id="kept on the device"),
        pytest.param(("loss = fast(x)", "print(loss.shape)"), id="a shape is known on the host"),
        pytest.param(("loss = fast(x)", "loss = other()", "total += loss.item()"), id="the name means something else"),
        pytest.param(("fast(x)", "total += x.item()"), id="not what the call gave"),
        pytest.param(("act = fast(x)", "env.step(act.item())"), id="other code needs it at once"),
        pytest.param(("t = fast(x)", "i = t.item()", "if i == 2:", "    break"), id="the loop decides by it"),
        pytest.param(("loss = fast(x)", "torch.cuda.synchronize()", "log(loss.item())"), id="it waits anyway"),
        pytest.param(("loss = fast(x)", "value = loss.item", "loss = None"), id="nothing is read"),
    ],
)
def test_what_costs_no_wait(lines: tuple[str, ...]) -> None:
    assert loop(*lines) == []


def test_what_a_function_of_the_program_has_read_already() -> None:
    head = "def best(out):\n    row = out.argmin().item()\n    return row\n\n\n"
    body = "    for x in data:\n        n = best(fast(x))\n        total += int(n == 1)\n"
    text = f"def main(model, data):\n    fast = torch.compile(model)\n{body}"
    assert around(head + text) == []
    assert around(head.replace(".item()", "") + text) == [("read", "int(...)")]


def test_a_compiled_model_that_runs_in_several_processes() -> None:
    text = """
        from torch.nn.parallel import DistributedDataParallel as DDP

        def main(model, data):
            model = torch.compile(model)
            {wrapped}
            for x in data:
                total += model(x).sum().item()
    """
    read = [("read", "....item()")]
    assert around(text.format(wrapped="model = DDP(model)")) == read
    assert around(text.format(wrapped="model = Other(model)")) == []


def test_a_read_after_the_loop_is_one_read() -> None:
    text = """
    def main(model, data):
        fast = torch.compile(model)
        for x in data:
            loss = fast(x)
        print(loss.item())
    """
    assert around(text) == []


def test_reads_of_one_loop_are_one_event_with_the_others() -> None:
    text = """
    def main(model, data):
        fast = torch.compile(model)
        for x in data:
            loss = fast(x)
            a += loss.item()
            b += loss.item()
    """
    (event,) = [one for one in events_of(textwrap.dedent(text)) if isinstance(one, Around)]
    assert len(event.others) == 1
    assert event.sure == Confidence.POSSIBLE


def test_a_compiled_model_is_followed_into_a_function_of_the_file() -> None:
    text = """
    def train(net, data):
        for x in data:
            total += net(x).sum().item()

    def main(model, data):
        fast = torch.compile(model)
        train(fast, data)
    """
    assert around(text) == [("read", "....item()")]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        pytest.param("def train():", [("read", "loss.item()")], id="the name of the function around"),
        pytest.param("def train(fast):", [], id="a parameter of the same name"),
        pytest.param("def train():\n        fast = other", [], id="a name of its own"),
    ],
)
def test_a_local_function_that_calls_what_the_one_around_it_compiles(head: str, expected: list[object]) -> None:
    body = "        for x in data:\n            loss = fast(x)\n            print(loss.item())\n"
    text = f"def main(model, data):\n    fast = torch.compile(model)\n    {head}\n{body}    train()\n"
    assert around(text) == expected


def test_a_parameter_that_is_bound_again_is_not_followed() -> None:
    text = """
    def train(net, data):
        net = Other()
        for x in data:
            total += net(x).sum().item()

    def main(model, data):
        fast = torch.compile(model)
        train(fast, data)
    """
    assert around(text) == []


def trained(
    loader: str, compiled: str = "torch.compile(model)", body: str = "fast(x).backward()"
) -> list[tuple[str, str]]:
    """What is reported of a training loop over a loader."""
    return around(f"""
    from torch.utils.data import DataLoader

    def main(model, data, sampler, n, options):
        fast = {compiled}
        loader = {loader}
        for i, x in enumerate(tqdm(loader)):
            x = x.cuda()
            {body}
    """)


@pytest.mark.parametrize(
    "loader",
    ["DataLoader(data, 32)", "DataLoader(data, batch_size=n, shuffle=True)", "DataLoader(data, 4, drop_last=False)"],
)
def test_a_loader_whose_last_batch_may_be_smaller(loader: str) -> None:
    assert trained(loader) == [("uneven", "loader")]


@pytest.mark.parametrize(
    ("loader", "compiled", "body"),
    [
        ("DataLoader(data, 32, drop_last=True)", "torch.compile(model)", "fast(x).backward()"),
        ("DataLoader(data, 32, drop_last=n > 4)", "torch.compile(model)", "fast(x).backward()"),
        ("DataLoader(data)", "torch.compile(model)", "fast(x).backward()"),
        ("DataLoader(data, batch_size=None)", "torch.compile(model)", "fast(x).backward()"),
        ("DataLoader(data, batch_sampler=sampler)", "torch.compile(model)", "fast(x).backward()"),
        ("DataLoader(data, 32, **options)", "torch.compile(model)", "fast(x).backward()"),
        ("DataLoader(data, 32)", "torch.compile(model, dynamic=True)", "fast(x).backward()"),
        ("DataLoader(data, 32)", "torch.compile(model)", "torch._dynamo.mark_dynamic(x, 0); fast(x).backward()"),
        ("DataLoader(data, 32)", "torch.compile(model)", "fast(x)"),
        ("DataLoader(data, 32)", "torch.compile(model)", "fast(data[0]).backward()"),
        ("make_loader(data, 32)", "torch.compile(model)", "fast(x).backward()"),
    ],
)
def test_loaders_that_give_one_size_or_are_not_known_to_matter(loader: str, compiled: str, body: str) -> None:
    assert trained(loader, compiled, body) == []


def test_a_loader_is_followed_with_the_model() -> None:
    text = """
    from torch.utils.data import DataLoader

    def train(net, batches):
        for x, y in batches:
            net(x).sum().backward()

    def main(model, data):
        fast = torch.compile(model)
        train(fast, DataLoader(data, 8))
        loader = DataLoader(data, 8)
        train(fast, batches=loader)
    """
    assert around(text) == [("uneven", "batches"), ("uneven", "batches")]


def test_a_loader_that_is_made_where_it_is_gone_through() -> None:
    text = """
    from torch.utils.data import DataLoader
    def main(model, data):
        fast = torch.compile(model)
        for x in DataLoader(data, batch_size=8):
            fast(x).sum().backward()
    """
    assert around(text) == [("uneven", "DataLoader(...)")]
    assert around(text.replace("size=8", "size=8, drop_last=True")) == []
