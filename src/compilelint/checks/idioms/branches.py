"""Idioms of a jump on tensor data: what the test guards decides what it may become."""

from __future__ import annotations

from compilelint.checks.idioms.idiom import Idiom, Place, nodes
from compilelint.checks.written import operands
from compilelint.events import Branch, Call
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import tensor_arm

_RULES = ("CL101", "CL102")
_IN_GRAPH = 'raise from the graph: `torch._assert_async(ok, "text")` with `ok` a 0-d bool tensor'
_ROWS = 'name each condition in an assertion of its own: `assert ok, "text"` stays in the graph'
_ORDERS = frozenset({"<", "<=", ">", ">="})
_SPEAKS = frozenset("print warn warning warning_once info debug error critical exception log".split())


def _is_jump(place: Place, *keywords: str) -> bool:
    event = place.event
    if isinstance(event, Branch):
        return event.keyword in (keywords or ("if", "elif"))
    return not keywords and place.test is not None


def _asks_optional(place: Place) -> bool:
    """A parameter that is None by default, tested for its truth."""
    event, asked, function = place.event, place.asked, place.function
    is_test = isinstance(event, Branch) or (isinstance(event, Call) and event.name == "builtins.bool")
    if not is_test or function is None or not isinstance(asked, ir.Name):
        return False
    parameter = next((one for one in function.params if one.name == asked.id), None)
    default = parameter.default if parameter is not None else None
    return isinstance(default, ir.Const) and default.value is None


def _is_drawn(place: Place) -> bool:
    """The decision falls by a number that torch draws."""
    return (isinstance(place.event, Branch) or place.test is not None) and place.is_drawn


def _notes_first_batch(place: Place) -> bool:
    """The arm sets the flag, an attribute, that the test reads: it runs for the first batch, and not again."""
    asked = place.asked
    if isinstance(asked, ir.Compare) and asked.ops in (("==",), ("!=",)):
        asked = asked.left
    return isinstance(asked, ir.Attr) and dotted_name(asked) in place.flags_set


def _compares_kept_number(place: Place) -> bool:
    """A 0-d tensor that the object keeps is read for an order: `if n <= self.cached_length.item()`."""
    asked, test = place.asked, place.above
    ordered = isinstance(test, ir.Compare) and all(one in _ORDERS for one in test.ops)
    return place.operation == "item" and place.test is not None and ordered and _is_attribute(asked)


def _is_attribute(asked: ir.Expr | None) -> bool:
    return isinstance(asked, ir.Attr) and isinstance(asked.value, ir.Name) and asked.value.id == "self"


def _gives_none(place: Place) -> bool:
    """One side of the choice is None: a mask that is left out."""
    choice = place.test
    if isinstance(choice, ir.IfExp):
        return any(_is_none(one) for one in (choice.then, choice.other))
    sides = (*(body for _, body in choice.arms), choice.other) if isinstance(choice, ir.If) else ()
    return any(
        isinstance(one, (ir.Assign, ir.Return)) and one.value is not None and _is_none(one.value)
        for side in sides
        for one in side
    )


def _is_none(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def _tests_a_start(place: Place) -> bool:
    """One whole number of a tensor is compared with zero: `positions[0] > 0` asks whether this is the first call."""
    event, asked = place.event, place.asked
    if not isinstance(event, Branch) or not isinstance(asked, ir.Compare) or not isinstance(asked.left, ir.Index):
        return False
    numbers, index = asked.left.value, asked.left.index
    one = isinstance(index, ir.Const) and isinstance(index.value, int)
    zero = [right.value for right in asked.rights if isinstance(right, ir.Const)] == [0]
    held = [tensor_arm(value) for name, value in event.held if isinstance(numbers, ir.Name) and name == numbers.id]
    return one and zero and any(arm is not None and arm.dtype == "int" for arm in held)


def _asks_address(place: Place) -> bool:
    """`x.data_ptr() % 16 == 0`: where a tensor lies."""
    parts = nodes([place.asked]) if place.asked is not None else ()
    return any(isinstance(one, ir.Call) and last_name(one) == "data_ptr" for one in parts)


def _asks_array(place: Place) -> bool:
    """What is tested is an array of NumPy, or a number of one."""
    return any(arm.array for value in operands(place.event) if (arm := tensor_arm(value)) is not None)


def _raises(place: Place) -> bool:
    return bool(place.arm) and isinstance(place.arm[-1], ir.Raise)


def _says(place: Place) -> bool:
    return bool(place.arm) and all(
        isinstance(one, ir.ExprStmt) and isinstance(one.value, ir.Call) and last_name(one.value) in _SPEAKS
        for one in place.arm
    )


def _leaves_loop(place: Place) -> bool:
    return bool(place.arm) and isinstance(place.arm[-1], ir.Jump) and place.arm[-1].kind in ("break", "continue")


def _returns_early(place: Place) -> bool:
    """A `return` before the rest of the function, which is more than another `return`."""
    if not place.arm or not isinstance(place.arm[-1], ir.Return) or not isinstance(place.test, ir.If):
        return False
    rest = place.behind
    return not place.test.other and bool(rest) and not isinstance(rest[0], ir.Return)


def _is_bool_kept(place: Place) -> bool:
    """`flag = bool(t)`: the bool is no test here."""
    return place.name == "builtins.bool" and place.test is None


def _is_chain_in_test(place: Place) -> bool:
    return _is_jump(place, "comparison") and place.test is not None


def _is_search_in_test(place: Place) -> bool:
    """`if kind in [1, 4]` tests a tensor, `if kind not in [1, 4]` each comparison."""
    asked = place.asked
    found = isinstance(asked, ir.Compare) and asked.ops == ("in",) and _is_jump(place)
    return found or (_is_jump(place, "search") and place.test is not None)


IDIOMS = (
    Idiom(
        "address-tested",
        ("CL101",),
        "test the address before the compiled call, or in an operator of your own (`torch.library.custom_op`); with "
        "`torch.compiler.is_compiling() or` in front, compiled code goes without the test",
        _asks_address,
    ),
    Idiom(
        "optional-tested-for-truth",
        ("CL101",),
        "write `{} is not None` where that is meant: the truth of a tensor is its data",
        _asks_optional,
    ),
    Idiom("raise-on-data", _RULES, _IN_GRAPH, _raises),
    Idiom(
        "done-for-the-first-batch",
        _RULES,
        "keep the flag as a Python bool (`self.ready = False`, then `True`; no checkpoint holds it), which costs one "
        "more compilation, or run this part by a method of its own before the first compiled call",
        _notes_first_batch,
    ),
    Idiom(
        "message-on-data",
        _RULES,
        "put `not torch.compiler.is_compiling() and` before the test: compiled code then stays silent",
        _says,
    ),
    Idiom(
        "drawn-decision",
        _RULES,
        "draw before the compiled call and pass a Python bool (each value is a version of its own), or compute both "
        "sides and choose with `torch.where`",
        _is_drawn,
    ),
    Idiom(
        "loop-left-on-data",
        _RULES,
        "run the loop to its end where further steps change nothing (an empty mask adds 0), or keep what is done: "
        "`y = torch.where(done, y, step(y))`",
        _leaves_loop,
    ),
    Idiom(
        "start-tested",
        ("CL101",),
        "decide from something known before the call: the length of the input (`x.shape[0] == 1`), or a flag that the "
        "caller passes; or compute both sides and choose with `torch.where`",
        _tests_a_start,
    ),
    Idiom(
        "kept-number-compared",
        ("CL102",),
        "where Python sets it (a length, a count), keep it as a Python number as well (`self.length = 16`) and compare "
        "with that; where data set it, compute both sides and choose with `torch.where`",
        _compares_kept_number,
    ),
    Idiom(
        "early-return-on-data",
        _RULES,
        "drop the test where the rest changes nothing for such data (a sum over no rows is 0), or compute the rest and "
        "return `torch.where(test, early, rest)`",
        _returns_early,
    ),
    Idiom(
        "chain-in-test",
        ("CL101",),
        "join both comparisons with `&`, compute both sides and choose with `torch.where`",
        _is_chain_in_test,
    ),
    Idiom(
        "search-in-test",
        ("CL101",),
        "ask with `torch.isin(value, items)`, compute both sides and choose with `torch.where`",
        _is_search_in_test,
    ),
    Idiom(
        "none-by-membership",
        ("CL106",),
        "pass it in each call, neutral where it is not needed (a mask of zeros to add), or let the caller decide by a "
        "Python bool",
        _gives_none,
    ),
    Idiom(
        "membership-in-test",
        ("CL106",),
        "an `if` on `(t == value).any()` breaks as well: compute both sides and choose with "
        "`torch.where((t == value).any(), a, b)`",
        lambda place: place.test is not None or place.is_within(ir.BoolOp),
    ),
    Idiom(
        "membership-kept",
        ("CL106",),
        "keep the result as a tensor: `(t == value).any()`, or `torch.isin`",
        lambda place: True,
    ),
    Idiom(
        "bool-kept",
        ("CL101",),
        "leave out `bool()`: the 0-d tensor serves `torch.where`, `&`, `|` and `~`",
        _is_bool_kept,
    ),
    Idiom(
        "read-in-test",
        ("CL102",),
        "leave out the read, compute both sides and choose with `torch.where`",
        lambda place: isinstance(place.test, (ir.If, ir.IfExp)) and place.operation != "range",
    ),
    Idiom(
        "loop-while-data",
        _RULES,
        "keep the loop's end on the host (a Python counter), or use `torch.while_loop`",
        lambda place: _is_jump(place, "while") or isinstance(place.test, ir.While),
    ),
    Idiom("assertion-of-several", ("CL101",), _ROWS, lambda place: _is_jump(place, "assert")),
    Idiom(
        "joined-by-and",
        ("CL101",),
        "use `&` or `torch.logical_and` on the tensors",
        lambda place: _is_jump(place, "and"),
    ),
    Idiom(
        "joined-by-or", ("CL101",), "use `|` or `torch.logical_or` on the tensors", lambda place: _is_jump(place, "or")
    ),
    Idiom("negated", ("CL101",), "use `~` or `torch.logical_not` on the tensor", lambda place: _is_jump(place, "not")),
    Idiom(
        "chained-comparison",
        ("CL101",),
        "write both comparisons and join them with `&`",
        lambda place: _is_jump(place, "comparison"),
    ),
    Idiom(
        "searched-in-turn",
        ("CL101",),
        "compare with all items at once: `torch.isin(t, items)`; `(items == t).to(torch.int64).argmax()` is the place",
        lambda place: _is_jump(place, "search"),
    ),
    Idiom(
        "filtered-by-data",
        ("CL101",),
        "stack the items, and use `torch.where` or a mask of fixed shape",
        lambda place: _is_jump(place, "comprehension"),
    ),
    Idiom(
        "array-chosen",
        ("CL101",),
        "choose with `np.where(test, a, b)`, or by masks over all rows: arrays are traced as tensors",
        _asks_array,
    ),
    Idiom(
        "chosen-by-data",
        ("CL101",),
        "compute both sides and choose with `torch.where`, or use `torch.cond` for costly sides",
        lambda place: True,
    ),
)
