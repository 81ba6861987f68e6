"""Where TorchDynamo starts: what the code compiles itself, module forwards, what nothing reaches, globs, all."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig
from compilelint.interp import Interpreter, roots_of
from compilelint.project.roots import Root
from compilelint.torchfacts import Capture
from tests.support.reveal import Files, facts, program_of, run, sources


def roots(files: Files, *specs: str, config: DynamoConfig | None = None) -> list[str]:
    """`kind name` of every root, first ones first; `rest` ones in brackets."""
    program, modules = program_of(sources(files))
    found = roots_of(Interpreter(program, facts(), lambda event: None, config), modules, specs or ("auto",), config)
    return [named(r) for r in found.first] + [f"[{named(r)}]" for r in found.rest]


def named(root: Root) -> str:
    return f"{root.kind} {root.name}"


def configs(source: str, default: DynamoConfig | None = None) -> dict[str, DynamoConfig]:
    """The configuration of each explicit root, by its name."""
    program, modules = program_of(sources(source))
    found = roots_of(Interpreter(program, facts(), lambda event: None, default), modules, ("explicit",), default)
    return {r.name: r.config for r in found.first}


def started(files: Files, *specs: str) -> set[str]:
    """The roots in which something is reported."""
    return {f"{e.site.context.root_kind} {e.site.context.root}" for e in run(files, specs or ("auto",))}


# --------------------------------------------------------------------- explicit


@pytest.mark.parametrize(
    ("text", "root"),
    [
        pytest.param("@torch.compile\ndef f(x): ...", "f", id="decorator"),
        pytest.param("@torch.compile(fullgraph=True)\ndef f(x): ...", "f", id="decorator with options"),
        pytest.param("from torch import compile\n@compile\ndef f(x): ...", "f", id="imported decorator"),
        pytest.param("def f(x): ...\ng = torch.compile(f)", "f", id="a function"),
        pytest.param(
            "class A(nn.Module):\n  def forward(self, x): ...\nm = torch.compile(A())", "A.forward", id="instance"
        ),
        pytest.param(
            "class A(nn.Module):\n  def forward(self, x): ...\nm = A()\nm.compile()", "A.forward", id="compile()"
        ),
        pytest.param(
            "class A(nn.Module):\n  def forward(self, x): ...\nm = A()\nn = torch.compile(m)", "A.forward", id="by name"
        ),
        pytest.param(
            "class A(nn.Module):\n  def forward(self, x): ...\ndef main():\n  m = A()\n  m = torch.compile(m)\n",
            "A.forward",
            id="inside a function",
        ),
        pytest.param(
            "class A:\n  def __init__(self):\n    self.step = torch.compile(self._step)\n  def _step(self, x): ...",
            "A._step",
            id="a method of self",
        ),
        pytest.param(
            "class A:\n  def __call__(self, x): ...\nm = torch.compile(A())",
            "A.__call__",
            id="an object that is called",
        ),
        pytest.param(
            "class A(nn.Module):\n  def forward(self, x): ...\nep = torch.export.export(A(), (1,))",
            "A.forward",
            id="export",
        ),
    ],
)
def test_what_the_code_compiles_itself(text: str, root: str) -> None:
    assert roots(text, "explicit") == [f"explicit {root}"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(x): ...", id="a plain function"),
        pytest.param("import re\np = re.compile('a')", id="another compile"),
        pytest.param("from nowhere import f\ng = torch.compile(f)", id="a function of unknown source"),
        pytest.param("@nowhere.compile\ndef f(x): ...", id="a decorator of the same name"),
        pytest.param("class A(nn.Module):\n  def forward(self, x): ...", id="a module alone"),
    ],
)
def test_what_is_no_explicit_root(text: str) -> None:
    assert roots(text, "explicit") == []


def test_functions_of_other_files_are_compiled_too() -> None:
    files = {"app.py": "from ops import f\ng = torch.compile(f)\n", "ops.py": "def f(x): ..."}
    assert roots(files, "explicit") == ["explicit f"]


# ---------------------------------------------------------------- configuration


@pytest.mark.parametrize(
    ("options", "config"),
    [
        ("", DynamoConfig()),
        ("fullgraph=True", DynamoConfig(fullgraph=True)),
        ("dynamic=True", DynamoConfig(dynamic=True)),
        ("dynamic=False, mode='reduce-overhead'", DynamoConfig(dynamic=False, mode="reduce-overhead")),
        ("mode='max-autotune', fullgraph=False", DynamoConfig(mode="max-autotune")),
        ("fullgraph=strict", DynamoConfig()),
    ],
)
def test_options_become_the_configuration_of_the_root(options: str, config: DynamoConfig) -> None:
    assert configs(f"@torch.compile({options})\ndef f(x): ...") == {"f": config}
    assert configs(f"def f(x): ...\ng = torch.compile(f, {options})") == {"f": config}


def test_each_root_has_a_configuration_of_its_own() -> None:
    found = configs("@torch.compile(fullgraph=True)\ndef f(x): ...\n@torch.compile\ndef g(x): ...")
    assert found == {"f": DynamoConfig(fullgraph=True), "g": DynamoConfig()}


def test_the_default_holds_where_nothing_else_is_asked() -> None:
    default = DynamoConfig(captures=frozenset({Capture.SCALAR}), dynamic=True)
    found = configs("@torch.compile\ndef f(x): ...\n@torch.compile(dynamic=False)\ndef g(x): ...", default)
    assert found == {"f": default, "g": DynamoConfig(captures=default.captures, dynamic=False)}


def test_export_is_fullgraph() -> None:
    source = "class A(nn.Module):\n  def forward(self, x): ...\nep = torch.export.export(A(), (1,))"
    assert configs(source) == {"A.forward": DynamoConfig(fullgraph=True, export=True)}


# ------------------------------------------------------------------------- auto


def test_forwards_of_modules_and_autograd_functions() -> None:
    source = """
        class Base(nn.Module):
            def forward(self, x): ...
            def helper(self, x): ...

        class Sub(Base): ...

        class Wide(nn.Linear):
            def forward(self, x): ...

        class Clip(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x): ...
            @staticmethod
            def backward(ctx, grad): ...
            def other(self): ...

        class Plain:
            def forward(self, x): ...
    """
    assert roots(source) == [
        "forward Base.forward",
        "forward Wide.forward",
        "autograd Clip.forward",
        "autograd Clip.backward",
    ]


def test_nested_classes_are_found_and_local_ones_are_not() -> None:
    source = """
        class Outer:
            class Net(nn.Module):
                def forward(self, x): ...

        def build():
            class Local(nn.Module):
                def forward(self, x): ...
            return Local
    """
    assert roots(source) == ["forward Outer.Net.forward"]


def test_the_base_of_a_module_may_lie_in_another_file() -> None:
    files = {
        "app.py": "from base import Base\nclass Net(Base):\n  def forward(self, x): ...",
        "base.py": "class Base(nn.Module): ...",
    }
    assert roots(files) == ["forward Net.forward"]


@pytest.mark.parametrize(
    "annotation",
    [
        "Tensor",
        "torch.Tensor",
        "Optional[Tensor]",
        "Tensor | None",
        "list[torch.LongTensor]",
        "Union[int, Tensor]",
        "'Tensor'",
    ],
)
def test_a_tensor_among_the_annotations_makes_a_root_of_what_nothing_reaches(annotation: str) -> None:
    assert roots(f"def f(x: {annotation}): ...") == ["[unreached f]"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("def psnr(x: Tensor) -> float: return x.mean()", "psnr", id="a number by annotation"),
        pytest.param("def psnr(x: Tensor): return x.mean().item()", "psnr", id="a number"),
        pytest.param("def metrics(x: Tensor): return x, x.mean().item()", "metrics", id="a number among others"),
        pytest.param("def step(x: Tensor, opt):\n  x.backward()\n  opt.step()\n  return x", "step", id="a step"),
        pytest.param(
            "def scale(x: Tensor): return x * 2\ndef evaluate(x: Tensor): return scale(x).item()",
            "evaluate",
            id="hands over a number, and calls another",
        ),
        pytest.param(
            "def step(x: Tensor, optim):\n  x.mean().backward()\n  optim.step()", "step", id="an optimizer named optim"
        ),
        pytest.param(
            "class A:\n  def step(self, x: Tensor):\n    x.mean().backward()\n    self.optim.step()",
            "A.step",
            id="an optimizer of the object",
        ),
        pytest.param(
            "import re\ndef psnr(x: Tensor):\n  re.compile('a')\n  return x.mean().item()",
            "psnr",
            id="compiles a pattern",
        ),
        pytest.param(
            "def attack(x: Tensor, net):\n  opt = torch.optim.Adam([x])\n  net(x).mean().backward()\n  opt.step()",
            "attack",
            id="makes the optimizer of a tensor",
        ),
        pytest.param(
            "def norm(x: Tensor, net):\n  net(x).mean().backward()\n  return next(net.parameters()).grad.norm().item()",
            "norm",
            id="reads parameters, and makes no optimizer",
        ),
        pytest.param(
            "def log(x: Tensor): x.abs()\ndef train(x: Tensor, opt):\n  log(x)\n  x.backward()",
            "train",
            id="a step without data to go over",
        ),
    ],
)
def test_what_computes_and_ends_in_a_number_or_a_gradient_is_worth_starting(text: str, name: str) -> None:
    assert roots(text) == [f"[unreached {name}]"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(x): ...", id="no annotation"),
        pytest.param("def f(x: int, y: str = 'a') -> Tensor: ...", id="a tensor is returned only"),
        pytest.param("class A:\n  def __init__(self, x: Tensor): ...", id="constructor"),
        pytest.param("class A:\n  def __eq__(self, x: Tensor): ...", id="dunder"),
        pytest.param("class A:\n  def prepare(self, x: Tensor):\n    self.x = x", id="stores and returns nothing"),
        pytest.param("def draw(x: Tensor):\n  import os\n  os.makedirs('a')\n  return x", id="makes folders"),
        pytest.param("from PIL import Image\ndef draw(x: Tensor):\n  Image.new('L')\n  return x", id="makes images"),
        pytest.param("def keep(x: Tensor):\n  torch.save(x, 'a.pt')", id="saving"),
        pytest.param("def restore(x: Tensor):\n  return torch.load('a.pt')", id="loading"),
        pytest.param("def weights(x: Tensor):\n  nn.init.zeros_(x)\n  return x", id="initialisation"),
        pytest.param("def to_image(x: Tensor): return x.cpu().numpy()", id="an array"),
        pytest.param(
            "from torch.utils.data import Dataset\nclass D(Dataset):\n  def __call__(self, x: Tensor): return x",
            id="a dataset",
        ),
        pytest.param(
            "def pad(x: Tensor): return x\nload = torch.utils.data.DataLoader([], collate_fn=pad)",
            id="a collate function",
        ),
        pytest.param("def number(x: Tensor): return float(x.cpu())", id="converts and does nothing else"),
        pytest.param(
            "def train(x: Tensor, opt, data):\n  for y in data:\n    (x * y).backward()\n    opt.step()",
            id="training over data",
        ),
        pytest.param(
            "def fit(x: Tensor, net):\n  torch.manual_seed(0)\n  y = net(x).mean()\n  y.backward()\n  return y.item()",
            id="seeds",
        ),
        pytest.param(
            "def fit(x: Tensor, net):\n  opt = torch.optim.Adam(net.parameters())\n  net(x).mean().backward()",
            id="makes the optimizer of a model",
        ),
        pytest.param(
            "def fit(x: Tensor, f):\n  g = torch.compile(f)\n  return g(x).mean().item()", id="compiles what it calls"
        ),
        pytest.param("def f(path, name): return path.join(name)", id="nothing of a tensor in it"),
        pytest.param("def make(): return torch.cat([torch.ones(3)])", id="nothing goes in"),
    ],
)
def test_what_is_not_worth_starting(text: str) -> None:
    assert roots(text) == []


@pytest.mark.parametrize(
    ("text", "root"),
    [
        pytest.param("def load_balance(x: Tensor): return x", "load_balance", id="loads nothing"),
        pytest.param("def add_noise(x: Tensor): return x + torch.randn_like(x)", "add_noise", id="adds noise"),
        pytest.param("def set_mask(x: Tensor): return x > 0", "set_mask", id="sets nothing"),
        pytest.param("def f(x): return x.unsqueeze(0)", "f", id="a tensor by its use"),
        pytest.param(
            "def scale(x: Tensor): return x * 2\ndef step(x: Tensor): return scale(x)\n"
            "def evaluate(x: Tensor): return step(x).item()\ndef other(x: Tensor): return scale(x)",
            "scale",
            id="called by other code too",
        ),
        pytest.param(
            "def loss(x: Tensor): return x.abs().mean()\ndef train(x: Tensor, opt):\n  loss(x).backward()",
            "loss",
            id="a value that a training loop asks for",
        ),
        pytest.param(
            "class A(nn.Module):\n  def fill(self, x: Tensor): self.seen = x.abs()\n"
            "def train(m, x: Tensor):\n  m.fill(x)\n  x.backward()",
            "A.fill",
            id="a method of a module that a training loop calls",
        ),
        pytest.param(
            "def loss(model, batch): return F.mse_loss(model(batch), batch)", "loss", id="a function of torch"
        ),
        pytest.param("def pick(model, ids): return model(ids)[0].softmax(-1)", "pick", id="a method of tensors only"),
        pytest.param(
            "def sample(model, x: Tensor, seed):\n  torch.manual_seed(seed)\n  return model(x)",
            "sample",
            id="seeds what it draws",
        ),
    ],
)
def test_what_is_worth_starting_whatever_its_name(text: str, root: str) -> None:
    assert f"[unreached {root}]" in roots(text)


def test_test_files_hold_no_roots_that_nothing_reaches() -> None:
    assert roots({"test_ops.py": "def check(x: Tensor): return x"}) == []


def test_what_a_root_reaches_is_not_started_again() -> None:
    source = """
        def helper(x: Tensor):
            print(x)

        def alone(x: Tensor):
            print(x)

        class Net(nn.Module):
            def forward(self, x):
                helper(x)
    """
    assert started(source) == {"forward Net.forward", "unreached alone"}


# ---------------------------------------------------------------------- never roots


@pytest.mark.parametrize(
    "decorator",
    [
        "torch.compiler.disable",
        "torch.compiler.disable(recursive=False)",
        "torch._dynamo.disable",
        "torch._dynamo.allow_in_graph",
        "torch.compiler.allow_in_graph",
        "torch._dynamo.nonstrict_trace",
        "torch.compiler.assume_constant_result",
        "torch.library.custom_op('a::b', mutates_args=())",
        "torch.jit.ignore",
        "torch.jit.unused",
        "triton.jit",
    ],
)
def test_never_roots(decorator: str) -> None:
    source = f"@{decorator}\ndef f(x: Tensor): ...\nclass A(nn.Module):\n  @{decorator}\n  def forward(self, x): ..."
    assert roots("import triton\n" + source, "auto", "all") == []


@pytest.mark.parametrize("head", ["def jit(f): return f", "from tools import jit", "import tools; jit = tools.jit"])
def test_another_decorator_of_that_name_is_no_reason(head: str) -> None:
    assert roots(f"{head}\n@jit\ndef f(x: Tensor): ...") == ["[unreached f]"]


@pytest.mark.parametrize("decorator", ["numba.jit", "numba.njit(parallel=True)", "njit", "jit(nopython=True)"])
def test_what_numba_compiles_is_no_root(decorator: str) -> None:
    source = f"import numba\nfrom numba import jit, njit\n@{decorator}\ndef f(x: Tensor): ..."
    assert roots(source, "auto", "all") == []


def test_a_project_s_own_decorator_of_that_name_hides_nothing() -> None:
    assert roots("@registry.ignore\ndef f(x: Tensor): ...") == ["[unreached f]"]


# ---------------------------------------------------------------------- globs and all


GLOBBED = """
    class Net(nn.Module):
        def __init__(self, x): ...
        def forward(self, x): ...
        def step(self, x): ...

    def helper(x): ...
"""


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("app.helper", ["[glob helper]"]),
        ("app.Net.*", ["[glob Net.forward]", "[glob Net.step]"]),
        ("*.step", ["[glob Net.step]"]),
        ("app:Net.step", ["[glob Net.step]"]),
        ("app:*", ["[glob helper]", "[glob Net.forward]", "[glob Net.step]"]),
        ("other.*", []),
        ("app.Net.__init__", []),
    ],
)
def test_globs_name_functions(glob: str, found: list[str]) -> None:
    assert roots(GLOBBED, glob) == found


def test_all_is_everything_but_constructors() -> None:
    assert roots(GLOBBED, "all") == ["[all helper]", "[all Net.forward]", "[all Net.step]"]


def test_items_add_up_and_the_first_kind_stands() -> None:
    source = """
        class Net(nn.Module):
            def forward(self, x): ...

        @torch.compile
        def f(x: Tensor): ...
        def g(x: Tensor): ...
        def h(x): ...
    """
    assert roots(source, "auto", "all") == ["explicit f", "forward Net.forward", "[unreached g]", "[all h]"]
    assert roots(source, "explicit", "app.h") == ["explicit f", "[glob h]"]
    assert roots(source, "all", "app.g") == ["explicit f", "[glob g]", "[all h]", "[all Net.forward]"]
    assert roots(source, "explicit") == ["explicit f"]


def test_a_forward_that_is_compiled_with_options_is_one_root() -> None:
    source = """
        class Net(nn.Module):
            @torch.compile(fullgraph=True)
            def forward(self, x): ...
    """
    program, modules = program_of(sources(source))
    (root,) = roots_of(Interpreter(program, facts(), lambda event: None), modules, ("auto",)).first
    assert (root.kind, root.config, root.owner is not None) == ("explicit", DynamoConfig(fullgraph=True), True)


def test_two_compilations_of_one_function_are_two_configurations() -> None:
    source = "def f(x): ...\na = torch.compile(f)\nb = torch.compile(f, fullgraph=True)\n"
    program, modules = program_of(sources(source))
    found = roots_of(Interpreter(program, facts(), lambda event: None), modules, ("explicit",)).first
    assert [r.config.fullgraph for r in found] == [False, True]
