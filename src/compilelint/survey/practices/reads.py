"""Where the host waits for the device, or makes tensors for it, in each step: reads, tests, masks, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compilelint.project.classes import Assigned, FunctionInfo
from compilelint.survey.practices.practice import EACH, LOOP, Practice
from compilelint.survey.practices.written import at_times, is_method, loops_of, names_in, shows_tensor
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import FunctionRef

_READS = frozenset({"item", "cpu", "numpy"})
_TRUTHS = frozenset({"torch.all", "torch.any", "torch.equal", "torch.allclose"})
_WAITS = frozenset({"torch.cuda.synchronize", "torch.cuda.empty_cache"})
_HOST_MADE = frozenset({"torch.tensor", "torch.as_tensor", "torch.from_numpy"})
_TESTS = (ir.If, ir.While, ir.Assert)


def reads(scope: Scope, seen: Sequence[Spot], place_of: Callable[[Spot], str]) -> Iterator[Practice]:
    """The reads, waits, masks and copies of a scope that run again and again; not those in some passes alone."""
    for spot in seen:
        kind, name = _kind(scope, spot)
        if not kind or at_times(spot):
            continue
        place = place_of(spot)
        if place and (kind == "reads" or place != LOOP):
            yield Practice(kind, spot.site().location, name, place)  # type: ignore[arg-type]


def _kind(scope: Scope, spot: Spot) -> tuple[str, str]:
    expr = spot.expr
    if isinstance(expr, ir.Index):
        return ("masks", "") if _chooses_by_mask(scope, spot, expr) else ("", "")
    if not isinstance(expr, ir.Call):
        return "", ""
    if _is_read(scope, expr) or _is_truth(scope, spot, expr):
        return "reads", EACH if _is_of_each_parameter(spot) else ""
    name = scope.name(expr.func)
    if name in _WAITS:
        return "waits", name
    return ("copies", "") if name in _HOST_MADE and _is_moved(spot, expr) else ("", "")


# --------------------------------------------------------------------- reads


def _is_read(scope: Scope, expr: ir.Call) -> bool:
    """`x.item()`, `x.cpu()`, `x.cpu().numpy()` once; a call of a function that does nothing but this."""
    if isinstance(expr.func, ir.Attr) and expr.func.name in _READS and not expr.args:
        return not any(_is_plain_read(one) for one in expressions([expr.func.value]))
    helper = _body_of(scope, expr.func)
    return helper is not None and any(_is_plain_read(one) for one in expressions([helper]))


def _is_plain_read(expr: ir.Expr) -> bool:
    return is_method(expr, *_READS) and isinstance(expr, ir.Call) and not expr.args


def _body_of(scope: Scope, func: ir.Expr) -> ir.Expr | None:
    """What a function of one line, or a lambda, returns."""
    meaning = scope.meaning(func)
    code = meaning.code if isinstance(meaning, FunctionRef) else None
    if isinstance(code, FunctionInfo):
        body = code.node.body
        last = body[-1] if len(body) == 1 else None
        return last.value if isinstance(last, ir.Return) else None
    made = scope.assigned(func.id) if isinstance(func, ir.Name) else []
    if len(made) == 1 and isinstance(made[0], ir.Lambda):
        last = made[0].function.body[-1]
        return last.value if isinstance(last, ir.Return) else None
    return None


def _is_truth(scope: Scope, spot: Spot, expr: ir.Call) -> bool:
    """Whether a test asks whether any or all items of a tensor are true."""
    if not isinstance(spot.statement, _TESTS):
        return False
    if scope.name(expr.func) in _TRUTHS:
        return True
    asked = is_method(expr, "any", "all") and not expr.args and not expr.keywords
    return asked and isinstance(expr.func, ir.Attr) and shows_tensor(scope, expr.func.value)


def _is_of_each_parameter(spot: Spot) -> bool:
    """Whether a loop or a comprehension goes over what is called parameters."""
    over = [loop.iterable for loop in loops_of(spot)[-1:] if isinstance(loop, ir.For)]
    for one in expressions(own_expressions(spot.statement)):
        if isinstance(one, ir.Comp) and any(part is spot.expr for part in expressions([one])):
            over += [clause.iterable for clause in one.clauses]
    return any("param" in last_name(part) or "param" in dotted_name(part) for part in expressions(over))


# --------------------------------------------------------------------- masks


def _chooses_by_mask(scope: Scope, spot: Spot, expr: ir.Index) -> bool:
    """Whether items are chosen, or written, by a comparison of tensors: how many there are, the host must learn."""
    s = spot.statement
    if isinstance(s, ir.Assign) and any(one is expr for one in s.targets) and not shows_tensor(scope, s.value):
        return False  # a number is filled in where the mask is true, which takes no count
    parts = expr.index.items if isinstance(expr.index, ir.Display) else (expr.index,)
    if not any(_is_comparison(scope, part) for part in parts):
        return False
    return shows_tensor(scope, expr.index) or shows_tensor(scope, expr.value)


_TRUTH_OPERATORS = frozenset({"&", "|", "^", "*"})


def _is_comparison(scope: Scope, expr: ir.Expr, follow: bool = True) -> bool:
    if isinstance(expr, ir.Compare):
        return all(op in ("==", "!=", "<", "<=", ">", ">=") for op in expr.ops)
    if isinstance(expr, ir.Unary):
        return expr.op == "~" and _is_comparison(scope, expr.operand, follow)
    if isinstance(expr, ir.Binary) and expr.op in _TRUTH_OPERATORS:
        return _is_comparison(scope, expr.left, follow) and _is_comparison(scope, expr.right, follow)
    if isinstance(expr, ir.Name) and follow:
        held = scope.bindings(expr.id) or ()
        values = [one.expr for one in held if isinstance(one, Assigned) and one.expr is not None and not one.path]
        return bool(values) and len(values) == len(held) and all(_is_comparison(scope, v, False) for v in values)
    return False


# -------------------------------------------------------------------- copies


def _is_moved(spot: Spot, expr: ir.Call) -> bool:
    """Whether what is made on the host goes to a device; not the batch, which must."""
    if any(_is_of_batch(spot, one) for one in expressions(expr.args)):
        return False
    if argument(expr, -1, "device") is not None:
        return not all(isinstance(one, ir.Const) for one in expr.args)  # a number is filled in on the device
    return any(
        is_method(one, "to", "cuda") and any(part is expr for part in expressions([func_value(one)]))
        for one in expressions(own_expressions(spot.statement))
    )


def func_value(call: ir.Expr) -> ir.Expr:
    """What a method is called on."""
    assert isinstance(call, ir.Call)
    assert isinstance(call.func, ir.Attr)
    return call.func.value


def _is_of_batch(spot: Spot, expr: ir.Expr) -> bool:
    """Whether an expression takes the next item of an iterator, or is what a loop around it goes over."""
    if isinstance(expr, ir.Call) and last_name(expr.func) == "next":
        return True
    loops = [loop for loop in loops_of(spot) if isinstance(loop, ir.For) and last_name(loop.iterable) != "range"]
    targets = {name for loop in loops for name in names_in(loop.target)}
    return isinstance(expr, ir.Name) and expr.id in targets
