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


def _name(thread: str) -> str:
    return re.sub(r"\W", "_", thread) + ".py"


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int, str]]:
    """File, line and rule of all findings: one lint of all programs."""
    folder = tmp_path_factory.mktemp("threads")
    for thread, source in THREADS.items():
        (folder / _name(thread)).write_text(HEAD + source, encoding="utf-8")
    options = Options((str(folder),), torch_version="2.13", min_confidence=Confidence.LIKELY)
    document = json.loads(render(lint(options), "json"))
    return {(Path(one["path"]).name, one["line"], one["rule"]) for one in document["findings"]}


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
