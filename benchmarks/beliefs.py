"""Whether rules in LibCST learn what the engine believes: random expressions of real files, asked in two ways.

Each expression is put into `reveal_type(...)` in a copy of its file. `compilelint dev reveal` answers from Python's own
tree; `CompileState` answers for the LibCST node that stands there, found by a visitor. Both must say the same words.

    python -m benchmarks.beliefs FOLDER ... [--number 10000] [--seed 0] [--python ENVIRONMENT]
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from compilelint.config import Options
from compilelint.lib import UNREACHED, CompileState
from compilelint.lib.engine import known_of
from compilelint.session.commands.reveal import reveal
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

PER_FILE = 40
_LONGEST = 400_000  # characters of a file: its two analyses take seconds


def candidates(tree: ast.Module) -> Iterator[ast.expr]:
    """Expressions that a call of `reveal_type` may stand around, and still be Python."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "pattern", "targets", "target", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or isinstance(child, (ast.JoinedStr, ast.match_case)):
                    continue
                stack.append(child)
                if isinstance(child, ast.expr) and not _unwrapped(node, name, child):
                    yield child


def _unwrapped(parent: ast.AST, name: str, node: ast.expr) -> bool:
    """Whether a call cannot stand around an expression, or means another thing to the text around it."""
    if isinstance(node, (ast.Starred, ast.Slice)) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return True
    if isinstance(node, ast.GeneratorExp) and isinstance(parent, ast.Call):
        return True  # its parentheses are those of the call
    if isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript):
        return True  # `x[1, *y]`, and slices in it
    if isinstance(node, ast.Constant) and isinstance(parent, (ast.Expr, ast.JoinedStr, ast.FormattedValue)):
        return True
    return isinstance(node, ast.Name) and node.id == "super" and name == "func"


def chosen(source: Source, luck: random.Random) -> list[tuple[int, int]]:
    """Offsets of some expressions, none in another, in the order of the text."""
    tree = source.tree()
    if isinstance(tree, Unreadable):
        return []
    starts = [0]
    for line in source.lines:
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for node in candidates(tree):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = starts[node.lineno - 1] + source.column(node.lineno, node.col_offset) - 1
        end = starts[node.end_lineno - 1] + source.column(node.end_lineno, node.end_col_offset) - 1
        found.append((begin, end))
    luck.shuffle(found)
    taken: list[tuple[int, int]] = []
    for begin, end in found:
        if len(taken) == PER_FILE:
            break
        if all(end <= other or begin >= other_end for other, other_end in taken):
            taken.append((begin, end))
    return sorted(taken)


def wrapped(text: str, places: list[tuple[int, int]], luck: random.Random) -> str:
    """The text with `reveal_type(...)` around the expressions; some get parentheses of their own."""
    for begin, end in reversed(places):
        inner = text[begin:end]
        bare = luck.random() < 0.5 and not _needs_parentheses(inner)
        text = f"{text[:begin]}reveal_type({inner if bare else f'({inner})'}){text[end:]}"
    return text


def _needs_parentheses(inner: str) -> bool:
    try:
        call = ast.parse(f"f({inner})").body[0]
    except SyntaxError:
        return True
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    args = call.value.args
    return len(args) != 1 or isinstance(args[0], (ast.GeneratorExp, ast.Starred))


def provided(source: Source, python: str | None) -> dict[tuple[int, int], str]:
    """What `CompileState` says of the argument of each `reveal_type`, by line and column of the call, from 1."""
    known = run_with_deep_stack(lambda: known_of([source], python=python))
    module = run_with_deep_stack(lambda: cst.parse_module(source.text))
    wrapper = MetadataWrapper(module, cache={CompileState: known.get(source.path)})
    states = wrapper.resolve(CompileState)
    places = run_with_deep_stack(lambda: wrapper.resolve(PositionProvider))
    found: dict[tuple[int, int], str] = {}
    for node, place in places.items():
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "reveal_type":
            state = states.get(node.args[0].value, UNREACHED)
            found[place.start.line, place.start.column + 1] = state.words
    return found


def main(arguments: list[str]) -> int:
    """Print how many beliefs were compared, and each that differs; 1 where one does."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beliefs", description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--number", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python")
    given = parser.parse_args(arguments)
    luck = random.Random(given.seed)
    files = sorted(str(path) for folder in given.folders for path in Path(folder).rglob("*.py"))
    luck.shuffle(files)
    kinds: Counter[str] = Counter()
    wrong: list[str] = []
    read, began = 0, time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            if kinds.total() >= given.number:
                break
            source = read_source(path)
            if isinstance(source, Unreadable) or len(source.text) > _LONGEST or "reveal_type" in source.text:
                continue
            text = wrapped(source.text, chosen(source, luck), luck)
            copy = os.path.join(folder, os.path.basename(path))
            Path(copy).write_text(text, encoding="utf-8")
            again = read_source(copy)
            assert isinstance(again, Source)
            if isinstance(again.tree(), Unreadable):
                print(f"passed over: {path} cannot be read with calls in it", file=sys.stderr)
                continue
            read += 1
            states = provided(again, given.python)
            for one in reveal(Options((copy,), python=given.python)):
                kinds[one.belief.partition(" ")[0] if one.belief != "not reached" else one.belief] += 1
                answer = states.get((one.line, one.column), "no node")
                if answer != one.belief:
                    wrong.append(f"{path}:{one.line}:{one.column}: {one.expression}: {one.belief} != {answer}")
            os.remove(copy)
    print(f"{kinds.total():,} expressions of {read} files (seed {given.seed}), {len(wrong)} differ")
    print(f"believed: {', '.join(f'{kind} {number:,}' for kind, number in kinds.most_common(12))}")
    print(f"{time.process_time() - began:.0f} CPU s")
    print("\n".join(wrong[:50]))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
