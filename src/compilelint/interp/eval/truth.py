"""Truth tests and what follows from them.

`decide` evaluates a test the way Python compiles it: one jump an operand of `and`/`or`/`not`, each emitted to the
checks if it needs data. `assume` narrows the state under the assumption that a test went one way. Neither judges.
"""

from __future__ import annotations

from collections.abc import Callable

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.state import State
from compilelint.interp.kinds.narrowing import (
    assume_call,
    assume_comparison,
    falsy,
    known_at,
    narrow,
    path_key,
    truthy,
    type_asked,
)
from compilelint.interp.kinds.tensors import OTHER_KINDS, is_plain
from compilelint.interp.kinds.types import tensor_class, types_of
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    UNKNOWN,
    Const,
    Dependence,
    External,
    Object,
    Scalar,
    Tensor,
    Union,
    Value,
    join_all,
    tensor_arm,
    truth,
    usual_of,
)

_HALF = frozenset({"torch.float16", "torch.half", "torch.bfloat16"})


def decide(f: Frame, n: ir.Expr, keyword: events.Keyword) -> bool | None:
    """Evaluate a test; True or False if its outcome is known, None if both are possible."""
    return decide_value(f, n, keyword)[1]


def decide_value(f: Frame, n: ir.Expr, keyword: events.Keyword) -> tuple[Value, bool | None]:
    """`decide`, with the value of the test."""
    if isinstance(n, ir.BoolOp):
        return _decide_bool(f, n, keyword)
    if isinstance(n, ir.Unary) and n.op == "not":
        value, inner = decide_value(f, n.operand, keyword)
        if inner is None:
            usual = usual_of(value)
            return (UNKNOWN if usual is None else Scalar("bool", usual=Const(not usual.value))), None
        return Const(not inner), not inner
    value = f.eval(n)
    if f.state is None:
        return value, None
    return value, test_value(f, value, keyword, n.pos)


def _decide_bool(f: Frame, n: ir.BoolOp, keyword: events.Keyword) -> tuple[Value, bool | None]:
    stops = n.op == "or"  # the outcome of an operand that ends the evaluation
    before, cap, epoch, conditional = f.here, f.around.cap, f.epoch, f.around.conditional
    f.state = before.copy()
    result: bool | None = not stops
    usual: bool | None = not stops  # what mostly comes out
    for operand in n.values:
        value, one = decide_value(f, operand, keyword)
        held = usual_of(value) if one is None else Const(one)
        if usual is not stops:
            usual = None if held is None else stops if bool(held.value) is stops else usual
        if operand is n.values[0] and f.state is not None:  # the one that is reached whatever comes out
            before.broke, before.skipped = f.state.broke, f.state.skipped
        if one is stops:
            # Behind an operand of unknown outcome, this one need not be reached: the whole is still `stops` if it is.
            result = stops
            break
        if one is None:
            result = None
            goes_on = held is not None and bool(held.value) is not stops
            f.around.conditional += not (f.context.linted or goes_on)
        if f.state is None:
            break
        lower_cap(f, operand, n.op)
        assume(f, operand, not stops)
        if f.state is None:
            break
    merge_back(f, before, epoch, f.state)
    f.around.cap, f.around.conditional = cap, conditional
    mostly = UNKNOWN if usual is None or result is not None else Scalar("bool", usual=Const(usual))
    return mostly, result


def test_value(f: Frame, value: Value, keyword: events.Keyword, pos: int) -> bool | None:
    """A jump on a value: emitted if Dynamo cannot take it while tracing."""
    decided = perform(f, Operation.TRUTH, "if", (value,), pos)
    if decided is not None:
        return truth(decided)
    tensor = tensor_arm(value)
    if tensor is not None:
        outcome = f.interp.facts.syntax(SyntaxForm.IF)
        f.emit(events.Branch(f.site(pos), outcome, keyword, tensor))
        f.broken_by(outcome, tensor.confidence)
        return None
    if isinstance(value, Scalar) and value.dependence >= Dependence.DATA:
        outcome = f.interp.facts.syntax(SyntaxForm.IF)
        f.emit(events.Branch(f.site(pos), outcome, keyword, value))
        f.broken_by(outcome)
        return None
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.cls.method("__bool__") is not None:
        return truth(f.unsplit(lambda: f.interp.call_method(f, value, "__bool__", Args([]), pos)))
    return truth(value)


def lower_cap(f: Frame, operand: ir.Expr, op: str) -> None:
    """What follows an unlikely operand of `and` is merely possible; to be asked before the operand is assumed.

    Unlikely are `x.dtype == torch.float16`, since models run in float32 or bfloat16, `isinstance(x, str)` of
    something that nothing else shows to be one, since compiled functions are given tensors, and a switch that is off.
    """
    if op == "and" and asks_unknown_for_other(f, operand):
        f.around.cap = Doubt.OTHER_TYPE_ONLY.lower(f.around.cap)
    if op == "and" and switched_off(f, operand):
        f.around.cap = Doubt.SWITCHED_OFF.lower(f.around.cap)
    elif op == "and" and decided_by_caller(f, operand):
        f.around.cap = Doubt.CALLER_SAYS_WHETHER.lower(f.around.cap)
    elif op == "and" and off_by_default(f, operand):
        f.around.cap = Doubt.OFF_BY_DEFAULT.lower(f.around.cap)
    if op == "and" and isinstance(operand, ir.Compare) and operand.ops[0] in ("==", "in", "is"):
        sides = (operand.left, operand.rights[0])
        if any(isinstance(s, ir.Attr) and s.name == "dtype" for s in sides) and any(_is_half(f, s) for s in sides):
            f.around.cap = Doubt.HALF_PRECISION_ONLY.lower(f.around.cap)


def asks_unknown_for_other(f: Frame, test: ir.Expr) -> bool:
    """Whether a test asks of something that nothing is known of, a tensor at a guess, if it is a list, say."""
    asked = type_asked(test)
    if asked is not None and isinstance(test, ir.Compare) and test.ops[0] in ("is", "=="):
        return asks_unknown_for_other(f, asked)
    if isinstance(test, ir.BoolOp) and test.op == "and":
        return any(asks_unknown_for_other(f, operand) for operand in test.values)
    if not (isinstance(test, ir.Call) and last_name(test) == "isinstance" and len(test.args) == 2):
        return False
    known = known_at(f, path_key(test.args[0]))
    guessed = isinstance(known, Tensor) and known.confidence < Confidence.CERTAIN
    if known is not UNKNOWN and not guessed:
        return False
    wanted = types_of(f.eval(test.args[1]))
    return wanted is not None and not any(isinstance(t, str) and tensor_class(t) is not None for t in wanted)


def lower_in_arm(f: Frame, test: ir.Expr, taken: bool) -> None:
    """Claim less inside an arm that is switched off by default; to be asked before the test is assumed."""
    if switched_off(f, test, taken):
        f.around.cap = Doubt.SWITCHED_OFF.lower(f.around.cap)
    elif decided_by_caller(f, test, taken):
        f.around.cap = Doubt.CALLER_SAYS_WHETHER.lower(f.around.cap)
    elif off_by_default(f, test, taken):
        f.around.cap = Doubt.OFF_BY_DEFAULT.lower(f.around.cap)
    if _hangs_on(f, test, taken, _asks_for_other_kind):
        f.around.cap = Doubt.OTHER_KIND_OF_TENSOR_ONLY.lower(f.around.cap)


def _hangs_on(f: Frame, test: ir.Expr, wanted: bool, leaf: Callable[[Frame, ir.Expr, bool], bool]) -> bool:
    """Whether a test comes out as `wanted` only where one of its operands does that `leaf` finds unlikely."""
    if isinstance(test, ir.Unary) and test.op == "not":
        return _hangs_on(f, test.operand, not wanted, leaf)
    if isinstance(test, ir.BoolOp):
        every = (test.op == "and") is wanted  # all operands come out as wanted
        return (any if every else all)(_hangs_on(f, operand, wanted, leaf) for operand in test.values)
    return leaf(f, test, wanted)


def _asks_for_other_kind(f: Frame, test: ir.Expr, wanted: bool) -> bool:
    """`x.is_sparse` of a tensor that nothing shows to be sparse, and its like."""
    if not (wanted and isinstance(test, ir.Attr) and test.name in OTHER_KINDS):
        return False
    tensor = known_at(f, path_key(test.value))
    return isinstance(tensor, Tensor) and is_plain(tensor)


def switched_off(f: Frame, test: ir.Expr, wanted: bool = True) -> bool:
    """Whether a test comes out as `wanted` only after code outside turned a switch of `self` on.

    A switch is a flag that the constructor sets to False and no other method sets: `self.gradient_checkpointing`. A
    setting that is compared with the text "default" is one as well.
    """
    return _hangs_on(f, test, wanted, _is_switched_off)


def _is_switched_off(f: Frame, test: ir.Expr, wanted: bool) -> bool:
    if isinstance(test, ir.Compare):
        return _not_the_default(f, test, wanted)
    if not (wanted and isinstance(test, ir.Attr) and isinstance(test.value, ir.Name) and f.self_name):
        return False
    owner = f.here.names.get(f.self_name) if test.value.id == f.self_name else None
    if not (isinstance(owner, Object) and isinstance(owner.cls, ClassInfo)):
        return False
    initial = f.interp.initially(f, owner.cls, test.name)
    return isinstance(initial, Const) and initial.value is False and not owner.cls.stored_later(test.name)


def off_by_default(f: Frame, test: ir.Expr, wanted: bool = True) -> bool:
    """Whether a test comes out as `wanted` only where someone passes True for what is False by default.

    A parameter of the function, or one of the constructor that `self` keeps: `def forward(self, x, debug=False)`.
    """
    return _hangs_on(f, test, wanted, _is_off_by_default)


def _is_off_by_default(f: Frame, test: ir.Expr, wanted: bool) -> bool:
    if isinstance(test, ir.Name):
        value = f.here.names.get(test.id, UNKNOWN)
    elif isinstance(test, ir.Attr) and isinstance(test.value, ir.Name) and test.value.id == f.self_name:
        owner = f.here.names.get(f.self_name)
        if not (isinstance(owner, Object) and isinstance(owner.cls, ClassInfo)) or owner.cls.stored_later(test.name):
            return False
        value = f.interp.initially(f, owner.cls, test.name) or UNKNOWN
    else:
        return False
    usual = usual_of(value)
    return usual is not None and usual.value is (not wanted)


def decided_by_caller(f: Frame, test: ir.Expr, wanted: bool = True) -> bool:
    """Whether a test comes out as `wanted` only where the caller passes a flag against its default, and none is known.

    Only in a root that is a guess: linted with its callers, the function is what they make of it. What runs by default
    is claimed, for most calls leave a flag.
    """
    context = f.context
    if context.root_kind != "unreached" or context.caller is not None or f.function is None:
        return False
    return _hangs_on(f, test, wanted, _is_against_default)


def _is_against_default(f: Frame, test: ir.Expr, wanted: bool) -> bool:
    if f.function is None or not isinstance(test, ir.Name) or usual_of(f.here.names.get(test.id, UNKNOWN)) is None:
        return False
    flags = (p.default for p in f.function.node.params if p.name == test.id)
    return any(isinstance(default, ir.Const) and default.value is (not wanted) for default in flags)


def _not_the_default(f: Frame, test: ir.Compare, wanted: bool) -> bool:
    """Whether a test comes out as `wanted` only for a setting that was changed: `config.kind != "default"`."""
    setting, text = test.left, test.rights[0]
    changed = test.ops == (("!=",) if wanted else ("==",))
    if not (changed and isinstance(text, ir.Const) and text.value == "default" and isinstance(setting, _SETTINGS)):
        return False
    before, modes, f.modes = f.here, f.modes, f.modes.silenced
    f.state = before.copy()
    held = usual_of(f.eval(setting))
    f.state, f.modes = before, modes
    return held is None or held.value == "default"


_SETTINGS = (ir.Attr, ir.Index)


def _is_half(f: Frame, n: ir.Expr) -> bool:
    if isinstance(n, ir.Display):
        return any(_is_half(f, item) for item in n.items)
    value = f.eval(n) if isinstance(n, ir.Attr) and n.name in ("float16", "half", "bfloat16") else None
    return isinstance(value, External) and value.name in _HALF


def merge_back(f: Frame, before: State, epoch: int, *ends: State | None) -> None:
    """Leave an expression: narrowing inside it is void, names it bound and graphs it ended are not."""
    for end in ends:
        if end is not None:
            for name, value in end.names.items():
                if name not in before.names:
                    before.names[name] = value
    f.state = before
    if f.epoch != epoch:
        f.resume()


def asks_for_none(n: ir.Expr) -> bool:
    """Whether a test asks, among other things, if something is None: mostly an optional argument that is not given."""
    if isinstance(n, ir.BoolOp):
        return any(asks_for_none(operand) for operand in n.values)
    if isinstance(n, ir.Unary):
        return asks_for_none(n.operand)
    return isinstance(n, ir.Compare) and n.ops[0] in ("is", "is not")


def asks_for_type(f: Frame, n: ir.Expr) -> bool:
    """Whether a test asks which of several kinds a local value is of: the value itself says how sure each is."""
    if not (isinstance(n, ir.Call) and isinstance(n.func, (ir.Name, ir.Attr)) and n.args):
        return False
    value = n.args[0]
    if last_name(n.func) not in ("isinstance", "is_tensor") or not isinstance(value, ir.Name):
        return False
    return isinstance(f.here.names.get(value.id), Union)


# ------------------------------------------------------------------ narrowing


def assume(f: Frame, n: ir.Expr, taken: bool) -> None:
    """Narrow the state to the case that test `n` came out as `taken`; no state is left if it cannot."""
    if f.state is None:
        return
    if isinstance(n, ir.Unary) and n.op == "not":
        assume(f, n.operand, not taken)
    elif isinstance(n, ir.BoolOp):
        if (n.op == "and") is taken:
            for operand in n.values:
                assume(f, operand, taken)
        else:
            if taken and n.op == "or":
                _assume_any(f, n.values)
            _assume_rest(f, n, taken)
    elif isinstance(n, ir.Compare) and len(n.ops) == 1:
        assume_comparison(f, n, taken)
    elif isinstance(n, ir.Call):
        assume_call(f, n, taken)
    elif isinstance(n, (ir.Name, ir.Attr, ir.Walrus)):
        key = path_key(n)
        known = known_at(f, key)
        if known is not None:
            narrow(f, key, known, truthy(known) if taken else falsy(known))


def _assume_rest(f: Frame, n: ir.BoolOp, taken: bool) -> None:
    """`a and b` came out false and `b` is known to be true: then `a` is false."""
    if len(n.values) > 3 or not any(isinstance(v, (ir.Call, ir.BoolOp)) for v in n.values):
        return
    modes, f.modes = f.modes, f.modes.silenced
    before = f.here
    open_ones: list[ir.Expr] = []
    try:
        for operand in n.values:
            f.state = before.copy()
            others = [v for v in n.values if v is not operand]
            for other in others:
                if not isinstance(other, ir.BoolOp):
                    assume(f, other, not taken)
            decided = None if _is_dead(f) else decide(f, operand, n.op)
            if decided is None or decided is taken:
                open_ones.append(operand)
    finally:
        f.state, f.modes = before, modes
    if len(open_ones) == 1:
        assume(f, open_ones[0], taken)


def _is_dead(f: Frame) -> bool:
    return f.state is None


def _assume_any(f: Frame, operands: tuple[ir.Expr, ...]) -> None:
    """`isinstance(x, A) or isinstance(x, B)` held: join what each operand alone would leave of one common subject."""
    keys = {path_key(o.args[0]) for o in operands if isinstance(o, ir.Call) and o.args}
    if len(keys) != 1 or not all(isinstance(o, ir.Call) for o in operands):
        return
    key = keys.pop()
    known = known_at(f, key)
    before = f.state
    if known is None or before is None:
        return
    found = []
    for operand in operands:
        f.state = before.copy()
        assume(f, operand, True)
        if f.state is not None:
            found.append(known_at(f, key) or UNKNOWN)
    f.state = before
    if found:
        narrow(f, key, known, join_all(found))
