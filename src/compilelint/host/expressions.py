"""What the expressions of the host program are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from compilelint.host import iterating, library, operators
from compilelint.host.protocol import Machine
from compilelint.host.signals import MOST_ITEMS, MOST_YIELDS, RaisedError
from compilelint.host.values import UNKNOWN, Drawn, Env, External, Super, Sym, Thing, Value, same
from compilelint.syntax import ir


def _of_name(m: Machine, env: Env, e: ir.Name) -> Value:
    scope: Env | None = env
    while scope is not None:
        if e.id in scope.names:
            value = scope.names[e.id]
            if m.region is not None:
                value = m.region.name_read(scope, e.id, value)
            return value
        scope = scope.outer
    if e.id in env.globals.names:
        value = env.globals.names[e.id]
        return value if m.region is None else m.region.name_read(env.globals, e.id, value)
    return External(f"builtins.{e.id}") if e.id in library.BUILTINS else UNKNOWN


def _of_const(m: Machine, env: Env, e: ir.Const) -> Value:
    return e.value


def _of_attr(m: Machine, env: Env, e: ir.Attr) -> Value:
    return m.attribute(env, m.eval(env, e.value), e.name, e.pos)


def _of_binary(m: Machine, env: Env, e: ir.Binary) -> Value:
    left, right = m.eval(env, e.left), m.eval(env, e.right)
    m.regions.read(m, env, [left, right], e.pos)
    return operators.binary(m, e.op, left, right)


def _of_unary(m: Machine, env: Env, e: ir.Unary) -> Value:
    value = m.eval(env, e.operand)
    if e.op == "not":
        m.regions.tested(m, env, value, e.operand)
        truth = m.truth(value)
        return UNKNOWN if truth is None else not truth
    return operators.unary(e.op, value)


def _of_bool_op(m: Machine, env: Env, e: ir.BoolOp) -> Value:
    value: Value = None
    unsure = False
    for one in e.values:
        value = m.eval(env, one)
        m.regions.tested(m, env, value, one)
        truth = m.truth(value)
        if truth is None:
            unsure = True
        elif truth is (e.op == "or"):
            return UNKNOWN if unsure else value
    return UNKNOWN if unsure else value


def _of_compare(m: Machine, env: Env, e: ir.Compare) -> Value:
    left = m.eval(env, e.left)
    result: Value = True
    for op, right_expr in zip(e.ops, e.rights, strict=True):
        right = m.eval(env, right_expr)
        m.regions.compared(m, env, op, left, right, e)
        m.regions.read(m, env, [left, right], e.pos)
        result = operators.compare(m, op, left, right)
        if len(e.ops) == 1:
            return result
        truth = m.truth(result)
        if truth is not True:
            return False if truth is False else UNKNOWN
        left = right
    return result


def _of_index(m: Machine, env: Env, e: ir.Index) -> Value:
    value, index = m.eval(env, e.value), m.eval(env, e.index)
    m.regions.item_sought(m, env, value, index, e.pos)
    found = operators.item(m, value, index)
    if isinstance(value, Thing):
        return m.call_method(env, value, "__getitem__", [index], {}, e.pos)
    if m.region is not None:
        found = m.region.item_read(value, index, found)
    return found


def _of_slice(m: Machine, env: Env, e: ir.Slice) -> Value:
    parts = [None if one is None else m.eval(env, one) for one in (e.lower, e.upper, e.step)]
    return slice(*parts)


def _of_display(m: Machine, env: Env, e: ir.Display) -> Value:
    items: list[Value] = []
    for one in e.items:
        if isinstance(one, ir.Star):
            found, known = m.iterate(m.eval(env, one.value), MOST_ITEMS)
            if not known:
                return UNKNOWN
            items += found
        else:
            items.append(m.eval(env, one))
    if e.kind == "set":
        return set(items) if all(map(operators.hashable, items)) else UNKNOWN
    return tuple(items) if e.kind == "tuple" else items


def _of_dict_display(m: Machine, env: Env, e: ir.DictDisplay) -> Value:
    out: dict[Any, Value] = {}
    for key_expr, value_expr in zip(e.keys, e.values, strict=True):
        value = m.eval(env, value_expr)
        if key_expr is None:
            if not isinstance(value, dict):
                return UNKNOWN
            out.update(value)
            continue
        key = m.eval(env, key_expr)
        if not operators.hashable(key):
            return UNKNOWN
        out[key] = value
    return out


def _of_if_exp(m: Machine, env: Env, e: ir.IfExp) -> Value:
    truth = m.truth(m.eval(env, e.test))
    if truth is not None:
        return m.eval(env, e.then if truth else e.other)
    m.uncertain += 1
    try:
        a, b = m.eval(env, e.then), m.eval(env, e.other)
    finally:
        m.uncertain -= 1
    return a if same(a, b) else m.one_of([a, b])


def _of_lambda(m: Machine, env: Env, e: ir.Lambda) -> Value:
    return m.function(env, e.function)


def _of_comp(m: Machine, env: Env, e: ir.Comp) -> Value:
    out: list[Any] = []
    inner = Env(env.module, {}, env, env.function, env.globals)
    inner.receiver = env.receiver
    known = _clauses(m, inner, e, 0, out)
    if e.kind == "dict":
        if not known or not all(operators.hashable(k) for k, _ in out):
            return UNKNOWN
        return dict(out)
    if e.kind == "set":
        return set(out) if known and all(map(operators.hashable, out)) else UNKNOWN
    if e.kind == "generator" and known:
        return iterating.Given(out)
    return out if known else iterating.Some(out[0] if out else UNKNOWN)


def _clauses(m: Machine, env: Env, e: ir.Comp, at: int, out: list[Any]) -> bool:
    if at == len(e.clauses):
        m.tick()
        value = m.eval(env, e.element)
        out.append((value, m.eval(env, e.value)) if e.value is not None else value)
        return True
    clause = e.clauses[at]
    source = m.eval(env, clause.iterable)
    m.regions.special(m, env, source, "__iter__", clause.iterable.pos)
    items, known = m.iterate(source, MOST_ITEMS // 10)
    for item in items:
        if isinstance(source, iterating.Given):
            m.regions.arrives(item)
        m.assign(env, clause.target, item)
        tests = [m.truth(m.eval(env, one)) for one in clause.conditions]
        if False in tests:
            continue
        known = known and None not in tests
        known = _clauses(m, env, e, at + 1, out) and known
    return known


def _of_star(m: Machine, env: Env, e: ir.Star) -> Value:
    return m.eval(env, e.value)


def _of_f_string(m: Machine, env: Env, e: ir.FString) -> Value:
    values = [m.eval(env, one.value) for one in e.fields]
    plain = all(isinstance(v, (str, int)) and not isinstance(v, Sym) for v in values)
    simple = all(one.spec is None and not one.conversion for one in e.fields)
    if any(isinstance(v, Drawn) and v.kind == "str" for v in values):
        return Drawn("str")
    if e.texts is None or not plain or not simple or sum(len(str(v)) for v in values) > 1_000:
        return iterating.SOME_TEXT if not any(isinstance(v, Drawn) for v in values) else UNKNOWN
    return "".join([t + s for t, s in zip(e.texts, [*map(str, values), ""], strict=True)])


def _of_walrus(m: Machine, env: Env, e: ir.Walrus) -> Value:
    value = m.eval(env, e.value)
    m.bind(env, e.name, value)
    return value


def _of_yield(m: Machine, env: Env, e: ir.Yield) -> Value:
    value = None if e.value is None else m.eval(env, e.value)
    if e.how == "await":
        return value
    if m.yields:
        out = m.yields[-1]
        if e.how == "from":
            out += m.iterate(value, MOST_YIELDS)[0]
        else:
            out.append(value)
        if len(out) >= MOST_YIELDS:
            raise RaisedError(UNKNOWN)
    return UNKNOWN


def _of_opaque(m: Machine, env: Env, e: ir.Opaque) -> Value:
    return UNKNOWN


def _of_call(m: Machine, env: Env, e: ir.Call) -> Value:
    if isinstance(e.func, ir.Name) and e.func.id == "super" and "super" not in env.names:
        return _super(m, env)
    function = m.eval(env, e.func)
    args: list[Value] = []
    keywords: dict[str, Value] = {}
    for one in e.args:
        value = m.eval(env, one)
        if isinstance(one, ir.Star):
            items, known = m.iterate(value, MOST_ITEMS)
            args += items if known else [UNKNOWN]
        else:
            args.append(value)
    for name, expr in e.keywords:
        value = m.eval(env, expr)
        if name is not None:
            keywords[name] = value
        elif isinstance(value, dict):
            keywords.update({k: v for k, v in value.items() if isinstance(k, str)})
    if function is UNKNOWN and isinstance(e.func, ir.Attr):
        m.regions.unknown_called(m, env, e.func.name, args, e.pos)
    return m.call(env, function, args, keywords, e.pos, e)


def _super(m: Machine, env: Env) -> Value:
    scope: Env | None = env
    while scope is not None:
        if scope.owner is not None and scope.receiver is not None:
            return Super(scope.receiver, scope.owner)
        scope = scope.outer
    return UNKNOWN


EXPRESSIONS: Mapping[type[Any], Callable[[Any, Env, Any], Value]] = {
    ir.Name: _of_name,
    ir.Const: _of_const,
    ir.Attr: _of_attr,
    ir.Binary: _of_binary,
    ir.Unary: _of_unary,
    ir.BoolOp: _of_bool_op,
    ir.Compare: _of_compare,
    ir.Index: _of_index,
    ir.Slice: _of_slice,
    ir.Display: _of_display,
    ir.DictDisplay: _of_dict_display,
    ir.IfExp: _of_if_exp,
    ir.Lambda: _of_lambda,
    ir.Comp: _of_comp,
    ir.Star: _of_star,
    ir.FString: _of_f_string,
    ir.Walrus: _of_walrus,
    ir.Yield: _of_yield,
    ir.Opaque: _of_opaque,
    ir.Call: _of_call,
}
