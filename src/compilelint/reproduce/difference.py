"""A stand-alone script whose results differ between eager and compiled: candidates, and what counts as showing it.

The comparison at its end is fixed, so that no reduction weakens it, and holds with the tolerances of `verify`. A script
counts if it fails there and, with `torch.compile` left out, runs to its end: neither chance nor a model that changes
with each call is taken for a difference.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from compilelint.reproduce.script import code_of
from compilelint.reproduce.sliced import Slicer
from compilelint.reproduce.trial import Shown

_APART = re.compile(r"AssertionError: .*(not close|not equal|do not match)")
_PLAIN = "torch.compile = lambda function, **_: function"
# What `verify` allows a backend that fuses and reorders, by the narrowest dtype that the code names.
_ALLOWED = (("bfloat16", 1.6, 1e-3), ("float16|half", 0.1, 1e-3), ("", 1.3e-4, 1e-3))


def candidates_of(
    slicer: Slicer,
    named: tuple[str, str],
    given: Sequence[tuple[str, str]] | None,
    maker: tuple[str, str] | None,
    arguments: Mapping[str, Any],
    train: bool,
    backend: str,
) -> Iterator[str]:
    """Candidates as of `script.scripts_of`, each with the comparison at its end."""
    module, name = named
    slicer.need(module, name.partition(".")[0])
    made = f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
    modes = ("",) if train else (".eval()", "")
    starts = []
    if given is not None:
        places = "".join(f"{text}, " for key, text in given if not key)
        names = ", ".join(f"{key!r}: {text}" for key, text in given if key)
        call = f"args, kwargs = ({places}), {{{names}}}"
        starts += [f"model = {one}{mode}\n{call}" for mode in modes for one in (made, f"{made}[0]")]
        starts.append(f"model = {name}\n{call}")
    ways = [f"model, inputs = {made}"]
    if maker is not None:
        slicer.need(maker[0], maker[1].partition(".")[0])
        ways = [f"model = {one}\ninputs = {maker[1]}()" for one in (made, f"{made}[0]", name)]
    forms = ("inputs, {}", "(), inputs", "(inputs,), {}", "inputs[0]")
    own = [f"{way}\nmodel = model{mode}\nargs, kwargs = {form}" for way in ways for mode in modes for form in forms]
    code = code_of(slicer.out)
    for start in (*starts, *own):
        text = f"{code}\ntorch.manual_seed(0)\n{start}\n"
        yield f"{text}{comparison(backend, text)}\n"


def comparison(backend: str, code: str) -> str:
    """The end of a script, as `ast.unparse` writes it."""
    allowed = drawn = ""
    if backend == "inductor":  # so that it draws the random numbers that eager draws
        drawn = "import torch._inductor.config\ntorch._inductor.config.fallback_random = True\n"
    if backend not in ("eager", "aot_eager"):
        rtol, atol = next((rtol, atol) for names, rtol, atol in _ALLOWED if re.search(names, code))
        allowed = f", rtol={rtol}, atol={atol}"
    text = f"""
def outcome_of(function):
    torch.manual_seed(0)
    return function(*args, **kwargs)
compiled = torch.compile(model, backend={backend!r})
{drawn}torch.testing.assert_close(outcome_of(compiled), outcome_of(model), equal_nan=True{allowed})
"""
    return ast.unparse(ast.parse(text))


def shows(text: str, run: Callable[[str], Shown]) -> tuple[bool, Shown]:
    """Whether a script differs under the compiler alone; and what it showed, or what it shows without it."""
    shown = run(text)
    if not is_apart(shown):
        return False, shown
    plain = run(re.sub(r"^import torch$", f"import torch\n{_PLAIN}", text, count=1, flags=re.MULTILINE))
    return plain.ended, plain


def is_apart(shown: Shown) -> bool:
    """Whether a script ended in its comparison."""
    return not shown.ended and _APART.match(shown.error.partition("\n")[0]) is not None
