"""A stand-alone script from a target: its sliced code, its inputs as shapes with random values, its compiled calls.

How the name is to be used (a class, a factory, a function) is not guessed: each way is a candidate, a trial decides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compilelint.dynamic.targets import Input
from compilelint.reproduce.sliced import Slicer

_TENSOR = re.compile(r"(scalar|\d+(?:x\d+)*):(\w+)")
_NAMED = re.compile(r"([A-Za-z_]\w*)=(.*)$", re.DOTALL)
_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "long", "int")
_REPEATS = 3
LOGS = "; TORCH_LOGS=graph_breaks,recompiles shows it"


class NoInputsError(Exception):
    """The inputs cannot be written down; the text says which."""


def scripts_of(
    slicer: Slicer,
    named: tuple[str, str],
    given: Sequence[tuple[str, str]] | None,
    maker: tuple[str, str] | None,
    arguments: Mapping[str, Any],
    train: bool,
) -> Iterator[str]:
    """Candidates, the likeliest first: random inputs, then the target's own, whose values may have to agree.

    What is `given` are names (empty for positional ones) and expressions; None where only a function makes inputs.
    That function, `maker`, is in a module; without one the target itself may give its inputs with the model.
    """
    module, name = named
    slicer.need(module, name.partition(".")[0])
    code = code_of(slicer.out)
    made = f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
    mode = "" if train else ".eval()"
    if given is not None:
        yield from _with_inputs(code, name, made, mode, given)
    if maker is None:
        yield from _with_own_values(code, [f"model, inputs = {made}"], mode)
        return
    slicer.need(maker[0], maker[1].partition(".")[0])
    inputs = f"inputs = {maker[1]}()"
    ways = (f"model = {made}\n{inputs}", f"model = {made}[0]\n{inputs}", f"model = {name}\n{inputs}")
    yield from _with_own_values(code_of(slicer.out), ways, mode)


def _with_inputs(code: str, name: str, made: str, mode: str, given: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The target called with inputs that are written out: once, again, and with another size."""
    call = ", ".join(f"{key}={text}" if key else text for key, text in given)
    longer = ", ".join(f"{key}={_longer(text)}" if key else _longer(text) for key, text in given)
    for calls in ([call], [call] * _REPEATS, [call, longer, longer]):
        ends = "".join(f"compiled({one})\n" for one in calls)
        compiled = 'compiled = torch.compile({}, backend="eager")\n'
        yield f"{code}\ntorch.manual_seed(0)\nmodel = {made}{mode}\n{compiled.format('model')}{ends}"
        yield f"{code}\ntorch.manual_seed(0)\n{compiled.format(name)}{ends}"
        yield f"{code}\ntorch.manual_seed(0)\nmodel = {made}[0]{mode}\n{compiled.format('model')}{ends}"
        if mode:  # a factory of a function, which has no mode
            yield f"{code}\ntorch.manual_seed(0)\nmodel = {made}[0]\n{compiled.format('model')}{ends}"
        yield f"{code}\ntorch.manual_seed(0)\nmodel = {made}\n{compiled.format('model')}{ends}"


def _with_own_values(code: str, ways: Sequence[str], mode: str) -> Iterator[str]:
    """The target called with what its own function gives: arguments, names, one value, or calls one by one."""
    calls = "for args, kwargs in inputs:\n    compiled(*args, **kwargs)\n"
    forms = ("compiled(*inputs)\n", "compiled(**inputs)\n", "compiled(inputs)\n", calls)
    for times in (1, _REPEATS):
        for way in ways:
            for compiled in dict.fromkeys((f"model{mode}", "model")):
                start = f'torch.manual_seed(0)\n{way}\ncompiled = torch.compile({compiled}, backend="eager")\n'
                yield from (f"{code}\n{start}{form * times}" for form in forms)


def code_of(statements: Sequence[ast.stmt]) -> str:
    """The slice as text, with the imports first and torch among them."""
    imports = [one for one in statements if isinstance(one, (ast.Import, ast.ImportFrom))]
    future = [one for one in imports if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    rest = [one for one in statements if not isinstance(one, (ast.Import, ast.ImportFrom))]
    body = [*future, *(one for one in imports if one not in future), *rest]
    text = "\n".join(ast.unparse(ast.fix_missing_locations(one)) for one in body)
    return text if re.search(r"^import torch$", text, re.MULTILINE) else f"import torch\n{text}"


def written(one: Input) -> tuple[str, str]:
    """The name and the expression of an input that the user wrote."""
    if one.shape is None:
        return one.name, repr(one.value)
    shape = "x".join(map(str, one.shape)) or "scalar"
    return one.name, tensor_of(shape, one.dtype, one.high or 2)


def described(text: str) -> tuple[str, str]:
    """The name and the expression of an input as a run describes it: `ids=2x16:int64`. Raises NoInputsError."""
    named = _NAMED.match(text)
    name, rest = (named[1], named[2]) if named is not None else ("", text)
    expression = _TENSOR.sub(lambda found: tensor_of(found[1], found[2]), rest)
    try:
        ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise NoInputsError(f"the input {text[:80]} cannot be written as code") from error
    return name, expression


def tensor_of(shape: str, dtype: str, high: int = 2) -> str:
    """A random tensor as code."""
    sizes = "" if shape == "scalar" else ", ".join(shape.split("x"))
    whole = f"({sizes},)" if sizes and "," not in sizes else f"({sizes})"
    if dtype in _WHOLE:
        kind = "" if dtype in ("int64", "long") else f", dtype=torch.{dtype}"
        return f"torch.randint(0, {high}, {whole}{kind})"
    if dtype == "bool":
        return f"torch.rand({whole}) < 0.5"
    kind = "" if dtype in ("float32", "float") else f", dtype=torch.{dtype}"
    return f"torch.randn({sizes or whole}{kind})"


def _longer(text: str) -> str:
    """The same input with its first size one larger."""
    return re.sub(
        r"(torch\.(?:randn|rand|randint)\((?:0, \d+, )?\(?)(\d+)", lambda found: found[1] + str(int(found[2]) + 1), text
    )


def finished(text: str, headline: str, torch: str, python: str, see: str = LOGS) -> str:
    """The script as it is filed: what it shows, with which versions, and how to see it."""
    lines = [f"# {headline}", f"# torch {torch}, Python {python}{see}."]
    return "\n".join((*lines, text.strip(), ""))
