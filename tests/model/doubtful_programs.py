"""For every reason to be less than certain, small programs in which that reason alone keeps a finding down.

`CASES` maps a doubt to programs; a program is the code of the finding, its text, and how it is run where that is not
the default. Texts are files behind the preludes of `tests.support.reveal` and `tests.support.survey_events`.
"""

from __future__ import annotations

from dataclasses import dataclass

from compilelint.model import Doubt


@dataclass(frozen=True)
class Case:
    """A program and the rule that judges it; `library` is the text of `lib.py`, which is followed and not linted.

    `mode` is that of compile calls that name none. `made` says that the file is a project, whose scripts decide what
    is made.
    """

    code: str
    text: str
    roots: tuple[str, ...] = ("auto",)
    version: str = "2.13.0"
    library: str = ""
    mode: str | None = None
    made: bool = False


def forward(*lines: str, params: str = "x: Tensor", init: str = "pass", more: str = "") -> str:
    """A module with this forward, constructor, and further methods."""
    body = "\n        ".join(lines)
    return (
        f"class M(nn.Module):\n    def __init__(self, config=None):\n        super().__init__()\n        {init}\n"
        f"    def forward(self, {params}):\n        {body}\n{more}"
    )


def stepping(*lines: str, init: str = "self.n = 0", more: str = "") -> str:
    """A module whose forward changes state and goes on."""
    return forward(*lines, "return x * 2", params="x: Tensor, on=False", init=init, more=more)


def host(*lines: str, base: str = "") -> str:
    """A method that takes tensors, of a class that trains on data and is not a module; nothing compiled reaches it."""
    body = "\n        ".join(lines)
    trains = "    def train(self, xs):\n        for x in xs:\n            self.step(x).backward()\n"
    return f"class Trainer{base}:\n    def step(self, x: Tensor):\n        {body}\n{trains}"


COMPILED = """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1

    def generate(self, x: Tensor) -> Tensor:
        return self(x)

"""
OTHER_IS_MADE = """
class Other(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1

Other()
"""
FUNCTION = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, {inputs}):
        {forward}
    @staticmethod
    def backward(ctx, g):
        {backward}
"""


def function(forward: str = "return x * 2", backward: str = "return g", inputs: str = "x: Tensor") -> str:
    """A custom autograd function."""
    return FUNCTION.format(inputs=inputs, forward=forward, backward=backward)


OPERATOR = """
@torch.library.custom_op("a::op", mutates_args=())
def op(x: Tensor) -> Tensor:
    return x.clone()
"""
COUNTED = "class Counted:\n    def __init__(self): self.n = 0\n"
READ = "return x.sum().item()"

CASES: dict[Doubt, tuple[Case, ...]] = {
    Doubt.ONE_OF_SEVERAL: (
        Case("CL101", forward("y = x if self.k else make(x)", "if y: return 1", init="self.k = config.k")),
        Case("CL102", forward(READ, params="x: Tensor | None")),
    ),
    Doubt.LAYER_NOT_KNOWN: (
        Case(
            "CL101", forward("if self.k(x).sum() > 0: return 1", init="self.k = nn.Sequential(nn.ReLU(), make(config))")
        ),
    ),
    Doubt.USED_LIKE_A_TENSOR: (
        Case(
            "CL101", forward("if thing > 0:", "    x = x + 1", "return x * thing.masked_fill(x, 0)", params="x, thing")
        ),
        Case("CL101", forward("if make()[..., 0] > 0:", "    x = x + 1", "return x")),
        Case("CL102", forward("return make().unsqueeze(0).item()")),
    ),
    Doubt.USED_LIKE_A_MODULE: (
        Case("CL616", forward("make().register_forward_hook(x.copy_)", "return x")),
        Case("CL506", forward("handle = make().register_forward_hook(x.copy_)", "handle.remove()", "return x")),
    ),
    Doubt.METHOD_OF_OTHERS_TOO: (Case("CL102", forward("return make().tolist()")),),
    Doubt.NAMED_LIKE_A_TENSOR: (Case("CL101", forward("if hidden_states:", "    return 1", params="hidden_states")),),
    Doubt.NAMED_LIKE_A_TENSOR_ELSEWHERE: (
        Case("CL101", "def f(x: Tensor, mask):\n    if mask:\n        return x\n    return x + 1\n"),
    ),
    Doubt.DEFAULT_IS_NO_TENSOR: (
        Case("CL101", forward("if k:", "    x = x + 1", "return x", params="x: Tensor, k: int | Tensor = 3")),
    ),
    Doubt.ANNOTATED_AS_NUMBER: (
        Case(
            "CL101",
            forward("return self.step(x)", more="    def step(self, k: int):\n        if k:\n            return 1\n"),
        ),
    ),
    Doubt.ANNOTATED_AS_OTHER: (
        Case(
            "CL101",
            forward("return self.step(x)", more="    def step(self, k: str):\n        if k:\n            return 1\n"),
        ),
    ),
    Doubt.DEFAULT_IS_A_FLAG: (
        Case(
            "CL101",
            forward("return self.step(x)", more="    def step(self, k=True):\n        if k:\n            return 1\n"),
        ),
    ),
    Doubt.PROMISED_BY_ANNOTATION: (
        Case(
            "CL101",
            forward("if self.make():", "    return 1", more="    def make(self) -> Tensor:\n        return make()\n"),
        ),
    ),
    Doubt.COMPARED_BY_LOSS: (
        Case(
            "CL101",
            "class Gap(nn.modules.loss._Loss):\n    def forward(self, a, b):\n        if a > b:\n"
            "            return a - b\n        return b - a\n",
        ),
    ),
    Doubt.TAKEN_BY_OPERATOR: (
        Case("CL101", OPERATOR + forward("if k:", "    return op(k)", "return x", params="x: Tensor, k")),
    ),
    Doubt.CONVERTED_STATE: (
        Case(
            "CL825",
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.register_buffer('table', torch.zeros(8))\n\n"
            "    @torch.compile(mode='reduce-overhead')\n    def forward(self, x):\n"
            "        self.table = self.table.to(x)\n        return x * self.table\n",
        ),
    ),
    Doubt.ITEMS_BY_NUMBER: (
        Case(
            "CL820",
            "class Inner(nn.Module):\n    def forward(self, hidden_states):\n"
            "        hidden_states[0] = hidden_states[1]\n        return hidden_states\n\n"
            "class Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.inner = Inner()\n\n"
            "    @torch.compile(mode='reduce-overhead')\n    def forward(self, maps):\n"
            "        return self.inner(maps)\n",
        ),
    ),
    Doubt.STANDS_AMONG_OTHERS: (
        Case("CL101", forward("if (x, 'a', 3)[k]:", "    return 1", params="x: Tensor, k: int")),
    ),
    Doubt.PUT_IN_ELSEWHERE: (
        Case(
            "CL101",
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.kept = {}\n\n"
            "    def put(self, x: Tensor):\n        self.kept['m'] = x > 0\n\n"
            "    def forward(self, x: Tensor):\n        if self.kept['m'].any():\n            return x\n"
            "        return -x\n",
        ),
    ),
    Doubt.STORED_ELSEWHERE: (
        Case(
            "CL101",
            "class Kept:\n    def __init__(self):\n        self.limit = 3\n\n"
            "def track(kept: Kept, x: Tensor):\n    kept.best = x.min()\n\n"
            "@torch.compile\ndef better(kept: Kept, x: Tensor):\n    if kept.best > 0:\n        return x\n"
            "    return -x\n",
        ),
    ),
    Doubt.ANY_ARGUMENT: (
        Case("CL101", forward("return step(x, x + 1)", more="def step(*args):\n    if args[k]:\n        return 1\n")),
    ),
    Doubt.RESULT_NOT_MODELLED: (Case("CL102", forward("return torch.conv_tbc(x, x, x[0, 0]).item()")),),
    Doubt.ARRAY_OF_UNKNOWN: (Case("CL101", forward("if np.cumsum(make()):", "    return 1")),),
    Doubt.ARRAY_OF_NUMBERS: (Case("CL101", forward("if np.sqrt(make()):", "    return 1")),),
    Doubt.OUTPUT_OF_AUTOGRAD_FUNCTION: (
        Case("CL101", function("return make(x)") + forward("if Twice.apply(x):", "    return 1")),
    ),
    Doubt.RANK_UNKNOWN: (Case("CL103", forward("return torch.zeros(x.long().squeeze())")),),
    Doubt.DTYPE_UNKNOWN: (Case("CL103", forward("return x[(x * k).sum()]", params="x: Tensor, k: int")),),
    Doubt.GRADIENT_UNKNOWN: (Case("CL501", forward("x.requires_grad_()", "return x")),),
    Doubt.EXTREMUM_OF_MIXED: (Case("CL102", forward("return max(x.sum(), make()).item()")),),
    Doubt.FAILS_ANYWAY: (
        Case("CL102", forward("raise ValueError(x.sum().item())")),
        Case(
            "CL102",
            forward(
                "if k:", "    n = x.sum().item()", "    raise ValueError(n)", "return x", params="x: Tensor, k: int"
            ),
        ),
    ),
    Doubt.SWITCHED_OFF: (
        Case("CL102", forward("if self.wide:", "    return x.sum().item()", "return x", init="self.wide = False")),
        Case("CL102", forward("return self.wide and x.sum().item()", init="self.wide = False")),
    ),
    Doubt.OFF_BY_DEFAULT: (
        Case("CL102", forward("if debug:", f"    {READ}", "return x", params="x: Tensor, debug=False")),
        Case("CL102", forward("if not quiet:", f"    {READ}", "return x", params="x: Tensor, quiet=True")),
        Case(
            "CL102",
            "class M(nn.Module):\n    def __init__(self, debug=False):\n        super().__init__()\n"
            "        self.debug = debug\n    def forward(self, x: Tensor):\n"
            f"        if self.debug:\n            {READ}\n",
        ),
    ),
    Doubt.CALLER_SAYS_WHETHER: (
        Case("CL101", "def f(x: Tensor, debug=False):\n    if debug and x.any():\n        x = -x\n    return x\n"),
        Case("CL105", "def f(x: Tensor, loose=True):\n    if not loose:\n        assert x.any(), x\n    return x\n"),
    ),
    Doubt.HALF_PRECISION_ONLY: (
        Case("CL101", forward("if x.dtype == torch.float16 and x.isinf().any():", "    return 1")),
    ),
    Doubt.OTHER_KIND_OF_TENSOR_ONLY: (
        Case("CL102", forward("if x.is_sparse:", f"    {READ}", "return x")),
        Case("CL102", forward(f"y = 1.0 if not x.is_sparse else {READ.removeprefix('return ')}", "return x * y")),
    ),
    Doubt.OTHER_TYPE_ONLY: (
        Case("CL101", forward("if isinstance(how, str) and x.any():", "    return 1", params="x: Tensor, how")),
    ),
    Doubt.OF_THAT_TYPE_ONLY: (
        Case("CL102", forward("if isinstance(how, list):", f"    {READ}", "return x", params="x: Tensor, how")),
        Case("CL102", forward("if isinstance(how, str) and how:", f"    {READ}", "return x", params="x: Tensor, how")),
    ),
    Doubt.REPLACED_ON_CLASS: (
        Case(
            "CL101",
            "def switched(cls):\n    def forward(self, x):\n        return x + 1\n"
            "    cls.forward = forward\n    return cls\n"
            "@switched\n"
            "class Part(nn.Module):\n    def forward(self, x: Tensor):\n        if x.sum() > 0:\n            return x\n"
            "        return -x\n",
        ),
    ),
    Doubt.CLASS_CHANGED_UNSEEN: (
        Case(
            "CL101",
            "from elsewhere import register\n@register\n"
            "class Part(nn.Module):\n    def forward(self, x: Tensor):\n        if x.sum() > 0:\n            return x\n"
            "        return -x\n",
        ),
    ),
    Doubt.SEVERAL_CALLEES: (
        Case(
            "CL102",
            forward(
                "f = one if k else table[0]",
                "return f(x)",
                params="x: Tensor, k: int, table: dict",
                more="def one(t): return t.sum().item()\n",
            ),
        ),
    ),
    Doubt.NO_GRADIENT_ONLY: (
        Case(
            "CL504",
            "class AddOne(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
            "        ctx.mark_dirty(x)\n        x.add_(1)\n        return x\n"
            "    @staticmethod\n    def backward(ctx, grad):\n        return grad\n"
            + forward("return AddOne.apply(x * 2)"),
        ),
    ),
    Doubt.SOME_CALLEES: (
        Case("CL603", forward("return self.rnn(x)", init="self.rnn = nn.LSTM(4, 4) if config.l else nn.Identity()")),
    ),
    Doubt.CHOSEN_TOGETHER: (
        Case(
            "CL101",
            forward(
                "f, t = (one, x) if k else (two, k)",
                "return f(x, t)",
                params="x: Tensor, k: bool",
                more="def one(a, b): return a if b else -a\ndef two(a, b): return a\n",
            ),
        ),
    ),
    Doubt.LIBRARY_BEHIND_A_TEST: (
        Case(
            "CL102",
            "import lib\n" + forward("return lib.read(x, k)", params="x: Tensor, k: int"),
            library="def read(x, k):\n    if k:\n        return x.sum().item()\n",
        ),
    ),
    Doubt.UNKNOWN_ITERATOR: (Case("CL613", forward("return next(it)", params="x: Tensor, it")),),
    Doubt.DEPENDS_ON_ARGUMENTS: (
        Case("CL501", forward("(x * 2).requires_grad_(how)", "return x", params="x: Tensor, how")),
    ),
    Doubt.WORST_FORM_ONLY: (Case("CL104", forward("return torch.zeros(x.long().squeeze())")),),
    Doubt.ASSUMED_FACT: (Case("CL108", forward("torch.cuda.caching_allocator_alloc(4)", "return x")),),
    Doubt.CALLEE_SPLIT: (
        Case(
            "CL613",
            "def split(x, given):\n    print(1)\n    return x\n" + forward("return split(x, self.parameters())"),
        ),
    ),
    Doubt.FRAME_LEFT_BEFORE: (
        Case("CL201", forward("for _ in range(3):", "    n = x.sum().item()", "print('a')", "return x")),
    ),
    Doubt.NO_TENSOR_TAKES_PART: (
        Case("CL201", "def note(text):\n    print(text)\ndef f(x: Tensor):\n    note('a')\n    return x + 1\n"),
    ),
    Doubt.BUILDS_PARAMETERS: (Case("CL605", "def f(x: Tensor):\n    return nn.Embedding(4, 4, _weight=x)\n"),),
    Doubt.HOST_CLASS: (Case("CL101", host("y = x if self.k else make(x)", "if y: return 1")),),
    Doubt.MADE_BY_NOTHING: (
        Case(
            "CL823",
            forward("return x * self.table", init="self.table = torch.tensor(2.0)") + OTHER_IS_MADE,
            mode="reduce-overhead",
            made=True,
        ),
    ),
    Doubt.LAYER_BEFORE_MADE_IT: (
        Case(
            "CL820",
            forward("return x.relu_()")
            + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = M()

    def forward(self, image):
        return self.second(self.first(image))

Net()
""",
            mode="reduce-overhead",
            made=True,
        ),
    ),
    Doubt.PASSED_UNSEEN: (
        Case(
            "CL820",
            "def add(z: Tensor, x: Tensor):\n    return z.add_(x)\n" + forward("return add(make(x), 1)") + "M()\n",
            mode="reduce-overhead",
            made=True,
        ),
    ),
    Doubt.RECORDS_ITSELF: (
        Case(
            "CL825",
            forward(
                "if self.last is None:",
                "    self.last = torch.tanh(x)",
                "    graph = torch.cuda.CUDAGraph()",
                "return x + self.last",
                init="self.last = None",
            ),
            mode="reduce-overhead",
            made=True,
        ),
    ),
    Doubt.NOT_KNOWN_TO_BE_COMPILED: (
        Case("CL303", "def f(x: Tensor):\n    h = x * 2\n    return h.cpu()\n"),
        Case("CL701", "N = 0\ndef f(x: Tensor):\n    global N\n    N += 1\n    return x * 2\n"),
    ),
    Doubt.COMPILED_BY_GUESS: (Case("CL101", "def f(x: Tensor):\n    if x.any():\n        x = -x\n    return x\n"),),
    Doubt.DEFAULTS_SAY_OTHERWISE: (Case("CL701", stepping("if on: self.n += 1")),),
    Doubt.STATE_OF_AN_ARGUMENT: (
        Case("CL701", COUNTED + "@torch.compile\ndef f(x: Tensor, kept: Counted):\n    kept.n += 1\n    return x\n"),
    ),
    Doubt.BEHIND_MANY_CALLS: (
        Case(
            "CL701",
            stepping(
                "self.a()",
                more="".join(f"    def {a}(self): self.{b}()\n" for a, b in zip("abcd", "bcde", strict=True))
                + "    def e(self): self.n += 1\n",
            ),
        ),
    ),
    Doubt.NAMED_BY_PATTERN: (
        Case(
            "CL701",
            COUNTED + "    def step(self, x: Tensor):\n        self.n += 1\n        return x\n",
            roots=("app:Counted.step",),
        ),
    ),
    Doubt.CONVERTS_NOTHING: (
        Case("CL616", stepping("self.b = self.b.to(x.device)", init="self.b = nn.Buffer(torch.ones(3))")),
    ),
    Doubt.CALLER_DECIDES_THE_VALUE: (
        Case("CL703", stepping("if self.on: x = x + 1", "self.on = True", init="self.on = bool(config.on)")),
    ),
    Doubt.BEHIND_A_TEST: (Case("CL701", stepping("if x.shape[0] > 2: self.n += 1")),),
    Doubt.ONCE_BEHIND_A_TEST: (
        Case("CL703", stepping("if self.on: x = x + 1", "if x.shape[0] > 2: self.on = True", init="self.on = False")),
    ),
    Doubt.ROWS_OF_THE_CALLER: (
        Case("CL703", stepping("self.h = torch.tanh(x + self.h)", init="self.h = torch.zeros(1, 4)")),
    ),
    Doubt.DTYPE_OF_THE_CALLER: (
        Case(
            "CL703",
            stepping(
                "x = x * self.h", "self.h = self.h.to(x.dtype)", init="self.h = torch.ones(4, dtype=torch.float64)"
            ),
        ),
    ),
    Doubt.MACHINE_DECIDES: (Case("CL703", forward("torch.set_num_threads(3)", "return x * 2")),),
    Doubt.UNREAD_COUNTER: (Case("CL701", "N = 0\n" + forward("global N", "N += 1", "return x * 2"), version="2.15.0"),),
    Doubt.DEVICE_FOLLOWED: (Case("CL303", forward("return (x * 2).cpu()")),),
    Doubt.DEVICE_OF_AN_ARGUMENT: (Case("CL303", forward("return x.cpu()")),),
    Doubt.COPY_IS_NEEDED: (Case("CL303", forward("return (x * 2).cpu().numpy()")),),
    Doubt.CONSTANT_MAY_BE_FOLDED: (Case("CL301", forward("return torch.arange(4).to(x.device)")),),
    Doubt.MOVE_BEHIND_A_TEST: (
        Case("CL303", forward("if k:", "    return (x * 2).cpu()", "return x", params="x: Tensor, k: int")),
    ),
    Doubt.LAYOUT_FOLLOWED: (Case("CL401", forward("return torch.zeros(2, 3, 4).transpose(1, 2).view(-1)")),),
    Doubt.CONVERSION_MAY_BE_MEANT: (Case("CL309", forward("return x.float().half()")),),
    Doubt.GRADIENT_LIKELY: (
        Case(
            "CL403", forward("a, c = self.layer(x).chunk(2)", "a += c", "return a", init="self.layer = nn.Linear(4, 4)")
        ),
    ),
    Doubt.GRADIENT_NOT_SEEN: (Case("CL403", forward("a, c = x.chunk(2)", "a += c", "return a")),),
    Doubt.COPY_MAY_PAY: (Case("CL405", forward("return x.to(memory_format=torch.channels_last)")),),
    Doubt.READ_AT_ONCE_UNKNOWN: (Case("CL305", forward("return (x * 2).to('cpu', non_blocking=True)")),),
    Doubt.OTHER_CALLS: (
        Case(
            "CL710",
            "@torch.compile\ndef f(x: Tensor, n):\n    for _ in range(n):\n        x = x + 1\n    return x\n\n"
            "for n in range(9):\n    f(torch.ones(2), n)\n",
        ),
    ),
    Doubt.CALLERS_INPUTS: (Case("CL711", forward("if x.shape[0] > 4:", "    x = x + 1", "return x")),),
    Doubt.COMPILED_LAYER_BY_LAYER: (
        Case(
            "CL713", forward("if self.layer_idx == 0:", "    x = x + 1", "return x", init="self.layer_idx = config.i")
        ),
    ),
    Doubt.NEW_ON_SOME_WAYS: (
        Case(
            "CL820",
            "@torch.compile(mode='reduce-overhead')\ndef f(x: Tensor, n: int):\n    z = x\n    for _ in range(n):\n"
            "        z = z * 2\n    z[0] = 1\n    return z\n",
        ),
    ),
    Doubt.READ_IS_REPORTED: (Case("CL823", forward("n = x.mean().item()", "return x / n"), mode="reduce-overhead"),),
    Doubt.FILLED_BY_CONSTRUCTOR: (
        Case(
            "CL825",
            "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.table = None\n"
            "        self.fill(torch.zeros(1, 8))\n    def fill(self, x: Tensor):\n"
            "        if self.table is not None and self.table.size(1) >= x.size(1):\n            return\n"
            "        self.table = torch.zeros(x.size(1)).to(x.device) + 1\n    def forward(self, x: Tensor):\n"
            "        self.fill(x)\n        return x + self.table\nm = torch.compile(M(), mode='reduce-overhead')\n",
        ),
    ),
    Doubt.HANDED_BACK: (
        Case(
            "CL825",
            "@torch.compile(mode='reduce-overhead')\ndef f(rows: dict[str, Tensor]):\n"
            "    rows['a'] = rows['a'] * 2\n    return rows\n",
        ),
    ),
    Doubt.RECORDED_ON_ONE_DEVICE: (
        Case(
            "CL824",
            "@torch.compile(mode='reduce-overhead')\ndef f(x: Tensor):\n    return torch.linalg.eigvalsh(x)\n",
        ),
    ),
    Doubt.SIZES_UNKNOWN: (
        Case("CL822", "m = torch.compile(nn.ReLU(), mode='reduce-overhead', dynamic=True)\n"),
        Case("CL817", COMPILED + "m = torch.compile(Net())\nfor n in (1, 2, 3):\n    m(torch.ones(n))\n"),
    ),
    Doubt.VARIABLE_MAY_STAY: (
        Case("CL223", "import os\n" + forward("if os.getenv('A'):", "    x = x + 1", "return x")),
    ),
    Doubt.ADVICE: (
        Case("CL803", "torch._dynamo.config.recompile_limit = 64\n"),
        Case(
            "CL814",
            "class B(nn.Module):\n    def forward(self, x: Tensor): return x\n"
            + forward(
                "for b in self.bs:", "    x = b(x)", "return x", init="self.bs = nn.ModuleList([B() for _ in range(8)])"
            )
            + "m = torch.compile(M())\n",
        ),
    ),
    Doubt.BOTH_ENDS_COMPILED: (
        Case(
            "CL808",
            COMPILED
            + "def f(kept):\n    m = torch.compile(Net())\n    m.load_state_dict(kept)\n    return m.state_dict()\n",
        ),
    ),
    Doubt.REPEATED_UNSEEN: (Case("CL805", "def f(g, x):\n    for _ in x: torch.compile(g)(x)\n"),),
    Doubt.SETTING_MAY_BE_MEANT: (
        Case("CL802", "torch._dynamo.config.disable = True\n"),
        Case("CL834", "import torch._inductor.config\ntorch._inductor.config.force_disable_caches = True\n"),
    ),
    Doubt.TRACED_ON_PURPOSE: (
        Case("CL811", "def f(m, x):\n    s = torch.jit.trace(m, x)\n    return torch.compile(s)\n"),
    ),
    Doubt.MAY_BE_COMPILED: (
        Case("CL626", "import ctypes\nlib = ctypes.CDLL('a.so')\ndef f(x: Tensor):\n    return lib.run(x)\n"),
    ),
    Doubt.BOUND_BEHIND_A_TEST: (
        Case(
            "CL809",
            COMPILED + "def f(k):\n    m = Net()\n    if k:\n        m = torch.compile(m)\n    torch.save(m, 'a')\n",
        ),
    ),
    Doubt.BOUND_ELSEWHERE: (
        Case(
            "CL809",
            COMPILED + "class T:\n    def make(self): self.m = torch.compile(Net())\n"
            "    def save(self): torch.save(self.m, 'a')\n",
        ),
    ),
    Doubt.WRAPPER_NOT_FOLLOWED: (
        Case(
            "CL102",
            "from nowhere import Wrapper\ndef f(x: Tensor):\n    return x.item()\n\ng = torch.compile(Wrapper(f))\n",
        ),
    ),
    Doubt.SHOWN_BY_A_RUN: (
        Case(
            "CL201",
            "class Block(nn.Module):\n    def forward(self, x: Tensor):\n        print('a')\n        return x\n\n"
            "waiting = []\n\ndef put(model):\n    waiting.append(model)\n\nput(Block())\n"
            "for one in waiting:\n    one.compile(fullgraph=True)\n",
            roots=("explicit",),
        ),
    ),
    Doubt.HAS_THE_ATTRIBUTES: (
        Case(
            "CL201",
            "class Block(nn.Module):\n    def forward(self, x: Tensor):\n        print('a')\n        return x\n\n"
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.layers = nn.ModuleDict({'0': Block()})\n\n"
            "def apply(model):\n    for block in model.layers.values():\n        block.compile(fullgraph=True)\n",
            roots=("explicit",),
        ),
    ),
    Doubt.TARGET_UNKNOWN: (Case("CL809", "def f(m):\n    c = torch.compile(m)\n    torch.save(c, 'a')\n"),),
    Doubt.STATE_USED_ELSEWHERE: (Case("CL808", COMPILED + "m = torch.compile(Net())\ns = m.state_dict()\n"),),
    Doubt.METHOD_BY_NAME: (Case("CL810", "def f(m, x):\n    c = torch.compile(m)\n    return c.generate(x)\n"),),
    Doubt.FOUND_BY_NAME: (Case("CL809", "import pickle\ndef g(x): return x\nc = torch.compile(g)\npickle.dumps(c)\n"),),
    Doubt.TYPE_COMPARED: (
        Case(
            "CL807",
            COMPILED + "class T:\n    def go(self):\n        m = torch.compile(Net())\n        return type(m) is Net\n",
        ),
    ),
    Doubt.ARGUMENT_MAY_BE_NONE: (
        Case("CL812", "def f(m, c):\n    torch.compile(m, mode=c.mode, options={'a': 1})(1)\n"),
    ),
    Doubt.CALLED_BY_INSTANCE: (
        Case("CL812", "class A:\n    @torch.compile()\n    @staticmethod\n    def f(x): return x\n"),
    ),
    Doubt.ORDER_OF_CALLS: (
        Case("CL815", COMPILED + "def f(x):\n    m = torch.compile(Net())\n    m(x)\n    m.half()\n    m(x)\n"),
    ),
    Doubt.PASSED_AS_ANNOTATED: (Case("CL510", function(backward="return g, g", inputs="x: Tensor, k: int")),),
    Doubt.WRITTEN_LATER_UNSEEN: (Case("CL512", function(forward="ctx.x = x\n        return x * 2")),),
    Doubt.SHARED_UNSEEN: (Case("CL514", function(backward="g.mul_(2)\n        return g")),),
    Doubt.REGISTERED_ELSEWHERE: (Case("CL620", OPERATOR),),
    Doubt.REGISTERED_BY_A_FUNCTION: (
        Case("CL620", OPERATOR + "for n in names: torch.library.register_fake(n)(shape)\n"),
    ),
    Doubt.REGISTERED_IN_NATIVE_CODE: (
        Case("CL621", 'lib = torch.library.Library("a", "DEF")\nlib.define("op(Tensor x) -> Tensor")\n'),
    ),
    Doubt.HOST_UNDECIDED: (
        Case(
            "CL714",
            "@torch.compile\ndef f(x: Tensor, n):\n    return x * n\n\n"
            "if unknown:\n    for n in (3.5, 5.5): f(torch.ones(2), n)\n",
        ),
    ),
    Doubt.SILENCES_ELSEWHERE: (Case("CL902", "N = 1  # compilelint: ignore[CL101] it is a constant\n"),),
    Doubt.MEANT_AS_TEXT: (Case("CL904", "N = 1  # compilelint: ignroe[CL101] it is a constant\n"),),
    Doubt.FILE_TRAINS: (
        Case("CL623", OPERATOR + "@op.register_fake\ndef _(x): return x\ndef t(x):\n    op(x).sum().backward()\n"),
    ),
}
