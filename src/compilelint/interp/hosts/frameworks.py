"""Switches by which training frameworks compile a model: Transformers' Trainer, Accelerate, Lightning.

Each keeps what it was asked for until it is handed a model; the compile call is where that happens. Followed sources
and missing packages look alike here: a class goes by its package and its name.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.compile_calls import Target
from compilelint.interp.core.frame import Frame
from compilelint.interp.hosts import host
from compilelint.project.classes import Assigned, ClassInfo
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

_ARGUMENTS = "transformers.TrainingArguments"
_TRAINER = "transformers.Trainer"
_ACCELERATOR = "accelerate.Accelerator"
_LIGHTNING = "lightning.Trainer"
_FABRIC = "lightning.Fabric"
# What Lightning compiles of a module that it is handed compiled (`lightning.pytorch.utilities.compile`).
_STEPS = ("training_step", "validation_step", "test_step", "predict_step")
SWITCHES = ("torch_compile", "torch_compile_backend", "torch_compile_mode", "dynamo_backend", "dynamo_plugin")
"""Keywords by which they are asked to compile."""
_WRAPPERS = frozenset({"DataParallel", "DistributedDataParallel", "FullyShardedDataParallel"})


def framework_class(name: str) -> str:
    """What a library class is to us, by its dotted name; empty for any other."""
    package, _, short = name.partition(".")[0], "", name.rpartition(".")[2]
    if package in ("transformers", "trl"):
        if short.endswith("TrainingArguments") or (package == "trl" and short.endswith("Config")):
            return _ARGUMENTS
        return _TRAINER if short.endswith("Trainer") else ""
    if package == "accelerate":
        return _ACCELERATOR if short == "Accelerator" else ""
    if package in ("lightning", "pytorch_lightning", "lightning_fabric"):
        return _LIGHTNING if short == "Trainer" else _FABRIC if short == "Fabric" else ""
    return ""


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
    kind = framework_class(name)
    if not kind:
        return None
    given = tuple([(key, args.keywords[key]) for key in SWITCHES if key in args.keywords])
    if kind == _TRAINER:
        _train(f, args, pos)
    return Instance(kind, state=given)


def class_constructed(f: Frame, cls: ClassInfo, args: Args, pos: int) -> Value | None:
    """The same for a class of a followed package, or of the program that inherits a framework's constructor."""
    for base in cls.mro:
        name = base if isinstance(base, str) else "" if base.module.linted else base.qualified_name
        kind = framework_class(name)
        if kind == _TRAINER:
            _train(f, args, pos)
        if kind:
            return constructed(f, name, args, pos) if kind != _TRAINER else None
        if isinstance(base, ClassInfo) and base.module.linted and base.own("__init__") is not None:
            return None
    return None


def initialised(f: Frame, obj: Object, args: Args, pos: int) -> None:
    """`super().__init__(model=..., args=...)` in a subclass of a framework's trainer."""
    if isinstance(obj.cls, ClassInfo):
        names = [b if isinstance(b, str) else b.qualified_name for b in obj.cls.mro[1:]]
        if any(framework_class(name) == _TRAINER for name in names):
            _train(f, args, pos)


def method(f: Frame, receiver: Instance, name: str, args: Args, pos: int) -> Value | None:
    """A method of a framework's object, called by a host; None where it says nothing of what is compiled."""
    if receiver.name == _ACCELERATOR:
        if name in ("prepare", "prepare_model"):
            found = [_prepared(f, receiver, one, pos) for one in args.positional]
            return found[0] if len(found) == 1 else Sequence("tuple", tuple(found), BOTTOM)
        if name == "unwrap_model":
            return args.get(0, "model")
    elif receiver.name == _FABRIC and name in ("setup", "setup_module"):
        given = args.positional
        return given[0] if len(given) == 1 else Sequence("tuple", tuple(given), BOTTOM)
    elif receiver.name == _LIGHTNING and name in ("fit", "validate", "test", "predict"):
        _steps(f, args.get(0, "model") or NONE, pos)
    return None


def _train(f: Frame, args: Args, pos: int) -> None:
    """`Trainer(model, args)`: compiles the model if the arguments say so."""
    if not any(_asks(arm) for arm in arms(args.get(1, "args") or NONE)):
        return
    model = args.get(0, "model")
    if model is None or model is NONE:
        maker = args.keywords.get("model_init")
        model = UNKNOWN if maker is None else f.interp.call(f, maker, Args([]), pos)
    host.compiled(f, model, f.interp.config, pos, _TRAINER)


def _asks(value: Value) -> bool:
    """Whether a framework's object was asked to compile."""
    for key, held in value.state if isinstance(value, Instance) else ():
        if key in SWITCHES and not (isinstance(held, Const) and str(held.value).lower() in ("none", "false", "no")):
            return True
    return False


def _prepared(f: Frame, accelerator: Instance, value: Value, pos: int) -> Value:
    """A model is compiled by the accelerator that prepares it; loaders and optimizers go as they came."""
    is_model = isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.cls.is_module
    if not is_model or not _asks(accelerator):
        return value
    return host.compiled(f, value, f.interp.config, pos, f"{_ACCELERATOR}.prepare")


def _steps(f: Frame, model: Value, pos: int) -> None:
    """A compiled module in Lightning's hands: its steps are compiled too."""
    for arm in arms(model):
        if not (isinstance(arm, Compiled) and isinstance(arm.target, Object)):
            continue
        config = arm.call.config if isinstance(arm.call, Target) else f.interp.config
        for name in _STEPS:
            cls = arm.target.cls
            step = cls.method(name) if isinstance(cls, ClassInfo) else None
            if step is not None:
                host.compiled(f, FunctionRef(step, arm.target), config, pos, f"{_LIGHTNING}.fit")
