"""Compiled models that train in float32 on a GPU and are mostly products of matrices.

Measured to pay on a language model that fills the device, and not on convolutions, which use TF32 by default
(`benchmarks/advice`). Size and card are not seen, so it is a note. It is said of a script only that names no other
precision, nor does any file that it imports or that a layer of the model comes from. Does not belong here: where a
compiled object is called (`views`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Around
from compilelint.model import Doubt
from compilelint.model.patterns import late_pattern
from compilelint.project.classes import Assigned, ClassInfo, Imported, ModuleInfo
from compilelint.survey.compiled_objects import Bound, Decorated
from compilelint.survey.made import makers
from compilelint.survey.scopes import Scope, argument, expressions, expressions_of, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name
from compilelint.values import ClassRef

_PRODUCTS = ("Linear", "MultiheadAttention", "Transformer")
_OTHERS = ("Conv", "LazyConv", "LSTM", "GRU", "RNN")
_SAME = frozenset({"to", "cuda", "train", "requires_grad_"})
_DEPTH = 4  # model, list of blocks, block, feed-forward part
# Words by which another precision is named: as a whole part of a name, and in one.
_PARTS = frozenset({"amp", "half", "double", "bf16", "fp16", "fp8", "tf32"})
_WITHIN = ("autocast", "bfloat16", "float16", "float64", "precision", "tf32", "gradscaler")
_WORD = late_pattern(r"[A-Za-z0-9]+")


def float32_products(compiled: Bound | Decorated) -> Around | None:
    """The compile call of a model whose layers multiply matrices, where nothing that is read sets a precision.

    Asked of objects that a loop trains; the caller sees to that.
    """
    if not isinstance(compiled, Bound):
        return None
    scope = compiled.wrapper.scope
    model = argument(compiled.call, 0, "model")
    made = None if model is None else _class_of(scope, model, compiled.wrapper.call)
    if made is None or not fact(scope.module.ir, _on_a_gpu):
        return None
    products, others, files = 0, 0, {id(scope.module): scope.module}
    for cls, name in _layers(scope, made):
        files[id(cls.module)] = cls.module
        products += name.startswith(_PRODUCTS)
        others += name.startswith(_OTHERS)
    if products < 2 or others:
        return None
    files.update((id(one), one) for one in _imported(scope))
    if any(fact(module.ir, _names_a_precision) for module in files.values()):
        return None
    return Around(
        scope.site(compiled.call.pos),
        None,
        "float32",
        compiled.name,
        made.node.name,
        compiled.made,
        (),
        Doubt.ADVICE.cap,
    )


def _class_of(scope: Scope, model: ir.Expr, compiling: ir.Call) -> ClassInfo | None:
    """The one class of the program that a model is made of, also where it is moved: `Net().to(device)`."""
    bound = scope.bindings(model.id) or () if isinstance(model, ir.Name) else ()
    if any(not isinstance(one, Assigned) or one.path for one in bound):  # `model, _ = library.initialize(model)`
        return None
    found: set[ClassInfo] = set()
    for made in makers(scope, model):
        if made.pos == compiling.pos:
            continue
        call: ir.Expr = made
        while isinstance(call, ir.Call) and isinstance(call.func, ir.Attr) and call.func.name in _SAME:
            call = call.func.value
        if isinstance(call, ir.Name):  # `model = model.to(device)`
            continue
        meaning = scope.meaning(call.func) if isinstance(call, ir.Call) else None
        if not isinstance(meaning, ClassRef) or not isinstance(meaning.cls, ClassInfo) or not meaning.cls.is_module:
            return None
        found.add(meaning.cls)
    return found.pop() if len(found) == 1 else None


def _layers(scope: Scope, model: ClassInfo) -> Iterator[tuple[ClassInfo, str]]:
    """The layers of torch that a model makes, itself or in the modules that it holds, each with the class around it."""
    seen = {model}
    level = [model]
    for _ in range(_DEPTH):
        inner: list[ClassInfo] = []
        for cls in level:
            init = cls.method("__init__")
            if init is None:
                continue
            top = Scope(scope.program, init.module, init.module.ir.body)
            own = Scope(scope.program, init.module, init.node.body, init, init.owner, top)
            for one in (e for s, _ in statements(own.body) for e in expressions(own_expressions(s))):
                if not isinstance(one, ir.Call):
                    continue
                package, _, name = own.name(one.func).rpartition(".")
                if package.startswith("torch.nn"):
                    yield cls, name
                meaning = own.meaning(one.func)
                held = meaning.cls if isinstance(meaning, ClassRef) else None
                if isinstance(held, ClassInfo) and held.is_module and held not in seen:
                    seen.add(held)
                    inner.append(held)
        level = inner


def _imported(scope: Scope) -> Iterator[ModuleInfo]:
    """The linted files that the script imports."""
    module = scope.module
    for bindings in module.bindings.values():
        for one in bindings:
            if isinstance(one, Imported):
                found = scope.program.module(one.module)
                if found is not None and found.linted:
                    yield found


def _on_a_gpu(module: ir.Module) -> bool:
    """Whether a file names a CUDA device."""
    for one in expressions_of(module):
        if isinstance(one, ir.Const) and isinstance(one.value, str) and one.value.startswith("cuda"):
            return True
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and one.func.name == "cuda":
            return True
    return False


def _names_a_precision(module: ir.Module) -> bool:
    """Whether a file has a word for another precision than float32: in a name, a keyword or a text."""
    return any(_is_precision(word) for one in expressions_of(module) for word in _words(one))


def _words(expr: ir.Expr) -> Iterator[str]:
    if isinstance(expr, (ir.Name, ir.Attr)):
        yield dotted_name(expr).rpartition(".")[2]
    elif isinstance(expr, ir.Const) and isinstance(expr.value, str):
        yield expr.value
    elif isinstance(expr, ir.Call):
        yield from (name for name, _ in expr.keywords if name is not None)


def _is_precision(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in _WITHIN) or not _PARTS.isdisjoint(_WORD.findall(lower.replace("_", " ")))
