"""The text of an operator that takes the place of statements: schema, body, what its results look like, and the call.

Who cuts statements out decides that they may go (`rest_as_operator` by the text, `outlines` by runs); here they are
written down. Every operator checks its results against its own fake in every run, so a look that is wrong raises.
"""

from __future__ import annotations

import ast
import textwrap

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.fake_outputs import Look
from compilelint.fixes.rewrites.capture_switch import switches
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.model import Edit, Span
from compilelint.model.slotted import dataclass

_WIDTH = 119


@dataclass(frozen=True, slots=True)
class Cut:
    """What is cut out of a function: the statements, what they take, and how their results look."""

    statements: list[ast.stmt]
    parameters: dict[str, tuple[str, str]]  # name in the operator: its kind in the schema, what is passed
    attributes: dict[str, str]  # `self.config.size` as written: the parameter that takes its place
    methods: frozenset[str]  # methods of the class that are called
    results: list[tuple[str, Look]]


def edits_of(
    cut: Cut, function: ast.FunctionDef, owner: ast.ClassDef | None, name: str, code: Code
) -> tuple[Edit, ...]:
    """The call in the place of the statements, and the operator below the class or function."""
    first, last = cut.statements[0], cut.statements[-1]
    indent = code.source.line(first.lineno)[: first.col_offset]
    checks = [
        f"{indent}torch._check(type(self).{one} is {owner.name}.{one})\n"
        for one in sorted(cut.methods)
        if owner is not None
    ]
    # an operator has no gradient: without `detach`, a backward pass through what it gives would raise
    given = [f"{passed}.detach()" if kind == "Tensor" else passed for kind, passed in cut.parameters.values()]
    call = wrapped(f"{indent}return {name}(", given)
    end = (last.end_lineno or last.lineno) + 1
    outer = function if owner is None else owner
    below = (outer.end_lineno or outer.lineno) + 1
    text = _operator(cut, function, owner, name, code)
    start = code.source.line(first.lineno)
    assert not start[: first.col_offset].strip(), "a statement of a function's block is on lines of its own"
    if end == below:  # one edit: the operator follows at once
        return (*_switch(cut, code), Edit(Span(first.lineno, 1, end, 1), "".join(checks) + call + text))
    body = Edit(Span(first.lineno, 1, end, 1), "".join(checks) + call)
    return (*_switch(cut, code), body, Edit(Span(below, 1, below, 1), text))


def is_sized_by_data(cut: Cut, code: Code) -> bool:
    """Whether a size that only the data has needs a switch of Dynamo's configuration that the file does not set."""
    return bool(_switch(cut, code))


def _switch(cut: Cut, code: Code) -> tuple[Edit, ...]:
    if all(None not in look.sizes for _, look in cut.results):
        return ()
    return switches(code, ("capture_dynamic_output_shape_ops",))


def _operator(cut: Cut, function: ast.FunctionDef, owner: ast.ClassDef | None, name: str, code: Code) -> str:
    kinds = ", ".join(f"{kind} {one}" for one, (kind, _) in cut.parameters.items())
    results = ", ".join("Tensor" for _ in cut.results)
    schema = f"({kinds}) -> {results}" if len(cut.results) == 1 else f"({kinds}) -> ({results})"
    space = f"{namespace(code)}::{'' if owner is None else owner.name + '_'}{function.name}"
    empty = [empty_of(look) for _, look in cut.results]
    made = f"    return {empty[0]}\n" if len(empty) == 1 else wrapped("    return (", empty)
    dynamic = any(None in look.sizes for _, look in cut.results)
    size = "    size = torch.library.get_ctx().new_dynamic_size\n" if dynamic else ""
    return (
        f'\n\n@torch.library.custom_op(\n    "{space}",\n    mutates_args=(),\n    schema="{schema}",\n)\n'
        f"{wrapped(f'def {name}(', list(cut.parameters), '):')}"
        f"{_body(cut, owner, code)}"
        f"\n\n@{name}.register_fake\n"
        f"{wrapped('def _(', list(cut.parameters), '):')}"
        f"{size}"
        f"{made}"
    )


def wrapped(head: str, items: list[str], tail: str = ")") -> str:
    """A bracket with items on one line, or, where that is too long, each on its own."""
    line = f"{head}{', '.join(items)}{tail}\n"
    if len(line) <= _WIDTH + 1:
        return line
    indent = head[: len(head) - len(head.lstrip())]
    return "".join([f"{head}\n", *(f"{indent}    {one},\n" for one in items), f"{indent}{tail}\n"])


def empty_of(look: Look) -> str:
    """An empty tensor of this look, for a fake."""
    sizes = ", ".join("size()" if one is None else one for one in look.sizes)
    device = "" if look.device is None else f", device={look.device}"
    return f"torch.empty(({sizes}{',' if len(look.sizes) == 1 else ''}), dtype={look.dtype}{device})"


def _body(cut: Cut, owner: ast.ClassDef | None, code: Code) -> str:
    """The statements as they stand, `self` replaced, with checks of the results before the last one."""
    first, last = cut.statements[0], cut.statements[-1]
    base = first.lineno
    lines = list(code.source.lines[base - 1 : last.end_lineno or last.lineno])
    edits: list[tuple[int, int, int, str]] = []
    for statement in cut.statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute):
                text = ast.unparse(node)
                span = code.span(node)
                if text in cut.attributes:
                    edits.append((span.line - base, span.column - 1, span.end_column - 1, cut.attributes[text]))
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {f"self.{one}" for one in cut.methods}:
                span = code.span(node.func)
                assert owner is not None, "`self` is used in methods"
                called = f"{owner.name}.{node.func.attr if isinstance(node.func, ast.Attribute) else ''}"
                edits.append((span.line - base, span.column - 1, span.end_column, f"{called}(None, "))
    for row, start, end, text in sorted(edits, reverse=True):
        lines[row] = lines[row][:start] + text + lines[row][end:]
    checks = [f"    {one}" for name, look in cut.results for one in checks_of(name, look)]
    at = last.lineno - base
    body = textwrap.dedent("\n".join(lines)).split("\n")
    shifted = [f"    {line}" if line.strip() else "" for line in body]
    return "\n".join([*shifted[:at], *checks, *shifted[at:]]) + "\n"


def checks_of(name: str, look: Look) -> list[str]:
    """Lines that raise where a result looks otherwise than the operator says."""
    sizes = [f"{name}.shape[{index}] == {size}" for index, size in enumerate(look.sizes) if size is not None]
    conditions = [f"{name}.dim() == {len(look.sizes)}", f"{name}.dtype == {look.dtype}", *sizes]
    return [f"torch._check({one})" for one in conditions]  # one each, so that every condition is asked in every run
