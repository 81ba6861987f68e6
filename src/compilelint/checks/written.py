"""What an event is about as the source writes it, so that titles name it: `scores.max() > 0`, `self.mask`.

Where the source has no short expression for a value (it came through `*args`, or the event lies in a file that is not
linted), the words say where it comes from instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Attribute, Branch, Call, Event, Index, Placed, Syntax
from compilelint.model.patterns import late_pattern
from compilelint.syntax import ir
from compilelint.syntax.spelling import node_at, spelled
from compilelint.torchfacts import SyntaxForm
from compilelint.values import Dependence, OriginKind, Scalar, Sequence, Value, tensor_arm

_INDEX_OF_PYTHON = frozenset({SyntaxForm.LIST_INDEX.value, SyntaxForm.RANGE_INDEX.value})
"""Forms whose event has the tensor that indexes for its value: what it indexes is none."""
_CLASSES = ("torch.Tensor", "Tensor")  # `torch.Tensor.view(x, -1)`: what is called on, and no tensor
_NAME = late_pattern(r"`\w+`")  # what an argument's origin begins with


def operands(event: Event) -> Iterator[Value]:
    """The values whose being a tensor may decide the event; for a method call that is its receiver alone."""
    if isinstance(event, Branch):
        yield event.condition
    elif isinstance(event, Call):
        if event.receiver is not None:
            yield event.receiver
        else:
            yield from event.args
            yield from event.keywords.values()
    elif isinstance(event, Index):
        yield event.value
    elif isinstance(event, Attribute):
        yield event.receiver
    elif isinstance(event, Syntax):
        yield from event.operands


def tensor_part(index: Value) -> Value:
    """The tensor in an index, also inside a tuple or slice; the index itself where there is none."""
    found: list[Value] = [index]
    while found:
        value = found.pop()
        if tensor_arm(value) is not None:
            return value
        if isinstance(value, Sequence):
            found.extend(value.items or ())
    return index


def described(event: Event, value: Value | None) -> str:
    """A value of an event in words: an argument by its name, "`scores.max()`", "a tensor (result of `.sum`)"."""
    arm = None if value is None else tensor_arm(value)
    text = f"`{found}`" if value is not None and (found := written(event, value)) else ""
    if arm is None:
        unknown = isinstance(value, Scalar) and value.dependence >= Dependence.DATA
        if not unknown:
            return text or "a value"
        return f"{text}, which is known only at run time" if text else "a value known only at run time"
    kind = "an array" if arm.array else "a tensor"
    if arm.origin is None:
        return text or kind
    name = _NAME.match(arm.origin.what) if arm.origin.kind is OriginKind.ARGUMENT else None
    if name and text in ("", name[0]):
        return f"the argument {name[0]}"
    return text or f"{kind} ({arm.origin.how})"


def data_of(event: Event, value: Value | None) -> str:
    """What a decision depends on: the data of a tensor, or a number that is known only at run time."""
    words = described(event, value)
    return words if value is None or tensor_arm(value) is None else f"the data of {words}"


def first_tensor(event: Event) -> str:
    """The first tensor among the operands of the event, in words."""
    for value in operands(event):
        if tensor_arm(value) is not None:
            return described(event, value)
    return "a tensor"


def subject(event: Event) -> str:
    """The first tensor of the event as the source writes it, in backticks; "a tensor" where that cannot be said."""
    receivers = (event.receiver,) if isinstance(event, Placed) else operands(event)
    texts = (written(event, value) for value in receivers if tensor_arm(value) is not None)
    return next((f"`{text}`" for text in texts if text), "a tensor")


def written(event: Event, value: Value) -> str:
    """The expression in the line of an event that holds a value of it; "" where there is none, or none to be shown."""
    if event.site.inner is not None:
        return ""
    node = node_at(event.site.context.where, event.site.pos)
    found = spelled(_expression_of(event, value, node)) if node is not None else ""
    return "" if found in _CLASSES or not found.strip("…") else found


def _expression_of(event: Event, value: Value, node: ir.Expr) -> ir.Expr | None:
    """The part of a node that holds a value of the event there."""
    match event:
        case Branch():
            return None if event.keyword == "search" else node
        case Placed():
            return node.func.value if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) else None
        case Attribute():
            return node.value if isinstance(node, ir.Attr) else None
        case Index():
            return _of_index(event, value, node)
        case Call():
            return _of_call(event, value, node)
        case Syntax():
            return _of_syntax(event, node)
    return None


def _of_index(event: Index, value: Value, node: ir.Expr) -> ir.Expr | None:
    if not isinstance(node, ir.Index):
        return None
    found = _part_of(node.index, event.index, value)
    if found is None and value is event.value and event.how not in _INDEX_OF_PYTHON:
        return node.value
    return found


def _part_of(node: ir.Expr, whole: Value, wanted: Value) -> ir.Expr | None:
    """The expression in an index that holds a part of it: an item of a tuple, a bound of a slice."""
    if whole is wanted:
        return node
    if not isinstance(whole, Sequence) or whole.items is None:
        return None
    nodes: tuple[ir.Expr | None, ...] = ()
    if isinstance(node, ir.Slice):
        nodes = (node.lower, node.upper, node.step)
    elif isinstance(node, ir.Display):
        nodes = node.items
    if len(nodes) != len(whole.items):
        return None
    for part, item in zip(nodes, whole.items, strict=True):
        found = _part_of(part, item, wanted) if part is not None else None
        if found is not None:
            return found
    return None


def _of_call(event: Call, value: Value, node: ir.Expr) -> ir.Expr | None:
    if not isinstance(node, ir.Call) or any(isinstance(one, ir.Star) for one in node.args):
        return None
    if value is event.receiver:
        if len(node.args) == len(event.args) + 1:
            return node.args[0]  # `torch.Tensor.item(x)`
        given = any(held is value or tensor_arm(held) is value for held in event.args)
        if isinstance(node.func, ir.Attr) and not given:
            return node.func.value  # `x.item()`; `int(x)` and `operator.index(x)` have it among their arguments
    if len(event.args) == len(node.args):
        for argument, held in zip(node.args, event.args, strict=True):
            if held is value or tensor_arm(held) is value:
                return argument
    by_name = dict(_named(node))
    return next((by_name[name] for name, held in event.keywords.items() if held is value and name in by_name), None)


def _named(node: ir.Call) -> Iterator[tuple[str, ir.Expr]]:
    for name, argument in node.keywords:
        if name is not None:
            yield name, argument


def _of_syntax(event: Syntax, node: ir.Expr) -> ir.Expr | None:
    """Of constructs with a single tensor: what is formatted, searched or converted."""
    if event.form == SyntaxForm.IN.value:
        return node.rights[0] if isinstance(node, ir.Compare) and len(node.rights) == 1 else None
    if event.form == SyntaxForm.FSTRING.value:
        return node
    if event.form == SyntaxForm.PERCENT_FORMAT.value:
        return node.right if isinstance(node, ir.Binary) and not isinstance(node.right, ir.Display) else None
    single = isinstance(node, ir.Call) and len(node.args) == 1 and not node.keywords
    return node.args[0] if single and isinstance(node, ir.Call) and not isinstance(node.args[0], ir.Star) else None


def tensor_in_index(event: Index) -> str:
    """The tensor in an index in words, after a colon: ": `scores.argmax()`"; empty where nothing is known of it."""
    part = tensor_part(event.index)
    arm = tensor_arm(part)
    if arm is None:
        return ""
    text = written(event, part)
    if text:
        return f": `{text}`"
    return f" ({arm.origin.how})" if arm.origin is not None else ""
