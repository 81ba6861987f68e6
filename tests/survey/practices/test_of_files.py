"""What stands around models: each practice where it is, and not where only the words are alike."""

from __future__ import annotations

import pytest

from tests.support.practices import found


def kinds(text: str) -> set[str]:
    return {one.kind for one in found(text)}


STEP = """
    def train(model, optimizer, loader):
        for i, x in enumerate(loader):
            loss = model(x).sum()
            {backward}
            {step}
"""


def step(backward: str, then: str) -> str:
    return STEP.format(backward=backward, step=then)


UPDATE = "optimizer.step(); optimizer.zero_grad()"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("from torch.nn.parallel import DistributedDataParallel as DDP\nmodel = DDP(Net())", "distributed"),
        ("model = nn.DataParallel(Net())", "replicated"),
        ("from torch.distributed.fsdp import fully_shard\nfully_shard(Net())", "sharded"),
        ("from torch.utils.checkpoint import checkpoint\ncheckpoint(Net(), 1)", "checkpoint"),
        ("with torch.autocast('cuda'):\n    pass", "autocast"),
        ("scaler = torch.amp.GradScaler()", "scaler"),
        ("torch.optim.AdamW([])", "optimizer"),
        ("torch.set_float32_matmul_precision('high')", "precision"),
        ("torch.backends.cuda.matmul.allow_tf32 = True", "precision"),
        ("import os\nos.environ['TORCHINDUCTOR_CACHE_DIR'] = '/c'", "caches"),
        ("torch._dynamo.mark_dynamic(x, 0)", "marked"),
        (step("loss.backward()", UPDATE), "trains"),
        (step("loss.backward()", f"if i % 4 == 0:\n                {UPDATE}"), "accumulates"),
        (step("for y in x: loss.backward()", UPDATE), "accumulates"),
        (step("with model.no_sync(): loss.backward()", "pass"), "accumulates"),
        ("model = Net().half()", "half"),
        ("x = torch.zeros(1, dtype=torch.bfloat16)", "half"),
        (step("loss.backward()", "print(loss.item())"), "reads"),
        ("def f(x):\n    for i in range(x.shape[1]):\n        x = torch.sin(x)", "unrolls"),
        ("def f(x):\n    n = x.size(0) + 1\n    for i in range(n - 1):\n        x = torch.sin(x)", "unrolls"),
        ("def f(x):\n    steps = range(x.size(0))\n    for i in steps:\n        x = torch.sin(x)", "unrolls"),
        ("def f(net, x):\n    fast = torch.compile(net)\n    fast(x)\n    return net(x)", "uncompiled"),
        ("def f(net, x):\n    net = torch.compile(net)\n    return net.generate(x)", "methods"),
        ("def f(net, x):\n    net = torch.compiler.compile(net)\n    return net.generate(x)", "methods"),
        ("def f(net, x):\n    net = torch.compile(net)\n    g(net)\n    return net.generate(x)", "handed"),
    ],
)
def test_a_practice_is_seen(text: str, kind: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("import other\nother.checkpoint(1)", "checkpoint", id="a function of another library"),
        pytest.param("os.environ['CACHE_DIR'] = '/c'", "caches", id="another variable"),
        pytest.param("import re\nre.compile('x', flags=0)", "compiles", id="a regular expression"),
        pytest.param(step("loss.backward()", UPDATE), "accumulates", id="each pass makes a step"),
        pytest.param(
            step("loss.backward()", f"{UPDATE}\n            if i % 9 == 0: schedule.step()"),
            "accumulates",
            id="a schedule steps at times, the optimizer always",
        ),
        pytest.param(
            step("loss.backward()", "if i % 100 == 0: print(loss.item())"), "reads", id="read every hundredth step"
        ),
        pytest.param("def f(x):\n    return x.item()", "reads", id="no loop and no training"),
        pytest.param("with torch.autocast('cuda', dtype=torch.half):\n    pass", "half", id="autocast casts itself"),
        pytest.param("with torch.autocast('cuda', enabled=False):\n    pass", "autocast", id="autocast is off"),
        pytest.param("def f(x):\n    for i in range(4):\n        x = torch.sin(x)", "unrolls", id="a loop of four"),
        pytest.param(
            "def f(x, n):\n    n = x.size(0)\n    n = 3\n    for i in range(n):\n        x = torch.sin(x)",
            "unrolls",
            id="two values",
        ),
        pytest.param("def f(x):\n    for i in range(x.shape[1]):\n        x += i", "unrolls", id="nothing is called"),
        pytest.param(
            "def f(x):\n    for i in range(x.shape[0]):\n        x[i].backward()",
            "unrolls",
            id="micro-batches of training",
        ),
        pytest.param("def f(net, x):\n    net = torch.compile(net)\n    return net(x)", "uncompiled", id="same name"),
        pytest.param(
            "def f(net, x):\n    net = torch.compile(net)\n    net.eval()\n    return net(x)", "methods", id="called"
        ),
        pytest.param(
            "def f(net, x):\n    net = torch.compile(net)\n    return net.eval()", "methods", id="computes nothing"
        ),
    ],
)
def test_a_practice_is_not_seen(text: str, kind: str) -> None:
    assert kind not in kinds(text)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("model = nn.DataParallel(torch.compile(Net()))", "around"),
        ("model = torch.compile(nn.DataParallel(Net()))", "inside"),
        ("def f(m):\n    m = nn.DataParallel(m)\n    m = torch.compile(m)", "inside"),
        ("def f(m):\n    m = torch.compile(m)\n    m = nn.DataParallel(m)", "around"),
        ("def f(m, n):\n    n = torch.compile(n)\n    m = nn.DataParallel(m)", ""),
    ],
)
def test_the_order_of_a_wrapper_and_the_compile_call(text: str, order: str) -> None:
    (wrapper,) = [one for one in found(text) if one.kind == "replicated"]
    assert wrapper.order == order


@pytest.mark.parametrize(
    ("given", "detail"),
    [("fused=True", "fused"), ("fused=False", ""), ("**options", "fused"), ("fused=wanted", "fused"), ("lr=1", "")],
)
def test_an_optimizer_is_fused_where_it_is_asked_for_or_cannot_be_seen(given: str, detail: str) -> None:
    assert [one.detail for one in found(f"torch.optim.Adam([], {given})")] == [detail]


def test_reads_through_a_helper_of_one_line_beside_a_step_of_training_count() -> None:
    text = """
        to_numpy = lambda x: x.detach().cpu().numpy()

        class Optimizer:
            def __call__(self, loss):
                loss.backward()

        class Agent:
            def __init__(self):
                self._update = Optimizer()

            def train(self, loss):
                self._update(loss)
                return to_numpy(loss)
    """
    reads = [one for one in found(text) if one.kind == "reads"]
    assert len(reads) == 1
    assert reads[0].detail


def test_the_mode_of_a_compile_call_is_kept_and_one_that_is_a_setting_is_unknown() -> None:
    text = (
        "a = torch.compile(Net(), mode='max-autotune')\nb = torch.compile(Net(), mode=wanted)\nc = torch.compile(Net())"
    )
    assert [one.detail for one in found(text) if one.kind == "compiles"] == ["max-autotune", "?", ""]
