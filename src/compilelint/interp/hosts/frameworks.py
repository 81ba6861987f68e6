"""Switches by which training frameworks compile a model: Transformers' Trainer, Accelerate, Lightning.

Each keeps what it was asked for until it is handed a model; the compile call is where that happens. Followed sources
and missing packages look alike here: a class goes by its package and its name, in a row of `project.compile_calls`.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.compile_calls import Target
from compilelint.interp.core.frame import Frame
from compilelint.interp.hosts import host
from compilelint.project.classes import Assigned, ClassInfo
from compilelint.project.compile_calls import KEEPERS, STEPS, SWITCHES, Keeper, keeper_of
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name, statements_of
from compilelint.values import (
    BOTTOM,
    NONE,
    UNKNOWN,
    ClassRef,
    Compiled,
    Const,
    FunctionRef,
    Instance,
    Object,
    Sequence,
    Value,
    arms,
)

_WRAPPERS = frozenset({"DataParallel", "DistributedDataParallel", "FullyShardedDataParallel"})
_BY_NAME = {one.called: one for one in KEEPERS}


def repeated_classes(f: Frame, model: Object) -> list[ClassInfo]:
    """The classes that `_repeated_blocks` of a model names, as its file means the names."""
    cls = model.cls
    value = cls.find("_repeated_blocks") if isinstance(cls, ClassInfo) else None
    if value is None:
        return []
    owner, bindings = value
    exprs = [b.expr for b in bindings if isinstance(b, Assigned) and b.expr is not None]
    texts = [e.value for e in expressions(exprs) if isinstance(e, ir.Const)]
    found = [f.interp.program.global_value(owner.module, text) for text in texts if isinstance(text, str)]
    return [one.cls for one in found if isinstance(one, ClassRef) and isinstance(one.cls, ClassInfo)]


def blocks_of(f: Frame, model: Object) -> list[ClassInfo]:
    """The classes of the modules that a model makes in lists, `ModuleList([Block() for _ in range(n)])`."""
    cls = model.cls
    init = cls.method("__init__") if isinstance(cls, ClassInfo) else None
    if init is None:
        return []
    lists = [
        e
        for s in statements_of(init.node.body)
        for e in expressions(own_expressions(s))
        if isinstance(e, ir.Call) and last_name(e.func) == "ModuleList" and e.args
    ]
    names = [e.func for one in lists for e in expressions(one.args) if isinstance(e, ir.Call)]
    found = [f.interp.program.resolve(init.module, name) for name in names]
    classes = [one.cls for one in found if isinstance(one, ClassRef) and isinstance(one.cls, ClassInfo)]
    return [one for one in dict.fromkeys(classes) if one.is_module]


def constructed(f: Frame, name: str, args: Args, pos: int) -> Value | None:
    """An instance of a framework's class made by a host, the model that it is given compiled if it was asked to."""
    package, short = name.partition(".")[0], name.rpartition(".")[2]
    if package == "torch" and short in _WRAPPERS and f.modes.host:
        return args.get(0, "module")  # trains the module on several devices; calling it calls the module
    row = keeper_of(name)
    if row is None:
        return None
    given = tuple([(key, args.keywords[key]) for key in SWITCHES if key in args.keywords])
    if row.how == "trains":
        _train(f, row, args, pos)
    return Instance(row.called, state=given)


def class_constructed(f: Frame, cls: ClassInfo, args: Args, pos: int) -> Value | None:
    """The same for a class of a followed package, or of the program that inherits a framework's constructor."""
    for base in cls.mro:
        name = base if isinstance(base, str) else "" if base.module.linted else base.qualified_name
        row = keeper_of(name)
        if row is not None and row.how == "trains":
            _train(f, row, args, pos)
            return None
        if row is not None:
            return constructed(f, name, args, pos)
        if isinstance(base, ClassInfo) and base.module.linted and base.own("__init__") is not None:
            return None
    return None


def initialised(f: Frame, obj: Object, args: Args, pos: int) -> None:
    """`super().__init__(model=..., args=...)` in a subclass of a framework's trainer."""
    if isinstance(obj.cls, ClassInfo):
        rows = [keeper_of(b if isinstance(b, str) else b.qualified_name) for b in obj.cls.mro[1:]]
        trainer = next((row for row in rows if row is not None and row.how == "trains"), None)
        if trainer is not None:
            _train(f, trainer, args, pos)


def method(f: Frame, receiver: Instance, name: str, args: Args, pos: int) -> Value | None:
    """A method of a framework's object, called by a host; None where it says nothing of what is compiled."""
    row = _BY_NAME.get(receiver.name)
    if row is None:
        return None
    if row.how == "prepares" and name == "unwrap_model":
        return args.get(0, "model")
    if name not in row.methods:
        return None
    if row.how == "fits":
        _steps(f, args.get(0, "model") or NONE, f"{row.called}.{row.methods[0]}", pos)
        return None
    found = args.positional
    if row.how == "prepares":
        found = [_prepared(f, receiver, one, f"{row.called}.{row.methods[0]}", pos) for one in found]
    return found[0] if len(found) == 1 else Sequence("tuple", tuple(found), BOTTOM)


def _train(f: Frame, row: Keeper, args: Args, pos: int) -> None:
    """`Trainer(model, args)`: compiles the model if the arguments say so."""
    if not any(_asks(arm) for arm in arms(args.get(1, "args") or NONE)):
        return
    model = args.get(0, "model")
    if model is None or model is NONE:
        maker = args.keywords.get("model_init")
        model = UNKNOWN if maker is None else f.interp.call(f, maker, Args([]), pos)
    host.compiled(f, model, f.interp.config, pos, row.called)


def _asks(value: Value) -> bool:
    """Whether a framework's object was asked to compile."""
    for key, held in value.state if isinstance(value, Instance) else ():
        if key in SWITCHES and not (isinstance(held, Const) and str(held.value).lower() in ("none", "false", "no")):
            return True
    return False


def _prepared(f: Frame, accelerator: Instance, value: Value, how: str, pos: int) -> Value:
    """A model is compiled by the accelerator that prepares it; loaders and optimizers go as they came."""
    is_model = isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.cls.is_module
    if not is_model or not _asks(accelerator):
        return value
    return host.compiled(f, value, f.interp.config, pos, how)


def _steps(f: Frame, model: Value, how: str, pos: int) -> None:
    """A compiled module in Lightning's hands: its steps are compiled too."""
    for arm in arms(model):
        if not (isinstance(arm, Compiled) and isinstance(arm.target, Object)):
            continue
        config = arm.call.config if isinstance(arm.call, Target) else f.interp.config
        for name in STEPS:
            cls = arm.target.cls
            step = cls.method(name) if isinstance(cls, ClassInfo) else None
            if step is not None:
                host.compiled(f, FunctionRef(step, arm.target), config, pos, how)
