"""Hostile inputs drawn by Hypothesis: each must end within bounds, with an exit code that means something.

    python -m benchmarks.fuzz --minutes 10            as many as fit, each in a process with hard limits
    python -m benchmarks.fuzz --inputs 1000 --seed 3  that many, the same for the same seed
    python -m benchmarks.fuzz --only notebooks        one target

Targets: syntax (programs put together and then torn), ir (programs that parse, over values that grow), notebooks,
configuration, cache (entries that someone else wrote). `tests/security/test_bounded_fuzz.py` runs each for a moment.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.bounded import CPU_SECONDS, MEGABYTES, Ending, Hostile, ended, warm

HEAD = "import functools\nimport torch\nfrom torch import nn\n\n\n"
_NAMES = st.sampled_from(["x", "y", "z", "n", "flag", "self", "f", "Net"])
_ATOMS = st.one_of(
    _NAMES,
    st.sampled_from(
        ["None", "True", "0", "-1", "10 ** 9", "1e308", "'a'", "b'a'", "...", "()", "[]", "{}", "nn.Linear(2, 2)"]
    ),
)


def _joined(one: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions over expressions."""
    binary = st.builds(
        "({} {} {})".format, one, st.sampled_from("+ - * / // % ** << >> & | @ == < in is and or".split()), one
    )
    call = st.builds("{}({}, *{}, **{})".format, one, one, one, one)
    method = st.builds(
        "{}.{}({})".format,
        one,
        st.sampled_from(["sum", "item", "tolist", "append", "to", "T", "forward", "shape"]),
        one,
    )
    held = st.builds(
        "{}{}, {}{}".format, st.sampled_from(["(", "[", "functools.partial(", "nn.Sequential("]), one, one, st.just("")
    )
    return st.one_of(
        binary,
        call,
        method,
        held.map(lambda text: text + ("]" if text.startswith("[") else ")")),
        st.builds("{}[{}]".format, one, one),
        st.builds("{{{}: {}, **{}}}".format, one, one, one),
        st.builds("(lambda x={}: {})".format, one, one),
        st.builds("[{} for x in {} if {}]".format, one, one, one),
        st.builds("({} if {} else {})".format, one, one, one),
        st.builds("f'{{{}!r:{{{}}}}}'".format, _NAMES, _NAMES),
        st.builds("(y := {})".format, one),
    )


EXPRESSIONS = st.recursive(_ATOMS, _joined, max_leaves=12)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _blocks(one: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Statements over statements."""
    body = st.lists(one, min_size=1, max_size=4).map("\n".join).map(_indented)
    head = st.one_of(
        st.builds("if {}:".format, EXPRESSIONS),
        st.builds("while {}:".format, EXPRESSIONS),
        st.builds("for {} in {}:".format, _NAMES, EXPRESSIONS),
        st.builds("with {} as {}:".format, EXPRESSIONS, _NAMES),
        st.builds("def {}(x, *y, n={}, **z):".format, _NAMES, EXPRESSIONS),
        st.builds("@{}\ndef f(x: {}, y=()):".format, _NAMES, EXPRESSIONS),
        st.builds("class Net({}):".format, EXPRESSIONS),
    )
    return st.one_of(
        st.builds("{}\n{}".format, head, body),
        st.builds("try:\n{}\nexcept {}:\n{}\nfinally:\n{}".format, body, _NAMES, body, body),
        st.builds("match {}:\n    case [{}, *y]:\n{}".format, EXPRESSIONS, _NAMES, body.map(_indented)),
    )


_LINES = st.one_of(
    st.builds("{} = {}".format, _NAMES, EXPRESSIONS),
    st.builds("{}.x = {}".format, _NAMES, EXPRESSIONS),
    st.builds("x, *y = {}".format, EXPRESSIONS),
    st.builds("{} += {}".format, _NAMES, EXPRESSIONS),
    st.builds("return {}".format, EXPRESSIONS),
    st.builds("torch.compile({})({})".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("{}  # compilelint: ignore[{}]".format, EXPRESSIONS, st.text("CL10,[]# ", max_size=9)),
    st.sampled_from(
        ["break", "continue", "pass", "global x", "del x", "yield x", "await x", "from m import *", "raise"]
    ),
)
BODIES = st.lists(st.recursive(_LINES, _blocks, max_leaves=12), min_size=1, max_size=6).map("\n".join)
PROGRAMS = BODIES.map(lambda body: f"{HEAD}def run(x: torch.Tensor, n, flag=None):\n{_indented(body)}\n\n\n{body}\n")


@st.composite
def torn(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text of which pieces are lost, repeated or replaced by noise."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        piece = draw(
            st.one_of(
                st.text(max_size=12), st.sampled_from(["\x00", "\f", "\r", "\ufeff", "\u202e", "\\\n", "'''", "(" * 60])
            )
        )
        text = text[:start] + piece * draw(st.sampled_from([0, 1, 1, 2, 200])) + text[end:]
    return text


_CELLS = st.lists(
    st.one_of(
        PROGRAMS,
        torn(PROGRAMS),
        torn(st.sampled_from(["%timeit -n 1 x = f()", "!ls\n", "x = !ls", "f?", "%%bash\nls"])),
    ),
    max_size=4,
)
NOTEBOOKS = _CELLS.map(
    lambda cells: json.dumps(
        {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "metadata": {}, "nbformat": 4}
    )
)
_VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20)),
    lambda one: st.one_of(
        st.lists(one, max_size=4), st.dictionaries(st.text("abc-", min_size=1, max_size=4), one, max_size=3)
    ),
    max_leaves=6,
)
_KEYS = st.sampled_from(
    """extend select extend-select ignore severity per-file-ignores min-confidence fail-on baseline exclude
    force-exclude     roots dynamo torch-version python follow-imports timeout targets nonsense""".split()
)


def _toml(value: object) -> str:
    """A value as TOML writes it, near enough: what it does not write is one more fault."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    return "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, list) else json.dumps(value)


CONFIGURATIONS = st.dictionaries(_KEYS, _VALUES, max_size=4).map(
    lambda table: "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
)
_MODEL = f"{HEAD}def run(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"


def _cache(entries: list[bytes]) -> Hostile:
    names = {f"cache/{number:032x}.entry": entry for number, entry in enumerate(entries)}
    return Hostile({"p/m.py": _MODEL, **names}, ("--cache-dir", "cache"))


TARGETS: dict[str, st.SearchStrategy[Hostile]] = {
    "syntax": torn(PROGRAMS).map(lambda text: Hostile({"m.py": text}, ("--roots", "all"))),
    "ir": PROGRAMS.map(lambda text: Hostile({"m.py": text}, ("--roots", "all"))),
    "notebooks": torn(NOTEBOOKS).map(lambda text: Hostile({"n.ipynb": text})),
    "configuration": torn(CONFIGURATIONS).map(lambda text: Hostile({"compilelint.toml": text, "m.py": _MODEL})),
    "cache": st.lists(st.binary(max_size=200).map(lambda data: b"compilelint-entry-2\n" + data), max_size=3).map(
        _cache
    ),
}


def run(name: str, check: Callable[[Hostile], None], examples: int, number: int) -> None:
    """Call `check` with that many inputs of a target, the same for the same number."""

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(TARGETS[name])
    def drawn(hostile: Hostile) -> None:
        check(hostile)

    drawn()


def main(argv: Sequence[str] | None = None) -> int:
    """Draw and run; 1 if any input went beyond its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--inputs", type=int, default=0, metavar="N", help="stop after N inputs, however long it takes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[*TARGETS], help="one target")
    args = parser.parse_args(argv)
    warm()
    count = 0
    bad: list[tuple[str, Hostile, Ending]] = []
    most = Ending(0.0, 0.0, 0, "")

    def check(hostile: Hostile) -> None:
        nonlocal count, most
        found = ended(hostile)
        count += 1
        most = Ending(max(most.cpu, found.cpu), max(most.peak, found.peak), 0, "")
        if found.complaint:
            bad.append((name, hostile, found))
            print(f"{name}: {found.complaint}\n{hostile.files!r}", flush=True)

    begin, number = time.monotonic(), args.seed
    while count < args.inputs if args.inputs else time.monotonic() - begin < args.minutes * 60:
        for name in [args.only] if args.only else TARGETS:
            run(name, check, 50, number)
        number += 1
    print(
        f"{count} inputs of {1 if args.only else len(TARGETS)} targets in {time.monotonic() - begin:.0f} s: {len(bad)} "
        f"beyond {CPU_SECONDS} CPU s or {MEGABYTES} MB, or not ended well; "
        f"at most {most.cpu:.2f} CPU s, {most.peak:.0f} MB"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
