"""CL8xx on small programs: what each rule finds, and what looks like it and is right."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from tests.support.survey_events import NET, codes, found, said

CERTAIN, LIKELY = Confidence.CERTAIN, Confidence.LIKELY


@pytest.mark.parametrize(
    ("code", "program"),
    [
        pytest.param("CL801", "torch._dynamo.config.suppress_errors = True", id="plain assignment"),
        pytest.param("CL801", "from torch._dynamo import config as c\nc.suppress_errors = True", id="imported name"),
        pytest.param("CL801", "with torch._dynamo.config.patch(suppress_errors=True): pass", id="patch by keyword"),
        pytest.param("CL801", "p = torch._dynamo.config.patch({'suppress_errors': True})", id="patch by dict"),
        pytest.param("CL802", "torch._dynamo.config.disable = True", id="disable"),
        pytest.param("CL802", "import os\nos.environ.setdefault('TORCHDYNAMO_DISABLE', '1')", id="setdefault"),
        pytest.param("CL802", "torch.compiler.set_stance('force_eager')", id="stance"),
        pytest.param("CL803", "torch._dynamo.config.cache_size_limit = 64", id="old name"),
        pytest.param("CL803", "torch._dynamo.config.patch('recompile_limit', 99)", id="patch by name and value"),
        pytest.param("CL804", "def f(m): torch.compile(m)", id="statement"),
        pytest.param("CL804", "from torch import compile\ndef f(m): compile(m, mode='default')", id="imported compile"),
        pytest.param("CL805", "def f(g, x):\n    for _ in x: torch.compile(g)(x)", id="loop"),
        pytest.param(
            "CL805",
            "class M(nn.Module):\n    def forward(self, x):\n        return torch.compile(self.g)(x)",
            id="forward",
        ),
        pytest.param("CL806", "m = nn.Sequential(nn.ReLU())\nm.compile()", id="sequential in place"),
        pytest.param("CL811", "def f(m, x):\n    s = torch.jit.script(m)\n    return torch.compile(s)", id="scripted"),
        pytest.param("CL811", "c = torch.compile(nn.ReLU())\nt = torch.jit.trace(c, 1)", id="trace of compiled"),
    ],
)
def test_misuse_is_found_in_every_spelling(code: str, program: str) -> None:
    assert codes(program) == [code]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("torch._dynamo.config.suppress_errors = False", id="switched off"),
        pytest.param("def f(v): torch._dynamo.config.suppress_errors = v", id="value not in sight"),
        pytest.param("class config: pass\nconfig.suppress_errors = True", id="another config"),
        pytest.param("import os\nos.environ['TORCHDYNAMO_DISABLE'] = '0'", id="variable set to nothing"),
        pytest.param("import os\nif os.environ['TORCHDYNAMO_DISABLE'] == '1': pass", id="variable is read"),
        pytest.param("with torch.compiler.set_stance('force_eager'): pass", id="eager in a block alone"),
        pytest.param(
            "from torch.nn.attention.flex_attention import flex_attention\ntorch._dynamo.config.cache_size_limit = 64\n"
            "fast = torch.compile(flex_attention, dynamic=False)",
            id="a version for each size, on purpose",
        ),
        pytest.param("torch._dynamo.config.cache_size_limit = 4", id="limit lowered"),
        pytest.param("torch._dynamo.config.recompile_limit = 8", id="limit as torch has it"),
        pytest.param("torch._dynamo.config.accumulated_recompile_limit = 256", id="the other limit as torch has it"),
        pytest.param("def f(m): m.compile()", id="method works in place"),
        pytest.param("def f(m, x): torch.compile(m)(x)", id="result is called"),
        pytest.param("import re\ndef f(m): re.compile(m)", id="another compile"),
        pytest.param("import pytest\ndef f(m):\n    with pytest.raises(TypeError): torch.compile(m)", id="must fail"),
        pytest.param("def f(blocks):\n    for i, b in enumerate(blocks): blocks[i] = torch.compile(b)", id="regional"),
        pytest.param("def f(g, x):\n    for mode in x: torch.compile(g, mode=mode)(x)", id="sweep over modes"),
        pytest.param(
            "class M(nn.Module):\n    def forward(self, x):\n        if self.c is None: self.c = torch.compile(self.g)",
            id="made once behind an if",
        ),
        pytest.param("class M(nn.Module):\n    def __init__(self):\n        self.c = torch.compile(self.g)", id="init"),
        pytest.param(NET + "m = Net()\nm.compile()", id="own class in place"),
        pytest.param("m = nn.Sequential(nn.ReLU())\nm = torch.compile(m)", id="library layer wrapped"),
    ],
)
def test_what_is_no_misuse_is_left_alone(program: str) -> None:
    assert codes(program) == []


def wrapped(use: str) -> str:
    return NET + f"def f(x, other):\n    c = torch.compile(Net())\n    {use}\n"


@pytest.mark.parametrize(
    ("use", "reported"),
    [
        pytest.param("return isinstance(c, Net)", ("CL807", CERTAIN), id="isinstance of its class"),
        pytest.param("return isinstance(c, (Net, nn.Linear))", ("CL807", CERTAIN), id="one of several"),
        pytest.param("return type(c) is Net", ("CL807", LIKELY), id="type"),
        pytest.param("return c.state_dict()", ("CL808", LIKELY), id="state_dict"),
        pytest.param("c.load_state_dict(x)", ("CL808", LIKELY), id="load_state_dict"),
        pytest.param("torch.save(c, x)", ("CL809", CERTAIN), id="whole wrapper saved"),
        pytest.param("return c.generate(x)", ("CL810", CERTAIN), id="method that calls the model"),
    ],
)
def test_a_wrapper_is_no_model(use: str, reported: tuple[str, Confidence]) -> None:
    assert said(wrapped(use)) == [reported]


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("return isinstance(c, nn.Module)", id="a wrapper is a module"),
        pytest.param("return isinstance(c, (Net, nn.Module))", id="one class fits"),
        pytest.param("return isinstance(x, Net)", id="another object"),
        pytest.param("return isinstance(c, other)", id="class not in sight"),
        pytest.param("return isinstance(c._orig_mod, Net)", id="code knows the wrapper"),
        pytest.param("return {k[10:]: v for k, v in c.state_dict().items() if '_orig_mod.' in k}", id="prefix cut off"),
        pytest.param("c.load_state_dict(c.state_dict())", id="from wrapper to wrapper"),
        pytest.param("torch.save(c(x), x)", id="its result is saved"),
        pytest.param("return c.describe()", id="method that runs no model"),
        pytest.param("c.eval(); c.to(x); return c.forward(x)", id="interface of modules"),
        pytest.param("c = Net(); return isinstance(c, Net)", id="name bound again"),
    ],
)
def test_right_uses_of_a_wrapper_are_left_alone(use: str) -> None:
    assert codes(wrapped(use)) == []


def test_before_compiling_the_name_is_the_model() -> None:
    program = NET + "def f():\n    m = Net()\n    ok = isinstance(m, Net)\n    m = torch.compile(m)\n    return ok\n"
    assert codes(program) == []


def test_a_wrapper_that_is_made_on_one_path_is_likely() -> None:
    program = NET + "def f(x):\n    m = Net()\n    if x: m = torch.compile(m)\n    return isinstance(m, Net)\n"
    assert said(program) == [("CL807", LIKELY)]


def test_a_wrapper_on_self_is_seen_from_other_methods() -> None:
    program = """
class Runner:
    def __init__(self, model):
        self.model = torch.compile(model)

    def run(self, ids):
        return self.model.generate(ids)
"""
    assert said(program) == [("CL810", LIKELY)]


def test_a_pickled_function_is_found_by_its_own_name_only() -> None:
    program = "import pickle\ndef step(x): return x\n{} = torch.compile(step)\ndata = pickle.dumps({})\n"
    assert codes(program.format("fast", "fast")) == ["CL809"]
    assert codes(program.format("step", "step")) == []


def test_a_fresh_backend_is_certain_and_says_that_all_is_compiled_again() -> None:
    loop = "def f(g, x):\n    for _ in x: torch.compile(g, backend=lambda a, b: a)(x)"
    (finding,) = found(loop)
    assert finding.confidence is CERTAIN
    assert "everything recompiles" in finding.why


def test_a_finding_points_at_the_call_and_at_where_it_was_compiled() -> None:
    (finding,) = found(wrapped("return c.generate(x)"))
    assert finding.function == "f"
    assert [one.text for one in finding.related] == ["compiled here"]


def test_what_dynamo_optimize_gets_first_is_a_backend() -> None:
    loop = "def f(g, x, b):\n    for _ in x: {}"
    assert codes(loop.format("torch._dynamo.optimize(b)(g)(x)")) == []
    assert codes(loop.format("torch.compile(g, backend=b)(x)")) == ["CL805"]


def test_only_a_new_backend_compiles_again() -> None:
    loop = "def f(g, x):\n    for _ in x: torch.compile(g{})(x)"
    assert [one.message for one in found(loop.format(""))] == [
        "`g` is wrapped again in each iteration of the `for` loop"
    ]
    assert [one.message for one in found(loop.format(", backend=lambda m, i: m"))] == [
        "`g` is recompiled in each iteration of the `for` loop"
    ]
