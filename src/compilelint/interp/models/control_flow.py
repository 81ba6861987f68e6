"""Higher-order operators: `cond`, `while_loop`, `scan`, `map`, `switch` and their kin, which call functions on tensors.

What they ask of their arguments, by Dynamo's own checks; measured on torch 2.13, with the recorded programs of 2.15.
`operator_bodies` holds what they ask of the functions.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.operands import ARGUMENT, CAPTURED
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.refusals import refusal
from compilelint.interp.core.registry import instance_call, model
from compilelint.interp.devices import capture
from compilelint.interp.regions import operator_bodies as bodies
from compilelint.interp.regions.operator_bodies import Body
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.torchfacts import Fact
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    Compiled,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    OriginKind,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Unknown,
    Value,
    is_none,
    join_all,
    truth,
)

_NOT_CALLABLE = "GB0302"  # "HOP: non-callable variable"
_CONDITION = "GB0308"  # "torch.while_loop: unsupported cond_fn return type"
_PREDICATE = "GB0310"  # "torch.cond: improper predicate"
_OPERANDS = "GB0311"  # "torch.cond: improper operands"
_CONTENTS = "GB0312"  # "torch.cond: improper operands contents"
_DIFFERING = "GB0313"  # "torch.cond: differing branch outputs"
_DIFFERING_CASES = "GB9203"  # "torch.switch: differing branch outputs"
_HINTS = "GB0335"  # "hints_wrapper: improper args/kwargs"
_NAMED = "GB0336"  # "out_dtype: unexpected kwargs"
_ENDLESS = "GB0339"  # "torch.while_loop: infinite loop detected"
_SIZE = "GB0340"  # "torch.cond: unsupported branch return type"
_SIZE_OF_CASE = "GB1824"  # "torch.switch: unsupported branch return type"
_NONE = "GB0350"  # "torch.cond: unsupported branch return type (constant non-int)"
_PAIR = "GB0343"  # "torch.scan: improper combine_fn number of returns"
_NESTED = "GB0345"  # "strict_mode: improper args"
_SCAN_WRITES = "GB0041|scan, written without gradients"  # "torch.scan: combine_fn mutates init or xs"
_MAP_WRITES = "GB0041|map, written without gradients"  # "torch.map: f mutates pos_args"
_MAP_WRITES_OUTSIDE = "GB0041|map, captured and written without gradients"  # "torch.map: f mutates a captured tensor"
_MAP_WRITES_OWN = "GB0041|map, own tensor written without gradients"
_OWN = "GB0306"  # "unsupported HigherOrderOperator"
_REGION_OF_OBJECT = "GB0042"  # "Encountered non user function variable during invoke_subgraph HOP tracing"
_MADE_INSIDE = "GB6210"  # "leaf_function: nn.Module argument without source"
_CONTEXTS = "GB7935"  # "checkpoint context_fn bound to a non-constant receiver"
_CALLED = (FunctionRef, BoundMethod, External, ClassRef, Compiled, Partial)


def _names(op: str) -> tuple[str, str, str]:
    """The function, as its module and as the package hold it, and the operator below."""
    return f"torch._higher_order_ops.{op}.{op}", f"torch._higher_order_ops.{op}", f"torch.ops.higher_order.{op}"


def _refused(f: Frame, name: str, key: str, args: Args, pos: int) -> None:
    """The call ends here; in a version that has no such rule, or where none is broken, nothing happens."""
    fact = refusal(f, key) if key and not f.modes.silent else None
    if fact is not None:
        sure = f.around.cap
        if key in (_SIZE, _SIZE_OF_CASE):
            f.around.cap = Doubt.SIZES_UNKNOWN.lower(sure)
        finish(f, name, None, args, pos, fact, UNKNOWN)
        f.around.cap = sure


@model("torch.cond", "functorch.experimental.control_flow.cond", *_names("cond"))
def cond(f: Frame, args: Args, pos: int) -> Value:
    """`torch.cond(pred, true_fn, false_fn, operands)`; of a predicate that is no tensor one branch is left."""
    capture.called(f, "torch.cond", None, args, pos)
    pred, operands = args.get(0, "pred") or UNKNOWN, args.get(3, "operands")
    branches = [args.get(i, name) or UNKNOWN for i, name in ((1, "true_fn"), (2, "false_fn"))]
    ran = [bodies.run(f, branch, _items(operands), pos) for branch in branches]
    _refused(f, "torch.cond", _refused_cond(f, pred, operands, branches, ran), args, pos)
    return join_all([one.result for one in ran])


def _refused_cond(f: Frame, pred: Value, operands: Value | None, branches: list[Value], ran: list[Body]) -> str:
    if isinstance(pred, (Object, Sequence, Mapping, *_CALLED)):
        return _PREDICATE
    if not _is_tensor(pred):
        return ""
    if isinstance(operands, (Tensor, Const, Scalar, Mapping, Object)):
        return _OPERANDS
    if operands is not None and any(map(_is_no_operand, bodies.leaves(operands))):
        return _CONTENTS
    return _refused_branches(f, branches, ran, _DIFFERING, _SIZE)


def _refused_branches(f: Frame, branches: list[Value], ran: list[Body], differing: str, size: str) -> str:
    if any(map(_is_not_callable, branches)):
        return _NOT_CALLABLE
    free = _without_gradients(f)
    for one in ran:
        broken = bodies.refused(one, may_write=free, may_share=free)
        found = bodies.leaves(one.result)
        if not broken and any(isinstance(v, Scalar) and v.dependence is Dependence.SHAPE for v in found):
            broken = size
        if not broken and differing == _DIFFERING and len(found) > 1 and any(map(is_none, found)):
            broken = _NONE
        if broken:
            return broken
    shapes = [bodies.structure(one.result) for one in ran]
    known = [one for one in shapes if bodies.is_composite(one)]
    return differing if len(known) == len(shapes) and any(one != known[0] for one in known) else ""


@model("torch.switch", *_names("switch"))
def switch(f: Frame, args: Args, pos: int) -> Value:
    """`switch(index, branches, operands)`."""
    index, branches = args.get(0, "index") or UNKNOWN, _items(args.get(1, "branches"))
    ran = [bodies.run(f, branch, _items(args.get(2, "operands")), pos) for branch in branches]
    if _is_tensor(index) and len(branches) > 1:
        broken = _refused_branches(f, branches, ran, _DIFFERING_CASES, _SIZE_OF_CASE)
        _refused(f, "torch._higher_order_ops.switch", broken, args, pos)
    return join_all([one.result for one in ran]) if ran else UNKNOWN


@model("torch.while_loop", *_names("while_loop"))
def while_loop(f: Frame, args: Args, pos: int) -> Value:
    """`while_loop(cond_fn, body_fn, carried_inputs)`; a condition that is false from the start leaves all as it is."""
    capture.called(f, "torch.while_loop", None, args, pos)
    carried = args.get(2, "carried_inputs")
    test = bodies.run(f, args.get(0, "cond_fn") or UNKNOWN, _items(carried), pos)
    body = bodies.run(f, args.get(1, "body_fn") or UNKNOWN, _items(carried), pos)
    broken = _refused_loop(f, test, body)
    if not broken and _is_arithmetic(args.get(0, "cond_fn")):
        broken = _CONDITION
    _refused(f, "torch.while_loop", broken, args, pos)
    return body.result


def _refused_loop(f: Frame, test: Body, body: Body) -> str:
    free = _without_gradients(f)
    broken = bodies.refused(test, may_write=free)
    result = test.result
    if broken:
        return broken
    if isinstance(result, Const):
        return _ENDLESS if truth(result) else ""
    if isinstance(result, Scalar) and result.dependence is Dependence.STATIC:
        return _ENDLESS  # or no loop at all
    if isinstance(result, Tensor) and (result.dtype not in ("", "bool") or (result.rank or 0) > 0 or _is_sum(result)):
        return _CONDITION
    return bodies.refused(body, may_write=free)


@model(*_names("scan"))
def scan(f: Frame, args: Args, pos: int) -> Value:
    """`scan(combine_fn, init, xs)`: the function gets what is carried and a row, and gives a pair of their like."""
    rows = _rows(args.get(2, "xs") or UNKNOWN)
    body = bodies.run(f, args.get(0, "combine_fn") or UNKNOWN, [args.get(1, "init") or UNKNOWN, rows], pos)
    result = body.result
    broken = bodies.refused(body)
    if broken == bodies.WRITE and _without_gradients(f):
        broken = _SCAN_WRITES
    count = len(result.items) if isinstance(result, Sequence) and result.items is not None else None
    if not broken and (isinstance(result, Tensor) or (count is not None and count != 2)):
        broken = _PAIR
    _refused(f, "torch._higher_order_ops.scan", broken, args, pos)
    return Sequence("tuple", result.items, BOTTOM) if isinstance(result, Sequence) and count == 2 else UNKNOWN


@model("functorch.experimental.control_flow.map", *_names("map"))
def map_rows(f: Frame, args: Args, pos: int) -> Value:
    """`map(f, xs, *args)`: the function gets a row, and the further arguments as they are."""
    function = args.get(0, "f") or UNKNOWN
    further = list(args.positional[2:])
    body = bodies.run(f, function, [_rows(args.get(1, "xs") or UNKNOWN)], pos, further)
    broken = _NOT_CALLABLE if _is_not_callable(function) else bodies.refused(body)
    if broken == bodies.WRITE and _without_gradients(f):
        beside = {CAPTURED: _MAP_WRITES_OUTSIDE, ARGUMENT: _MAP_WRITES}
        broken = next((key for mark, key in beside.items() if mark in body.written), _MAP_WRITES_OWN)
    _refused(f, "torch._higher_order_ops.map", broken, args, pos)
    return body.result.but(rank=None) if isinstance(body.result, Tensor) else UNKNOWN


@model(*_names("strict_mode"))
def strict_mode(f: Frame, args: Args, pos: int) -> Value:
    """`strict_mode(callable, operands)`, whose operands are tensors, in no further list, tuple or dict."""
    operands = _items(args.get(1, "operands"))
    result = f.interp.call(f, args.get(0, "callable") or UNKNOWN, Args(operands), pos)
    nested = any(isinstance(one, (Mapping, Sequence)) for one in operands)
    _refused(f, "torch._higher_order_ops.strict_mode", _NESTED if nested else "", args, pos)
    return result


@model("torch._higher_order_ops.hints_wrap.hints_wrapper", *_names("hints_wrapper")[1:])
def hints_wrapper(f: Frame, args: Args, pos: int) -> Value:
    """`hints_wrapper(body, (x,), {}, hints={...})`, in these words only."""
    result = f.interp.call(f, args.get(0) or UNKNOWN, Args(_items(args.get(1))), pos)
    tuple_, dict_ = args.get(1) or UNKNOWN, args.get(2) or UNKNOWN
    fits = len(args.positional) == 3 and set(args.keywords) == {"hints"}
    known = args.star is None and args.double_star is None
    others = (Tensor, Const, Scalar, Object)
    if known and (not fits or isinstance(tuple_, (Mapping, *others)) or isinstance(dict_, (Sequence, *others))):
        _refused(f, "torch._higher_order_ops.hints_wrapper", _HINTS, args, pos)
    return result


@model(*_names("out_dtype"))
def out_dtype(f: Frame, args: Args, pos: int) -> Value:
    """`out_dtype(op, dtype, *operands)`, all by position."""
    _refused(f, "torch._higher_order_ops.out_dtype", _NAMED if args.keywords else "", args, pos)
    return next((one.but(dtype="") for one in args.all() if isinstance(one, Tensor)), UNKNOWN)


OWN_OPERATOR = "torch._ops.HigherOrderOperator"
BASE_OPERATORS = ("torch._higher_order_ops.BaseHOP", "torch._higher_order_ops.base_hop.BaseHOP")
"""What an operator that a program defines descends from, and the one base that Dynamo knows how to trace."""
REGION = "torch.compiler.nested_compile_region"


def own_operator(f: Frame, name: str, args: Args, pos: int) -> Value:
    """An object of a class of the program that is an operator: Dynamo has one class for each that it knows."""
    return finish(f, name, None, args, pos, refusal(f, _OWN), UNKNOWN)


@model(REGION)
def nested_region(f: Frame, args: Args, pos: int) -> Value:
    """A function or a module is traced as a region; what else can be called is not."""
    value = args.get(0, "fn") or UNKNOWN
    own = isinstance(value, Object) and isinstance(value.cls, ClassInfo) and not value.cls.is_module
    return Instance(REGION, f.modes.inside, (("function", value),)) if own or isinstance(value, Partial) else value


@instance_call(REGION)
def call_region(f: Frame, callee: Instance, args: Args, pos: int) -> Value:
    """Calls an object or a `functools.partial` under `nested_compile_region`."""
    result = f.interp.call(f, dict(callee.state)["function"], args, pos)
    _refused(f, REGION, _REGION_OF_OBJECT, args, pos)
    return result


def module_made_inside(f: Frame, args: Args) -> Fact | None:
    """The fact on a call of a function under `leaf_function`, which finds a module's tensors by where it is kept."""
    for value in args.all():
        if isinstance(value, (Instance, Object)) and _is_module(value) and value.inside:
            return refusal(f, _MADE_INSIDE)
    return None


def contexts_of_new_object(f: Frame, args: Args) -> Fact | None:
    """The fact on `checkpoint(..., context_fn=Contexts(x).pair)`: a method of an object that the region makes."""
    given = args.keywords.get("context_fn")
    receiver = given.receiver if isinstance(given, (FunctionRef, BoundMethod)) else None
    return refusal(f, _CONTEXTS) if isinstance(receiver, Object) and receiver.inside else None


# --------------------------------------------------------------------- asking


def _items(value: Value | None) -> list[Value]:
    """What is handed to the body; of an unknown tuple nothing, so that its parameters are what they promise."""
    return list(value.items) if isinstance(value, Sequence) and value.items is not None else []


def _rows(value: Value) -> Value:
    """A row of each tensor."""
    if isinstance(value, Tensor):
        return value.but(rank=None if value.rank is None else max(value.rank - 1, 0))
    if isinstance(value, Sequence) and value.items is not None:
        return Sequence(value.kind, tuple([_rows(one) for one in value.items]), value.element)
    if isinstance(value, Mapping):
        entries, maybe = ([(key, _rows(one)) for key, one in pairs] for pairs in (value.entries, value.maybe))
        return Mapping(tuple(entries), value.element, value.exact, tuple(maybe))
    return value


def _is_module(value: Value) -> bool:
    if isinstance(value, Instance):
        return value.name.startswith("torch.nn.")
    return isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.cls.is_module


def _is_tensor(value: Value) -> bool:
    """Whether what chooses a branch is a tensor: a number that the program knows would need no operator."""
    return isinstance(value, (Tensor, Unknown))


def _is_no_operand(value: Value) -> bool:
    """Whether an operand of `cond` is neither a tensor nor a constant."""
    return isinstance(value, (Object, *_CALLED)) or _is_module(value)


def _is_arithmetic(callee: Value | None) -> bool:
    """Whether a function gives back what it computes with a number, which is never a bool: `return n - 1`."""
    code = callee.code if isinstance(callee, FunctionRef) else None
    if not isinstance(code, FunctionInfo):
        return False
    returned = [s.value for s in statements_of(code.node.body) if isinstance(s, ir.Return)]
    return bool(returned) and all(
        isinstance(e, ir.Binary)
        and e.op in ("+", "-", "*", "/", "//", "%", "**")
        and any(isinstance(side, ir.Const) and type(side.value) in (int, float) for side in (e.left, e.right))
        for e in returned
    )


def _is_sum(tensor: Tensor) -> bool:
    """Whether an operation made it that counts or measures, and never gives a bool."""
    made = tensor.origin
    return made is not None and made.kind is OriginKind.RESULT and made.what.rpartition(".")[2] in _MEASURES


_MEASURES = frozenset("sum mean prod norm var std argmax argmin numel".split())


def _is_not_callable(value: Value) -> bool:
    if isinstance(value, Object):
        cls = value.cls
        return isinstance(cls, ClassInfo) and not any(cls.external_bases) and cls.method("__call__") is None
    return isinstance(value, (Const, Scalar, Tensor, Sequence, Mapping))


def _without_gradients(f: Frame) -> bool:
    """Whether the call may run without gradients: in a `with`, or under a decorator that says so."""
    return not f.modes.gradients or (f.function is not None and f.function.decorated("no_grad", "inference_mode"))
