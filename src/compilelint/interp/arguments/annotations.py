"""What an annotation promises: a hint, not a law. Callers may contradict it, and then the caller is right."""

from __future__ import annotations

from compilelint.interp.core.dtypes import dtype_class
from compilelint.interp.kinds.distributions import PREFIX
from compilelint.interp.kinds.types import BARE, tensor_class
from compilelint.project.classes import Assigned, ClassInfo, Imported, ModuleInfo
from compilelint.project.index import Program
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts.kinds import newest_kinds
from compilelint.values import (
    BOTTOM,
    NONE,
    UNKNOWN,
    ClassRef,
    External,
    Instance,
    Mapping,
    Object,
    Origin,
    Scalar,
    Sequence,
    SequenceKind,
    Source,
    Tensor,
    Value,
    join_all,
)

_SCALARS = frozenset({"int", "float", "bool", "str", "complex", "bytes"})
_BARE: dict[str, SequenceKind] = {**BARE, "typing.List": "list", "typing.Tuple": "tuple"}
_LISTS: dict[str, SequenceKind] = {
    "list": "list",
    "List": "list",
    "Sequence": "list",
    "Iterable": "list",
    "Collection": "list",
    "MutableSequence": "list",
    "Iterator": "iterator",
    "Generator": "iterator",
    "set": "set",
    "Set": "set",
    "frozenset": "set",
}
_DICTS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict"})
_WRAPPERS = frozenset({"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Unpack"})
_DEPTH = 6


def annotated(program: Program, module: ModuleInfo, expr: ir.Expr, origin: Origin, depth: int = 0) -> Value:
    """The value of something annotated with `expr`; Unknown where the annotation says nothing we know."""
    if depth > _DEPTH:
        return UNKNOWN
    if isinstance(expr, ir.Const):
        return NONE if expr.value is None else UNKNOWN
    if isinstance(expr, ir.Binary) and expr.op == "|":
        sides = [annotated(program, module, e, origin, depth + 1) for e in (expr.left, expr.right)]
        return join_all(sides)
    if isinstance(expr, ir.Index):
        return _generic(program, module, expr, origin, depth)
    if isinstance(expr, (ir.Name, ir.Attr)):
        return _named_type(program, module, expr, origin, depth)
    return UNKNOWN


def _named_type(program: Program, module: ModuleInfo, expr: ir.Name | ir.Attr, origin: Origin, depth: int) -> Value:
    name = last_name(expr)
    alias, meaning = _meaning(program, module, expr)
    if alias is not None:
        return annotated(program, *alias, origin, depth + 1)
    if meaning is None and isinstance(expr, ir.Name):
        meaning = External(f"builtins.{name}")
    if isinstance(meaning, External):
        dtype = tensor_class(meaning.name)
        if dtype is not None:
            return Tensor(dtype, None, Source.INPUT, origin=Origin(f"annotated `{name}`", origin.place))
        return _library_type(meaning.name, name, origin)
    if isinstance(meaning, ClassRef) and isinstance(meaning.cls, ClassInfo):
        cls = meaning.cls
        if cls.descends_from("typing.TypedDict", "typing_extensions.TypedDict"):
            return _typed_dict(program, cls, origin, depth)
        if cls.descends_from("builtins.dict", "collections.OrderedDict") and not cls.is_record:
            return UNKNOWN
        if _is_name_for_tensors(cls):
            return Tensor("", None, Source.INPUT, origin=Origin(f"annotated `{cls.node.name}`", origin.place))
        return Object(cls)
    return UNKNOWN


def _is_name_for_tensors(cls: ClassInfo) -> bool:
    """Whether a class extends `torch.Tensor` and adds nothing: for type checkers, and any tensor is passed."""
    return cls.descends_from("torch.Tensor") and not any(c.members for c in cls.mro if isinstance(c, ClassInfo))


def _meaning(
    program: Program, module: ModuleInfo, expr: ir.Name | ir.Attr
) -> tuple[tuple[ModuleInfo, ir.Expr] | None, Value | None]:
    """What a name in an annotation is an alias of, else what it means; looked up once for each place it stands at."""
    known = program.annotated.get(id(expr))
    if known is None:
        alias = _alias(program, module, expr)
        known = alias, program.resolve(module, expr) if alias is None else None
        if not program.resolving:  # in the middle of a global's own value the answer may be another
            program.annotated[id(expr)] = known
    return known


def _alias(program: Program, module: ModuleInfo, expr: ir.Name | ir.Attr) -> tuple[ModuleInfo, ir.Expr] | None:
    """What an alias stands for (`Mask = Optional[Tensor]`), and the module whose names it is written in."""
    for _ in range(_DEPTH):
        if not isinstance(expr, ir.Name):
            return None
        found = module.bindings.get(expr.id)
        binding = found[-1] if found else None
        if isinstance(binding, Assigned):
            written = binding.expr
            return (module, written) if isinstance(written, (ir.Index, ir.Binary)) and not binding.path else None
        if not isinstance(binding, Imported) or binding.name is None:
            return None
        elsewhere = program.module(binding.module)
        if elsewhere is None:
            return None
        module, expr = elsewhere, ir.Name(expr.pos, binding.name)
    return None


def _library_type(full: str, name: str, origin: Origin) -> Value:
    if full in ("numpy.ndarray", "numpy.typing.NDArray"):
        return Tensor("", None, Source.INPUT, array=True, origin=Origin("annotated `ndarray`", origin.place))
    if full == "torch.nn.Parameter":
        return Tensor("float", None, Source.PARAMETER, origin=Origin("annotated `Parameter`", origin.place))
    plain = full.removeprefix("builtins.")
    if plain in _SCALARS:
        return Scalar(plain)
    if plain == "None" or full == "types.NoneType":
        return NONE
    if plain in _BARE:
        return Sequence(_BARE[plain], None, UNKNOWN)
    if plain == "dict" or full in ("typing.Dict", "collections.OrderedDict"):
        return Mapping((), UNKNOWN)
    if full in ("torch.Size",):
        return Sequence("tuple", None, Scalar("int"))
    if full.startswith(("torch.nn.", "torch.optim.", PREFIX)) or full in (
        "torch.device",
        "torch.dtype",
        "torch.Generator",
        "logging.Logger",
    ):
        return Instance(full)
    return Instance(full) if "." in full and full in newest_kinds() else UNKNOWN


def _typed_dict(program: Program, cls: ClassInfo, origin: Origin, depth: int) -> Value:
    entries: dict[str, Value] = {}
    for c in reversed(cls.mro):
        if isinstance(c, ClassInfo):
            for s in c.node.body:
                if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name):
                    entries[s.target.id] = annotated(program, c.module, s.annotation, origin, depth + 1)
    return Mapping(tuple(entries.items()), BOTTOM)


def _generic(program: Program, module: ModuleInfo, expr: ir.Index, origin: Origin, depth: int) -> Value:
    name = last_name(expr.value)
    index = expr.index
    parts = index.items if isinstance(index, ir.Display) and index.kind == "tuple" else (index,)

    def part(i: int) -> Value:
        return annotated(program, module, parts[i], origin, depth + 1) if i < len(parts) else UNKNOWN

    if name == "Optional":
        return join_all([part(0), NONE])
    if name == "Union":
        return join_all([part(i) for i in range(len(parts))])
    if name in ("tuple", "Tuple"):
        if len(parts) == 2 and isinstance(parts[1], ir.Const) and parts[1].value is Ellipsis:
            return Sequence("tuple", None, part(0))
        return Sequence("tuple", tuple([part(i) for i in range(len(parts))]), BOTTOM)
    if name in _LISTS:
        return Sequence(_LISTS[name], None, part(0))
    if name in _DICTS:
        return Mapping((), part(1))
    if name in _WRAPPERS:
        return part(0)
    if name == "Literal":
        kinds = {type(p.value).__name__ for p in parts if isinstance(p, ir.Const)}
        return Scalar(kinds.pop()) if len(kinds) == 1 and kinds <= _SCALARS else UNKNOWN
    meaning = program.resolve(module, expr.value)
    if isinstance(meaning, External) and len(parts) == 2 and _is_shape_text(program, module, parts[1]):
        array = part(0)
        if isinstance(array, Tensor):
            return _shaped(array, name)
    if isinstance(meaning, External) and meaning.name == "numpy.typing.NDArray":
        return _library_type(meaning.name, name, origin)
    return (
        _named_type(program, module, expr.value, origin, depth)
        if isinstance(expr.value, (ir.Name, ir.Attr))
        else UNKNOWN
    )


def _is_shape_text(program: Program, module: ModuleInfo, expr: ir.Expr) -> bool:
    """Whether a part of an annotation is no type but a text: lowering reads the quotes away where it parses."""
    if isinstance(expr, ir.Name):
        return expr.id not in _SCALARS and program.resolve(module, expr) is None
    return isinstance(expr, (ir.Const, ir.Binary))


def _shaped(array: Tensor, name: str) -> Tensor:
    """A type together with a text that describes its shape, `Int[Tensor, "batch 3"]`: the name may give the dtype."""
    dtype = dtype_class(f"torch.{name.lower()}")
    return array.but(dtype=dtype if dtype in ("int", "bool") else "")
