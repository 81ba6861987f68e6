"""What the statements of the host program do; a test that is not known has both its sides run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from compilelint.host import library, operators
from compilelint.host.iterating import Given
from compilelint.host.protocol import Machine
from compilelint.host.signals import BREAK, CONTINUE, ENUMS, MOST_ITEMS, MOST_PASSES, RaisedError, Returned, Signal
from compilelint.host.values import (
    UNKNOWN,
    Bound,
    Class,
    Drawn,
    Env,
    External,
    Function,
    Lib,
    Member,
    Namespace,
    Thing,
    Value,
    Wrapper,
    is_plain,
    same,
)
from compilelint.project.classes import ClassInfo
from compilelint.project.index import canonical
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name


def _do_assign(m: Machine, env: Env, s: ir.Assign) -> Signal:
    value = m.eval(env, s.value)
    for target in s.targets:
        m.assign(env, target, value)
    return None


def _do_ann_assign(m: Machine, env: Env, s: ir.AnnAssign) -> Signal:
    if s.value is not None:
        m.assign(env, s.target, m.eval(env, s.value))
    return None


def _do_aug_assign(m: Machine, env: Env, s: ir.AugAssign) -> Signal:
    old = m.eval(env, s.target)
    step = m.eval(env, s.value)
    op = s.op.removesuffix("=")
    m.regions.read(m, env, [old, step], s.pos)
    if op == "+" and isinstance(old, list) and isinstance(step, (list, tuple)):
        old.extend(list(step)[:MOST_ITEMS])
        return None
    m.assign(env, s.target, operators.binary(m, op, old, step))
    return None


def _do_expr_stmt(m: Machine, env: Env, s: ir.ExprStmt) -> Signal:
    value = m.eval(env, s.value)
    if isinstance(s.value, ir.Attr) and isinstance(value, Bound) and value.name == "compile":
        m.regions.named(m, env, value.receiver, s.value.pos)
    return None


def _do_return(m: Machine, env: Env, s: ir.Return) -> Signal:
    return Returned(None if s.value is None else m.eval(env, s.value))


def _do_if(m: Machine, env: Env, s: ir.If) -> Signal:
    return _arms(m, env, s.arms, s.other)


def _arms(m: Machine, env: Env, arms: Sequence[tuple[ir.Expr, ir.Body]], other: ir.Body) -> Signal:
    """The first arm whose test is true, else `other`; where a test is not known, its arm and what follows it."""
    for i, (test, body) in enumerate(arms):
        value = m.eval(env, test)
        m.regions.tested(m, env, value, test)
        truth = m.truth(value)
        if truth is True:
            return m.body(env, body)
        if truth is None:
            rest = arms[i + 1 :]
            return either(m, env, [partial(m.body, env, body), partial(_arms, m, env, rest, other)])
    return m.body(env, other)


def either(m: Machine, env: Env, arms: Sequence[Callable[[], Signal]]) -> Signal:
    """Run all of several blocks of which one would run: what they leave differently is unknown."""
    before = dict(env.names)
    ends: list[dict[str, Value]] = []
    signals: list[Signal] = []
    written: list[list[tuple[Any, str, Value, bool]]] = []
    for arm in arms:
        env.names.clear()
        env.names.update(before)
        m.journals.append([])
        m.uncertain += 1
        try:
            signal = arm()
            if signal is None:
                ends.append(dict(env.names))
            signals.append(signal)
        except RaisedError:
            pass
        finally:
            m.uncertain -= 1
            journal = m.journals.pop()
            written.append([(owner, key, owner.attrs.get(key, UNKNOWN), had) for owner, key, _, had in journal])
            for owner, key, old, had in reversed(journal):
                if had:
                    owner.attrs[key] = old
                else:
                    owner.attrs.pop(key, None)
    _written_by_some(m, written)
    m.exits += any(one is None for one in signals) and any(one is not None and one is not CONTINUE for one in signals)
    returned = [one for one in signals if isinstance(one, Returned)]
    env.names.clear()
    env.names.update(_merged(m, ends) if ends else before)
    if ends or not signals:
        return None if signals else Returned(UNKNOWN)
    if len(returned) == len(signals):
        first = returned[0].value
        alike = all(same(first, one.value) for one in returned)
        return returned[0] if alike else Returned(m.one_of([one.value for one in returned]))
    return signals[0]


def _merged(m: Machine, ends: list[dict[str, Value]]) -> dict[str, Value]:
    first, *rest = ends
    for other in rest:
        names = {}
        for name in {**first, **other}:
            a, b = first.get(name, UNKNOWN), other.get(name, UNKNOWN)
            one_side = name not in first or name not in other
            names[name] = (a if name in first else b) if one_side else a if same(a, b) else m.one_of([a, b])
        first = names
    return first


def _written_by_some(m: Machine, written: list[list[tuple[Any, str, Value, bool]]]) -> None:
    last: list[dict[tuple[int, str], tuple[Any, Value]]] = [
        {(id(owner), key): (owner, value) for owner, key, value, _ in journal} for journal in written
    ]
    keys = {key for one in last for key in one}
    for key in keys:
        values = [one[key][1] for one in last if key in one]
        owner = next(one[key][0] for one in last if key in one)
        every = len(values) == len(last) and all(same(values[0], one) for one in values)
        if m.journals:
            m.journals[-1].append((owner, key[1], owner.attrs.get(key[1]), key[1] in owner.attrs))
        owner.attrs[key[1]] = values[0] if every else UNKNOWN
        if not every:
            m.lost(values)


def _do_for(m: Machine, env: Env, s: ir.For) -> Signal:
    iterable = m.eval(env, s.iterable)
    m.regions.special(m, env, iterable, "__iter__", s.iterable.pos)
    limit = MOST_PASSES[min(m.loops, len(MOST_PASSES) - 1)]
    items, known = m.iterate(iterable, limit)
    lists = _Lists(m, env)
    m.loops += 1
    if not known:
        m.guessed += 1
    try:
        for item in items:
            if isinstance(iterable, Given):
                m.regions.arrives(item)
            m.assign(env, s.target, item)
            signal = m.body(env, s.body)
            if signal is BREAK:
                return None
            if isinstance(signal, Returned):
                return signal
    finally:
        m.loops -= 1
        if not known:
            m.guessed -= 1
    lists.left(m.exits != lists.exits)
    return m.body(env, s.other)


def _do_while(m: Machine, env: Env, s: ir.While) -> Signal:
    limit = MOST_PASSES[min(m.loops, len(MOST_PASSES) - 1)]
    lists = _Lists(m, env)
    undecided = False
    m.loops += 1
    try:
        for count in range(limit):
            truth = m.truth(m.eval(env, s.test))
            undecided = undecided or truth is None
            if truth is False:
                lists.left(m.exits != lists.exits or undecided)
                return m.body(env, s.other)
            if truth is None and count >= 2:
                break
            signal = m.body(env, s.body)
            if signal is BREAK:
                break
            if isinstance(signal, Returned):
                return signal
        else:
            undecided = True
    finally:
        m.loops -= 1
    lists.left(m.exits != lists.exits or undecided)
    return None


class _Lists:
    """The lists that are there before a loop: of one that grows in it, how long it is depends on when the loop ends."""

    def __init__(self, m: Machine, env: Env) -> None:
        self.m, self.exits, self.at = m, m.exits, len(m.grown)
        held = [*env.names.values()]
        held += [one for value in held if isinstance(value, Thing) for one in value.attrs.values()]
        held += [one for value in held if isinstance(value, dict) for one in value.values()]
        self.before = {id(one) for one in held if isinstance(one, list)}

    def left(self, undecided: bool) -> None:
        """The loop has ended, on some path only where this is undecided."""
        for one in self.m.grown[self.at :] if undecided else ():
            if id(one) in self.before:
                self.m.lengths[id(one)] = one, Drawn()


def _do_with(m: Machine, env: Env, s: ir.With) -> Signal:
    kept, stance, ambient = m.gradients, m.regions.stance, m.regions.ambient.values
    for expr, target in s.items:
        manager = m.eval(env, expr)
        m.regions.special(m, env, manager, "__enter__", expr.pos)
        entered = library.entered(m, env, manager, expr.pos)
        if isinstance(manager, Thing):
            method = manager.cls.method("__enter__")
            entered = UNKNOWN if method is None else m.call_method(env, manager, "__enter__", [], {}, expr.pos)
        if target is not None:
            m.assign(env, target, entered)
    try:
        return m.body(env, s.body)
    finally:
        m.gradients, m.regions.stance, m.regions.ambient.values = kept, stance, ambient


def _do_try(m: Machine, env: Env, s: ir.Try) -> Signal:
    try:
        signal = m.body(env, s.body)
        if signal is None:
            signal = m.body(env, s.other)
    except RaisedError as raised:
        signal = None
        handler = s.handlers[0] if s.handlers else None
        if handler is None:
            m.body(env, s.final)
            raise
        if handler.name:
            env.names[handler.name] = raised.value
        signal = m.body(env, handler.body)
    final = m.body(env, s.final)
    return signal if final is None else final


def _do_raise(m: Machine, env: Env, s: ir.Raise) -> Signal:
    raise RaisedError(UNKNOWN if s.exc is None else m.eval(env, s.exc))


def _do_assert(m: Machine, env: Env, s: ir.Assert) -> Signal:
    value = m.eval(env, s.test)
    if m.truth(value) is False and not m.uncertain:
        raise RaisedError(UNKNOWN)
    return None


def _do_delete(m: Machine, env: Env, s: ir.Delete) -> Signal:
    for target in s.targets:
        if isinstance(target, ir.Name):
            env.names.pop(target.id, None)
        elif isinstance(target, ir.Attr):
            owner = m.eval(env, target.value)
            if isinstance(owner, (Thing, Lib)):
                m.note_write(env, owner, target.name, target.pos)
                owner.attrs.pop(target.name, None)
        elif isinstance(target, ir.Index):
            held, index = m.eval(env, target.value), m.eval(env, target.index)
            if isinstance(held, dict) and is_plain(index):
                held.pop(index, None)
            elif isinstance(held, list) and isinstance(index, int) and -len(held) <= index < len(held):
                del held[index]
    return None


def _do_scope(m: Machine, env: Env, s: ir.Scope) -> Signal:
    return None


def _do_jump(m: Machine, env: Env, s: ir.Jump) -> Signal:
    return BREAK if s.kind == "break" else CONTINUE if s.kind == "continue" else None


def _do_import(m: Machine, env: Env, s: ir.Import) -> Signal:
    for dotted, alias in s.names:
        name = dotted if alias else dotted.partition(".")[0]
        m.bind(env, alias or name, imported(m, env.module.named(name)))
    return None


def imported(m: Machine, dotted: str) -> Value:
    """A module of the program or of a library, imported."""
    module = m.module_of(dotted)
    return External(dotted) if module is None else Namespace(m.run_module(module, module.name))


def _do_import_from(m: Machine, env: Env, s: ir.ImportFrom) -> Signal:
    base = env.module.absolute(s.module, s.level)
    module = m.module_of(base)
    source = None if module is None else m.run_module(module, module.name)
    for name, alias in s.names:
        if name == "*":
            if source is not None:
                for key, value in list(source.names.items()):
                    if not key.startswith("_"):
                        m.bind(env, key, value)
        elif source is not None and name in source.names:
            m.bind(env, alias or name, source.names[name])
        elif m.module_of(f"{base}.{name}") is not None:
            m.bind(env, alias or name, imported(m, f"{base}.{name}"))
        else:
            m.bind(env, alias or name, External(canonical(f"{base}.{name}")) if source is None else UNKNOWN)
    return None


def _do_match(m: Machine, env: Env, s: ir.Match) -> Signal:
    subject = m.eval(env, s.subject)
    undecided: list[ir.Case] = []
    for case in s.cases:
        values = [m.eval(env, one) for one in case.values]
        for one in case.types:
            m.regions.tests_type(m, env, "match", subject, m.eval(env, one), case.pos, None)
        for value in values:
            m.regions.compared(m, env, "==", subject, value, s.subject)
        if case.irrefutable:
            for name in case.binds:
                env.names[name] = subject
        elif case.types or case.guard is not None or not values or case.binds or not is_plain(subject):
            undecided.append(case)
            continue
        elif not any(same(subject, one) for one in values):
            continue
        if undecided:
            undecided.append(case)
            break
        return m.body(env, case.body)
    if undecided:
        for case in undecided:
            for name in case.binds:
                env.names[name] = UNKNOWN
        return either(m, env, [lambda case=case: m.body(env, case.body) for case in undecided])  # type: ignore[misc]
    return None


def _do_function(m: Machine, env: Env, s: ir.Function) -> Signal:
    m.bind(env, s.name, m.decorated(env, m.function(env, s), s.decorators))
    return None


def _do_class(m: Machine, env: Env, s: ir.Class) -> Signal:
    info = m.program.class_info(env.module, s, None, _bases(m, env, s))
    made = m.classes[id(info)] = Class(info, env)
    for method in info.methods():
        node = method.node
        for p in node.params:
            if p.default is not None and not isinstance(p.default, ir.Const):
                made.attrs[f"{node.name}({p.name}"] = m.eval(env, p.default)
        compiled = [d for d in node.decorators if library.may_compile(last_name(d))]
        if compiled:
            function = Function(method, env, None, m.defaults_of(made, method))
            value = m.decorated(env, function, compiled)
            if isinstance(value, Wrapper):
                made.attrs[node.name] = value
    for statement in s.body:
        if isinstance(statement, (ir.Assign, ir.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ir.Assign) else (statement.target,)
            inner = Env(env.module, dict(made.attrs), env, None, env.globals)
            value = m.eval(inner, statement.value)
            for target in targets:
                if isinstance(target, ir.Name):
                    made.attrs[target.id] = value
    if info.descends_from(*ENUMS):
        for name in [n for n in info.members if not n.startswith("_") and n in made.attrs]:
            made.attrs[name] = Member(info, name, made.attrs[name])
    m.bind(env, s.name, m.decorated(env, made, s.decorators))
    return None


def _bases(m: Machine, env: Env, s: ir.Class) -> tuple[ClassInfo | str | None, ...] | None:
    """The bases of a class that a function defines."""
    if env.function is None:
        return None
    bases: list[ClassInfo | str | None] = []
    for expr in s.bases:
        value = m.eval(env, expr)
        bases.append(value.info if isinstance(value, Class) else value.name if isinstance(value, External) else None)
    return tuple(bases)


STATEMENTS: Mapping[type[Any], Callable[[Any, Env, Any], Signal]] = {
    ir.Assign: _do_assign,
    ir.AnnAssign: _do_ann_assign,
    ir.AugAssign: _do_aug_assign,
    ir.ExprStmt: _do_expr_stmt,
    ir.Return: _do_return,
    ir.If: _do_if,
    ir.For: _do_for,
    ir.While: _do_while,
    ir.With: _do_with,
    ir.Try: _do_try,
    ir.Raise: _do_raise,
    ir.Assert: _do_assert,
    ir.Delete: _do_delete,
    ir.Scope: _do_scope,
    ir.Jump: _do_jump,
    ir.Import: _do_import,
    ir.ImportFrom: _do_import_from,
    ir.Match: _do_match,
    ir.Function: _do_function,
    ir.Class: _do_class,
}
