"""The call that leads to a finding in a helper, and what it can give the helper beside what it gives already.

The way from a compile root to a finding is known call by call (`Finding.call_chain`), across files. Only files that the
run lints are looked at (`engine.elsewhere`). A new parameter of the helper has a default and comes last, so every other
call means what it meant.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.model import Edit, Finding, Span
from compilelint.model.slotted import dataclass

_FARTHEST = 4  # calls that are looked at above a finding
_MOST_OTHERS = 6  # callers beside the one on the way to it


@dataclass(frozen=True, slots=True)
class Caller:
    """A call of a helper: its file (`path` is empty where that is the helper's own), the call, and the function."""

    code: Code
    path: str
    call: ast.Call
    function: ast.FunctionDef


@dataclass(frozen=True, slots=True)
class Way:
    """The call that has what a helper wants to know, and the edits of the helpers in between that pass it on."""

    caller: Caller
    edits: tuple[Edit, ...]
    other: bool = False  # not the one on the way to the finding


def ways_to(finding: Finding, helper: ast.FunctionDef, name: str, code: Code) -> Iterator[Way]:
    """From a helper up to callers that have a tensor of their own, past helpers of the same file.

    Each helper in between gets the parameter `name`, None by default, and passes it on; one that has it already stays
    as it is. The caller on the way to the finding comes first, then others of the file and of other linted files, as
    long as none gives the argument already.
    """
    edits: list[Edit] = []
    first: Caller | None = None
    for up in range(1, _FARTHEST + 1):
        caller = caller_of(finding, helper, code, up)
        if caller is None:
            break
        function = caller.function
        between = not caller.path and function in code.tree.body and not function.decorator_list
        passes = _passes(caller.call, name)
        if not between or (not passes and tensors_of(caller)):
            first = None if passes else caller
            break
        if not passes:
            parameter = with_parameter(function, name, code)
            keyword = with_keyword(caller, f"{name}={name}")
            if parameter is None or keyword is None:
                return
            edits += [parameter, keyword]
        helper = function
    if first is not None:
        yield Way(first, tuple(edits))
    others = (one for one in _callers(helper, code) if first is None or one.call is not first.call)
    free = (one for one in others if not _passes(one.call, name) and tensors_of(one))
    yield from (Way(one, tuple(edits), other=True) for one in itertools.islice(free, _MOST_OTHERS))


def _passes(call: ast.Call, name: str) -> bool:
    """Whether a call gives an argument by keyword, or the caller's own of that name."""
    named = any(one.arg == name for one in call.keywords)
    return named or any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(call))


def _callers(helper: ast.FunctionDef, code: Code) -> Iterator[Caller]:
    """The calls of a helper by its name, in its own file and in other linted ones that import it."""
    files = [("", code)]
    if code.elsewhere is not None:
        for path in code.elsewhere.naming(helper.name):
            there = code.elsewhere.code(path)
            if there is not None and _imports(there, helper.name):
                files.append((path, there))
    for path, there in files:
        for function in ast.walk(there.tree):
            if isinstance(function, ast.FunctionDef) and function is not helper:
                for call in _own_calls(function):
                    if isinstance(call.func, ast.Name) and call.func.id == helper.name:
                        yield Caller(there, path, call, function)


def _imports(code: Code, name: str) -> bool:
    """Whether a file takes a name from another one, without giving it another."""
    return any(
        isinstance(one, ast.ImportFrom) and any(alias.name == name and not alias.asname for alias in one.names)
        for one in code.tree.body
    )


def _own_calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """The calls in a function that stand in no function inside it."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))


def tensors_of(caller: Caller) -> list[str]:
    """The parameters of a caller that are annotated as tensors and that its call does not pass on."""
    passed = {one.id for one in ast.walk(caller.call) if isinstance(one, ast.Name)}
    return [one for one in tensor_parameters(caller.function) if one not in passed]


def tensor_parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters of a function that are annotated as tensors."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [one.arg for one in given if one.annotation is not None and _is_tensor(one.annotation)]


def _is_tensor(annotation: ast.expr) -> bool:
    name = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    return name in ("Tensor", "FloatTensor", "LongTensor", "BoolTensor", "IntTensor")


def caller_of(finding: Finding, helper: ast.FunctionDef, code: Code, up: int = 1) -> Caller | None:
    """The call of `helper`, `up` calls above a finding; None where it is in no file that may be changed."""
    if len(finding.call_chain) < up:
        return None
    place = finding.call_chain[-up].location
    own = place.path == finding.location.path
    there = code if own else None if code.elsewhere is None else code.elsewhere.code(place.path)
    if there is None or place.cell is not None:
        return None
    for node in reversed(there.path(place.span)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == helper.name:
            function = there.function(place.span)
            if not isinstance(function, ast.FunctionDef) or function is helper:
                return None
            return Caller(there, "" if own else place.path, node, function)
    return None


def with_parameter(helper: ast.FunctionDef, name: str, code: Code) -> Edit | None:
    """The helper takes one more number or None, None where it is left out; None where there is no room for it."""
    given = helper.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    known = {one.id for one in ast.walk(helper) if isinstance(one, ast.Name)} | {one.arg for one in every}
    if given.kwarg is not None or not every or name in known:
        return None
    parts: list[ast.expr] = [one for one in (*given.defaults, *given.kw_defaults) if one is not None]
    ends = [(one.end_lineno or 0, one.end_col_offset or 0) for one in every]
    ends += [(one.end_lineno or 0, one.end_col_offset or 0) for one in parts]
    if given.vararg is not None:
        ends.append((given.vararg.end_lineno or 0, given.vararg.end_col_offset or 0))
    line, offset = max(ends)
    united = any(isinstance(one.annotation, ast.BinOp) for one in every)
    text = f"{name}: int | None = None" if united else f"{name}=None"
    return _after(line, code.source.column(line, offset), helper.lineno, text, code)


def with_keyword(caller: Caller, text: str) -> Edit | None:
    """The call with one more keyword argument; None where it unpacks what may hold it already."""
    call, code = caller.call, caller.code
    given: list[ast.expr] = [*call.args, *(one.value for one in call.keywords)]
    if (
        not given
        or any(isinstance(one, ast.Starred) for one in call.args)
        or any(one.arg is None for one in call.keywords)
    ):
        return None
    last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))
    line = last.end_lineno or last.lineno
    made = _after(line, code.source.column(line, last.end_col_offset or 0), call.lineno, text, code)
    return Edit(made.span, made.text, caller.path)


def asked_when_compiling(caller: Caller, text: str) -> str | None:
    """`text`, but None in eager code; None where the caller's file has no torch that can be named there."""
    torch = spell(caller.code, "torch.compiler.is_compiling", caller.code.span(caller.call))
    return None if torch is None or torch.edits else f"{text} if {torch.text}() else None"


def _after(line: int, column: int, first: int, text: str, code: Code) -> Edit:
    """One more item of a list in brackets, behind the last one; on a line of its own where the items have theirs.

    So it is, too, where the line would be longer than the lines of the file.
    """
    written = code.source.line(line)
    indent = written[: len(written) - len(written.lstrip())]
    own = line > first and not written[: column - 1].strip().startswith(")")
    if not own and len(written) + len(text) + 2 > code.width:
        own, indent = True, indent + code.indent
    return Edit(Span(line, column, line, column), f",\n{indent}{text}" if own else f", {text}")
