"""What a step of the host program works with: Python's own numbers, texts and containers, and what stands for the rest.

Values have identity, since guards are about objects: two modules of one class differ, a list that grows is the same
list. What is not known is `UNKNOWN`; nothing is ever concluded from it. `Drawn` is a number that a run draws or reads,
another one each time.
"""

from __future__ import annotations

import itertools
from typing import Any, TypeAlias

from compilelint.model import Location
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo

Value: TypeAlias = Any
_SERIAL = itertools.count(1)


class Unknown:
    """Anything at all."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "?"


UNKNOWN = Unknown()


class Drawn:
    """A number that is drawn at random or read from data: known to differ from run to run, or not known (`kind`).

    `base` is the draw that it is `offset` more than.
    """

    __slots__ = ("base", "kind", "offset", "serial")

    def __init__(self, kind: str = "int", base: int | None = None, offset: int = 0) -> None:
        self.kind = kind
        self.serial = next(_SERIAL)
        self.base = self.serial if base is None else base
        self.offset = offset


class Env:
    """The names of a module, a function or a class body."""

    __slots__ = ("function", "globals", "module", "names", "outer", "owner", "path", "receiver")

    def __init__(
        self,
        module: ModuleInfo,
        names: dict[str, Value],
        outer: Env | None = None,
        function: FunctionInfo | None = None,
        globals_: Env | None = None,
    ) -> None:
        self.module = module
        self.names = names
        self.outer = outer
        self.function = function
        self.globals = self if globals_ is None else globals_
        self.owner: ClassInfo | None = None if function is None else function.owner
        self.receiver: Value = None
        self.path = ""


class Write:
    """Where an attribute was written last: the place, the function around it, and whether compiled code did it."""

    __slots__ = ("compiled", "env", "pos", "step")

    def __init__(self, env: Env, pos: int, step: int, compiled: bool) -> None:
        self.env, self.pos, self.step, self.compiled = env, pos, step, compiled


class Thing:
    """An instance of a class of the program."""

    __slots__ = ("attrs", "cls", "compiled", "kind", "made", "serial", "writes")

    def __init__(self, cls: ClassInfo) -> None:
        self.cls = cls
        self.attrs: dict[str, Value] = {}
        self.writes: dict[str, Write] = {}
        self.compiled: Compilation | None = None  # in place
        self.made: tuple[Env, int] | None = None
        self.kind: Class | None = None  # a class that `type(name, bases, members)` made of `cls`
        self.serial = next(_SERIAL)


class Class:
    """A class of the program as a value; `attrs` are members that were assigned from outside.

    `name` is that of a class which `type(name, bases, members)` made, empty for what a statement defines.
    """

    __slots__ = ("attrs", "env", "info", "name", "writes")

    def __init__(self, info: ClassInfo, env: Env, name: str = "") -> None:
        self.info, self.env, self.name = info, env, name
        self.attrs: dict[str, Value] = {}
        self.writes: dict[str, Write] = {}


class Member:
    """A member of an enumeration."""

    __slots__ = ("cls", "name", "value")

    def __init__(self, cls: ClassInfo, name: str, value: Value) -> None:
        self.cls, self.name, self.value = cls, name, value


class Function:
    """A function of the program, with the names around it, bound to `receiver` where it is a method."""

    __slots__ = ("defaults", "env", "info", "receiver", "wrapped")

    def __init__(self, info: FunctionInfo, env: Env, receiver: Value = None, defaults: dict[str, Value] | None = None):
        self.info, self.env, self.receiver = info, env, receiver
        self.defaults = {} if defaults is None else defaults
        self.wrapped: Value = None  # what a decorator made of it

    def bound(self, receiver: Value) -> Function:
        return Function(self.info, self.env, receiver, self.defaults)


class External:
    """A module, class or function of a library, by its dotted name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Lib:
    """An instance of a library's class: what it was made with and what it holds."""

    __slots__ = ("args", "attrs", "compiled", "items", "keywords", "name", "serial", "writes")

    def __init__(self, name: str, args: list[Value], keywords: dict[str, Value]) -> None:
        self.name, self.args, self.keywords = name, args, keywords
        self.attrs: dict[str, Value] = {}
        self.writes: dict[str, Write] = {}
        self.items: Any = None  # list or dict of what a container holds
        self.compiled: Compilation | None = None
        self.serial = next(_SERIAL)

    @property
    def is_module(self) -> bool:
        return self.name.startswith("torch.nn.") and not self.name.startswith("torch.nn.utils")


class Defaulting(dict[Any, Value]):
    """`collections.defaultdict(factory)`."""

    def __init__(self, factory: Value, held: dict[Any, Value]) -> None:
        super().__init__(held)
        self.factory = factory


class Bound:
    """A method of anything but an object of the program."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Value, name: str) -> None:
        self.receiver, self.name = receiver, name


class Partial:
    """`functools.partial`."""

    __slots__ = ("args", "function", "keywords")

    def __init__(self, function: Value, args: list[Value], keywords: dict[str, Value]) -> None:
        self.function, self.args, self.keywords = function, args, keywords


class Memo:
    """A function of the program behind `functools.lru_cache`: what it gave for which arguments."""

    __slots__ = ("function", "table")

    def __init__(self, function: Value) -> None:
        self.function = function
        self.table: dict[Any, Value] = {}


class Dispatch:
    """A function behind `functools.singledispatch`, and what is registered for which class."""

    __slots__ = ("function", "table")

    def __init__(self, function: Value) -> None:
        self.function = function
        self.table: list[tuple[Value, Value]] = []


class Super:
    """`super()`: `receiver` seen from the class after `cls`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, receiver: Value, cls: ClassInfo) -> None:
        self.receiver, self.cls = receiver, cls


class Namespace:
    """A module of the program, as a value."""

    __slots__ = ("env",)

    def __init__(self, env: Env) -> None:
        self.env = env


class Compilation:
    """A compile call that ran: where, with which options."""

    __slots__ = (
        "backend",
        "calls",
        "disabled",
        "dynamic",
        "env",
        "fullgraph",
        "guessed",
        "idle",
        "in_place",
        "mode",
        "number",
        "place",
        "pos",
        "records",
        "sizes",
        "text",
    )

    def __init__(self, env: Env, pos: int, place: Location) -> None:
        self.env, self.pos, self.place = env, pos, place
        self.backend: Value = "inductor"
        self.dynamic: bool | None = None
        self.fullgraph = False
        self.mode: Value = None
        self.records = False  # asks for CUDA graphs
        self.sizes: set[object] = set()  # those of the tensors of each recorded call, as far as they are known
        self.in_place = False
        self.disabled = False
        self.calls = 0
        self.idle: dict[str, int] = {}  # calls that compiled nothing, by why
        self.text = ""
        self.guessed = False
        self.number = 0  # how many compilations came before its first

    @property
    def aot(self) -> bool:
        """Whether the backend traces the backward pass, too."""
        return self.backend not in ("eager", "eager_noexcept", "debug", UNKNOWN)


class Wrapper:
    """What `torch.compile` returns."""

    __slots__ = ("compilation", "serial", "target")

    def __init__(self, target: Value, compilation: Compilation) -> None:
        self.target, self.compilation = target, compilation
        self.serial = next(_SERIAL)

    @property
    def of_module(self) -> bool:
        """Whether it is an `OptimizedModule`, which is another class than the model's."""
        target = self.target
        return (isinstance(target, Thing) and target.cls.is_module) or (isinstance(target, Lib) and target.is_module)


class WrapperType:
    """`type(model)` of a compiled module: torch's wrapper class, not the model's."""

    __slots__ = ("wrapper",)

    def __init__(self, wrapper: Wrapper) -> None:
        self.wrapper = wrapper


class WrapperMember:
    """A member of the wrapper's class: its `forward`, its `__name__`."""

    __slots__ = ("name", "wrapper")

    def __init__(self, wrapper: Wrapper, name: str) -> None:
        self.wrapper, self.name = wrapper, name


class Key(str):
    """The name of a parameter or part of a compiled module, which begins with `_orig_mod.`."""

    __slots__ = ("compilation", "text")
    compilation: Compilation
    text: str

    def __new__(cls, value: str, compilation: Compilation, text: str) -> Key:
        made = super().__new__(cls, value)
        made.compilation, made.text = compilation, text
        return made


class NamePart(str):
    """One of the words between the dots of a `Key`, behind the first."""

    __slots__ = ("key",)
    key: Key

    def __new__(cls, value: str, key: Key) -> NamePart:
        made = super().__new__(cls, value)
        made.key = key
        return made


class Parts(list[Any]):
    """The direct parts of a compiled module, which are the one model inside, and of what they should be."""

    __slots__ = ("compilation", "parts")
    compilation: Compilation
    parts: int


class Sym(int):
    """A number that compiled code was given or read off a size: tests of it are guards, too."""

    source: str

    def __new__(cls, value: int, source: str) -> Sym:
        made = super().__new__(cls, value)
        made.source = source
        return made


class SymBool:
    """The outcome of a test of such a number."""

    __slots__ = ("source", "value")

    def __init__(self, value: bool, source: str) -> None:
        self.value, self.source = value, source


Dim: TypeAlias = "int | Drawn | None"


class Tensor:
    """A tensor, by what guards ask of it. `shape` is None where not even the rank is known.

    `layout` is empty where it is contiguous, the order of its dimensions where they were permuted, or the strides of
    what was cut out of another.

    `given` is the compile call whose graph it came out of with a gradient, `second` that it was differentiated through
    such a graph with `create_graph=True`, at that place.
    """

    __slots__ = (
        "calls",
        "cls",
        "device",
        "dtype",
        "given",
        "grad",
        "graph",
        "layout",
        "marked",
        "marks",
        "param",
        "second",
        "serial",
        "shape",
        "spread",
    )

    def __init__(
        self,
        shape: tuple[Dim, ...] | None = None,
        dtype: str = "float32",
        grad: bool | None = False,
        device: str = "cpu",
        layout: str | tuple[int, ...] = "",
    ) -> None:
        self.shape, self.dtype, self.grad, self.device, self.layout = shape, dtype, grad, device, layout
        self.marks: dict[int, str] = {}
        self.marked: dict[int, tuple[Env, int]] = {}  # where
        self.param = False
        self.cls = ""
        self.given: Compilation | None = None
        self.calls: frozenset[int] = frozenset()  # the compiled calls that its gradient goes through
        self.graph: Any = None  # `recorded.Output`: the recorded call in whose memory it lies
        self.second: tuple[Env, int, Compilation] | None = None
        self.spread = False
        self.serial = next(_SERIAL)

    def but(self, **changed: Any) -> Tensor:
        """Another tensor that differs in some of these."""
        made = Tensor(self.shape, self.dtype, self.grad, self.device, self.layout)
        made.given, made.second, made.cls, made.graph = self.given, self.second, self.cls, self.graph
        made.calls = self.calls
        for name, value in changed.items():
            setattr(made, name, value)
        return made


class Result(Tensor):
    """What a compiled call that is not followed gave: a tensor, or an object that holds some.

    What is read off it is another; `member` says of which and by which name, for a method may be meant. `handed` is
    what the call was given by name: what the result holds under such a name is taken for that.
    """

    __slots__ = ("handed", "member")

    def __init__(self, grad: bool | None = None, handed: dict[str, Value] | None = None) -> None:
        super().__init__(None, "", grad, "")
        self.member: tuple[Result, str] | None = None
        self.handed = handed or {}

    def part(self, name: str = "") -> Result:
        """What it holds under a name, or one of its items."""
        made = Result(self.grad)
        made.given, made.second, made.graph, made.calls = self.given, self.second, self.graph, self.calls
        made.member = (self, name) if name else None
        return made


NUMBERS = (int, float)


def is_plain(value: Value) -> bool:
    """Whether a value is a constant of Python."""
    return value is None or isinstance(value, (bool, int, float, str, bytes)) or value is Ellipsis


def same(a: Value, b: Value) -> bool:
    """Whether two values are known to be one."""
    if a is b:
        return True
    if is_plain(a) and is_plain(b):
        return type(a) is type(b) and bool(a == b)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return (a.shape, a.dtype, a.grad, a.device, a.layout) == (b.shape, b.dtype, b.grad, b.device, b.layout)
    if isinstance(a, External) and isinstance(b, External):
        return a.name == b.name
    return False
