"""CL805, CL812 to CL822 on small programs: what keeps compiling from paying, and what looks like it and is right."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from tests.support.reveal import facts, run
from tests.support.survey_events import NET, codes, found, said

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def compiled(arguments: str, before: str = "") -> str:
    return f"{before}\ndef f(m, cfg, mode=None, **more):\n    return torch.compile(m, {arguments})\n"


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        pytest.param("mode='default', options={'max_autotune': True}", ("CL812", CERTAIN), id="mode and options"),
        pytest.param("mode=cfg.mode, options={'a': True}", ("CL812", LIKELY), id="mode from a configuration"),
        pytest.param("mode='fast'", ("CL812", CERTAIN), id="no such mode"),
        pytest.param("backend='indcutor'", ("CL812", CERTAIN), id="a backend nearly as torch calls it"),
        pytest.param("full_graph=True", ("CL812", CERTAIN), id="a keyword nearly as torch calls it"),
        pytest.param("options={'triton': {'cudagraphs': True}}", ("CL812", CERTAIN), id="options in options"),
        pytest.param("dynamic='auto'", ("CL812", CERTAIN), id="dynamic as text"),
        pytest.param("backend=lambda g, i: g, options={'a': 1}", ("CL812", CERTAIN), id="lambda takes no options"),
        pytest.param("backend='eager', options={'max_autotune': True}", ("CL813", CERTAIN), id="eager ignores"),
        pytest.param("backend='cudagraphs', mode='reduce-overhead'", ("CL813", CERTAIN), id="cudagraphs ignores"),
        pytest.param("mode='max-autotune', dynamic=True", ("CL822", LIKELY), id="a recording a size"),
        pytest.param("options={'triton.cudagraphs': True}, dynamic=True", ("CL822", LIKELY), id="the same by option"),
    ],
)
def test_arguments_that_fight_each_other_are_found(arguments: str, reported: tuple[str, Confidence]) -> None:
    assert said(compiled(arguments)) == [reported]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param("mode=None, options={'max_autotune': True}", id="no mode after all"),
        pytest.param("mode=mode, options={'max_autotune': True}", id="the mode may be None"),
        pytest.param("mode=mode, options=cfg.options", id="both may be None"),
        pytest.param("mode='reduce-overhead', **more", id="what hides in a dict"),
        pytest.param("backend='aot_eager', mode='default'", id="the default mode is not handed on"),
        pytest.param("backend='openvino', options={'device': 'CPU'}", id="a backend with options of its own"),
        pytest.param("backend=lambda g, i, **kw: g, mode='max-autotune'", id="the backend takes anything"),
        pytest.param("mode='max-autotune-no-cudagraphs', dynamic=True", id="nothing is recorded"),
        pytest.param("backend='aot_eager', dynamic=True", id="no Inductor, no recording"),
        pytest.param("dynamic=True", id="dynamic alone"),
        pytest.param("recompile_limit=4", id="a keyword of newer versions"),
        pytest.param("model=None", id="the model by its keyword"),
        pytest.param("guards=None", id="a keyword that a later version may have"),
    ],
)
def test_arguments_that_get_along_are_left_alone(arguments: str) -> None:
    assert codes(compiled(arguments)) == []


ORDER = """
import functools
import torch
class Ops:
    {above}
    {below}
    def gelu(self, x=None): return x
"""
COMPILED = "@torch.compile(backend='eager')"


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        pytest.param(COMPILED, "@classmethod", [("CL812", CERTAIN)], id="a class method cannot be called"),
        pytest.param(COMPILED, "@property", [("CL812", CERTAIN)], id="nor a property"),
        pytest.param(COMPILED, "@functools.cached_property", [("CL812", CERTAIN)], id="nor one that is kept"),
        pytest.param("@torch.compile", "@property", [("CL812", CERTAIN)], id="without arguments"),
        pytest.param(COMPILED, "@staticmethod", [("CL812", LIKELY)], id="a static method is bound like a method"),
        pytest.param("@staticmethod", COMPILED, [], id="staticmethod stands above"),
        pytest.param("@property", "@torch.compile", [], id="property stands above"),
        pytest.param(COMPILED, "@own.property", [], id="another property"),
        pytest.param(COMPILED, "@torch.no_grad()", [], id="a mode of gradients may stand below"),
        pytest.param(COMPILED, "@functools.lru_cache", [], id="a cache can be called"),
    ],
)
def test_the_order_of_decorators(above: str, below: str, expected: list[tuple[str, Confidence]]) -> None:
    """Run under 2.13: what stands below and cannot be called raises, a static method where an instance calls it."""
    assert said(ORDER.format(above=above, below=below)) == expected


def test_arguments_of_a_decorator_are_read_too() -> None:
    assert codes("@torch.compile(mode='fast')\ndef f(x): return x\n") == ["CL812"]
    assert codes("@torch.compile(mode='reduce-overhead', dynamic=True)\ndef f(x): return x\n") == ["CL822"]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param("for i in range(4): f(torch.ones(2, 3))", [], id="one size each time"),
        pytest.param("for i in range(4): f(torch.ones(i + 2, 3))", ["CL822"], id="another size each time"),
        pytest.param("for x in loader(): f(x)", ["CL822"], id="a size that is not known"),
        pytest.param("f(torch.ones(2, 3))", ["CL822"], id="one call shows nothing"),
        pytest.param("def serve():\n    for i in range(4): f(torch.ones(2, 3))", ["CL822"], id="not seen to be called"),
    ],
)
def test_a_recording_a_size_where_calls_show_the_sizes(calls: str, expected: list[str]) -> None:
    text = f"@torch.compile(mode='reduce-overhead', dynamic=True)\ndef f(x): return x.sin()\n{calls}\n"
    assert [one for one in codes(text) if one == "CL822"] == expected


def test_a_backend_that_is_defined_in_the_file_is_looked_at() -> None:
    assert codes(compiled("backend=be, mode='max-autotune'", "def be(g, i): return g")) == ["CL812"]
    assert codes(compiled("backend=be, mode='max-autotune'", "def be(g, i, mode): return g")) == []


def test_a_call_that_is_expected_to_raise_is_no_finding() -> None:
    assert codes("import pytest\ndef f(m):\n    with pytest.raises(RuntimeError): torch.compile(m, mode='x')\n") == []


# -------------------------------------------------------------------- requests


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("app = make()\n@app.post('/predict')\ndef f(x): return torch.compile(g)(x)", id="endpoint"),
        pytest.param("@router.get('/')\nasync def f(x): return torch.compile(g)(x)", id="async endpoint"),
        pytest.param(
            "from cog import BasePredictor\nclass P(BasePredictor):\n    def predict(self, x):\n"
            "        return torch.compile(self.m)(x)",
            id="cog",
        ),
        pytest.param(
            "from http.server import BaseHTTPRequestHandler\nclass H(BaseHTTPRequestHandler):\n"
            "    def do_POST(self):\n        return torch.compile(model)(self.rfile)",
            id="plain http server",
        ),
    ],
)
def test_compiling_for_every_request_is_found(program: str) -> None:
    (finding,) = found(program)
    assert finding.rule.code == "CL805"
    assert finding.message.endswith("which runs for every request")


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("@app.on_event('startup')\ndef f(): app.m = torch.compile(g)", id="once at the start"),
        pytest.param("@cache.get('name')\ndef f(): return torch.compile(g)", id="get of something else"),
        pytest.param(
            "from cog import BasePredictor\nclass P(BasePredictor):\n    def setup(self):\n"
            "        self.m = torch.compile(self.m)",
            id="set up once",
        ),
    ],
)
def test_compiling_once_for_all_requests_is_left_alone(program: str) -> None:
    assert codes(program) == []


# ---------------------------------------------------------------------- blocks

BLOCK = """
class Block(nn.Module):
    def forward(self, x): return x

class Other(nn.Module):
    def forward(self, x): return -x
"""


def model(made: str, loop: str = "for b in self.blocks: x = b(x)") -> str:
    return textwrap.dedent(f"""
        class Model(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.blocks = {made}
            def forward(self, x):
                {loop}
                return x
        """)


WHOLE = "def f():\n    m = Model(3)\n    m = torch.compile(m)\n    return m\n"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(model("nn.ModuleList([Block() for _ in range(n)])"), id="as many as asked for"),
        pytest.param(model("nn.ModuleList(Block() for _ in range(12))"), id="twelve"),
        pytest.param(model("nn.ModuleList([Block(), Block(), Block(), Block(), Block(), Block()])"), id="written out"),
        pytest.param(model("nn.Sequential(*[Block() for _ in range(n)])", "x = self.blocks(x)"), id="sequential"),
        pytest.param(
            model(
                "nn.ModuleDict(dict(h=nn.ModuleList([Block() for _ in range(n)])))", "for b in self.blocks.h: x = b(x)"
            ),
            id="in a dict of modules",
        ),
        pytest.param(
            model("nn.ModuleList([Block() for _ in range(n)])", "for i, b in enumerate(self.blocks[:2]): x = b(x)"),
            id="enumerated slice",
        ),
    ],
)
def test_a_whole_model_of_identical_blocks_is_advised_on(program: str) -> None:
    assert said(BLOCK + program + WHOLE) == [("CL814", POSSIBLE)]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(model("nn.ModuleList([Block(), Other(), Block()])"), id="blocks of two classes"),
        pytest.param(model("nn.ModuleList([Block() for _ in range(5)])"), id="five are too few"),
        pytest.param(model("nn.ModuleList([Block() for _ in range(n)])", "x = x + 1"), id="no loop"),
        pytest.param(model("[Block() for _ in range(n)]"), id="no list of modules"),
    ],
)
def test_a_model_without_identical_blocks_is_left_alone(program: str) -> None:
    assert codes(BLOCK + program + WHOLE) == []


def test_blocks_are_found_in_a_module_that_the_model_holds() -> None:
    held = model("nn.ModuleList([Block() for _ in range(n)])").replace("Model", "Inner")
    outer = (
        "class Model(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.net = Inner(n)\n"
        "    def forward(self, x): return self.net(x)\n"
    )
    (finding,) = found(BLOCK + held + outer + WHOLE)
    assert "`Block` in `Inner.blocks`" in finding.message


def test_compiling_the_block_itself_is_what_is_advised() -> None:
    program = BLOCK + model("nn.ModuleList([Block() for _ in range(n)])")
    assert codes(program + "def f():\n    m = Model(3)\n    for b in m.blocks: b.compile()\n    return m\n") == []


# ------------------------------------------------------------------- lifetimes


def used(lines: str, arguments: str = "") -> str:
    body = textwrap.indent(textwrap.dedent(lines).strip(), "    ")
    return f"{NET}def f(x, xs):\n    m = Net()\n    c = torch.compile(m{arguments})\n{body}\n"


@pytest.mark.parametrize("change", ["m.half()", "c.cuda()", "m.to(torch.float16)", "m.requires_grad_(False)"])
def test_a_model_that_changes_between_two_calls_is_compiled_again(change: str) -> None:
    assert said(used(f"c(x)\n{change}\nreturn c(x)")) == [("CL815", LIKELY)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("m.half()\nreturn c(x)", id="nothing is compiled yet"),
        pytest.param("c(x)\nreturn m.half()", id="no call comes after"),
        pytest.param("c(x)\nm.load_state_dict(xs)\nreturn c(x)", id="weights are loaded in place"),
        pytest.param("c(x)\nm.eval()\nreturn c(x)", id="no guard of this model looks at the mode"),
        pytest.param("c(x)\nm.to(memory_format=torch.channels_last)\nreturn c(x)", id="order in memory alone"),
        pytest.param("c(x)\nx = x.half()\nreturn c(x)", id="the input is changed"),
    ],
)
def test_a_model_that_stays_as_it_was_is_left_alone(lines: str) -> None:
    assert codes(used(lines)) == []


@pytest.mark.parametrize(
    ("lines", "arguments", "reported"),
    [
        pytest.param("for n in (1, 2, 4): c(torch.ones(n, 4))", "", ("CL817", LIKELY), id="torch finds out"),
        pytest.param(
            "for n in [1, 2]:\n    y = torch.randn((n, 4))\n    c(y)", "", ("CL817", LIKELY), id="made a line before"
        ),
        pytest.param(
            "for n in range(1, 20): c(torch.ones(n, 4))", ", dynamic=False", ("CL817", CERTAIN), id="each by itself"
        ),
    ],
)
def test_sizes_that_a_loop_runs_through_are_found(lines: str, arguments: str, reported: tuple[str, Confidence]) -> None:
    assert said(used(lines, arguments)) == [reported]


@pytest.mark.parametrize(
    ("lines", "arguments"),
    [
        pytest.param("for n in (1, 2): c(torch.ones(n, 4))", ", dynamic=True", id="torch was informed"),
        pytest.param("for n in (1, 2): c(torch.full((4,), n))", ", dynamic=True", id="a value, and informed"),
        pytest.param("for n in (1, 2): c(torch.ones(n, 4))", ", dynamic=False", id="a few, each on purpose"),
        pytest.param("for n in (4, 4): c(torch.ones(n, 4))", "", id="the same size twice"),
        pytest.param("for n in xs: c(torch.ones(n, 4))", "", id="sizes not in sight"),
        pytest.param("for n in range(9): c(torch.ones(2, 4))", "", id="another number"),
        pytest.param("for n in (1, 2): c(torch.ones(4) * n)", "", id="a number, not a size"),
        pytest.param(
            "for n in (1, 2):\n    y = torch.ones(n, 4)\n    torch._dynamo.mark_dynamic(y, 0)\n    c(y)",
            "",
            id="marked",
        ),
    ],
)
def test_sizes_that_are_stated_or_fixed_are_left_alone(lines: str, arguments: str) -> None:
    assert codes(used(lines, arguments)) == []


# -------------------------------------------------------------- AMP, quantization


def under(context: str, after: str) -> str:
    body = textwrap.indent(textwrap.dedent(after).strip(), "    ")
    return f"{NET}def f(x, on):\n    m = Net()\n    with {context}:\n        c = torch.compile(m)\n{body}\n"


@pytest.mark.parametrize("context", ["torch.autocast('cuda')", "torch.amp.autocast('cpu', dtype=torch.bfloat16)"])
def test_a_call_after_the_autocast_around_compile_is_found(context: str) -> None:
    assert said(under(context, "c(x)\nreturn c(x)")) == [("CL818", LIKELY)]


@pytest.mark.parametrize(
    ("context", "after"),
    [
        pytest.param("torch.autocast('cuda')", "with torch.autocast('cuda'): return c(x)", id="the call has its own"),
        pytest.param("torch.autocast('cuda')", "return c", id="called elsewhere"),
        pytest.param("torch.autocast('cuda', enabled=on)", "return c(x)", id="may be off"),
        pytest.param("torch.no_grad()", "return c(x)", id="another context"),
        pytest.param("torch.autocast('cuda')", "amp = torch.autocast('cuda')\nwith amp: return c(x)", id="kept"),
        pytest.param(
            "torch.autocast('cuda'):\n        y = torch.compile(m)(x)\n    if on", "return y", id="called there"
        ),
    ],
)
def test_autocast_that_reaches_the_call_or_may_is_left_alone(context: str, after: str) -> None:
    assert codes(under(context, after)) == []


FX = "from torch.ao.quantization import quantize_fx\nfrom torch.ao.quantization.quantize_fx import prepare_fx\n"


@pytest.mark.parametrize(
    "call", ["prepare_fx(c, x, x)", "quantize_fx.fuse_fx(c)", "torch.fx.symbolic_trace(c)", "prepare_fx(model=c)"]
)
def test_a_wrapper_that_fx_is_to_trace_is_found(call: str) -> None:
    assert said(FX + used(f"return {call}")) == [("CL819", CERTAIN)]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("prepare_fx(m, x, x)", id="the model itself"),
        pytest.param("torch.fx.symbolic_trace(c._orig_mod)", id="what is in the wrapper"),
        pytest.param("torch.export.export(c, x)", id="export takes a wrapper"),
    ],
)
def test_what_fx_can_trace_is_left_alone(call: str) -> None:
    assert codes(FX + used(f"return {call}")) == []


# ------------------------------------------------------------------ CUDA graphs

RECORDED = ", mode='reduce-overhead'"


@pytest.mark.parametrize(
    ("loop", "arguments", "reported"),
    [
        pytest.param("kept.append(c(x))", RECORDED, ["CL821"], id="kept at once"),
        pytest.param("y = c(x)\n        kept.append(y)", RECORDED, ["CL821"], id="kept by name"),
        pytest.param("kept.append(c(x).clone())", RECORDED, [], id="copied outside"),
        pytest.param("kept.append(c(x).item())", RECORDED, ["CL830"], id="a number is kept"),
        pytest.param("kept.append(c(x))", "", [], id="nothing is recorded"),
        pytest.param("y = c(x)", RECORDED, [], id="nothing is kept"),
    ],
)
def test_results_of_cuda_graphs_may_not_be_kept(loop: str, arguments: str, reported: list[str]) -> None:
    program = (
        f"{NET}def f(xs):\n    c = torch.compile(Net(){arguments})\n    kept = []\n    for x in xs:\n        {loop}\n"
    )
    assert codes(program + "    return kept\n") == reported


def graph_codes(body: str, arguments: str = "mode='reduce-overhead'") -> list[str]:
    text = f"@torch.compile({arguments})\ndef f(x: Tensor, y: Tensor) -> Tensor:\n"
    text += textwrap.indent(textwrap.dedent(body), "    ")
    book = rulebook()
    reported: list[str] = []
    for event in run(text):
        reported.extend(one.rule.code for one in book.findings_for(event, facts()))
    return [code for code in reported if code.startswith("CL82")]


@pytest.mark.parametrize(
    ("body", "arguments", "reported"),
    [
        pytest.param("y.copy_(x)\nreturn x", RECORDED[2:], ["CL820"], id="method"),
        pytest.param("y[0] = 1\nreturn x", RECORDED[2:], ["CL820"], id="item"),
        pytest.param("y[0] = 1\nreturn x", "options={'triton.cudagraphs': True}", ["CL820"], id="by option"),
        pytest.param("z = y + 1\nz.add_(x)\nreturn z", RECORDED[2:], [], id="an intermediate may be written"),
        pytest.param("y.add_(x)\nreturn y", "mode='default'", [], id="nothing is recorded"),
        pytest.param("y.add_(x)\nreturn y", "mode='reduce-overhead', backend='aot_eager'", [], id="not Inductor"),
    ],
)
def test_inputs_of_cuda_graphs_may_not_be_written(body: str, arguments: str, reported: list[str]) -> None:
    assert graph_codes(body, arguments) == reported
