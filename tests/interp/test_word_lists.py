"""Lists of torch's names in the interpreter: few, each for a reason, and held against torch where it can be asked.

What torch does and returns is measured (`torchfacts`); a list written by hand needs a reason why it is not. Cuts across
all of `interp`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from compilelint.torchfacts import available, load

INTERP = Path(__file__).parents[2] / "src" / "compilelint" / "interp"
LONG = 10  # words
_MEMBER, _FUNCTION, _LAYER, _WRITE, _MATH, _DOTTED, _OTHER = (
    "member",
    "function",
    "layer",
    "write",
    "math",
    "dotted",
    "",
)

# What the names of a list are, and why torch cannot be asked for the list.
REASONS = {
    "driver.unreached._CONVERSIONS": (
        _OTHER,
        "calls that give a value another form or ask of it: a function of nothing else is there to leave the device",
    ),
    "text.held_tensors._MAKING": (_FUNCTION, "torch's functions that make a tensor of numbers: read off the text"),
    "text.usage.TENSOR_ONLY": (
        _MEMBER,
        "what common classes other than tensors lack: a census of programs",
    ),
    "text.usage._OF_TORCH": (
        _MEMBER,
        "those that arrays, frames and series lack (`test_arrays_lack_what_is_torch_s_alone`): read off the text",
    ),
    "text.asked_attributes._COMMON": (
        _OTHER,
        "names that many classes have, of torch and of the program: to ask for them says of no class that it is meant",
    ),
    "text.usage._SHARED": (_MEMBER, "those of them that arrays, modules and configurations have too: the same census"),
    "text.usage._COMPUTING": (_MEMBER, "those that alone prove computing with tensors: the same census"),
    "text.usage._SAME_KIND": (
        _MEMBER,
        "methods that give a tensor if, and only if, they are called on one: read off the text",
    ),
    "text.usage._OF_COMPARISONS": (
        _MEMBER,
        "what a comparison of tensors has, and those of numbers, arrays and frames lack: read off the text",
    ),
    "text.usage._ANYTHING": (
        _DOTTED,
        "they take numbers, lists and paths too: a call proves nothing",
    ),
    "text.copies_needed._SAME": (_MEMBER, "calls that give on what was copied, whatever its kind: read off the text"),
    "kinds.jagged_tensors._KEEPING": (
        _OTHER,
        "samples of results are of dense tensors; those without arguments are run in `test_jagged_tensors`",
    ),
    "kinds.jagged_tensors._LAYERS": (
        _LAYER,
        "layers that give a jagged tensor for one: no facts on layouts",
    ),
    "devices.placement._WRITES": (_WRITE, "writes into memory, not into metadata: what people do in place"),
    "devices.placement.METHODS": (_MEMBER, "what the checks of placement look at"),
    "core.origin_steps.VIEWS": (
        _OTHER,
        "how results are spelled in origins (`.view`): those that share memory as a rule",
    ),
    "models.nn_modules._KEEPS_RANK": (_LAYER, "beginnings of class names: no sample of a layer says all of its ranks"),
    "models.steering._MATH": (_MATH, "functions of `math`, of Python and not of torch"),
    "models.python.OWN_EVENTS": (_OTHER, "builtins of Python, some of which torch has too"),
    "driver.attribute_candidates._OF_EVERY_MODULE": (
        _OTHER,
        "what every `nn.Module` has, so that no class of the program is known by it",
    ),
    "refusals.object_kinds.BUILTINS": (
        _OTHER,
        "builtins of Python and two functions of torch: the operations that the table of objects was measured for",
    ),
    "effects.tensor_guards._CUTS": (
        _OTHER,
        "what no gradient flows through, in the words of the source: members and functions",
    ),
    "effects.tensor_guards._PARAMETERLESS": (
        _LAYER,
        "layers without parameters; no facts on what a layer holds",
    ),
    "kinds.tensor_as_number._SIZED": (
        _FUNCTION,
        "where an argument is a size; facts know arguments by place, not by meaning",
    ),
    "kinds.tensor_as_number._TAKES_TENSOR_FIRST": (_FUNCTION, "of those the ones whose sizes stand behind a tensor"),
}


def torch_names() -> frozenset[str]:
    """Bare names of everything of torch that was measured."""
    facts = load(available()[-1])
    keys = [*facts.all_keys(), *facts.results.names]
    return frozenset(key.partition("|")[0].rpartition(".")[2] for key in keys if "torch." in key)


def lists(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Every list of words in a file, by the name that it is bound to."""
    module = ".".join(path.relative_to(INTERP).with_suffix("").parts)
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(statement, ast.stmt):
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        name = target.id if isinstance(target, ast.Name) else f"<{type(statement).__name__.lower()}>"
        for node in _own(statement):
            words = _words(node)
            if len(words) > LONG:
                yield f"{module}.{name}", words


def _own(statement: ast.stmt) -> Iterator[ast.expr]:
    left: list[ast.AST] = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    while left:
        node = left.pop()
        if isinstance(node, ast.expr):
            yield node
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _words(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = node.value.split()
        return words if all(word.replace(".", "").replace("_", "").isalnum() for word in words) else []
    items: list[ast.expr | None] = []
    if isinstance(node, (ast.Set, ast.List, ast.Tuple)):
        items = [*node.elts]
    elif isinstance(node, ast.Dict):
        items = [*node.keys]
    return [one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def long_lists() -> dict[str, list[str]]:
    """Lists with more names of torch than need no reason."""
    known, found = torch_names(), dict[str, list[str]]()
    for path in sorted(INTERP.rglob("*.py")):
        for name, words in lists(path):
            if sum(word.rpartition(".")[2] in known for word in words) > LONG:
                found.setdefault(name, []).extend(words)
    return found


def test_every_long_list_of_torch_names_has_a_reason() -> None:
    found = set(long_lists())
    assert found == {name for name in REASONS if name in found}, sorted(found - REASONS.keys())
    assert REASONS.keys() == found, f"no longer a list: {sorted(REASONS.keys() - found)}"


def test_a_list_is_found_however_it_is_written() -> None:
    text = " ".join(sorted(name for name in torch_names() if name.isidentifier())[:30])
    for source in (
        f'A = frozenset("""{text}""".split())',
        f"A = {tuple(text.split())!r}",
        f"A = {set(text.split())!r}",
    ):
        statement = ast.parse(source).body[0]
        assert any(len(_words(node)) == 30 for node in _own(statement)), source


@pytest.mark.dynamo
def test_the_names_are_those_of_torch() -> None:
    import math

    import torch

    for name, words in long_lists().items():
        of = REASONS[name][0]
        if of in (_MEMBER, _WRITE):
            missing = [word for word in words if not hasattr(torch.Tensor, word)]
        elif of == _FUNCTION:
            spaces = (torch, torch.Tensor, torch.nn.functional)
            missing = [word for word in words if not any(hasattr(space, word) for space in spaces)]
        elif of == _LAYER:
            missing = [word for word in words if not any(one.startswith(word) for one in dir(torch.nn))]
        elif of == _MATH:
            missing = [word for word in words if not hasattr(math, word)]
        elif of == _DOTTED:
            missing = [word for word in words if not _exists(word)]
        else:
            continue
        assert not missing, f"{name}: torch has no {', '.join(missing)}"


def _exists(dotted: str) -> bool:
    import torch

    found: object = torch
    for part in dotted.split(".")[1:]:
        found = getattr(found, part, None)
    return found is not None


@pytest.mark.dynamo
def test_what_writes_in_place_writes() -> None:
    import torch

    for word in long_lists()["devices.placement._WRITES"]:
        x = torch.ones(2)
        y = x.clone()
        calls: tuple[list[object], ...] = ([], [y], [1.0], [y, 0.5], [y, y], [0.5, 1.0])
        changed = False
        for args in calls:
            before = x._version
            try:
                getattr(x, word)(*args)
            except (TypeError, RuntimeError):
                continue
            changed = changed or x._version > before
        assert changed, word


@pytest.mark.dynamo
def test_arrays_lack_what_is_torch_s_alone() -> None:
    import numpy as np

    assert [word for word in long_lists()["text.usage._OF_TORCH"] if hasattr(np.ndarray, word)] == []
