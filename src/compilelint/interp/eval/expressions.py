"""Expressions: one function a node kind. What a call does is `calls`, what an attribute holds is `objects`."""

from __future__ import annotations

from functools import partial
from typing import Any

from compilelint import events
from compilelint.interp.core import sizes
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame, register_eval
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.refusals import refused
from compilelint.interp.effects import container_writes, state_slots, training_mode
from compilelint.interp.eval import truth
from compilelint.interp.hosts import compilers
from compilelint.interp.kinds import (
    class_attributes,
    items,
    narrowing,
    own_namespace,
    sets_of_tensors,
)
from compilelint.interp.kinds.binary_operators import binary, compare_pair, unary
from compilelint.interp.kinds.tensor_items import spelled_item
from compilelint.interp.refusals import caught_errors, iterator_objects, refused_objects
from compilelint.interp.regions import backward_hooks, stack_at_break
from compilelint.model import Doubt
from compilelint.project.compile_calls import REPEATED_BLOCKS
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    BoundMethod,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_known_key,
    join,
    join_all,
    key_of,
    tensor_arm,
    type_name,
    usual_of,
)

_BOTH = 2  # ways


@register_eval(ir.Name)
def name(f: Frame, n: ir.Name) -> Value:
    value = f.here.names.get(n.id)
    if value is None:
        value = f.lookup(n.id)
        if value.__class__ is Sequence and n.id in f.module.bindings:
            sets_of_tensors.loaded(f, value, n.pos)
        if not f.modes.silent:
            caught_errors.name_read(f, n, value)
    return value


@register_eval(ir.Const)
def constant(f: Frame, n: ir.Const) -> Value:
    value = n.value
    if value is None:
        return NONE
    if value is True:
        return TRUE
    return FALSE if value is False else Const(value)


@register_eval(ir.Opaque)
def opaque(f: Frame, n: ir.Opaque) -> Value:
    return UNKNOWN


@register_eval(ir.Attr)
def attribute(f: Frame, n: ir.Attr) -> Value:
    paths = f.here.paths
    if paths:
        if n.name == "__dict__":
            refused_objects.namespace_read(f, n.value, n.pos)
        key = dotted_name(n)
        if key:
            known = paths.get(key)
            if known is not None:
                return known
    value = n.value
    if value.__class__ is ir.Call and value.func.__class__ is ir.Name and value.func.id == "super":
        return f.interp.super_attribute(f, n)
    holder = f.eval(value)
    if n.name == "shape":
        holder = sizes.asked(f, value, holder)
    found = f.interp.attribute(f, holder, n.name, n.pos)
    if found.__class__ is Sequence and holder.__class__ is Object and not holder.inside:
        sets_of_tensors.loaded(f, found, n.pos)
    return sizes.setting(f, n, holder, found) if found.__class__ is Scalar else found


@register_eval(ir.Call)
def call(f: Frame, n: ir.Call) -> Value:
    func = n.func
    if func.__class__ is ir.Attr:
        if func.name == REPEATED_BLOCKS and f.modes.host:
            return compilers.repeated_blocks_compiled(f, f.eval(func.value), arguments(f, n), n.pos)
        callee = f.interp.method(f, func)
        if func.name == "size" and isinstance(callee, BoundMethod):
            callee = BoundMethod(sizes.asked(f, func.value, callee.receiver), func.name)
        if f.modes.host and func.name == "compile":
            f.interp.hosts.evaluated.add((id(f.module.ir), n.pos))
    else:
        callee = f.eval(func)
    before, outlived = f.effects.split_by_calls, f.effects.outlived
    args = arguments(f, n)
    if f.effects.split_by_calls != before and func.__class__ is ir.Attr:
        stack_at_break.behind_arguments(f, callee, n, func.name, outlived)
    if callee.__class__ is External and callee.name == "builtins.vars" and n.args:
        refused_objects.namespace_read(f, n.args[0], n.pos)
    if callee.__class__ is Instance or callee.__class__ is Object:
        backward_hooks.reached(f, n)
    elif func.__class__ is ir.Attr and func.name in ("eval", "train"):
        training_mode.called(f, n, args)
    if callee.__class__ is FunctionRef:
        return _call_of_program(f, callee, args, n)
    return f.interp.call(f, callee, args, n.pos, n)


def _call_of_program(f: Frame, callee: FunctionRef, args: Args, n: ir.Call) -> Value:
    """Call a function of the program, and look at what was on the stack if a graph ends in there."""
    before, outlived = f.effects.split_by_calls, f.effects.outlived
    result = f.interp.call(f, callee, args, n.pos, n)
    if f.effects.split_by_calls != before:
        stack_at_break.behind_call(f, callee, args, n, outlived)
    return result


def arguments(f: Frame, n: ir.Call) -> Args:
    """Evaluate the arguments of a call, unpacking stars of known length."""
    args = Args([])
    for a in n.args:
        if a.__class__ is ir.Star:
            value = f.eval(a.value)
            if isinstance(value, Sequence) and value.items is not None and args.star is None:
                args.positional.extend(value.items)
            else:
                args.star = join(args.star or BOTTOM, f.interp.iterate(f, value, a.pos))
        elif args.star is None:
            args.positional.append(f.eval(a))
        else:  # its position is not known any more
            args.star = join(args.star, f.eval(a))
    for key, expr in n.keywords:
        value = f.eval(expr)
        if key is not None:
            args.keywords[key] = value
        elif isinstance(value, Mapping):
            for k, v in value.entries:
                if isinstance(k, str):
                    args.keywords.setdefault(k, v)
            if not value.exact:
                args.double_star = join_all([args.double_star or BOTTOM, *value.rest])
        else:
            args.double_star = UNKNOWN
    return args


@register_eval(ir.Binary)
def binary_op(f: Frame, n: ir.Binary) -> Value:
    return binary(f, n.op, f.eval(n.left), f.eval(n.right), n.pos)


@register_eval(ir.Unary)
def unary_op(f: Frame, n: ir.Unary) -> Value:
    if n.op == "not":
        decided = f.unsplit(lambda: truth.decide(f, n.operand, "not"))
        return Scalar("bool") if decided is None else Const(not decided)
    return unary(f, n.op, f.eval(n.operand), n.pos)


@register_eval(ir.BoolOp)
def bool_op(f: Frame, n: ir.BoolOp) -> Value:
    """`a and b` as a value: every operand but the last is a truth test, and the result is one of the operands."""
    stops = n.op == "or"
    out: list[Value] = []
    before, cap, epoch = f.here, f.around.cap, f.epoch
    f.state = before.copy()
    for operand in n.values[:-1]:
        value, decided = truth.decide_value(f, operand, n.op)
        if decided is None or decided is stops:
            kept = narrowing.known_truth(value, stops)
            out.append(kept)
        if decided is stops:
            break
        if f.state is None:
            break
        truth.lower_cap(f, operand, n.op)
        truth.assume(f, operand, not stops)
    else:
        if f.state is not None:
            out.append(f.eval(n.values[-1]))
    truth.merge_back(f, before, epoch, f.state)
    f.around.cap = cap
    return join_all(out)


@register_eval(ir.Compare)
def compare(f: Frame, n: ir.Compare) -> Value:
    left = f.eval(n.left)
    result: Value = BOTTOM
    last = len(n.ops) - 1
    for i, (op, right_node) in enumerate(zip(n.ops, n.rights, strict=True)):
        right = f.eval(right_node)
        if op in ("in", "not in"):
            state_slots.looked_up(f, right_node, left)
            if n.left.__class__ is ir.Index:
                refused_objects.looked_up(f, right_node, n.left, n.pos)
        iterator_objects.views_compared(f, op, n.left if i == 0 else n.rights[i - 1], right_node, n.pos)
        link = compare_pair(f, op, left, right, n.pos)
        if i < last:  # `a < b < c` tests `a < b` before it goes on: a jump
            truth.test_value(f, link, "comparison", n.pos)
            f.trace.chains(n.pos)
        result = link if last == 0 else join(result, link)
        left = right
    return result


@register_eval(ir.Index)
def index(f: Frame, n: ir.Index) -> Value:
    value = f.eval(n.value)
    own = own_namespace.read(f, n)
    if own is not None:
        return own
    if f.here.paths:
        key = dotted_name(n.value)
        if key and isinstance(n.index, ir.Const):
            known = f.here.paths.get(f"{key}[{n.index.value!r}]")
            if known is not None:
                return known
    at = f.eval(n.index)
    decided = perform(f, Operation.GET_ITEM, "[]", (value, at), n.pos, n)
    if decided is not None:
        return decided
    if value.__class__ is Mapping and n.value.__class__ is ir.Attr:
        container_writes.looked_up(f, n.value, at, n.pos)
    item = spelled_item(f.interp.load_item(f, value, at, n.pos), n)
    if f.takes_rest(n.value) and not isinstance(at, (Const, Sequence)):
        return items.doubted(item, Doubt.ANY_ARGUMENT)
    return item


@register_eval(ir.Slice)
def slice_(f: Frame, n: ir.Slice) -> Value:
    """A slice is a sequence of its three bounds, so that `load_item` can look at them."""
    bounds = tuple([NONE if b is None else f.eval(b) for b in (n.lower, n.upper, n.step)])
    return Sequence("slice", bounds, BOTTOM)


@register_eval(ir.Display)
def display(f: Frame, n: ir.Display) -> Value:
    items: list[Value] = []
    exact = True
    for item in n.items:
        if item.__class__ is ir.Star:
            value = f.eval(item.value)
            if isinstance(value, Sequence) and value.items is not None:
                items.extend(value.items)
            else:
                exact = False
                items.append(f.interp.iterate(f, value, item.pos))
        else:
            items.append(f.eval(item))
    if n.kind == "set":
        _hashed(f, next((item for item in items if _is_method(item)), BOTTOM), n.pos)
    if exact and n.kind != "set" and len(items) <= 64:
        return Sequence(n.kind, tuple(items), BOTTOM)
    return Sequence(n.kind, None, join_all(items))


def _is_method(value: Value) -> bool:
    return isinstance(value, BoundMethod) and isinstance(value.receiver, Tensor) and not value.receiver.array


def _hashed(f: Frame, key: Value, pos: int) -> None:
    """A key of a dictionary or a member of a set: the method of a tensor has no hash that Dynamo knows."""
    if _is_method(key):
        refused(f, "GB0682", "tensor's method as a key", (key,), pos)


@register_eval(ir.DictDisplay)
def dict_display(f: Frame, n: ir.DictDisplay) -> Value:
    entries: dict[Any, Value] = {}
    rest: list[Value] = []
    exact = True
    for key_node, value_node in zip(n.keys, n.values, strict=True):
        value = f.eval(value_node)
        if key_node is None:
            if isinstance(value, Mapping):
                entries.update(value.entries)
                exact = exact and value.exact
                rest.extend(value.rest)
            else:
                exact = False
                rest.append(UNKNOWN)
            continue
        key = f.eval(key_node)
        _hashed(f, key, key_node.pos)
        if is_known_key(key):
            entries[key_of(key)] = value
        else:
            exact = False
            rest.append(value)
    return Mapping(tuple(entries.items()), join_all(rest), exact)


@register_eval(ir.IfExp)
def if_expression(f: Frame, n: ir.IfExp) -> Value:
    tested, decided = truth.decide_value(f, n.test, "if-expression")
    usual = usual_of(tested) if decided is None else None
    out: list[Value] = []

    def arm(expr: ir.Expr, taken: bool) -> None:
        f.around.cap = cap
        if decided is None:
            truth.lower_in_arm(f, n.test, taken)
        if usual is not None and bool(usual.value) is not taken:
            f.around.cap = Doubt.OFF_BY_DEFAULT.lower(f.around.cap)
        truth.assume(f, n.test, taken)
        if f.state is None:
            return
        if decided is None:
            f.around.tests.append((n.test, taken))
        out.append(f.eval(expr))
        if decided is None:
            f.around.tests.pop()

    before, cap, epoch = f.here, f.around.cap, f.epoch
    arms = ((partial(arm, n.then, True), True), (partial(arm, n.other, False), False))
    arms_to_run = [run for run, taken in arms if decided is None or decided is taken]
    ends = f.fork(arms_to_run)
    f.around.cap = cap
    truth.merge_back(f, before, epoch, *ends)
    return _with_default(n, out) or join_all(out)


def _with_default(n: ir.IfExp, out: list[Value]) -> Value | None:
    """`"sum" if how is None else how`: a text or flag that has a default, which is what it usually is."""
    test = n.test
    if len(out) != _BOTH or not isinstance(test, ir.Compare) or len(test.ops) != 1:
        return None
    default, other = (out[0], n.other) if test.ops[0] == "is" else (out[1], n.then)
    given = out[1] if other is n.other else out[0]
    is_none_test = isinstance(test.rights[0], ir.Const) and test.rights[0].value is None
    same = dotted_name(test.left) != "" and dotted_name(test.left) == dotted_name(other)
    if not is_none_test or not same or not isinstance(default, Const) or type(default.value) not in (str, bool):
        return None
    if given is not UNKNOWN and type_name(given) != type_name(default):
        return None
    usually = class_attributes.softened(default)
    return join(usually, UNKNOWN) if given is UNKNOWN else usually


@register_eval(ir.Lambda)
def lambda_(f: Frame, n: ir.Lambda) -> Value:
    f.interp.defaults_of(f, n.function)
    made = FunctionRef(f.module.function(n.function, f.owner), None, f)
    if f.context.root_kind == "all" and not f.modes.host:  # every function is a root there, one without a name too
        f.interp.lambda_made(made, f)
    return made


@register_eval(ir.Star)
def star(f: Frame, n: ir.Star) -> Value:
    return f.interp.iterate(f, f.eval(n.value), n.pos)


@register_eval(ir.FString)
def f_string(f: Frame, n: ir.FString) -> Value:
    parts = [(field, f.eval(field.value)) for field in n.fields]
    dependence = Dependence.STATIC
    for field, value in parts:
        inside = value.items if isinstance(value, Sequence) and value.items is not None else (value,)
        tensor = next((t for t in (tensor_arm(v) for v in inside) if t is not None), None)
        if tensor is not None:
            f.emit(events.Syntax(f.site(field.pos), None, SyntaxForm.FSTRING.value, (tensor,)))
            # Clean while the text is not looked at: `len` of it and comparisons do.
            dependence = Dependence.DATA
    if f.modes.silent and n.texts is not None and dependence is Dependence.STATIC:
        shown = [v.value for field, v in parts if isinstance(v, Const) and type(v.value) is str and _plain(field)]
        if len(shown) == len(parts):
            pieces = [t for pair in zip(n.texts, [*shown, ""], strict=True) for t in pair]
            return Const("".join(pieces))
    return Scalar("str", dependence)


def _plain(field: ir.Field) -> bool:
    return field.spec is None and field.conversion in ("", "s")


@register_eval(ir.Walrus)
def walrus(f: Frame, n: ir.Walrus) -> Value:
    value = f.eval(n.value)
    f.here.bind(n.name, value)
    return value


@register_eval(ir.Yield)
def yield_(f: Frame, n: ir.Yield) -> Value:
    value = NONE if n.value is None else f.eval(n.value)
    if n.how == "await":
        refused_objects.awaited(f, n.pos)
        return value
    f.yields = join(f.yields, f.interp.iterate(f, value, n.pos) if n.how == "from" else value)
    return UNKNOWN
