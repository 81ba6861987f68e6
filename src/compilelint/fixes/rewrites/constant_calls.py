"""A call into a C library, or a question to the host, with constants alone: its result is part of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import bound, first_line, spell
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.raised_checks import free_name
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("constant-call", rank=1, rules=("CL205", "CL207", "CL601"))
def kept_as_a_constant(finding: Finding, code: Code) -> Iterator[Fix]:
    """`lib.floor(self.bits / 2)` is called through a function under `torch.compiler.assume_constant_result`.

    Legal where all arguments are constants to the compiler, the library is bound once at the top of the file, and the
    result is used. Changes: nothing in eager code; compiled, it is called once for each compilation, so the answer to
    the same arguments (of a library, or of the host: `os.path.exists("weights.bin")`) must stay the same.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call) and code.span(one) == span), None)
    torch = spell(code, "torch.compiler.assume_constant_result", span)
    if call is None or torch is None or torch.edits or isinstance(path[path.index(call) - 1], ast.Expr):
        return
    root, outermost = _root(call.func), path[1]
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    if root is None or starred or call.keywords or not isinstance(outermost, (*FunctionNode, ast.ClassDef)):
        return
    if not _is_fixed(root, code):
        return
    called = ast.unparse(call.func)
    name = free_name(f"_{called.rpartition('.')[2].strip('_')}", code)
    step, above = code.indent, first_line(outermost)
    made = (
        f"@{torch.text}\ndef {name}(*given):\n"
        f'{step}"""Called once for each compilation: the result is a constant of the graph."""\n'
        f"{step}return {called}(*given)\n\n\n"
    )
    yield Fix(
        Safety.UNSAFE,
        "call it while tracing, and keep the result as a constant",
        (Edit(Span(above, 1, above, 1), made), Edit(code.span(call.func), name)),
    )


def _root(node: ast.expr) -> str | None:
    """The first name of `lib.floor`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_fixed(name: str, code: Code) -> bool:
    """Whether a name is bound at the top of the file alone, and once."""
    stores = names_in(code.tree, lambda one: one.id == name and is_store(one))
    arguments = any(isinstance(one, ast.arg) and one.arg == name for one in ast.walk(code.tree))
    at_top = [one for one in code.tree.body if isinstance(one, ast.Assign) and name in map(ast.unparse, one.targets)]
    return not arguments and len(list(stores)) == len(at_top) == 1 - (name in bound(code))
