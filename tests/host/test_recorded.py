"""Results of CUDA graphs that a later run writes over; programs of each kind were run on an H200 (torch 2.11)."""

from __future__ import annotations

import pytest

from compilelint.events import Recompiled, WrapperUse
from compilelint.host.run import run
from tests.support.reveal import program_of

HEAD = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, x):
        return self.lin(x).relu()

class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return (self.net(x) - x).pow(2).mean()

def batch(n=4):
    return torch.randn(n, 8, device="cuda")

net = torch.compile(Net().cuda(), mode="reduce-overhead")
loss_of = torch.compile(Loss().cuda(), mode="reduce-overhead")
opt = torch.optim.SGD(loss_of.parameters(), lr=0.1)
"""
_HOWS = ("overwritten", "thread", "pending")


def found(source: str, head: str = HEAD) -> list[str]:
    """What becomes of results in a program, in the order in which it is met."""
    events = run(*program_of({"app.py": head + source}))
    return [one.name or one.how for one in events if isinstance(one, WrapperUse) and one.how in _HOWS]


def no_grad(body: str) -> str:
    return "with torch.no_grad():\n" + "\n".join(f"    {line}" for line in body.strip().splitlines())


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()))\ntorch.stack(k)", id="list"),
        pytest.param("k = [net(batch()) for i in range(3)]\ntorch.cat(k)", id="comprehension"),
        pytest.param("k = {i: net(batch()) for i in range(3)}\nfor v in k.values():\n    v.sum()", id="dictionary"),
        pytest.param("a = net(batch())\nb = net(batch())\nprint(a @ b)", id="two names"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch())[0])\ntorch.stack(k)", id="row"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()).float())\ntorch.stack(k)", id="same dtype"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()).detach())\ntorch.stack(k)", id="detached"),
        pytest.param("k = list(net(b) for b in [batch(), batch()])\ntorch.stack(k)", id="generator kept"),
        pytest.param(
            "last = None\nfor i in range(3):\n    y = net(batch())\n    if last is not None:\n"
            "        print(y - last)\n    last = y",
            id="previous one",
        ),
        pytest.param(
            "best, most = None, 0.0\nfor i in range(3):\n    y = net(batch())\n    s = y.mean().item()\n"
            "    if s > most:\n        best, most = y, s\nprint(best.sum())",
            id="kept on some path",
        ),
    ],
)
def test_a_result_that_is_kept_is_lost(body: str) -> None:
    assert found(no_grad(body)) == ["kept"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()).clone())\ntorch.stack(k)", id="clone"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()).cpu())\ntorch.stack(k)", id="to the host"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()) * 2)\ntorch.stack(k)", id="computed of it"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(-net(batch()))\ntorch.stack(k)", id="negated"),
        pytest.param("k = []\nfor i in range(3):\n    k.append(net(batch()).half())\ntorch.stack(k)", id="other dtype"),
        pytest.param(
            "k = []\nfor i in range(3):\n    y = net(batch())\n    k.append(y[torch.tensor([0])])\ntorch.stack(k)",
            id="indexed by a tensor: a copy",
        ),
        pytest.param("for i in range(3):\n    y = net(batch())\n    print(y.sum())", id="used at once"),
        pytest.param("print(sum(net(b) for b in [batch(), batch()]))", id="added as it is made"),
        pytest.param(
            "def each():\n    for i in range(3):\n        yield net(batch())\nfor y in each():\n    print(y.sum())",
            id="generator used one by one",
        ),
        pytest.param(
            "bank = torch.zeros(3, 4, 8)\nfor i in range(3):\n    bank[i] = net(batch())\nbank.sum()", id="bank"
        ),
        pytest.param(
            "plain = torch.compile(Net())\nk = [plain(batch()) for i in range(3)]\ntorch.cat(k)", id="default mode"
        ),
    ],
)
def test_what_has_memory_of_its_own_is_kept(body: str) -> None:
    assert found(no_grad(body)) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("h = batch()\nfor i in range(3):\n    h = net(h)", ["fed"], id="to itself"),
        pytest.param("h = batch()\nfor i in range(3):\n    h = net(h).clone()", [], id="a copy"),
        pytest.param("x = batch()\nfor i in range(3):\n    x = x - 0.1 * net(x)", [], id="computed of it"),
        pytest.param(
            "other = torch.compile(Net(), mode='max-autotune')\nother(net(batch()))", ["fed"], id="to another"
        ),
        pytest.param(
            "for i in range(3):\n    torch.compiler.cudagraph_mark_step_begin()\n    net(net(batch()))",
            [],
            id="both in one step that is marked",
        ),
    ],
)
def test_a_result_that_is_given_to_a_later_run(body: str, expected: list[str]) -> None:
    assert found(no_grad(body)) == expected


def test_results_live_until_the_backward_pass_that_is_to_come() -> None:
    body = "    a, b = net(batch()), net(batch())\n    (a - b).sum().backward()\n    net.zero_grad()"
    assert found("for i in range(3):\n" + body) == []


STEP = "for step in range(3):\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "    for m in range(2):\n        loss_of(batch()).backward()\n    opt.step()\n    opt.zero_grad()",
            ["gradient"],
            id="accumulated",
        ),
        pytest.param(
            "    loss_of(batch()).backward()\n    opt.step()\n    opt.zero_grad()", [], id="cleared each time"
        ),
        pytest.param(
            "    loss_of(batch()).backward()\n    opt.step()\n    opt.zero_grad(set_to_none=True)",
            [],
            id="cleared by name",
        ),
        pytest.param(
            "    loss_of(batch()).backward()\n    opt.step()\n    opt.zero_grad(set_to_none=False)",
            ["gradient"],
            id="filled with zeros in the pool",
        ),
        pytest.param(
            "    total = loss_of(batch()) + loss_of(batch())\n    total.backward()\n    opt.zero_grad()",
            [],
            id="one backward pass",
        ),
        pytest.param(
            "    loss_of(batch()).backward()\n    for p in loss_of.parameters():\n        p.grad = None",
            [],
            id="set to None",
        ),
    ],
)
def test_gradients_lie_in_the_pool_too(body: str, expected: list[str]) -> None:
    assert found(STEP + body) == expected


def test_gradients_with_memory_of_their_own_are_accumulated() -> None:
    own = "for p in loss_of.parameters():\n    p.grad = torch.zeros_like(p)\n"
    assert found(own + STEP + "    loss_of(batch()).backward()\n    loss_of(batch()).backward()") == []


def test_a_gradient_that_is_kept_is_lost() -> None:
    keep = "    kept.append([p.grad{} for p in loss_of.parameters()])\n"
    body = "    loss_of(batch()).backward()\n" + keep + "    opt.zero_grad()"
    tail = "\nfor one in kept:\n    one[0].norm()"
    assert found("kept = []\n" + STEP + body.format("") + tail) == ["kept"]
    assert found("kept = []\n" + STEP + body.format(".clone()") + tail) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("for i in range(4):\n    print(net(batch()).sum().item())", ["pending"], id="no backward pass"),
        pytest.param("for i in range(2):\n    print(net(batch()).sum().item())", [], id="too few to replay"),
        pytest.param(no_grad("for i in range(4):\n    print(net(batch()).sum().item())"), [], id="without gradients"),
        pytest.param(
            "for i in range(4):\n    scaler.scale(net(batch()).sum()).backward()\n    net.zero_grad()",
            [],
            id="of a scaler",
        ),
    ],
)
def test_calls_that_wait_for_a_backward_pass(body: str, expected: list[str]) -> None:
    assert found(body, HEAD + "from somewhere import scaler\n") == expected


@pytest.mark.parametrize(("first", "expected"), [("", ["thread"]), ("with torch.no_grad():\n    serve(batch())\n", [])])
def test_a_first_call_in_a_worker_thread(first: str, expected: list[str]) -> None:
    head = (
        HEAD
        + "from concurrent.futures import ThreadPoolExecutor\n@torch.no_grad()\n"
        + "def serve(x):\n    return net(x).sum().item()\n"
    )
    assert (
        found(first + "with ThreadPoolExecutor(2) as pool:\n    pool.map(serve, [batch(), batch()])\n", head)
        == expected
    )


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        pytest.param("ThreadPoolExecutor()", ["thread"], id="as many as there are cores"),
        pytest.param("ThreadPoolExecutor(1)", [], id="one"),
        pytest.param("ThreadPoolExecutor(max_workers=1)", [], id="one, by keyword"),
    ],
)
def test_one_worker_is_one_thread(pool: str, expected: list[str]) -> None:
    head = HEAD + "from concurrent.futures import ThreadPoolExecutor\n@torch.no_grad()\ndef serve(x): net(x).sum()\n"
    assert found(f"pool = {pool}\npool.submit(serve, batch())\n", head) == expected


@pytest.mark.parametrize(("sizes", "many"), [("(1, 5, 3, 9)", True), ("(8, 8, 6)", False)])
def test_sizes_of_recorded_calls_count_from_the_third_on(sizes: str, many: bool) -> None:
    program = program_of({"app.py": HEAD + no_grad(f"for n in {sizes}:\n    net(batch(n)).sum()")})
    events = [one for one in run(*program) if isinstance(one, Recompiled)]
    assert [one.records for one in events] == [many]


LIBRARY = """
import torch
from library import Model, Config, make_model

net = torch.compile({target}, mode="reduce-overhead")
def batch():
    return torch.randn(4, 8, device="cuda")
"""


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("Model(Config()).cuda().eval()", id="a class of a library"),
        pytest.param("make_model('tiny').cuda()", id="what a function of a library gives"),
        pytest.param("Model.load('tiny').encoder", id="a part of a model that is loaded"),
    ],
)
@pytest.mark.parametrize(
    ("body", "lost"),
    [
        pytest.param("a = net(x=batch()).logits\nb = net(x=batch()).logits\nprint(a + b)", ["kept"], id="an attribute"),
        pytest.param("a, _ = net(batch())\nb, _ = net(batch())\nprint(a + b)", ["kept"], id="a part of a tuple"),
        pytest.param(
            "a = net(batch())\nb = net(batch())\nprint([(p - q).norm() for p, q in zip(a.hidden, b.hidden)])",
            ["kept"],
            id="items of an attribute",
        ),
        pytest.param("a = net(batch()).logits\nnet(a)", ["fed"], id="given to the next call"),
        pytest.param("a = net(batch()).logits.clone()\nb = net(batch()).logits\nprint(a + b)", [], id="cloned"),
        pytest.param("a = net(batch())['logits'].cpu()\nnet(batch())\nprint(a)", [], id="copied to the host"),
        pytest.param("a = net(batch()).logits.softmax(-1)\nnet(batch())\nprint(a)", [], id="computed from"),
        pytest.param("a = net(batch())\nprint(a.logits)\nnet(batch())", [], id="read in time"),
        pytest.param(
            "past = None\nfor i in range(3):\n    past = net(batch(), past=past).past",
            ["fed"],
            id="a growing cache",
        ),
        pytest.param(
            "past = Config()\nfor i in range(3):\n    past = net(batch(), past=past).past",
            [],
            id="the caller's cache",
        ),
    ],
)
def test_what_a_model_gives_that_is_not_followed(target: str, body: str, lost: list[str]) -> None:
    assert found(no_grad(body), LIBRARY.format(target=target)) == lost


def test_gradients_of_a_model_that_is_not_followed() -> None:
    head = LIBRARY.format(target="(raw := Model(Config()))") + "opt = torch.optim.SGD(raw.parameters(), 0.1)\n"
    step = "    (net(batch()).loss / 4).backward()\n"
    assert found("for i in range(3):\n" + step, head) == ["gradient"]
    assert found("for i in range(3):\n" + step + "    opt.zero_grad()\n", head) == []
    cleared = "    for p in raw.parameters():\n        p.grad = None\n"
    assert found("for i in range(3):\n" + step + cleared, head) == []


@pytest.mark.parametrize(
    ("clearing", "lost"),
    [
        pytest.param("optimizer.zero_grad()", [], id="an optimizer that was prepared"),
        pytest.param("optimizer.step()", [], id="an engine that clears in its step"),
        pytest.param("optimizer.log()", ["gradient"], id="nothing clears"),
    ],
)
def test_gradients_that_something_unknown_clears(clearing: str, lost: list[str]) -> None:
    head = LIBRARY.format(target="Model(Config())")
    head += "from library import Accelerator\naccelerator = Accelerator()\noptimizer = accelerator.prepare(1)\n"
    assert found(f"for i in range(3):\n    accelerator.backward(net(batch()).loss)\n    {clearing}\n", head) == lost


def test_calls_of_a_model_that_is_not_followed_are_not_said_to_await_a_backward_pass() -> None:
    """Its parameters may ask for no gradient, and what is given to a trainer is differentiated there."""
    head = LIBRARY.format(target="Model(Config())")
    assert found("for i in range(5):\n    trainer_step(net(batch()))\n", head) == []


TWO_MODELS = """
import copy
import itertools
import torch
from torch import nn

def make():
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)).cuda()

class Both(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.a, self.b = a, b

    def forward(self, x):
        return self.b(self.a(x)).mean()

a, b = make(), make()
both = torch.compile(Both(a, b), mode="reduce-overhead")
alone = torch.compile(b, mode="reduce-overhead")
opt_a, opt_b = torch.optim.Adam(a.parameters()), torch.optim.Adam(b.parameters())
opt_all = torch.optim.Adam(list(a.parameters()) + list(b.parameters()))
def batch():
    return torch.randn(4, 8, device="cuda")
"""


@pytest.mark.parametrize(
    ("steps", "lost"),
    [
        pytest.param(
            "opt_b.zero_grad()\nalone(batch()).mean().backward()\nopt_a.zero_grad()\nboth(batch()).backward()",
            ["gradient"],
            id="of a part that the other optimizer leaves",
        ),
        pytest.param(
            "opt_all.zero_grad()\nalone(batch()).mean().backward()\nopt_all.zero_grad()\nboth(batch()).backward()",
            [],
            id="both cleared",
        ),
        pytest.param(
            "opt_b.zero_grad()\nalone(batch()).mean().backward()\nb.zero_grad()\nopt_a.zero_grad()\nboth(batch()).backward()",
            [],
            id="cleared by the module",
        ),
        pytest.param(
            "b.requires_grad_(True)\nopt_b.zero_grad()\nalone(batch()).mean().backward()\nb.requires_grad_(False)\n"
            "opt_a.zero_grad()\nboth(batch()).backward()",
            [],
            id="frozen for the other loss",
        ),
    ],
)
def test_gradients_belong_to_their_parameters(steps: str, lost: list[str]) -> None:
    body = "".join(f"    {line}\n" for line in steps.splitlines())
    assert found("for i in range(3):\n" + body, TWO_MODELS) == lost


def test_a_deep_copy_has_parameters_of_its_own() -> None:
    """The student's call awaits its backward pass, so that the teacher's call after it begins no new generation."""
    source = """
frozen = copy.deepcopy(a).requires_grad_(False)
student, teacher = (torch.compile(m, mode="reduce-overhead") for m in (a, frozen))
for i in range(3):
    x = batch()
    y = student(x)
    with torch.no_grad():
        wanted = teacher(x)
    (y - wanted).square().mean().backward()
    opt_a.zero_grad()
"""
    assert found(source, TWO_MODELS) == []
    first = source.replace("    y = student(x)\n", "").replace("    (y - w", "    y = student(x)\n    (y - w")
    assert found(first, TWO_MODELS) == ["kept"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "from collections import defaultdict\nk = defaultdict(list)\nfor i in range(3):\n"
            "    k['a'].append(net(batch()))\ntorch.stack(k['a'])",
            id="a dictionary that makes its lists",
        ),
        pytest.param(
            "k = []\nfor i in range(3):\n    for n, y in enumerate(net(batch())):\n        k.append(y)\ntorch.stack(k)",
            id="rows by number",
        ),
        pytest.param("k = []\nfor i in range(3):\n    k.extend(net(batch()))\ntorch.stack(k)", id="all rows"),
    ],
)
def test_rows_and_lists_that_are_made_when_asked_for(body: str) -> None:
    assert found(no_grad(body)) == ["kept"]


@pytest.mark.parametrize(
    ("compiling", "lost"),
    [
        pytest.param(
            "for layer in model.encoder.layers:\n    layer.compile(mode='reduce-overhead')", ["fed"], id="in place"
        ),
        pytest.param(
            "for i, one in enumerate(model.layers):\n    model.layers[i] = torch.compile(one, mode='reduce-overhead')",
            ["fed"],
            id="replaced",
        ),
        pytest.param("for layer in model.encoder.layers:\n    layer.compile()", [], id="without CUDA graphs"),
        pytest.param("for layer in model.encoder.layers:\n    layer.eval()", [], id="not compiled"),
    ],
)
def test_layers_of_a_model_that_is_not_followed_are_given_what_the_one_before_gave(
    compiling: str, lost: list[str]
) -> None:
    head = f"import torch\nfrom library import Model\nmodel = Model().cuda()\n{compiling}\n"
    calls = "x = torch.ones(2, 8, device='cuda')\nfor i in range(3):\n    {}\n    model(x)\n"
    assert found("with torch.no_grad():\n    " + calls.format("pass").replace("\n", "\n    "), head) == lost
    marked = calls.format("torch.compiler.cudagraph_mark_step_begin()")
    assert found("with torch.no_grad():\n    " + marked.replace("\n", "\n    "), head) == []
    trained = "for i in range(3):\n    model(torch.ones(2, 8)).sum().backward()\n    model.zero_grad()\n"
    assert found(trained, head) == []


@pytest.mark.parametrize(
    ("following", "again"),
    [
        pytest.param("torch.cat([x, token(y)], dim=0)", True, id="it grows"),
        pytest.param("torch.cat([x[1:], token(y)], dim=0)", False, id="a window"),
        pytest.param("torch.cat([x, token(y)], dim=0)[-4:]", False, id="cut to a size that is not known"),
        pytest.param("torch.cat([token(y), token(y)], dim=0)", False, id="of other tensors"),
    ],
)
def test_what_a_model_was_given_and_more_has_another_size(following: str, again: bool) -> None:
    source = no_grad(f"x = batch()\nfor i in range(9):\n    y = net(x)\n    x = {following}")
    events = [one for one in run(*program_of({"app.py": HEAD + source})) if isinstance(one, Recompiled)]
    assert bool(events) is again
    assert all(one.records for one in events)
