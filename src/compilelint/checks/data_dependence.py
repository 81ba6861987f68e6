"""CL1xx: values that depend on tensor data, where Dynamo must know them while it traces."""

from __future__ import annotations

from collections.abc import Iterable

from compilelint.checks.breaks import Words, on_break, short, spelled
from compilelint.checks.written import data_of, described, first_tensor, subject, tensor_in_index
from compilelint.events import Branch, Call, Event, Index, Syntax
from compilelint.model import Effect, Rule, Safety
from compilelint.torchfacts import Reason, SyntaxForm
from compilelint.values import Const, Scalar, Tensor, Value, arms
from compilelint.values.lattice import kind_of

BRANCH_ON_TENSOR = Rule(
    code="CL101",
    name="branch-on-tensor",
    summary="the branch depends on tensor data",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.BRANCH_ON_DATA.value,),
    fix=Safety.UNSAFE,
)
HOST_READ = Rule(
    code="CL102",
    name="host-read",
    summary="tensor data is read into Python",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.HOST_READ.value,),
    fix=Safety.UNSAFE,
    more_effects=(Effect.SYNC,),
)
DATA_DEPENDENT_INDEX = Rule(
    code="CL103",
    name="data-dependent-index",
    summary="an index or slice bound is a tensor that Python must read",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.DATA_DEPENDENT_INDEX.value,),
    fix=Safety.UNSAFE,
    more_effects=(Effect.SYNC,),
)
DATA_DEPENDENT_OP = Rule(
    code="CL104",
    name="data-dependent-op",
    summary="the operation reads tensor data to decide what to do",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.DATA_DEPENDENT_OP.value,),
    more_effects=(Effect.SYNC,),
)
ASSERT_ON_TENSOR = Rule(
    code="CL105",
    name="assert-on-tensor",
    summary="the assertion cannot become part of the graph",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.ASSERT_ON_DATA.value,),
    fix=Safety.UNSAFE,
)
MEMBERSHIP_ON_TENSOR = Rule(
    code="CL106",
    name="membership-on-tensor",
    summary="`in` searches the data of a tensor",
    effect=Effect.GRAPH_BREAK,
    more_effects=(Effect.SYNC,),
)
TENSOR_TEXT = Rule(
    code="CL107",
    name="tensor-text",
    summary="tensor data is turned into text",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.TENSOR_TEXT.value,),
    more_effects=(Effect.SYNC,),
)
PYTHON_VALUE_OP = Rule(
    code="CL108",
    name="python-value-op",
    summary="a torch call returns a Python value",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.RETURNS_PYTHON_VALUE.value,),
)
TENSOR_SORT = Rule(
    code="CL109",
    name="tensor-sort",
    summary="Python sorts by tensor data",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.TENSOR_SORT.value,),
    more_effects=(Effect.SYNC,),
)
DYNAMIC_SHAPE = Rule(
    code="CL120",
    name="dynamic-shape",
    summary="the shape of the result depends on tensor data",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.DYNAMIC_SHAPE.value,),
    fix=Safety.UNSAFE,
    more_effects=(Effect.SYNC,),
)

_BRANCHES = {
    "while": "`while` depends on {data}",
    "assert": "`assert` with `and`, `or` or `not` on {value}",
    "and": "`and` needs the truth value of {value}",
    "or": "`or` needs the truth value of {value}",
    "not": "`not` needs the truth value of {value}",
    "comparison": "a chained comparison needs the truth value of {value}",
    "search": "{value} is compared with each item in turn, and each result is tested",
    "if-expression": "the conditional expression depends on {data}",
    "comprehension": "the comprehension filters by {data}",
}


@on_break(BRANCH_ON_TENSOR)
def branch_on_tensor(event: Event) -> Words:
    """A truth test that cannot be decided while tracing."""
    why = "Dynamo traces without data, so it cannot know which branch runs."
    if isinstance(event, Branch):
        message = _BRANCHES.get(event.keyword, f"`{event.keyword}` depends on {{data}}")
        shown = {"value": described(event, event.condition), "data": data_of(event, event.condition)}
        return Words(message.format_map(shown), why)
    return Words(f"{spelled(event)} needs the truth value of {first_tensor(event)}", why)


@on_break(HOST_READ)
def host_read(event: Event) -> Words:
    """`.item()` and everything that does the same inside."""
    why = "Reading the value forces a device sync and a copy to the host."
    return Words(f"{_spelled_read(event)} reads the data of {first_tensor(event)}", why)


def _spelled_read(event: Event) -> str:
    if isinstance(event, Syntax) and "(" in event.form:
        return f"`{event.form.partition('(')[0]}()`"
    return spelled(event)


_UNKNOWN_SIZE = "Dynamo needs this number while tracing, and it is known only at run time."
_SIZES = "pass the size as a Python int or take it from a shape; a mask over a fixed size avoids it altogether"
_INDEXED = {
    "size": ("a size is a tensor computed here", _SIZES),
    SyntaxForm.SLICE_SCALAR.value: (
        "a slice bound is a tensor",
        "mask instead of slicing: `torch.where(torch.arange(n) < length, x, fill)`, or pass the bound as an int",
    ),
    SyntaxForm.LIST_INDEX.value: (
        "a Python sequence is indexed with a tensor",
        "stack the entries into one tensor and use `index_select`, or pass the index as an int",
    ),
    SyntaxForm.RANGE_INDEX.value: ("a range is indexed with a tensor", "compute `start + step * index` on the tensor"),
    SyntaxForm.INDEX_SCALAR.value: (
        "the index is a 0-d tensor computed here",
        "use `x.index_select(0, index.reshape(1))` or `torch.gather`, which take computed indices",
    ),
}


@on_break(DATA_DEPENDENT_INDEX)
def data_dependent_index(event: Event) -> Words:
    """An index whose number Python must know."""
    how = event.how if isinstance(event, Index) else ""
    message, help_ = _INDEXED.get(
        how, ("the index is a tensor that Python must read", _INDEXED[SyntaxForm.INDEX_SCALAR.value][1])
    )
    if isinstance(event, Index):
        message += tensor_in_index(event)
    why = "Python indexing calls `__index__`, which reads the number from the device."
    return Words(message, _UNKNOWN_SIZE if how == "size" else why, help_)


_OPS = {
    "equal": "compare with `(a == b).all()` and keep the result as a tensor",
    "allclose": "use `torch.isclose(a, b).all()` and keep the result as a tensor",
    "cov": "center and multiply by hand: `d = x - x.mean(1, keepdim=True); d @ d.T / (n - 1)`",
    "corrcoef": "center, multiply and normalize by hand",
    "gaussian_nll_loss": "write the loss out: `0.5 * (var.log() + (x - y) ** 2 / var)`",
    "tensor_split": "pass the split points as Python ints",
}


@on_break(DATA_DEPENDENT_OP)
def data_dependent_op(event: Event) -> Words:
    """An operation that looks at the data, or takes a size from it."""
    if isinstance(event, Call):
        name = event.name.rpartition(".")[2]
        if name not in _OPS and any(map(_is_computed_scalar, _values(event))):
            number = next(value for value in _values(event) if _is_computed_scalar(value))
            message = f"{spelled(event)} takes a number from {described(event, number)}"
            return Words(message, _UNKNOWN_SIZE, _SIZES)
        if (rows := _jagged((event.receiver, *_values(event)))) is not None:
            return Words(f"{spelled(event)} reads the lengths of rows of {described(event, rows)}", _LENGTHS, _ROWS)
        help_ = _OPS.get(name, "use operations that keep the result in a tensor, or call it outside the region")
        why = "Its implementation reads the data on the host, and no graph can hold that."
        return Words(f"{spelled(event)} reads the data of {first_tensor(event)}", why, help_)
    if isinstance(event, Syntax) and _jagged(event.operands) is not None:
        return Words(f"{event.form} reads the lengths of its rows", _LENGTHS, _ROWS)
    return Words(f"{spelled(event)} needs the data of {first_tensor(event)}", "The data is read on the host.", _SIZES)


_LENGTHS = "How long each row of a jagged tensor is, is data, and Python asks for it."
_ROWS = "work on `.values()` and `.offsets()`, on `to_padded_tensor()` with a mask, or do it outside the region"


def _jagged(values: Iterable[Value | None]) -> Tensor | None:
    """The first jagged tensor among the values."""
    return next((one for one in values if isinstance(one, Tensor) and one.layout == "jagged"), None)


def _values(event: Call) -> tuple[Value, ...]:
    return (*event.args, *event.keywords.values())


def _is_computed_scalar(value: Value) -> bool:
    return any(isinstance(arm, Tensor) and arm.rank == 0 for arm in arms(value))


@on_break(ASSERT_ON_TENSOR)
def assert_on_tensor(event: Event) -> Words:
    """`assert` on a tensor with a message that is no plain string, and `torch._assert`."""
    if isinstance(event, Branch):
        message = f"`assert` on {described(event, event.condition)} with a message that is computed"
    elif isinstance(event, Call) and event.name == "builtins.AssertionError":
        why = "Up to torch 2.14 Dynamo takes this error with strings only."
        return Words("`AssertionError()` is not given a string", why, "give it a string as message")
    elif isinstance(event, Syntax) and event.form == "assert that fails":
        why = "Dynamo cannot compile a frame up to an assertion that fails, nor go on in the handler of its error."
        return Words("`assert` fails, and its error is caught", why, "test the condition with `if`")
    else:
        message = f"{spelled(event)} needs the truth value of {first_tensor(event)}"
    why = 'Dynamo turns `assert tensor, "text"` into an operation of the graph, and only that form.'
    return Words(message, why, "give the assertion a plain string as message, or `torch._assert_async`")


@on_break(MEMBERSHIP_ON_TENSOR)
def membership_on_tensor(event: Event) -> Words | None:
    """`value in tensor`. No tensor holds text: what is searched for a string is a dict or list."""
    if isinstance(event, Syntax) and event.operands and _may_be_text(event.operands[0]):
        return None
    searched = event.operands[-1] if isinstance(event, Syntax) and event.operands else None
    why = "`in` needs a Python bool, so the comparison runs on the host."
    return Words(f"`in` searches {described(event, searched)}", why)


def _may_be_text(value: Value) -> bool:
    return any(kind_of(arm) == "str" for arm in arms(value) if isinstance(arm, (Const, Scalar)))


@on_break(TENSOR_TEXT)
def tensor_text(event: Event) -> Words:
    """`str`, `repr` and formatting of tensors."""
    why = "Formatting needs the data, and Dynamo traces without it."
    help_ = "format after the compiled region returns, or log shapes and dtypes, which are known"
    form = event.form.partition(" ")[0].partition("(")[0] if isinstance(event, Syntax) else ""
    shown = f"`{form}`" if form else spelled(event)
    return Words(f"{shown} turns {first_tensor(event)} into text", why, help_)


@on_break(PYTHON_VALUE_OP)
def python_value_op(event: Event) -> Words:
    """A torch call whose result is not a tensor, which the graph cannot hold."""
    shown = f"`{short(event.name)}()`" if isinstance(event, Call) else spelled(event)
    why = "Dynamo records the call as an operation on tensors, but it returns a Python value."
    help_ = "call it once outside the compiled region (in `__init__`, say) and pass or store the result"
    return Words(f"{shown} returns a Python value", why, help_)


@on_break(TENSOR_SORT)
def tensor_sort(event: Event) -> Words:
    """`sorted` and `list.sort` by tensor keys."""
    why = "Python's sort needs the result of each comparison as a bool."
    help_ = "stack the keys and use `torch.sort` or `torch.argsort`, or sort by Python numbers"
    return Words(f"{spelled(event)} compares tensors", why, help_)


@on_break(DYNAMIC_SHAPE)
def dynamic_shape(event: Event) -> Words:
    """An operation whose output shape is only known at run time."""
    why = "The number of elements depends on the data, and by default Dynamo does not capture data-dependent sizes."
    if isinstance(event, Index):
        message = f"{subject(event)} is indexed with a boolean mask{tensor_in_index(event)}"
        return Words(message, why)
    mask = subject(event)
    of = f" of {mask}" if mask.startswith("`") else ""
    return Words(f"{spelled(event)}{of} returns a data-dependent shape", why)
