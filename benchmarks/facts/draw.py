"""Draws names at random and holds the shipped table against real torch, by a witness the generator has no part in.

    python -m benchmarks.facts.draw names --seed 7            the keys of a draw, for whom writes the programs
    python -m benchmarks.facts.draw judge draws/7.txt         runs them under the installed torch, from the root

The programs of a draw are written by hand from torch's documentation for that draw; who writes them knows the
generator's, so that both may show a name in the same simple form. Their breaks are seen where Dynamo logs them
(`tests/rules/recorder.py`), not where the generator counts them: what is independent is the witness. A key agrees
where the table's answer for this call, default mode, is what happened: trace or break; where it breaks, with that id.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compilelint.torchfacts import ArgKind, Call, Fact, TorchFacts, load

VERSIONS = ("2.13.0", "2.15.0")
NAMES = 60
_PREAMBLE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
"""


@dataclass(frozen=True)
class Program:
    """One key of a draw and the function that shows it: `outside` runs before, at the top of the module.

    `kinds` are the kinds of the call's arguments, for names whose verdict depends on them.
    """

    key: str
    outside: str
    body: str
    kinds: tuple[str, ...]

    @property
    def source(self) -> str:
        """The module; `f` takes a float tensor of shape (2, 3)."""
        lines = self.body.splitlines()
        if not lines[-1].startswith("return "):
            lines = ["x = x + 1", *lines, "return x * 2"]
        return f"{_PREAMBLE}{self.outside}\n\ndef f(x):\n" + "".join(f"    {line}\n" for line in lines)


def names(seed: int) -> list[str]:
    """The keys of a draw: `NAMES` of those that were measured in all `VERSIONS`.

    Ranked by a hash of seed and key, so that a name more or less in the tables changes a draw by one name at most.
    """
    tables = [load(version) for version in VERSIONS]
    pot = [
        key
        for key in tables[0].all_keys()
        if not key.startswith("syntax:")
        and "|" not in key
        and all(table.verdict(key) is not None and not table.is_assumed(key) for table in tables)
    ]
    return sorted(sorted(pot, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())[:NAMES])


def programs(text: str) -> Iterator[Program]:
    """The programs of a draw: `## KEY`, `@ ` before outside lines, `? ` before kinds; an empty line ends one."""
    for block in re.split(r"\n{2,}", text.strip()):
        lines = block.splitlines()
        if not lines[0].startswith("## "):
            continue  # prose
        outside = "\n".join(line[2:] for line in lines if line.startswith("@ "))
        kinds = tuple(word for line in lines if line.startswith("? ") for word in line[2:].split())
        body = "\n".join(line for line in lines[1:] if line[:2] not in ("@ ", "? "))
        yield Program(lines[0][3:], outside, body, kinds)


def _fact(facts: TorchFacts, program: Program) -> Fact:
    key = program.key
    prefix, _, name = key.rpartition(":")
    asked = {
        "layer": facts.layer,
        "with": facts.context_manager,
        "with-object": lambda name: facts.context_manager(name, from_outside=True),
        "set": lambda name: facts.attribute(name, write=True),
        "": facts.callable,
    }
    fact = asked[prefix](name)
    if fact is None:
        raise LookupError(f"no fact of {key} in torch {facts.version}")
    return fact.for_call(Call([ArgKind(kind) for kind in program.kinds])) if fact.mixed else fact


def judged(program: Program, facts: TorchFacts, folder: Path) -> tuple[bool, str, str]:
    """Whether the table agrees, what it says, and what happened."""
    import torch

    from tests.rules.recorder import record

    path = folder / (re.sub(r"\W+", "_", program.key) + ".py")
    path.write_text(program.source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.f(torch.arange(1.0, 7.0).reshape(2, 3) / 7)  # a program that does not run uncompiled shows nothing
    spec.loader.exec_module(module)
    seen = record(module.f, [(torch.arange(1.0, 7.0).reshape(2, 3) / 7,)], str(folder))
    fact = _fact(facts, program)
    ids = sorted({one.gb for one in seen.breaks} - {""})
    happened = "breaks" if seen.breaks else "raises" if seen.error else "traces"
    says = ("raises" if fact.raises else "breaks") if fact.breaks else "traces"
    agrees = (happened == "traces") is not fact.breaks
    if agrees and ids and fact.gb_id:
        agrees = fact.gb_id in ids
    return agrees, " ".join([says, fact.gb_id or ""]).strip(), " ".join([happened, *ids, seen.error[:60]]).strip()


def main() -> int:
    """Answers the exit code: 1 where a name disagrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("names").add_argument("--seed", type=int, required=True)
    commands.add_parser("judge").add_argument("draw", type=Path)
    options = parser.parse_args()
    if options.command == "names":
        print("\n".join(names(options.seed)))
        return 0
    import torch

    facts = load(torch.__version__)
    torch.set_num_threads(1)
    wrong = total = 0
    with tempfile.TemporaryDirectory() as scratch:
        for program in programs(options.draw.read_text(encoding="utf-8")):
            agrees, says, happened = judged(program, facts, Path(scratch))
            total, wrong = total + 1, wrong + (not agrees)
            print(f"{'ok ' if agrees else 'NO '} {program.key:60} table: {says:16} torch: {happened}", flush=True)
    print(f"torch {torch.__version__}: {total - wrong} of {total} agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
