"""Deliberate faults: whether the tests of a folder catch a small mistake in the source folder of the same name.

    python -m benchmarks.faults                    # each fault alone, in a copy: caught or missed
    python -m benchmarks.faults interp/calls.py    # those in one file or folder
    python -m benchmarks.faults --check            # no tests: every text still occurs exactly once

A fault is a text of one source file and what stands there instead: a guard dropped, a confidence not lowered, a cache
that does not look. Each was chosen by reading the source alone, before the tests were looked at. A fault counts as
caught only where a quick test of `tests/<the same folder>` fails (`-m "not slow and not dynamo"`): a mistake in
`interp/` that a test of the command line happens to meet is not caught where it would be looked for.
The results are in `benchmarks/log/faults.md`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path("src", "compilelint")
_NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".benchmark-cache", ".hypothesis", "__pycache__")
_SECONDS = 600


class Fault(NamedTuple):
    """`text` occurs once in `path`, below `src/compilelint`; `instead` takes its place; `why` says what goes wrong."""

    path: str
    text: str
    instead: str
    why: str

    @property
    def tests(self) -> str:
        """The test folder that must catch it."""
        return f"tests/{self.path.partition('/')[0]}"


FAULTS: tuple[Fault, ...] = (
    # ------------------------------------------------------------------ interp
    Fault(
        "interp/alternatives.py",
        "replace(least.site, cap=Doubt.SOME_CALLEES.lower(least.site.cap))",
        "least.site",
        "a break in one of several possible callees is reported as sure as if only that one could be called",
    ),
    Fault(
        "interp/changes.py",
        '"varies" if change.where == "closure" and kind == "int" else "counts"',
        '"counts"',
        "an int of an enclosing function is dynamic from the second call on; eight versions are claimed",
    ),
    Fault(
        "interp/parameters.py",
        "if default is not None and len(arms(value)) > 1:",
        "if False:",
        "`x: Tensor | float = 1.0`: most calls take the default, and the tensor is no longer merely possible",
    ),
    Fault(
        "interp/objects.py",
        "if method.decorated(*_CACHED):",
        "if False:",
        "a `cached_property` is entered as a plain property: its first read skips the frame, its later ones are free",
    ),
    Fault(
        "interp/frame.py",
        "self.left(min(sure, self.cap) > Confidence.POSSIBLE,",
        "self.left(min(sure, self.cap) >= Confidence.POSSIBLE,",
        "a merely possible break in a loop silences what follows it as not traced",
    ),
    Fault(
        "interp/state.py",
        "first.skipped and other.skipped",
        "first.skipped or other.skipped",
        "a frame given up on one path counts as given up on both",
    ),
    Fault(
        "interp/truth.py",
        "left_over = NONE if is_none(known) is not False else None",
        "left_over = NONE",
        "`if x is None` is entered although `x` cannot be None",
    ),
    Fault(
        "interp/statements.py",
        "if truth.switched_off(f, test, taken):",
        "if False:",
        "what stands behind a switch that is off by default is reported as likely",
    ),
    Fault(
        "interp/calls.py",
        "frame.context.config, id(frame.closure), frame.cap, values)",
        "frame.context.config, id(frame.closure), values)",
        "a summary made under a doubt answers callers that have none",
    ),
    Fault(
        "interp/binding.py",
        "if isinstance(p.default, ir.Const) and isinstance(p.default.value, (bool, str)):",
        "if False:",
        "a tensor passed where the default is a flag or a text is believed without a doubt",
    ),
    # ------------------------------------------------------------------- fixes
    Fault(
        "fixes/rewrites/host_reads.py",
        "(ast.Add, ast.Sub, ast.Mult, ast.Div))\n    if isinstance(node, ast.Call)",
        "(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod))\n    if isinstance(node, ast.Call)",
        "`n.item() % 2` keeps a tensor where a size may be made of it",
    ),
    Fault(
        "fixes/rewrites/attention_chunks.py",
        "if mask is None or not _keeps_order(call, code):",
        "if mask is None:",
        "a causal call gets a mask in place of the order of tokens",
    ),
    Fault(
        "fixes/rewrites/branches.py",
        "if not (is_pure(node.body, code) and is_pure(node.orelse, code) and can_be_chosen",
        "if not (is_pure(node.body, code) and can_be_chosen",
        "the other side of `a if c else b` is computed in vain although it has effects",
    ),
    Fault(
        "fixes/engine/purity.py",
        'if last.endswith("_") or any(keyword.arg in ("out", "inplace") for keyword in call.keywords):',
        'if last.endswith("_"):',
        "a call that writes into `out=` counts as one that changes nothing",
    ),
    Fault(
        "fixes/rewrites/indexing.py",
        'return rank is not None and rank == known.fact("of_rank")',
        "return rank is not None",
        "a mask over rows is taken for one over elements",
    ),
    Fault(
        "fixes/engine/imports.py",
        "if package in taken or package in known or _assigned(code.tree, package):",
        "if package in known or _assigned(code.tree, package):",
        "`import torch` is added although the function uses the name `torch` for something else",
    ),
    # ------------------------------------------------------------------ checks
    Fault(
        "checks/breaks.py",
        "return (in_block or broken.skips_frame) and not (",
        "return broken.skips_frame and not (",
        "a break in a loop is reported as one that costs two graphs, although nothing of the frame is compiled",
    ),
    Fault(
        "checks/breaks.py",
        "yield arm.but(confidence=Doubt.ONE_OF_SEVERAL.cap)",
        "yield arm",
        "a torch function that may be given something other than a tensor breaks for certain",
    ),
    Fault(
        "checks/breaks.py",
        "sure = Doubt.NO_TENSOR_TAKES_PART.lower(sure)",
        "pass",
        "a line without tensors in a function that nothing compiles is reported as likely",
    ),
    Fault(
        "checks/recompiles.py",
        'if event.alone and event.where in ("global", "closure")',
        'if event.where in ("global", "closure")',
        "from torch 2.15 on a counter that is read elsewhere still recompiles, and is no longer reported",
    ),
    # ------------------------------------------------------------------ survey
    Fault(
        "survey/repeated_blocks.py",
        "found[1] >= _FEW",
        "found[1] > _FEW",
        "three equal blocks are no repeated block any more",
    ),
    Fault(
        "survey/optimized_modules.py",
        "return Doubt.BOUND_BEHIND_A_TEST.cap if self.conditional else Confidence.CERTAIN",
        "return Confidence.CERTAIN",
        "a model that is compiled behind a test is compiled for certain",
    ),
    # ----------------------------------------------------------------- session
    Fault(
        "session/pipeline/baseline.py",
        "used[entry] < self.allowed.get(entry, 0)",
        "used[entry] <= self.allowed.get(entry, 0)",
        "a copy of a known line is accepted with it",
    ),
    Fault(
        "session/pipeline/merge.py",
        "tuple(fact for fact in one.known if fact in other.known)",
        "one.known",
        "a rewrite relies on what holds on one way to the line only",
    ),
    Fault(
        "session/incremental/run_cache.py",
        "if any(digest_of(path) != digest for path, digest in read.items()):",
        "if False:",
        "a run is answered from the cache although a file has changed",
    ),
    Fault(
        "session/incremental/run_cache.py",
        "readings.torn or outcome.given_up",
        "outcome.given_up",
        "a run over a file that changed while it was read is kept",
    ),
    # ------------------------------------------------- report, syntax, values
    Fault(
        "report/layout/paths.py",
        "inside = _below(_resolved(path), self._resolved) or _below(path, self._base)",
        "inside = _below(path, self._base)",
        "a file reached through a link is reported under a path that the repository does not know",
    ),
    Fault(
        "syntax/suppressions.py",
        "if code in active_codes and (pragma, code) not in hits",
        "if (pragma, code) not in hits",
        "`--select` reports the suppressions of all other rules as unused",
    ),
    Fault(
        "syntax/notebooks.py",
        'if first.lstrip().startswith("%%"):',
        "if False:",
        "a cell of bash is read as Python, and the notebook is unparsable",
    ),
    Fault(
        "values/lattice.py",
        "found = [a for a in found if isinstance(a, Tensor) or (isinstance(a, Const) and a.value is None)]",
        "found = []",
        "a union that grows too wide forgets that a tensor is among its arms",
    ),
    # ------------------------------------------------ ten more, chosen when the tests for the first thirty were written
    Fault(
        "interp/items.py",
        "if others and len(others) < len(joined.arms):",
        "if False:",
        "a tensor that lies among other things in a tuple is believed when any one of them is taken",
    ),
    Fault(
        "interp/statements.py",
        "f.state.broke, f.state.skipped = before.broke, before.skipped  # nothing to loop over",
        "pass",
        "the body of a loop over an empty tuple is thought to have broken the graph",
    ),
    Fault(
        "interp/kept_state.py",
        "if state is not None and slot not in state.fresh:",
        "if state is not None:",
        "state that this call has written itself counts as what an earlier call left",
    ),
    Fault(
        "interp/truth.py",
        "if truth(a) is not True and not isinstance(a, _ALWAYS_TRUE)",
        "if truth(a) is not True",
        "behind `if not f` a function is left, which is never false",
    ),
    Fault(
        "fixes/rewrites/round_trips.py",
        "if len(uses) != 2 or sum(map(is_store, uses)) != 1:",
        "if sum(map(is_store, uses)) != 1:",
        "a copy on the host that is read elsewhere too is left out",
    ),
    Fault(
        "fixes/rewrites/views.py",
        "if len(stores) != 1 or not isinstance(origin, ast.Assign) or function is None:",
        "if not isinstance(origin, ast.Assign) or function is None:",
        "a name that is bound twice is taken for what it was bound to first",
    ),
    Fault(
        "checks/misuse.py",
        "or value <= default:",
        "or value < default:",
        "a recompile limit set to torch's own default is reported as raised",
    ),
    Fault(
        "survey/lost_state.py",
        'if alone and (where == "closure" or not call.keywords):',
        "if alone:",
        "`popitem(last=False)` of an attribute is reported as lost, although it is replayed",
    ),
    Fault(
        "session/pipeline/changed.py",
        "return any(first <= span.end_line and span.line <= last for first, last in ranges)",
        "return any(first <= span.line <= last for first, last in ranges)",
        "a finding whose first line is older than the changed line within it is not reported",
    ),
    Fault(
        "values/lattice.py",
        "return arm if arm.confidence <= cap else arm.but(confidence=cap)",
        "return arm.but(confidence=cap)",
        "a tensor that is merely possible becomes likely by being one of several",
    ),
)


# ------------------------------------------------------------------------- run


def stale(fault: Fault) -> str:
    """What is wrong with a fault as data; empty where its text occurs exactly once."""
    path = ROOT / SOURCE / fault.path
    if not path.is_file():
        return f"{fault.path}: no such file"
    count = path.read_text(encoding="utf-8").count(fault.text)
    if count != 1:
        return f"{fault.path}: {count} times {fault.text!r}"
    return "" if (ROOT / fault.tests).is_dir() else f"{fault.path}: no folder {fault.tests}"


def is_caught(fault: Fault, copy: Path) -> bool:
    """Whether a quick test of the folder fails with the fault. Raises RuntimeError where the tests did not run."""
    path = copy / SOURCE / fault.path
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(fault.text, fault.instead), encoding="utf-8")
    _forget_compiled(path)
    try:
        return not passes(fault.tests, copy)
    finally:
        path.write_text(whole, encoding="utf-8")
        _forget_compiled(path)


def passes(folder: str, copy: Path) -> bool:
    """Whether the quick tests of a folder pass, stopped at the first that fails. Raises RuntimeError as above."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(copy / "src"), str(copy)))}
    quick = ["-x", "-p", "no:cacheprovider", "-m", "not slow and not dynamo"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *quick, folder],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{folder} did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def _forget_compiled(path: Path) -> None:
    """Two texts of one size and second would share their byte code."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()


def wanted(names: Sequence[str]) -> Iterator[Fault]:
    """The faults in the files or folders named; all where none is."""
    for fault in FAULTS:
        if not names or any(fault.path == name or fault.path.startswith(f"{name.rstrip('/')}/") for name in names):
            yield fault


def main(arguments: Sequence[str] | None = None) -> int:
    """Apply each fault alone; 1 if one is missed or its text is gone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults")
    parser.add_argument("names", nargs="*", metavar="PATH", help="files or folders below src/compilelint")
    parser.add_argument("--check", action="store_true", help="only look whether every text occurs exactly once")
    given = parser.parse_args(arguments)
    faults = list(wanted(given.names))
    gone = [text for text in map(stale, faults) if text]
    for text in gone:
        print(text)
    if given.check or gone:
        print(f"{len(faults) - len(gone)} of {len(faults)} faults can be applied")
        return 1 if gone else 0
    missed = 0
    with tempfile.TemporaryDirectory(prefix="faults-") as temporary:
        copy = Path(temporary, "copy")
        shutil.copytree(ROOT, copy, ignore=_NOT_COPIED, symlinks=True)
        for folder in dict.fromkeys(fault.tests for fault in faults):
            if not passes(folder, copy):
                print(f"{folder} fails without any fault")
                return 1
        for fault in faults:
            began = time.perf_counter()
            caught = is_caught(fault, copy)
            missed += not caught
            word, took = "caught" if caught else "MISSED", time.perf_counter() - began
            print(f"{word} {took:6.1f} s  {fault.path}: {fault.why}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught by the tests of their folder")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
