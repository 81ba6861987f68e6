"""Threads that rule pages cite: a program in the form that its author had gets the finding, where it should stand.

The programs are written after the threads, not taken from them. A mark `# CL812` stands on each line that is named.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

HEAD = "import torch\nfrom torch import nn\n"
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 64)

    def forward(self, x):
        return self.linear(x).relu()

    def generate(self, x):
        return self(x)

"""
THREADS = {
    "pytorch/pytorch#128319": """
class Mod(nn.Module):
    def __init__(self):
        super().__init__()
        self.counter = 0
        self.linear = nn.Linear(1, 1)

    def forward(self, x):
        self.counter += 1  # CL701
        return self.linear(x)

mod = Mod()
opt_mod = torch.compile(mod, backend="eager")
for _ in range(10):
    opt_mod(torch.randn(1, 1))
""",
    "pytorch/pytorch#107044": """
import torch._dynamo
torch._dynamo.config.suppress_errors = True  # CL801
""",
    "pytorch/pytorch#150915": """
layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
layers.compile()  # CL806
layers(torch.ones(2, 4))
""",
    "pytorch/pytorch#101107": NET
    + """
import pickle
model = torch.compile(Net())
torch.save(model, "model.pt")  # CL809
""",
    "pytorch/pytorch#141473": NET
    + """
model = torch.compile(Net())
out = model.generate(torch.ones(2, 64))  # CL810
""",
    "pytorch/pytorch#93485": NET
    + """
scripted = torch.jit.script(Net())
fast = torch.compile(scripted)  # CL811
""",
    "huggingface/lerobot#4114": NET
    + """
class Config:
    compile_mode: str = "max-autotune"

def load(config: Config):
    model = Net()
    try:
        model.forward = torch.compile(
            model.forward,
            mode=config.compile_mode,  # CL812
            options={"triton.cudagraphs": False},
        )
    except Exception as error:
        print("not compiled", error)
    return model
""",
    "pytorch/pytorch#132892": NET
    + """
opt = torch.compile(Net(), backend="aot_eager", mode="reduce-overhead")  # CL813
""",
    "pytorch/pytorch#100241": NET
    + """
model = Net().cuda()
with torch.autocast("cuda"):
    model = torch.compile(model)
for _ in range(3):
    model(torch.randn(4, 64, device="cuda"))  # CL818
""",
    "pytorch/ao#2500": """
def single_param_step(p, grad, lr):
    p.sub_(lr * grad)

def step(params, lr):
    for p in params:
        torch.compile(single_param_step, fullgraph=True, dynamic=False)(p, p.grad, lr)  # CL805
""",
    "pytorch/pytorch#148439": """
def f(x):
    return x.sin() * 2

compiled = torch.compile(f, mode="reduce-overhead")
x = torch.randn(8, device="cuda")
a = compiled(x)
b = compiled(x + 1)
print(a + b)  # CL821
""",
    "pytorch/pytorch#117758": """
x = torch.randn(1024, 64)
model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 64))
model = torch.compile(model)
model(x)
sums = {}
linears = [m for m in model.modules() if isinstance(m, nn.Linear)]
for index, m in enumerate(linears):
    m.register_forward_hook(lambda m, i, o: sums.update({m: o.sum()}))  # CL839
model(x)
""",
    "pytorch/pytorch#156308": NET
    + """
model = torch.compile(Net(), mode="max-autotune")
model = torch.compile(model, mode="reduce-overhead")  # CL836
""",
}

INSIDE = {
    "pytorch/pytorch#198189": """
from collections import OrderedDict

class LRU(nn.Module):
    def __init__(self, size=2):
        super().__init__()
        self.size = size
        self.cache = OrderedDict()

    def forward(self, key: str, x):
        if key in self.cache:
            self.cache.move_to_end(key)  # CL220
            return self.cache[key]
        self.cache[key] = x * 2
        return self.cache[key]

lru = torch.compile(LRU(), backend="eager")
for key in ("a", "b", "a", "c"):
    lru(key, torch.ones(2))
""",
    "pytorch/pytorch#134030": """
import contextlib

@contextlib.contextmanager
def scaled():
    yield 2

def batches(x):
    with torch.no_grad():
        for row in x:
            yield row

@torch.compile(backend="eager")
def first(x):
    for row in batches(x):  # CL221
        y = row * 2
        break
    return y

first(torch.ones(3, 4))
""",
    "pytorch/pytorch#146598": """
from functools import lru_cache
calls = 0

@lru_cache
def table(n):  # CL222
    global calls
    calls += 1
    return n + 1

@torch.compile(backend="eager")
def f(x):
    return x + table(3)

f(torch.ones(2))
""",
    "pytorch/pytorch#189027": """
import os

class Attention(nn.Module):
    def forward(self, q, k, v):
        if os.getenv("MY_DETERMINISTIC", "0") == "1":  # CL223
            return (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return nn.functional.scaled_dot_product_attention(q, k, v)

attention = torch.compile(Attention(), backend="eager")
attention(*[torch.ones(1, 2, 4) for _ in range(3)])
""",
    "pytorch/pytorch#86264": """
@torch.compile
def step(x):
    y = (x * 2).to("cpu", non_blocking=True)  # CL305
    return y + 1

step(torch.ones(4, device="cuda"))
""",
    "pytorch/pytorch#69204": """
class Batched(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, 8))

    def forward(self, x):
        tokens = self.token.expand(x.shape[0], -1, -1)
        tokens += x.mean(1, keepdim=True)  # CL402
        return torch.cat([tokens, x], dim=1)

model = torch.compile(Batched(), backend="eager")
with torch.no_grad():
    model(torch.ones(2, 3, 8))
""",
    "toshikwa/gail-airl-ppo.pytorch#13": """
def reparameterize(means, log_stds):
    return means + torch.randn_like(means) * log_stds.exp()

class StateDependentPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, states):
        return torch.tanh(self.net(states).chunk(2, dim=-1)[0])

    def sample(self, states):
        means, log_stds = self.net(states).chunk(2, dim=-1)
        return reparameterize(means, log_stds.clamp_(-20, 2))  # CL403

policy = StateDependentPolicy()
sample = torch.compile(policy.sample, backend="aot_eager")
sample(torch.ones(2, 4))
""",
    "pytorch/pytorch#168381": """
class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        x = x.to(memory_format=torch.channels_last)  # CL405
        return self.conv(x)

stem = torch.compile(Stem())
stem(torch.ones(1, 3, 8, 8)).view(-1)
""",
    "pytorch/tutorials#2797": """
class MyCube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, power: int):
        ctx.save_for_backward(x, power)  # CL511
        return x ** power

    @staticmethod
    def backward(ctx, grad_out):
        x, power = ctx.saved_tensors
        return grad_out * power * x ** (power - 1), None

@torch.compile(backend="eager")
def cube(x):
    return MyCube.apply(x, 3)

cube(torch.ones(2, requires_grad=True))
""",
    "pytorch/pytorch#37751": """
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i: torch.Tensor):
        result = i.exp()
        ctx.result = result  # CL512
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.result

@torch.compile(backend="eager")
def f(x):
    return Exp.apply(x)

f(torch.ones(2, requires_grad=True))
""",
    "pytorch/pytorch#81417": """
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        grad_output.clamp_(-1, 1)  # CL514
        return grad_output

@torch.compile(backend="eager")
def f(x):
    return Clip.apply(x) * 2

f(torch.ones(2, requires_grad=True))
""",
    "pytorch/pytorch#6990": NET
    + """
net = Net()

@torch.compile(backend="eager")
def f(x):
    y = net.linear(x)
    z = y.sigmoid()
    y.data.zero_()  # CL516
    return z

f(torch.ones(2, 64)).sum().backward()
""",
    "pytorch/pytorch#157729": """
@torch.compile(backend="eager")
def levels(x):
    q = torch.quantize_per_tensor(x, scale=0.05, zero_point=0, dtype=torch.qint8)
    return q.int_repr().float() * q.q_scale()  # CL611

levels(torch.ones(4))
""",
    "Lightning-AI/lightning-thunder#2530": """
lib = torch.library.Library("mylib", "DEF")
lib.define("halve(Tensor x) -> Tensor")  # CL621
lib.impl("halve", lambda x: x / 2, "CPU")

@torch.compile(backend="eager")
def f(x):
    return torch.ops.mylib.halve(x) + 1

f(torch.ones(2))
""",
    "pytorch/pytorch#129614": """
@torch.library.custom_op("mine::accumulate", mutates_args=())  # CL622
def accumulate(total: torch.Tensor, x: torch.Tensor) -> None:
    total.add_(x)

@accumulate.register_fake
def _(total, x):
    return None

@torch.compile
def f(total, x):
    accumulate(total, x)
    return total * 2

f(torch.zeros(2), torch.ones(2))
""",
    "pytorch/pytorch#127615": """
torch.ops.load_library("build/libsegment_ops.so")

class Pool(nn.Module):
    def forward(self, x, index):
        return torch.ops.segment_pool.reduce(x, index)  # CL624

pool = torch.compile(Pool(), backend="eager")
pool(torch.ones(4, 2), torch.tensor([0, 0, 1, 1]))
""",
    "pytorch/pytorch#121412": """
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)

@torch.library.triton_op("mine::add_one", mutates_args={})
def add_one(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)  # CL627
    return out

@torch.compile(fullgraph=True)
def f(x):
    return add_one(x) * 2
""",
    "pytorch/pytorch#113267": """
@torch.compile(backend="eager")
def project(a, b):
    columns = torch.empty(8, 4).t()
    torch.matmul(a, b, out=columns)  # CL406
    return columns.relu()

project(torch.ones(4, 3), torch.ones(3, 8))
""",
    "pytorch/pytorch#130074": """
@torch.compile(backend="eager")
def collate(rows):
    out = torch.empty(0)
    torch.stack(rows, 0, out=out)  # CL407
    return out * 2

collate([torch.ones(3), torch.zeros(3)])
""",
}
"""Threads about code that is compiled itself."""
THREADS |= INSIDE
POSSIBLE = frozenset(
    {"CL223", "CL305", "CL405", "CL512", "CL624"}
)  # what these rules find is `possible` only, as their pages say


def _name(thread: str) -> str:
    return re.sub(r"\W", "_", thread) + ".py"


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int, str]]:
    """File, line and rule of all findings: one lint of all programs."""
    folder = tmp_path_factory.mktemp("threads")
    for thread, source in THREADS.items():
        (folder / _name(thread)).write_text(HEAD + source, encoding="utf-8")
    options = Options((str(folder),), torch_version="2.13", min_confidence=Confidence.POSSIBLE)
    document = json.loads(render(lint(options), "json"))
    return {
        (Path(one["path"]).name, one["line"], one["rule"])
        for one in document["findings"]
        if one["confidence"] != "possible" or one["rule"] in POSSIBLE
    }


@pytest.mark.parametrize("thread", THREADS)
def test_the_program_of_a_cited_thread_is_found(thread: str, findings: set[tuple[str, int, str]]) -> None:
    lines = (HEAD + THREADS[thread]).splitlines()
    marks = {
        (number, found.group(1)) for number, line in enumerate(lines, 1) if (found := re.search(r"# (CL\d+)", line))
    }
    assert marks
    assert marks <= {(line, rule) for file, line, rule in findings if file == _name(thread)}


def test_each_thread_is_cited_by_the_page_of_its_rule() -> None:
    rules = Path(__file__).parents[2] / "rules"
    for thread, source in THREADS.items():
        repository, number = thread.split("#")
        for code in re.findall(r"# (CL\d+)", source):
            (page,) = rules.glob(f"{code}-*.md")
            text = page.read_text(encoding="utf-8")
            assert repository in text, (thread, code)
            assert f"#{number}" in text, (thread, code)
