"""What every module has: its parts, parameters and modes, and what a layer of torch gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from compilelint.host import compiling, tensors
from compilelint.host.iterating import Some
from compilelint.host.protocol import Machine
from compilelint.host.values import (
    UNKNOWN,
    Dim,
    Env,
    External,
    Key,
    Lib,
    Parts,
    Tensor,
    Thing,
    Value,
    Wrapper,
)

_PARTS = frozenset("parameters named_parameters modules named_modules children named_children".split())
"""Methods that give the parts of a module."""


def new_parameter(layer: Lib, name: str) -> Tensor:
    """A weight of a layer of torch."""
    made = Tensor(_weight_shape(layer, name), "float32", True)
    made.param = True
    return made


def _weight_shape(layer: Lib, name: str) -> tuple[Dim, ...] | None:
    """The shape of a weight, from what the layer was made with; None where that is not known."""
    short = layer.name.rpartition(".")[2]
    sizes = SIZES.get(short)
    if not layer.is_module or sizes is None or name not in ("weight", "bias"):
        return None
    given, out = [
        tensors.dim_of(layer.args[i] if i < len(layer.args) else layer.keywords.get(key)) for i, key in enumerate(sizes)
    ]
    if name == "bias":
        return (out,)
    if short in ("Linear", "Embedding"):
        return (given, out) if short == "Embedding" else (out, given)
    kernel = layer.args[2] if len(layer.args) > 2 else layer.keywords.get("kernel_size")
    rank = int(short[4])
    window = tensors.dims_of(kernel) or (tensors.dim_of(kernel),) * rank
    return (out, given, *window) if layer.keywords.get("groups", 1) == 1 and len(layer.args) <= 6 else None


def modules_of(root: Value, name: str = "", seen: set[int] | None = None) -> list[tuple[str, Value]]:
    """A module and all modules in it, by name."""
    seen = set() if seen is None else seen
    if isinstance(root, Wrapper) and root.of_module:
        inner = Key(f"{name}._orig_mod" if name else "_orig_mod", root.compilation, name or "the wrapper")
        # Asked for its own modules it gives itself first, which is no model, and the model then.
        itself = root if name else Lib("torch._dynamo.eval_frame.OptimizedModule", [], {})
        return [(name, itself), *modules_of(root.target, inner, seen)]
    is_module = (isinstance(root, Thing) and root.cls.is_module) or (isinstance(root, Lib) and root.is_module)
    if not is_module or id(root) in seen or len(seen) > 400:
        return []
    seen.add(id(root))
    out = [(name, root)]
    held = dict(root.attrs)
    items = held.pop("<items>", None) if isinstance(root, Thing) else root.items
    if isinstance(items, list):
        held.update({str(i): one for i, one in enumerate(items)})
    elif isinstance(items, dict):
        held.update({str(k): one for k, one in items.items()})
    for key, one in held.items():
        out += modules_of(one, joined(name, key), seen)
    return out


def joined(name: str, key: str) -> str:
    """The name of a part of a part."""
    text = f"{name}.{key}" if name else key
    return Key(text, name.compilation, name.text) if isinstance(name, Key) else text


def children_of(root: Value) -> list[tuple[str, Value]]:
    """The modules that a module holds itself."""
    return [(name, one) for name, one in modules_of(root) if name and "." not in name]


def parameters_of(root: Value) -> list[tuple[str, Tensor]]:
    """The parameters of a module, by name; each layer of torch is taken to have a weight and a bias."""
    out: list[tuple[str, Tensor]] = []
    for name, one in modules_of(root):
        if isinstance(one, Lib) and one.items is None:
            if one.name.rpartition(".")[2] in _WITH_WEIGHTS:
                keys = ("weight",) if one.keywords.get("bias") is False else ("weight", "bias")
                held = [(key, attribute_of_layer(one, key)) for key in keys]
                out += [(joined(name, key), weight) for key, weight in held if weight.param]
        elif isinstance(one, Thing):
            out += [(joined(name, k), v) for k, v in one.attrs.items() if isinstance(v, Tensor) and v.param]
    return out


SIZES = {
    "Linear": ("in_features", "out_features"),
    "Embedding": ("num_embeddings", "embedding_dim"),
    **{f"Conv{rank}d": ("in_channels", "out_channels") for rank in (1, 2, 3)},
}
"""The attributes of layers of torch that are the first things which they are given, in this order."""

_WITH_WEIGHTS = frozenset("Linear Embedding Conv1d Conv2d Conv3d LayerNorm BatchNorm1d BatchNorm2d GroupNorm".split())


def attribute_of_layer(layer: Lib, key: str) -> Tensor:
    """A weight of a layer, made when it is first asked for."""
    found = layer.attrs.get(key)
    if not isinstance(found, Tensor):
        found = layer.attrs[key] = new_parameter(layer, key)
    return found


@dataclass(frozen=True, slots=True)
class _Request:
    """A method of a module that is called: of what, by which name, with what."""

    m: Machine
    env: Env
    receiver: Any
    name: str
    args: list[Value]
    keywords: dict[str, Value]
    pos: int

    @property
    def foreign(self) -> bool:
        """Whether it is a library's own model, whose parts are not known."""
        return isinstance(self.receiver, Lib) and not self.receiver.is_module

    @property
    def switches_on(self) -> bool:
        """Whether the first argument, where there is one, is not False."""
        return not (self.args and self.args[0] is False)


def module_method(
    m: Machine, env: Env, receiver: Any, name: str, args: list[Value], keywords: dict[str, Value], pos: int
) -> Value:
    """A method that every module has."""
    method = _METHODS.get(name)
    return UNKNOWN if method is None else method(_Request(m, env, receiver, name, args, keywords, pos))


def _compile(request: _Request) -> Value:
    return compiling.in_place(request.m, request.env, request.receiver, request.args, request.keywords, request.pos)


def _set_mode(request: _Request) -> Value:
    on = request.name == "train" and request.switches_on
    for _, one in modules_of(request.receiver):
        if isinstance(one, (Thing, Lib)) and one.attrs.get("training", True) is not on:
            request.m.note_write(request.env, one, "training", request.pos)
            one.attrs["training"] = on
    return request.receiver


def _parts(request: _Request) -> Value:
    named, weights = request.name.startswith("named"), "parameters" in request.name
    if request.foreign:
        part = new_parameter(request.receiver, "") if weights else UNKNOWN
        return Some((UNKNOWN, part) if named else part)
    held: list[tuple[str, Any]]
    if weights:
        held = [*parameters_of(request.receiver)]
    else:
        held = modules_of(request.receiver) if request.name.endswith("modules") else children_of(request.receiver)
    parts: list[Value] = [one if named else one[1] for one in held]
    if request.name.endswith("children") and isinstance(request.receiver, Wrapper):
        of_wrapper = _of_wrapper(request.receiver, parts)
        request.m.regions.parts_asked(request.m, request.env, request.receiver.target, of_wrapper)
        return of_wrapper
    return parts


def _state_dict(request: _Request) -> Value:
    return UNKNOWN if request.foreign else dict(parameters_of(request.receiver))


def _set_gradients(request: _Request) -> Value:
    for _, one in parameters_of(request.receiver):
        request.m.regions.tensor_written(request.m, request.env, one, request.pos)
        one.grad = request.switches_on
    return request.receiver


def _register(request: _Request) -> Value:
    if len(request.args) < 2:
        return UNKNOWN
    name, part = request.args[:2]
    if isinstance(name, str):
        request.m.note_write(request.env, request.receiver, name, request.pos)
        request.receiver.attrs[name] = part
    return None


def _submodule(request: _Request) -> Value:
    name = request.args[0] if request.args else None
    if not isinstance(name, str):
        return UNKNOWN
    return next((one for key, one in modules_of(request.receiver) if key == name), UNKNOWN)


def _apply(request: _Request) -> Value:
    if not request.args:
        return UNKNOWN
    for _, one in modules_of(request.receiver)[:64]:
        request.m.call(request.env, request.args[0], [one], {}, request.pos)
    return request.receiver


def _cast(request: _Request) -> Value:
    given = [*request.args, *request.keywords.values()]
    dtype = _DTYPES.get(request.name) or dtype_among(given)
    for _, one in parameters_of(request.receiver) if dtype else ():
        if one.dtype in _FLOATS and one.dtype != dtype:
            request.m.regions.tensor_written(request.m, request.env, one, request.pos)
            one.dtype = dtype
    return request.receiver


def _hook(request: _Request) -> Value:
    """A module gets a hook: the handle that removes it. Compiled code asks how many there are only if it met one."""
    module = request.receiver
    if not request.args or not isinstance(module, (Thing, Lib)):
        return UNKNOWN
    kind, hook = HOOKS[request.name], request.args[0]
    held = module.attrs.get(kind)
    if request.m.regions.called and not held:
        return UNKNOWN  # code that was compiled before does not run a later one
    request.m.note_write(request.env, module, kind, request.pos)
    module.attrs[kind] = [*(held or ()), hook]
    return Lib(HANDLE, [module, kind, hook], {})


def _of_wrapper(wrapper: Wrapper, parts: list[Value]) -> Parts:
    """The direct parts of a compiled module, which know how many the model has."""
    made = Parts(parts)
    made.compilation, made.parts = wrapper.compilation, len(children_of(wrapper.target))
    return made


HOOKS = {"register_forward_hook": "<hooks>", "register_forward_pre_hook": "<pre-hooks>"}
HANDLE = "torch.utils.hooks.RemovableHandle"
_DTYPES = {"half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16"}
_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_METHODS: Mapping[str, Callable[[_Request], Value]] = {
    "compile": _compile,
    **dict.fromkeys(("train", "eval"), _set_mode),
    **dict.fromkeys(sorted(_PARTS), _parts),
    "state_dict": _state_dict,
    "requires_grad_": _set_gradients,
    **dict.fromkeys(("register_buffer", "register_parameter", "add_module", "register_module"), _register),
    "get_submodule": _submodule,
    "apply": _apply,
    **dict.fromkeys(("to", "type", *_DTYPES), _cast),
    **dict.fromkeys(("cuda", "cpu", "share_memory"), lambda request: request.receiver),
    **dict.fromkeys(HOOKS, _hook),
}


def dtype_among(values: list[Value]) -> str:
    """The dtype of floats among what `to` is given; empty where there is none."""
    names = [one.name.removeprefix("torch.") for one in values if isinstance(one, External)]
    return next((name for name in names if name in _FLOATS), "")


def unhook(m: Machine, env: Env, handle: Lib, pos: int) -> Value:
    """`handle.remove()`."""
    module, kind, hook = handle.args
    m.note_write(env, module, kind, pos)
    module.attrs[kind] = [one for one in module.attrs.get(kind, ()) if one is not hook]
    return None


def hooked(m: Machine, module: Any, args: list[Value], result: Value) -> Value:
    """What a module gives behind its forward hooks."""
    env, pos = m.calls[-1]
    for hook in module.attrs.get("<hooks>", ()):
        changed = m.call(env, hook, [module, tuple(args), result], {}, pos)
        result = changed if changed is not None and changed is not UNKNOWN else result
    return result


REBUILDING = (
    "torch.nn.utils.parametriz",
    "torch.nn.utils.prune.",
    "torch.nn.utils.weight_norm",
    "torch.nn.utils.spectral",
)
"""Where functions of torch stand that compute a weight of a layer from others, and that take that back."""


def rebuilt(m: Machine, env: Env, name: str, args: list[Value], pos: int) -> Value:
    """A weight of a layer is computed from now on, or is a parameter again; if parametrized, in a class of its own."""
    layer, short = args[0], name.rpartition(".")[2]
    given = args[1] if len(args) > 1 and isinstance(args[1], str) else "weight"
    if not isinstance(layer, Lib) or short in ("is_parametrized", "cached", "is_pruned"):
        return layer
    computed = not short.startswith("remove")
    if "parametriz" in name:
        m.regions.container_written(m, env, layer, pos)
        layer.attrs["<class>"] = f"Parametrized{layer.name.rpartition('.')[2]}" if computed else layer.name
    elif computed or "prune" not in name:
        old = attribute_of_layer(layer, given)
        m.note_write(env, layer, given, pos)
        made = Tensor(old.shape, old.dtype, True, old.device)
        made.param = not computed
        layer.attrs[given] = made
    return layer


def call_layer(m: Machine, name: str, layer: Any, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A layer of torch, called."""
    if not name.startswith("torch.nn."):
        return UNKNOWN
    x = args[0] if args else None
    weights = name.rpartition(".")[2] in _WITH_WEIGHTS
    parameters = [attribute_of_layer(layer, "weight")] if weights and isinstance(layer, Lib) else []
    if m.region is not None and isinstance(layer, Lib):
        m.region.layer_called(layer)
    given, named = (layer.args, layer.keywords) if isinstance(layer, Lib) else ([], {})
    if not isinstance(x, Tensor):
        return UNKNOWN
    shape = tensors.layer(name, given, named, x)
    sources = [*(a for a in args if isinstance(a, Tensor)), *parameters]
    made = tensors.combined(sources, shape, m.gradients, "" if x.dtype.startswith("int") else x.dtype)
    if x.dtype.startswith("int"):
        made.dtype = "float32"
    if name.rpartition(".")[2] in ("LSTM", "GRU", "RNN", "MultiheadAttention"):
        return (tensors.unknown(made.grad), tensors.unknown(made.grad))
    return tensors.keep_marks(made, [x])
