"""What a library does for the host program: builtins, containers, tensors, loaders and the layers of torch.

Only what later guards could ask is followed; of everything else nothing is known. Does not belong here: what compiles
(`project.compile_calls` has the one table) and what compiled code reads (`regions`).
"""

from __future__ import annotations

import builtins
import math

from compilelint.host import compiling, operators, tensors
from compilelint.host.builtin_calls import builtin, copied, drawn, from_itertools
from compilelint.host.callers import CALLERS, FUTURE, TRANSFORMED, call_transformed, called_by, in_a_pool, started
from compilelint.host.iterating import SOME_TEXT, Given, items_of
from compilelint.host.making import joined, made_of_sizes, of_numpy, padded, padded_by, ranged, resized, with_options
from compilelint.host.modules import (
    HANDLE,
    REBUILDING,
    SIZES,
    call_layer,
    hooked,
    module_method,
    new_parameter,
    rebuilt,
    unhook,
)
from compilelint.host.optimizers import is_own
from compilelint.host.optimizers import made as set_up
from compilelint.host.protocol import Machine
from compilelint.host.signals import MOST_ITEMS
from compilelint.host.tensor_methods import method_of_tensor, shape_of
from compilelint.host.values import (
    UNKNOWN,
    Bound,
    Class,
    Defaulting,
    Dispatch,
    Drawn,
    Env,
    External,
    Function,
    Key,
    Lib,
    Memo,
    NamePart,
    Namespace,
    Partial,
    Result,
    Sym,
    Tensor,
    Thing,
    Value,
    Wrapper,
    Write,
)
from compilelint.project.compile_calls import COMPILERS, how_of
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

BUILTINS = frozenset(dir(builtins))
_TEXTS_DRAWN = frozenset({"uuid.uuid4", "uuid.uuid1", "secrets.token_hex", "datetime.datetime.now", "time.strftime"})
OF_MODULES = frozenset(
    """
    train eval parameters named_parameters modules named_modules children named_children buffers named_buffers
    state_dict load_state_dict to cuda cpu half float double bfloat16 compile requires_grad_ zero_grad apply
    register_buffer register_parameter register_forward_hook register_forward_pre_hook
    register_full_backward_hook add_module register_module get_submodule share_memory set_submodule __class__
    """.split()
)
_WORDS_OF_COMPILING = frozenset(name.rpartition(".")[2] for name in COMPILERS)


def may_compile(word: str) -> bool:
    """Whether a decorator may be one that compiles, by its last word."""
    return word in _WORDS_OF_COMPILING or word not in _PLAIN_DECORATORS


_PLAIN_DECORATORS = frozenset(
    """
    staticmethod classmethod property setter getter deleter cached_property abstractmethod no_grad
    inference_mode overload override wraps final enable_grad
    """.split()
)


def decorated(m: Machine, env: Env, function: Value, value: Value, d: ir.Expr) -> Value:
    """What a decorator makes of a function or a class."""
    if last_name(d) in _PLAIN_DECORATORS or last_name(d) == "dataclass":
        return value
    if isinstance(function, External) and function.name in ("functools.lru_cache", "functools.cache"):
        return Memo(value)
    if isinstance(function, Lib) and function.name == "functools.lru_cache":
        return Memo(value)
    if isinstance(function, External) and function.name == "functools.singledispatch":
        return Dispatch(value)
    if isinstance(function, Bound) and isinstance(function.receiver, Dispatch):
        return _registered(m, env, function, value)
    if isinstance(function, External) and function.name.startswith(("functools.", "typing.", "contextlib.")):
        return value
    if isinstance(function, Bound) and function.name in ("decorator", "register"):
        return value
    known = isinstance(function, (Function, Partial, Class, Wrapper)) or (
        isinstance(function, External) and how_of(function.name, m.program.compilers) != ""
    )
    if not known:
        return value  # what it makes of it is not known; mostly it is called through
    made = m.call(env, function, [value], {}, d.pos)
    return value if made is UNKNOWN or made is None else made


def _registered(m: Machine, env: Env, register: Bound, value: Value) -> Value:
    """`@describe.register`: for the class that the first parameter's annotation names."""
    params = value.info.node.params if isinstance(value, Function) else ()
    if params and params[0].annotation is not None:
        register.receiver.table.append((m.eval(env, params[0].annotation), value))
    return value


def bind(
    m: Machine, function: Function, args: list[Value], keywords: dict[str, Value], names: dict[str, Value]
) -> None:
    """Bind the parameters of a function."""
    rest = list(args)
    left = dict(keywords)
    for p in function.info.node.params:
        if p.kind in ("positional", "either"):
            if rest:
                names[p.name] = rest.pop(0)
            elif p.name in left:
                names[p.name] = left.pop(p.name)
            else:
                names[p.name] = function.defaults.get(p.name, UNKNOWN)
        elif p.kind == "star":
            names[p.name] = tuple(rest)
            rest = []
        elif p.kind == "keyword":
            names[p.name] = left.pop(p.name, function.defaults.get(p.name, UNKNOWN))
        else:
            names[p.name] = left


def field(m: Machine, env: Env, value: Value, pos: int) -> Value:
    """The value of a record's field: what `field(default_factory=...)` makes."""
    if isinstance(value, Lib) and value.name == "dataclasses.field":
        factory = value.keywords.get("default_factory")
        return value.keywords.get("default", UNKNOWN) if factory is None else m.call(env, factory, [], {}, pos)
    return value


_NO_READS = frozenset(
    f"builtins.{name}"
    for name in """
    len isinstance type id list tuple set dict zip enumerate reversed iter next map filter getattr setattr hasattr
    callable sorted
    """.split()
)


_CONSUMES = frozenset({"builtins.sum", "builtins.min", "builtins.max", "builtins.any", "builtins.all"})


def entered(m: Machine, env: Env, manager: Value, pos: int) -> Value:
    """What `with` binds; a manager may switch gradients, or a mode of torch."""
    m.regions.ambient.entered(manager, Write(env, pos, m.steps, m.region is not None))
    if isinstance(manager, Lib):
        short = manager.name.rpartition(".")[2]
        if short in ("no_grad", "inference_mode"):
            m.gradients = False
        elif short == "enable_grad":
            m.gradients = True
        elif short == "set_grad_enabled" and manager.args and isinstance(manager.args[0], bool):
            m.gradients = manager.args[0]
    return manager


def call(
    m: Machine, env: Env, name: str, args: list[Value], keywords: dict[str, Value], pos: int, node: ir.Call | None
) -> Value:
    """A library's function or class."""
    consumed = name in _CONSUMES and bool(args) and isinstance(args[0], Given)  # each item when it is made
    if name not in _NO_READS and not consumed:
        m.regions.read(m, env, [*args, *keywords.values()], pos)
    m.regions.ambient.called(name, args, Write(env, pos, m.steps, m.region is not None))
    compiled = compiling.external(m, env, name, args, keywords, pos)
    if compiled is not UNKNOWN:
        return compiled
    if name in CALLERS and args:
        return called_by(m, env, name, args, keywords, pos)
    if name.startswith(REBUILDING) and args and isinstance(args[0], (Thing, Lib)):
        return rebuilt(m, env, name, args, pos)
    package, _, short = name.rpartition(".")
    if package == "builtins":
        return builtin(m, env, short, args, keywords, pos, node)
    if name == "functools.partial" and args:
        return Partial(args[0], args[1:], keywords)
    if package in ("torch", "torch.nn.functional", "torch.special", "torch.linalg") or name == "torch.nn.Parameter":
        return _torch(m, name, short, args, keywords)
    if short == "consume_prefix_in_state_dict_if_present" and args and isinstance(args[0], dict):
        _without_prefix(args[0], args[1] if len(args) > 1 else keywords.get("prefix"))
        return None
    if package == "numpy":
        return of_numpy(short, args, keywords)
    if package.startswith(("random", "numpy.random")):
        return drawn(short, args)
    if package == "itertools":
        return from_itertools(m, short, args)
    if name in ("dataclasses.replace", "copy.replace") and args and isinstance(args[0], Thing):
        made = copied(args[0], False, {})
        made.attrs.update(keywords)
        return made
    if package in ("copy",) and args:
        return copied(args[0], short == "deepcopy", {})
    if name in _TEXTS_DRAWN:
        return Drawn("str")
    if package == "math":
        return _of_math(short, args)
    if name in ("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.trange") and args:
        return args[0] if short == "tqdm" else range(args[0]) if isinstance(args[0], int) else UNKNOWN
    if name == "torch.nn.utils.rnn.pad_sequence":
        return padded(m, args, keywords)
    return _object(m, name, args, keywords)


def _of_math(short: str, args: list[Value]) -> Value:
    """A function of `math`, of numbers that are known."""
    if short not in _MATH or not all(isinstance(one, (int, float)) and not isinstance(one, Sym) for one in args):
        return Drawn("float") if short in _MATH and any(isinstance(one, Drawn) for one in args) else UNKNOWN
    try:
        return getattr(math, short)(*args)
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN


_MATH = frozenset("sin cos tan exp log log2 log10 sqrt floor ceil tanh radians degrees fabs".split())
CONSTANTS = {"math.pi": math.pi, "math.tau": math.tau, "math.e": math.e, "numpy.pi": math.pi}
"""Numbers that modules hold under a name."""


def _without_prefix(state: dict[Value, Value], prefix: Value) -> None:
    """The names of a state without a prefix, in place."""
    for key in list(state):
        if isinstance(key, str) and isinstance(prefix, str) and key.startswith(prefix):
            state[key[len(prefix) :]] = state.pop(key)


def _object(m: Machine, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """An object of a library's class, with what it holds where that is known."""
    short = name.rpartition(".")[2]
    made = Lib(name, args, keywords)
    for value in (*args, *keywords.values()):
        if isinstance(value, Wrapper):
            m.regions.escapes(value)
    if short in ("ModuleList", "Sequential", "ParameterList"):
        if short == "Sequential":
            made.items = list(args)
        else:
            made.items = items_of(m, args[0], MOST_ITEMS) if args else []
        if made.items is None:
            return UNKNOWN if short != "Sequential" else made
    elif short in ("ModuleDict", "ParameterDict"):
        made.items = dict(args[0]) if args and isinstance(args[0], dict) else {}
    elif name in _PARALLEL and args:
        made.attrs["module"] = args[0]
    elif name == "torch.optim.swa_utils.AveragedModel" and args:
        made.attrs["module"] = copied(args[0], True, {})
    elif short == "SimpleNamespace":
        made.attrs.update(keywords)
    elif name == "collections.defaultdict":
        held = args[1] if len(args) > 1 and isinstance(args[1], dict) else {}
        return Defaulting(args[0], held) if args and args[0] is not None else dict(held)
    elif name == "collections.OrderedDict":
        return dict(args[0]) if args and isinstance(args[0], dict) else {}
    elif name == "collections.deque":
        return items_of(m, args[0], MOST_ITEMS) or [] if args else []
    elif not made.is_module and not name.startswith(("torch.", "dataclasses.", "argparse.", "types.")):
        for value in (*args, *keywords.values()):
            m.regions.escapes(value)
        return Lib(name, args, keywords) if short[:1].isupper() else UNKNOWN
    return made


_PARALLEL = frozenset(
    {
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.DataParallel",
    }
)
"""Modules that call the one which they are given, and hold it as `module`."""

_POOLS = {
    f"{prefix}_pool{rank}d": f"{name}Pool{rank}d"
    for prefix, name in (
        ("avg", "Avg"),
        ("max", "Max"),
        ("adaptive_avg", "AdaptiveAvg"),
        ("adaptive_max", "AdaptiveMax"),
    )
    for rank in (1, 2)
}


def _torch(m: Machine, name: str, short: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    first = args[0] if args else None
    if name == "torch.nn.Parameter":
        made = (
            first.but(grad=keywords.get("requires_grad", True) is not False, param=True)
            if isinstance(first, Tensor)
            else tensors.unknown(True)
        )
        made.given = None
        return made
    if short in ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled", "autocast", "device"):
        if short == "set_grad_enabled" and args and isinstance(args[0], bool):
            made_manager = Lib(name, args, keywords)
            made_manager.attrs["before"] = m.gradients
            return made_manager
        return Lib(name, args, keywords)
    if short in ("tensor", "as_tensor", "from_numpy", "asarray"):
        made = first.but() if isinstance(first, Tensor) else tensors.of_data(first)
        return with_options(made, keywords)
    if short in tensors.MAKERS:
        return made_of_sizes(short, args, keywords)
    if short in ("arange", "linspace", "eye"):
        return ranged(short, args, keywords)
    if short in ("cat", "concat", "stack", "vstack", "hstack"):
        return joined(m, short, args, keywords)
    if short == "pad" and isinstance(first, Tensor) and len(args) > 1:
        return tensors.combined([first], padded_by(first, args[1]), m.gradients)
    if short in _POOLS and isinstance(first, Tensor):
        given = {key: value for key, value in keywords.items() if value is not None}
        return tensors.combined([first], tensors.layer(_POOLS[short], args[1:], given, first), m.gradients)
    if short == "interpolate" and isinstance(first, Tensor):
        size, scale = [args[i] if len(args) > i else keywords.get(key) for i, key in ((1, "size"), (2, "scale_factor"))]
        return tensors.combined([first], resized(first, size, scale), m.gradients)
    if short in ("manual_seed", "set_float32_matmul_precision", "set_num_threads", "use_deterministic_algorithms"):
        return None
    if short == "save" and len(args) > 1:
        m.regions.files.save(m, args[1], first)
        return None
    if short == "load" and args:
        return m.regions.files.load(first)
    if isinstance(first, Tensor):
        return method_of_tensor(m, first, short, args[1:], keywords)
    if isinstance(first, (list, tuple)) and any(isinstance(one, Tensor) for one in first):
        return tensors.unknown()
    if short[:1].isupper() and not name.startswith("torch.nn."):
        return Lib(name, args, keywords)
    return Lib(name, args, keywords) if name.startswith("torch.") and short[:1].isupper() else UNKNOWN


def attribute(m: Machine, value: Value, name: str) -> Value:
    """An attribute of anything but objects of the program."""
    if isinstance(value, Tensor):
        if name == "shape":
            return shape_of(m, value)
        if name == "requires_grad":
            return value.grad if value.grad is not None else UNKNOWN
        if name in ("T", "mT", "H"):
            return method_of_tensor(m, value, "t", [], {})
        if name == "data":
            return value.but(grad=False, given=None)
        if name == "grad":
            return m.regions.gradient_of(value)
        if name in ("dtype", "device", "layout"):
            return External(f"torch.{value.dtype}") if name == "dtype" and value.dtype else UNKNOWN
        if name == "ndim":
            return len(value.shape) if value.shape is not None else UNKNOWN
        if isinstance(value, Result):
            handed = value.handed.get(name)
            return value.part(name) if handed is None else handed
        return Bound(value, name)
    if isinstance(value, Lib):
        if name in value.attrs:
            return value.attrs[name]
        if name in value.keywords and value.name.startswith(("types.", "torch.nn.")):
            return value.keywords[name]
        if value.is_module and name in SIZES.get(value.name.rpartition(".")[2], ()):
            at = SIZES[value.name.rpartition(".")[2]].index(name)
            return value.args[at] if at < len(value.args) else UNKNOWN
        if name == "training" and value.is_module:
            return True
        if name in ("weight", "bias") and value.is_module:
            return value.attrs.setdefault(name, new_parameter(value, name))
        if value.name == "argparse.ArgumentParser" and name in ("parse_args", "add_argument", "parse_known_args"):
            return Bound(value, name)
        if isinstance(value.items, (list, dict)) and name.isdigit():
            return operators.item(m, value, int(name))
        return Bound(value, name)
    if isinstance(value, Drawn):
        return value if value.kind == "str" else UNKNOWN
    if isinstance(value, Function):
        return UNKNOWN
    return UNKNOWN if value is UNKNOWN else Bound(value, name)


def call_method(
    m: Machine, env: Env, receiver: Value, name: str, args: list[Value], keywords: dict[str, Value], pos: int
) -> Value:
    """`receiver.name(...)`, of anything but methods of the program."""
    m.regions.method_called(m, env, receiver, name, args, keywords, pos)
    if isinstance(receiver, Tensor):
        m.regions.read(m, env, [receiver, *args], pos)
    if isinstance(receiver, Tensor):
        return method_of_tensor(m, receiver, name, args, keywords)
    if name == "super.__init__" and is_own(receiver):
        return set_up(m, receiver, args, keywords)
    if isinstance(receiver, (Thing, Lib, Wrapper)) and name in OF_MODULES:
        return module_method(m, env, receiver, name, args, keywords, pos)
    if isinstance(receiver, Dispatch) and name == "register" and args:
        if len(args) == 1:
            return Partial(Bound(receiver, name), args, {})
        receiver.table.append((args[0], args[1]))
        return args[1]
    if isinstance(receiver, Key) and name == "split" and args and args[0] == ".":
        first, *rest = receiver.split(".")
        parts = [NamePart(one, receiver) for one in rest]
        return [Key(first, receiver.compilation, receiver.text), *parts]
    if isinstance(receiver, (list, dict, str, set, tuple)):
        return _of_container(m, env, receiver, name, args, pos)
    if isinstance(receiver, Lib):
        return _of_instance(m, env, receiver, name, args, keywords, pos)
    for value in (*args, *keywords.values()):
        m.regions.escapes(value)
    return UNKNOWN


def _of_container(m: Machine, env: Env, receiver: Value, name: str, args: list[Value], pos: int) -> Value:
    first = args[0] if args else None
    if isinstance(receiver, dict):
        return _of_dict(m, env, receiver, name, args, pos)
    if isinstance(receiver, list):
        return _of_list(m, env, receiver, name, args, pos)
    if isinstance(receiver, set) and name == "add" and operators.hashable(first):
        receiver.add(first)
        return None
    if isinstance(receiver, str) and len(receiver) < MOST_ITEMS:
        if name in _TEXT_METHODS and all(isinstance(one, str) for one in args):
            return getattr(receiver, name)(*args)
        if name in ("join", "format", "replace"):
            return SOME_TEXT
    return UNKNOWN


_TEXT_METHODS = frozenset("lower upper strip split startswith endswith removeprefix removesuffix".split())


def _of_dict(m: Machine, env: Env, receiver: dict[Value, Value], name: str, args: list[Value], pos: int) -> Value:
    first = args[0] if args else None
    if name in ("items", "keys", "values"):
        if m.region is not None:
            m.region.keys_asked(receiver)
        return list(getattr(receiver, name)())
    if name == "get" and args and operators.hashable(first):
        found = receiver.get(first, args[1] if len(args) > 1 else None)
        return found if m.region is None or first not in receiver else m.region.item_read(receiver, first, found)
    if name in ("pop", "setdefault") and args and operators.hashable(first):
        m.regions.container_written(m, env, receiver, pos)
        rest = args[1] if len(args) > 1 else UNKNOWN
        return receiver.pop(first, rest) if name == "pop" else receiver.setdefault(first, rest)
    if name == "update" and isinstance(first, dict) and len(receiver) < MOST_ITEMS:
        m.regions.container_written(m, env, receiver, pos)
        receiver.update(first)
        return None
    return dict(receiver) if name == "copy" else UNKNOWN


def _of_list(m: Machine, env: Env, receiver: list[Value], name: str, args: list[Value], pos: int) -> Value:
    first = args[0] if args else None
    if name in ("append", "extend", "insert", "pop", "clear", "remove", "reverse"):
        m.regions.container_written(m, env, receiver, pos)
        m.grown.append(receiver)
    if name == "append" and len(receiver) < MOST_ITEMS:
        receiver.append(first)
    elif name == "extend" and len(receiver) < MOST_ITEMS:
        receiver += (items_of(m, first, MOST_ITEMS) or [])[:MOST_ITEMS]
    elif name == "insert" and isinstance(first, int) and len(args) > 1:
        receiver.insert(first, args[1])
    elif name in ("pop", "popleft") and receiver:
        at = first if isinstance(first, int) else (0 if name == "popleft" else -1)
        return receiver.pop(at) if -len(receiver) <= at < len(receiver) else UNKNOWN
    elif name == "clear":
        receiver.clear()
        m.lengths.pop(id(receiver), None)
    elif name == "copy":
        return list(receiver)
    return None


def _of_instance(
    m: Machine, env: Env, receiver: Lib, name: str, args: list[Value], keywords: dict[str, Value], pos: int
) -> Value:
    if receiver.name == "argparse.ArgumentParser":
        return _of_parser(receiver, name, args, keywords)
    if isinstance(receiver.items, dict) and name in ("items", "keys", "values"):
        return list(getattr(receiver.items, name)())
    if isinstance(receiver.items, list) and name in ("append", "extend"):
        m.regions.container_written(m, env, receiver, pos)
        receiver.items += args[:1] if name == "append" else (items_of(m, args[0], MOST_ITEMS) or [])
        return None
    if receiver.name == HANDLE and name == "remove":
        return unhook(m, env, receiver, pos)
    if receiver.name.endswith("ThreadPoolExecutor") and name in ("submit", "map") and args:
        return in_a_pool(m, env, receiver, name, args, keywords, pos)
    if receiver.name == FUTURE and name == "result":
        return receiver.attrs.get("<result>", UNKNOWN)
    if receiver.name == "threading.Thread" and name == "start":
        return started(m, env, receiver, pos)
    for value in (*args, *keywords.values()):
        m.regions.escapes(value)
    return UNKNOWN


def _of_parser(receiver: Lib, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Options have their defaults, as in a run without arguments."""
    if name == "add_argument":
        word = next((a for a in args if isinstance(a, str) and a.startswith("--")), args[0] if args else "")
        if isinstance(word, str):
            default = keywords.get("default", False if keywords.get("action") == "store_true" else None)
            given = "default" in keywords or "action" in keywords
            receiver.attrs[word.lstrip("-").replace("-", "_")] = default if given else UNKNOWN
        return UNKNOWN
    if name in ("parse_args", "parse_known_args"):
        made = Lib("types.SimpleNamespace", [], {})
        made.attrs.update(receiver.attrs)
        return made if name == "parse_args" else (made, [])
    return UNKNOWN


PARTS = "<parts>"
"""The attribute of a model that is not followed under which those of its parts stand that a program goes over."""


def model_around(value: Value) -> Lib | None:
    """The model that is not followed, of which `value` is a part: `model` of `model.encoder.layers`."""
    if not isinstance(value, Bound):
        return None
    while isinstance(value, Bound):
        value = value.receiver
    return value if isinstance(value, Lib) and not value.is_module else None


def _call_parts(m: Machine, env: Env, lib: Lib, args: list[Value], pos: int) -> None:
    """The parts of a model that are compiled one by one are called in turn, each with what the one before gave."""
    given = list(args)
    for part in lib.attrs.get(PARTS, ()):
        for _ in range(2 if isinstance(part, Wrapper) or part.compiled is not None else 0):
            given = [m.call(env, part, given, {}, pos)]


def call_instance(m: Machine, env: Env, lib: Lib, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """`lib(...)`: a layer of torch, or anything else of a library."""
    m.regions.called_plainly(m, lib)
    m.regions.read(m, env, args, pos)
    if lib.name == TRANSFORMED:
        return call_transformed(m, env, lib, pos)
    if lib.compiled is not None and m.region is None:
        return m.regions.call_in_place(m, env, lib, args, keywords, pos)
    if m.region is None:
        _call_parts(m, env, lib, args, pos)
    if lib.name in _PARALLEL and "module" in lib.attrs:
        return m.call(env, m.attribute(env, lib, "module", pos), args, keywords, pos)
    if isinstance(lib.attrs.get("forward"), Wrapper):
        return m.call(env, lib.attrs["forward"], args, keywords, pos)
    if isinstance(lib.items, list) and lib.name.endswith("Sequential"):
        value = args[0] if args else UNKNOWN
        for i, one in enumerate(list(lib.items)):
            if m.region is not None:
                one = m.region.item_read(lib, i, one)
            value = m.call(env, one, [value], {}, pos)
    else:
        value = call_layer(m, lib.name, lib, args, keywords)
    return hooked(m, lib, args, value) if "<hooks>" in lib.attrs else value


def unwrapped(value: Value) -> Value:
    """A namespace's or a wrapper's own value."""
    return value.target if isinstance(value, Wrapper) else value.env if isinstance(value, Namespace) else value
