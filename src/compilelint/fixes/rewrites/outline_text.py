"""The text of statements that become an operator while compiling: a function of them, the operator, and both calls.

The statements move into a plain function, which eager code calls as before, with all that they took. The operator calls
it too, checks its results against its own fake, and is called while compiling, where the inputs have the forms that
runs showed. Does not belong here: whether the statements may move (`outlines`).
"""

from __future__ import annotations

import ast
import textwrap

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.fake_outputs import Look
from compilelint.fixes.rewrites.capture_switch import switches
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.fixes.rewrites.operator_text import checks_of, empty_of, wrapped
from compilelint.model import Edit, Span
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Outline:
    """Statements that move, what they take and give, and where the operator may take their place.

    `taken` has the kind in a schema of each name, `attributes` of each `self.a.b` as written the parameter that takes
    its place, with its kind, `sizes` the numbers that only the operator is passed, and how they are asked for. `forms`
    are the conditions for the operator.
    """

    statements: list[ast.stmt]
    taken: dict[str, str]
    attributes: dict[str, tuple[str, str]]
    methods: tuple[str, ...]
    sizes: dict[str, str]
    results: list[tuple[str, Look]]
    forms: tuple[str, ...]
    draws: bool


def edits_of(
    outline: Outline, function: ast.FunctionDef, owner: ast.ClassDef | None, name: str, code: Code
) -> tuple[Edit, ...]:
    """The two calls in the place of the statements; below the class or function what they call; a switch if need be."""
    first, last = outline.statements[0], outline.statements[-1]
    indent = code.source.line(first.lineno)[: first.col_offset]
    inner = indent + code.indent
    kinds = {**outline.taken, **dict(outline.attributes.values())}
    passed = {**dict.fromkeys(outline.taken), **{short: text for text, (short, _) in outline.attributes.items()}}
    # an operator has no gradient: without `detach`, a backward pass through what it gives would raise
    own = {one: text or one for one, text in passed.items()}
    given = [f"{text}.detach()" if kinds[one] == "Tensor" else text for one, text in own.items()]
    same = [f"type(self).{one} is {owner.name}.{one}" for one in outline.methods if owner is not None]
    asked = " and ".join(["torch.compiler.is_compiling()", *outline.forms, *same])
    target = ", ".join(one for one, _ in outline.results)
    plain = [*own.values(), *(f"self.{one}" for one in outline.methods)]
    text = (
        f"{indent}if {asked}:\n"
        f"{wrapped(f'{inner}{target} = {name}_op(', [*given, *outline.sizes.values()])}"
        f"{indent}else:\n"
        f"{wrapped(f'{inner}{target} = {name}(', plain)}"
    )
    end = (last.end_lineno or last.lineno) + 1
    outer = function if owner is None else owner
    below = (outer.end_lineno or outer.lineno) + 1
    made = _function(outline, name, code) + _operator(outline, kinds, owner, name, code)
    switched = switches(code, ("capture_dynamic_output_shape_ops",)) if is_sized_by_data(outline) else ()
    if end == below:  # one edit: the operator follows at once
        return (*switched, Edit(Span(first.lineno, 1, end, 1), text + made))
    return (*switched, Edit(Span(first.lineno, 1, end, 1), text), Edit(Span(below, 1, below, 1), made))


def is_sized_by_data(outline: Outline) -> bool:
    """Whether a result has a size that only the data has."""
    return any(None in look.sizes for _, look in outline.results)


def _function(outline: Outline, name: str, code: Code) -> str:
    """The statements as a function of what they take."""
    step = code.indent
    parameters = [*outline.taken, *(short for short, _ in outline.attributes.values()), *outline.methods]
    results = ", ".join(one for one, _ in outline.results)
    return f"\n\n{wrapped(f'def {name}(', parameters, '):')}{_moved(outline, code)}{step}return {results}\n"


def _operator(outline: Outline, kinds: dict[str, str], owner: ast.ClassDef | None, name: str, code: Code) -> str:
    """The operator that calls the function, and what its results look like without running it."""
    step, size = code.indent, "torch.library.get_ctx().new_dynamic_size"
    parameters = [*kinds, *outline.sizes]
    schema = ", ".join([*(f"{kind} {one}" for one, kind in kinds.items()), *(f"SymInt {one}" for one in outline.sizes)])
    count = len(outline.results)
    gives = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
    results = ", ".join(one for one, _ in outline.results)
    methods = [f"functools.partial({owner.name}.{one}, None)" for one in outline.methods if owner is not None]
    checks = "".join(f"{step}{one}\n" for result, look in outline.results for one in checks_of(result, look))
    empty = [empty_of(look) for _, look in outline.results]
    tags = f"{step}tags=(torch.Tag.nondeterministic_seeded,),\n" if outline.draws else ""
    return (
        f'\n\n@torch.library.custom_op(\n{step}"{namespace(code)}::{name.strip("_")}",\n{step}mutates_args=(),\n'
        f'{step}schema="({schema}) -> {gives}",\n{tags})\n'
        f"{wrapped(f'def {name}_op(', parameters, '):')}"
        f"{f'{step}import functools{chr(10) * 2}' if methods else ''}"
        f"{wrapped(f'{step}{results} = {name}(', [*kinds, *methods])}"
        f"{checks}{step}return {results}\n"
        f"\n\n@{name}_op.register_fake\n{wrapped('def _(', parameters, '):')}"
        f"{f'{step}size = {size}{chr(10)}' if is_sized_by_data(outline) else ''}"
        f"{f'{step}return {empty[0]}{chr(10)}' if count == 1 else wrapped(f'{step}return (', empty)}"
    )


def _moved(outline: Outline, code: Code) -> str:
    """The statements as they stand, one step in, with parameters in the place of what they read of `self`."""
    first, last = outline.statements[0], outline.statements[-1]
    base = first.lineno
    lines = list(code.source.lines[base - 1 : last.end_lineno or last.lineno])
    edits: list[tuple[int, int, int, str]] = []
    for statement in outline.statements:
        for node in ast.walk(statement):
            text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
            short = text.removeprefix("self.") if text in {f"self.{one}" for one in outline.methods} else ""
            if isinstance(node, ast.Attribute) and (text in outline.attributes or short):
                span = code.span(node)
                new = short or outline.attributes[text][0]
                edits.append((span.line - base, span.column - 1, span.end_column - 1, new))
    for row, start, end, text in sorted(edits, reverse=True):
        lines[row] = lines[row][:start] + text + lines[row][end:]
    body = textwrap.dedent("\n".join(lines)).split("\n")
    return "".join(f"{code.indent}{line}\n" if line.strip() else "\n" for line in body)
