"""Checks that read a tensor on the host, PyTorch's and the program's: the same check as an operation of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import Spelled, spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.plain import Lines, lines_of
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.branches import is_the_test, what_is_asked
from compilelint.fixes.rewrites.compiling_guards import check_around, own_statement
from compilelint.model import Edit, Finding, Fix, Safety, Span

_COMPILING = "torch.compiler.is_compiling"


@rewrite("host-read", rank=3, rules=("CL102",))
def checked_in_graph(finding: Finding, code: Code) -> Iterator[Offer]:
    """`torch._check_tensor_all(condition)` becomes `torch._assert_async(torch.all(condition))`, which is traced.

    Legal where the call is a statement of its own with the condition alone, or with a message that is
    `lambda: "text"`, which stays. Changes: on a device it is raised later, and the program cannot catch it; without a
    message its text is another.
    """
    span = finding.location.span
    statement = own_statement(span, code, ast.Expr)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return
    call = statement.value
    if code.span(call) != span or call.keywords or not _has_plain_message(call):
        return
    every = spell(code, "torch.all", span) or _named_like(call.func, "all")
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "_check_tensor_all" or every is None:
        return
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(piece.node.func, cst.Attribute):
        return
    condition, *message = piece.node.args
    inner = cst.Call(cst.parse_expression(every.text), [cst.Arg(condition.value)])
    said = [one.with_changes(value=one.value.body) for one in message if isinstance(one.value, cst.Lambda)]
    made = piece.node.with_changes(
        func=piece.node.func.with_changes(attr=cst.Name("_assert_async")),
        args=[condition.with_changes(value=inner), *said],
    )
    yield Offer(
        Fix(Safety.UNSAFE, "assert it in the graph", (*every.edits, *piece.replaced(piece.node, made))),
        (OnlyRuns("another exception is raised"),),
    )


@rewrite("branch", rank=4, rules=("CL101",))
def raised_in_graph(finding: Finding, code: Code) -> Iterator[Fix]:
    """`if wrong.any(): raise ValueError("text")` is asserted in the graph while compiling; eager code raises as it did.

    Legal where the `if` has no other arm and only raises, its test is one bool tensor on every path, and asking it has
    no effects. Changes: nothing in eager code; compiled, a RuntimeError that names the exception comes in its place, on
    a device when the graph gets there.
    """
    span = finding.location.span
    check = check_around(span, code)
    if check is None or len(check.body) != 1 or not isinstance(check.body[0], ast.Raise):
        return
    chain = isinstance(check.test, ast.Compare) and len(check.test.ops) > 1
    if chain or not is_the_test(check.test, span, finding, code):
        return
    torch, compiling, own = spell(code, "torch", span), spell(code, _COMPILING, span), lines_of(check, code)
    asked = None if own is None else own.text(what_is_asked(check.test))
    if torch is None or torch.edits or compiling is None or compiling.edits or own is None or asked is None:
        return
    negated = isinstance(check.test, ast.UnaryOp) and isinstance(check.test.op, ast.Not)
    holds = asked if negated else f"{torch.text}.logical_not({asked})"
    inner = own.indent + code.indent
    given = [holds, _message(check.body[0], own, ast.unparse(check.test))]
    call = f"{inner}{torch.text}._assert_async({', '.join(given)})"
    if len(call) > code.width or "\n" in call:
        deeper = inner + code.indent
        lines = "".join(f"{deeper}{one},\n".replace("\n", f"\n{deeper}", one.count("\n")) for one in given)
        call = f"{inner}{torch.text}._assert_async(\n{lines}{inner})"
    head = f"{own.indent}if {compiling.text}():\n{call}\n{own.indent}elif"
    edit = Edit(Span(check.lineno, 1, check.lineno, len(own.indent) + len("if") + 1), head)
    yield Fix(Safety.UNSAFE, "assert it in the graph while compiling", (edit,))


def _message(statement: ast.Raise, own: Lines, test: str) -> str:
    """The text of the error as it is spelled, where it is a plain one, else the test; behind the name of its class.

    A text that stands on several lines stays on them. The graph can only raise RuntimeError, so the name says what
    eager code raises.
    """
    made = statement.exc
    first = made.args[0] if isinstance(made, ast.Call) and len(made.args) == 1 else None
    spelled = _spelled(first, own) if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    said = spelled or (f'"{test}"' if '"' not in test else repr(test))
    kind = made.func if isinstance(made, ast.Call) else made
    name = ast.unparse(kind).rpartition(".")[2] if isinstance(kind, (ast.Name, ast.Attribute)) else ""
    quoted = said[:1] in "\"'" and not said.startswith(('"""', "'''"))
    return said if name in ("", "RuntimeError") or not quoted else f"{said[0]}{name}: {said[1:]}"


def _spelled(text: ast.Constant, own: Lines) -> str | None:
    """A text as it is written, its literals each on a line where they are; None where one of them spans lines."""
    last = text.end_lineno or text.lineno
    if last == text.lineno:
        return own.text(text)
    written = [own.lines[number - own.first] for number in range(text.lineno, last + 1)]
    parts = [written[0][text.col_offset :], *written[1:-1], written[-1][: text.end_col_offset]]
    literals = [part.strip() for part in parts]
    if any(not one.startswith(('"', "'")) or one[:1] != one[-1:] for one in literals):
        return None
    try:
        whole = "".join(ast.literal_eval(one) for one in literals)
    except (SyntaxError, TypeError, ValueError):
        return None
    return "\n".join(literals) if whole == text.value else None


def _has_plain_message(call: ast.Call) -> bool:
    """Whether a call has one argument, or a second one that is `lambda: "text"`."""
    if not 1 <= len(call.args) <= 2 or isinstance(call.args[0], ast.Starred):
        return False
    message = call.args[-1]
    said = message.body if isinstance(message, ast.Lambda) and not ast.unparse(message.args) else None
    return len(call.args) == 1 or (isinstance(said, ast.Constant) and isinstance(said.value, str))


def _named_like(function: ast.expr, name: str) -> Spelled | None:
    """The sibling of a function that is spelled with a plain name before the dot: `torch._check` and `torch.all`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return Spelled(f"{function.value.id}.{name}")
    return None
