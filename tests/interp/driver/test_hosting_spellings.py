"""What is compiled, in every spelling: the break in the compiled function is found, and in no other function.

Each program marks the lines at which compiled code breaks the graph; every other `print` stands in code that no
compile call reaches, where an explicit run must stay silent.
"""

from __future__ import annotations

import textwrap

import pytest

from tests.support.reveal import run

F = "def f(x):\n    print(x)  # break\n    return x\n"
NET = "class Net(nn.Module):\n    def forward(self, x):\n        print(x)  # break\n        return x\n"


def broken(program: str) -> list[str]:
    """The lines, without the mark, at which a graph ends in what the program compiles itself."""
    text = textwrap.dedent(program)
    lines = text.splitlines()
    found = {event.site.location.span.line - 1 for event in run(text, ("explicit",)) if event.breaks}
    return [lines[at - 1].partition("#")[0].strip() for at in sorted(found)]


def marked(program: str) -> list[str]:
    """The lines that the program marks."""
    lines = textwrap.dedent(program).splitlines()
    return [line.partition("#")[0].strip() for line in lines if line.endswith("# break")]


FUNCTIONS = {
    "rebinding the name": F + "f = torch.compile(f)",
    "another name": F + "g = torch.compile(f)",
    "from torch import compile as tc": "from torch import compile as tc\n" + F + "g = tc(f)",
    "c = torch.compile": "c = torch.compile\n" + F + "g = c(f)",
    "import torch as t": "import torch as t\n" + F + "g = t.compile(f)",
    "partial": F + "comp = functools.partial(torch.compile, fullgraph=False)\ng = comp(f)",
    "partial as a decorator": "comp = functools.partial(torch.compile, dynamic=True)\n@comp\n" + F,
    "partial called as a decorator": "comp = functools.partial(torch.compile, dynamic=True)\n@comp()\n" + F,
    "decorator with options in a name": "jit = torch.compile(backend='eager')\n@jit\n" + F,
    "torch._dynamo.optimize": "import torch._dynamo\n" + F + "g = torch._dynamo.optimize('eager')(f)",
    "optimize of a backend function": "import torch._dynamo as dynamo\n"
    + F
    + "def backend(gm, inputs): return gm\ng = dynamo.optimize(backend)(f)",
    "optimize as a decorator": "import torch._dynamo\n@torch._dynamo.optimize('eager')\n" + F,
    "from torch._dynamo import optimize": "from torch._dynamo import optimize\n" + F + "g = optimize()(f)",
    "backend first": F + "g = torch.compile(backend='eager')(f)",
    "model=f": F + "g = torch.compile(model=f)",
    "keywords from a dict": F + "opts = {'dynamic': True}\ng = torch.compile(f, **opts)",
    "called at once": F + "y = torch.compile(f)(torch.randn(3))",
    "as an argument": F + "def time_it(fn, x): return fn(x)\ntime_it(torch.compile(f), torch.randn(3))",
    "in a tuple": F + "pair = (f, torch.compile(f))",
    "unpacked": F + "eager, fast = f, torch.compile(f)",
    "in a dict": F + "modes = {'eager': f, 'compiled': torch.compile(f)}",
    "in a list": F + "both = [f, torch.compile(f)]",
    "in a list comprehension": F + "all_ = [torch.compile(one) for one in (f,)]",
    "in a dict comprehension": F + "all_ = {m: torch.compile(f, mode=m) for m in ('default', None)}",
    "in a generator": F + "all_ = tuple(torch.compile(one) for one in [f])",
    "in a conditional expression": F + "import sys\ng = torch.compile(f) if len(sys.argv) > 1 else f",
    "in a walrus": F + "if (g := torch.compile(f)) is not None:\n    g(torch.randn(3))",
    "under if": F + "import os\nif os.environ.get('COMPILE'):\n    f = torch.compile(f)",
    "under else": F + "import os\nif os.environ.get('EAGER'):\n    g = f\nelse:\n    g = torch.compile(f)",
    "in try": F + "try:\n    g = torch.compile(f)\nexcept RuntimeError:\n    g = f",
    "in with": F + "with torch.no_grad():\n    g = torch.compile(f)",
    "in a loop": F + "for mode in ('default', 'max-autotune'):\n    g = torch.compile(f, mode=mode)",
    "a default argument": F + "def apply(x, fn=torch.compile(f)):\n    return fn(x)",
    "a class attribute": F + "class Ops:\n    fast = torch.compile(f)",
    "a static method in a class body": "class Ops:\n    @staticmethod\n    @torch.compile\n    def f(x):\n"
    "        print(x)  # break\n        return x",
    "under global": F + "step = None\ndef setup():\n    global step\n    step = torch.compile(f)",
    "global name rebound in a function": F + "def setup():\n    global f\n    f = torch.compile(f)",
    "main guard": F + "if __name__ == '__main__':\n    f = torch.compile(f)\n    f(torch.randn(3))",
    "inside main": F + "def main():\n    g = torch.compile(f)\n    return g(torch.randn(3))\nmain()",
    "main that nothing calls": F + "def main():\n    g = torch.compile(f)\n    return g(torch.randn(3))",
    "returned": F + "def make():\n    return torch.compile(f, dynamic=False)",
    "compiled twice": F + "g = torch.compile(torch.compile(f))",
    "torch.compiler.compile": F + "import torch.compiler\ng = torch.compiler.compile(f)",
    "an alias of an alias": "from torch import compile\nmake_fast = compile\n" + F + "g = make_fast(f)",
    "annotated assignment": F + "from typing import Callable\ng: Callable = torch.compile(f)",
    "explain": F + "import torch._dynamo\ntorch._dynamo.explain(f)(torch.randn(3))",
    "optimize_assert": F + "import torch._dynamo\ng = torch._dynamo.optimize_assert('eager')(f)",
    "imported where it is used": F + "def main():\n    from torch import compile as c\n    return c(f)",
    "getattr": F + "g = getattr(torch, 'compile')(f)",
    "map": F + "g, = map(torch.compile, [f])",
    "starred": F + "fns = [f]\ng = torch.compile(*fns)",
    "setattr on a namespace": F + "import types\nns = types.SimpleNamespace()\nns.f = torch.compile(f)",
    "an async function": F + "async def main():\n    g = torch.compile(f)\n    return g(torch.randn(3))",
    "match": F
    + "def pick(kind):\n    match kind:\n        case 'fast':\n            return torch.compile(f)\n    return f",
}

TARGETS = {
    "a lambda": "g = torch.compile(lambda x: x.item() + 1)  # break",
    "a lambda in a name": "g = lambda x: x.item() + 1  # break\ng = torch.compile(g)",
    "a local function": "def main():\n    def f(x):\n        print(x)  # break\n        return x\n"
    "    return torch.compile(f)",
    "a decorated local function": "def main():\n    @torch.compile\n    def f(x):\n        print(x)  # break\n"
    "        return x\n    return f(torch.randn(2))",
    "a local function that calls one of the closure": "def main():\n    def inner(x):\n        print(x)  # break\n"
    "        return x\n    def f(x):\n        return inner(x)\n    torch.compile(f)(torch.randn(3))",
    "a closure over a flag": "def main():\n    loud = True\n    def f(x):\n        if loud:\n"
    "            print(x)  # break\n        return x\n    return torch.compile(f)",
    "a closure over a tensor": "def main():\n    w = torch.randn(3)\n    def f(x):\n        if w.sum() > 0:  # break\n"
    "            return x\n        return -x\n    return torch.compile(f)",
    "a module made in place": NET + "m = torch.compile(Net())",
    "a module by name": NET + "m = Net()\nm = torch.compile(m)",
    "a module moved": NET + "m = torch.compile(Net().cuda().eval())",
    "a module moved by statements": NET + "m = Net()\nm = m.to('cuda')\nm.eval()\nm = torch.compile(m)",
    "module.compile()": NET + "m = Net()\nm.compile()\nm(torch.randn(3))",
    "module.compile() in a method": NET + "class T:\n    def __init__(self):\n        self.net = Net()\n"
    "        self.net.compile(mode='default')",
    "a local class": "def main():\n    class Net(nn.Module):\n        def forward(self, x):\n"
    "            print(x)  # break\n            return x\n    return torch.compile(Net())",
    "a local class of a local class": "def main():\n    class Base(nn.Module):\n        def forward(self, x):\n"
    "            return self.step(x)\n    class Net(Base):\n        def step(self, x):\n            print(x)  # break\n"
    "            return x\n    return torch.compile(Net())",
    "an inherited forward": NET + "class Sub(Net):\n    pass\nm = torch.compile(Sub())",
    "a bound method": "class Net(nn.Module):\n    def forward(self, x):\n        print(x)\n        return x\n"
    "    def generate(self, x):\n        print(x)  # break\n        return x\nm = Net()\ng = torch.compile(m.generate)",
    "a bound method put back": "class Net(nn.Module):\n    def forward(self, x):\n        print(x)  # break\n"
    "        return x\ndef main():\n    m = Net()\n    m.forward = torch.compile(m.forward)",
    "a method of self": "class T:\n    def __init__(self):\n        self.step = torch.compile(self._step)\n"
    "    def _step(self, x):\n        print(x)  # break\n        return x",
    "a method of self, rebound": "class T:\n    def __init__(self):\n        self.step = torch.compile(self.step)\n"
    "    def step(self, x):\n        print(x)  # break\n        return x",
    "a decorated method": "class T:\n    @torch.compile\n    def step(self, x):\n        print(x)  # break\n"
    "        return x",
    "a decorated forward": "class Net(nn.Module):\n    @torch.compile(dynamic=True)\n    def forward(self, x):\n"
    "        print(x)  # break\n        return x",
    "a submodule": NET + "class Outer(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.body = Net()\n    def forward(self, x):\n        print(x)\n        return self.body(x)\n"
    "m = Outer()\nm.body = torch.compile(m.body)",
    "a submodule in the constructor": NET + "class Outer(nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.body = torch.compile(Net())\n    def forward(self, x):\n"
    "        print(x)\n        return self.body(x)",
    "blocks of a list": NET + "blocks = nn.ModuleList([Net() for _ in range(3)])\nfor i, block in enumerate(blocks):\n"
    "    blocks[i] = torch.compile(block)",
    "blocks of a model": NET + "class Outer(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.blocks = nn.ModuleList(Net() for _ in range(3))\ndef main():\n    m = Outer()\n"
    "    for block in m.blocks:\n        block.compile()",
    "a sequential": NET + "m = torch.compile(nn.Sequential(Net(), nn.ReLU()))",
    "the result of a factory": NET
    + "def build(depth):\n    net = Net()\n    return net.eval()\nm = torch.compile(build(3))",
    "a function that a factory makes": "def make(n):\n    def f(x):\n        print(x)  # break\n        return x * n\n"
    "    return f\ng = torch.compile(make(2))",
    "a factory that compiles": "def make(n):\n    @torch.compile\n    def f(x):\n        print(x)  # break\n"
    "        return x * n\n    return f\ng = make(2)",
    "a class from a table": NET + "MODELS = {'net': Net}\ndef main(name='net'):\n    m = MODELS[name]()\n"
    "    m = torch.compile(m)",
    "a partial": F + "g = torch.compile(functools.partial(f))",
    "vmap": "def f(x):\n    print('a')  # break\n    return x\ng = torch.compile(torch.vmap(f))",
    "vmap of a compiled function": "def f(x):\n    print('a')  # break\n    return x\ng = torch.vmap(torch.compile(f))",
    "under no_grad": "@torch.no_grad()\n" + F + "g = torch.compile(f)",
    "no_grad around": "@torch.no_grad()\n@torch.compile\n" + F,
    "data parallel": NET + "m = torch.compile(nn.parallel.DistributedDataParallel(Net()))",
    "compiled, then data parallel": NET + "m = nn.parallel.DistributedDataParallel(torch.compile(Net()))",
    "an object that is called": "class Op:\n    def __call__(self, x):\n        print(x)  # break\n        return x\n"
    "g = torch.compile(Op())",
    "a choice of two": "def f(x):\n    print(x)  # break\n    return x\ndef g(x):\n    return x.item()  # break\n"
    "def main(flag):\n    return torch.compile(f if flag else g)",
    "a project's wrapper": F + "def fast(fn, **options):\n    return torch.compile(fn, **options)\ng = fast(f)",
    "a wrapper as a decorator": "def fast(fn):\n    return torch.compile(fn)\n@fast\n" + F,
    "a wrapper with arguments as a decorator": "def fast(dynamic):\n    def around(fn):\n"
    "        return torch.compile(fn, dynamic=dynamic)\n    return around\n@fast(True)\n" + F,
    "a wrapper that may not compile": "import os\ndef maybe(fn):\n    if os.environ.get('EAGER'):\n        return fn\n"
    "    return torch.compile(fn)\n" + F + "g = maybe(f)",
    "a method that compiles an argument": NET + "class T:\n    def setup(self, model):\n"
    "        self.model = torch.compile(model)\ndef main():\n    t = T()\n    t.setup(Net())",
    "a constructor that compiles an argument": NET + "class T:\n    def __init__(self, model):\n"
    "        self.model = torch.compile(model)\nt = T(Net())",
    "a module of a constructor's argument": NET
    + "class T:\n    def __init__(self, model):\n        self.model = model\n"
    "    def fast(self):\n        return torch.compile(self.model)\nt = T(Net())\nt.fast()",
    "a test method": "import unittest\nclass Test(unittest.TestCase):\n    def test_it(self):\n        def fn(x):\n"
    "            print(x)  # break\n            return x\n        cnts = torch._dynamo.testing.CompileCounter()\n"
    "        opt_fn = torch.compile(fn, backend=cnts)\n        self.assertEqual(opt_fn(torch.ones(2)), 1)",
    "a helper of a test class": "import unittest\nclass Test(unittest.TestCase):\n    def check(self, fn):\n"
    "        return torch.compile(fn)(torch.ones(2))\n    def test_it(self):\n        def fn(x):\n"
    "            print(x)  # break\n            return x\n        self.check(fn)",
    "standard_test": "import unittest\nimport torch._dynamo.testing\nclass Test(unittest.TestCase):\n"
    "    def test_it(self):\n        def fn(a, b):\n            if a.sum() > 0:  # break\n                return a\n"
    "            return b\n        torch._dynamo.testing.standard_test(self, fn=fn, nargs=2)",
    "a decorator that makes tests": "def make_test(fn):\n    def test(self):\n"
    "        return torch.compile(fn)(torch.ones(2))\n    return test\nclass Test:\n    @make_test\n"
    "    def test_a(x):\n"
    "        print(x)  # break\n        return x\n    @make_test\n    def test_b(x):\n        return x.item()  # break",
    "named children": NET + "class Outer(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.body = Net()\ndef main():\n    m = Outer()\n    for name, child in m.named_children():\n"
    "        setattr(m, name, torch.compile(child))",
    "a model in the arguments' hands": NET + "class T:\n    model: Net\n    def fast(self):\n"
    "        self.model = torch.compile(self.model)",
    "an annotated parameter": NET + "def fast(model: Net):\n    return torch.compile(model)",
    "a dataclass field": F + "@dataclass\nclass Ops:\n    op: object\nops = Ops(torch.compile(f))",
    "export": NET + "ep = torch.export.export(Net(), (torch.randn(3),))",
}

ARGUMENTS = {
    "a tensor where a flag could be": "def f(x, flag=None):\n    if flag:  # break\n        return x\n    return -x\n"
    "def main():\n    g = torch.compile(f)\n    g(torch.randn(3), torch.tensor(True))",
    "a flag where a tensor could be": "def main():\n    def f(x, mask):\n        if mask:\n            return x\n"
    "        return -x\n    torch.compile(f)(torch.randn(3), True)",
    "None is passed": "def main():\n    def f(x, mask):\n        if mask is not None and mask.any():\n"
    "            return x\n"
    "        return -x\n    torch.compile(f)(torch.randn(3), None)",
    "joined over calls": "def main():\n    def f(x, mask):\n        if mask:  # break\n            return x\n"
    "        return -x\n    g = torch.compile(f)\n    g(torch.randn(3), True)\n"
    "    g(torch.randn(3), torch.tensor(True))",
    "through a partial": "def main():\n    def f(n, x):\n        if x.sum() > n:  # break\n            return x\n"
    "        return -x\n    torch.compile(functools.partial(f, 3))(torch.randn(3))",
    "of a function that the caller makes": "def main():\n    def act(x):\n        print(x)  # break\n        return x\n"
    "    def f(x, fn):\n        return fn(x)\n    torch.compile(f)(torch.randn(3), act)",
}

NEAR_MISSES = {
    "a function that nothing compiles": "def f(x):\n    print(x)\ndef g(x): return x\ng = torch.compile(g)",
    "the name is rebound after the call": "def f(x): return x\ng = torch.compile(f)\ndef f(x):\n    print(x)",
    "another compile": "import re\ndef f(x):\n    print(x)\np = re.compile(f)",
    "compile of an unknown package": "import other\ndef f(x):\n    print(x)\ng = other.compile(f)",
    "a method called compile": "class C:\n    def compile(self, fn): return fn\ndef f(x):\n    print(x)\n"
    "C().compile(f)",
    "a module with a compile of its own": "class Net(nn.Module):\n    def compile(self, optimizer): ...\n"
    "    def forward(self, x):\n        print(x)\nm = Net()\nm.compile('adam')",
    "disabled": "@torch.compiler.disable\ndef f(x):\n    print(x)\ng = torch.compile(f)",
    "disable=True": "def f(x):\n    print(x)\ng = torch.compile(f, disable=True)",
    "around the call": "def f(x): return x\ng = torch.compile(f)\ndef main(x):\n    print(x)\n    y = g(x)\n"
    "    print(y)",
    "a test that checks": "def f(x): return x\ndef test_f():\n    y = torch.compile(f)(torch.ones(2))\n"
    "    print(y)\n    assert y.sum() > 0",
    "the builder of the model": "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        print('a')\n"
    "    def forward(self, x): return x\nm = torch.compile(Net())",
    "a method that is not compiled": "class Net(nn.Module):\n    def forward(self, x): return x\n"
    "    def generate(self, x):\n        print(x)\nm = torch.compile(Net())\nm.generate(torch.ones(2))",
    "the arm that is_compiling excludes": "def f(x):\n    if not torch.compiler.is_compiling():\n        print(x)\n"
    "    return x\ng = torch.compile(f)",
    "a flag that the caller leaves off": "def main():\n    def f(x, loud=False):\n        if loud:\n"
    "            print(x)\n"
    "        return x\n    torch.compile(f)(torch.randn(3))",
    "compiled in a string": "def f(x):\n    print(x)\ncode = 'torch.compile(f)'",
    "a torch function": "def f(x):\n    print(x)\ng = torch.compile(torch.sin)",
    "a shadowed name": "def compile(fn): return fn\ndef f(x):\n    print(x)\ng = compile(f)",
    "a name of another scope": "def f(x):\n    print(x)\ndef main():\n    def f(x): return x\n"
    "    return torch.compile(f)",
    "is_scripting": "def f(x):\n    if torch.jit.is_scripting():\n        print(x)\n    return x\ng = torch.compile(f)",
}


def parametrised(programs: dict[str, str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", programs.values(), ids=programs.keys())


@parametrised(FUNCTIONS)
def test_a_function_is_compiled(program: str) -> None:
    assert broken(program) == marked(program) != []


@parametrised(TARGETS)
def test_what_is_compiled(program: str) -> None:
    assert broken(program) == marked(program) != []


@parametrised(ARGUMENTS)
def test_arguments_come_from_the_calls(program: str) -> None:
    assert broken(program) == marked(program)


@parametrised(NEAR_MISSES)
def test_what_is_not_compiled(program: str) -> None:
    assert broken(program) == []


FILES = {
    "a wrapper of another file": {
        "tools.py": "def fast(fn):\n    return torch.compile(fn)\n",
        "app.py": "from tools import fast\ndef f(x):\n    print(x)\n    return x\ng = fast(f)\n",
    },
    "a wrapper through its module": {
        "tools.py": "def fast(fn):\n    return torch.compile(fn)\n",
        "app.py": "import tools\ndef f(x):\n    print(x)\n    return x\ng = tools.fast(f)\n",
    },
    "a name for torch.compile": {
        "compat.py": "jit = torch.compile\n",
        "app.py": "from compat import jit\n@jit\ndef f(x):\n    print(x)\n    return x\n",
    },
    "a method of a class of another file": {
        "engine.py": "class Engine:\n    def attach(self, model):\n        self.model = torch.compile(model)\n",
        "app.py": "from engine import Engine\nclass Net(nn.Module):\n    def forward(self, x):\n        print(x)\n"
        "        return x\ndef main():\n    e = Engine()\n    e.attach(Net())\n",
    },
}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES.keys())
def test_wrappers_of_other_files(files: dict[str, str]) -> None:
    found = {(e.site.location.path, e.site.context.function) for e in run(files, ("explicit",)) if e.breaks}
    assert {path for path, _ in found} == {"app.py"}


LIT = (
    "class Lit(L.LightningModule):\n    def forward(self, x):\n        return x\n"
    "    def training_step(self, batch, i):\n        print(batch)  # break\n        return batch\n"
)

FRAMEWORKS = {
    "Trainer": NET + "from transformers import Trainer, TrainingArguments\n"
    "args = TrainingArguments(output_dir='a', torch_compile=True)\ntrainer = Trainer(model=Net(), args=args)",
    "Trainer by backend": NET + "import transformers as tf\n"
    "trainer = tf.Trainer(Net(), tf.TrainingArguments('a', torch_compile_backend='inductor'))",
    "a subclass of Trainer": NET + "from transformers import Trainer, TrainingArguments\nclass Mine(Trainer):\n"
    "    def log(self): ...\nMine(model=Net(), args=TrainingArguments(torch_compile=True))",
    "a Trainer with a constructor": NET + "from transformers import Trainer, TrainingArguments\nclass Mine(Trainer):\n"
    "    def __init__(self, model):\n"
    "        super().__init__(model=model, args=TrainingArguments(torch_compile=True))\nMine(Net())",
    "Trainer of a model factory": NET + "from transformers import Trainer, TrainingArguments\n"
    "Trainer(model_init=lambda: Net(), args=TrainingArguments(torch_compile=True))",
    "Accelerator": NET + "from accelerate import Accelerator\nacc = Accelerator(dynamo_backend='inductor')\n"
    "model, loader = acc.prepare(Net(), [])",
    "Accelerator with a plugin": NET + "from accelerate import Accelerator\n"
    "from accelerate.utils import TorchDynamoPlugin\n"
    "acc = Accelerator(dynamo_plugin=TorchDynamoPlugin(backend='inductor'))\nmodel = acc.prepare(Net())",
    "prepared, then compiled": NET + "from accelerate import Accelerator\nacc = Accelerator()\n"
    "model = acc.prepare(Net())\nmodel = torch.compile(model)",
    "Lightning": "import lightning as L\n" + LIT + "trainer = L.Trainer()\ntrainer.fit(torch.compile(Lit()))",
    "pytorch_lightning": "import pytorch_lightning as L\n" + LIT + "m = torch.compile(Lit())\nL.Trainer().fit(m)",
    "Fabric": NET + "from lightning.fabric import Fabric\nfabric = Fabric()\nm = fabric.setup(torch.compile(Net()))",
}

FRAMEWORKS_EAGER = {
    "Trainer": "from transformers import Trainer, TrainingArguments\n",
    "without the switch": "t = Trainer(model=Net(), args=TrainingArguments('a'))\n",
    "switched off": "t = Trainer(model=Net(), args=TrainingArguments('a', torch_compile=False))\n",
    "no backend": "from accelerate import Accelerator\nm = Accelerator(dynamo_backend='no').prepare(Net())\n",
}


@parametrised(FRAMEWORKS)
def test_switches_of_frameworks(program: str) -> None:
    assert broken(program) == marked(program) != []


def test_frameworks_that_are_not_asked_compile_nothing() -> None:
    assert broken(NET + "".join(FRAMEWORKS_EAGER.values())) == []
