"""The tools `verify` and `prove`: real runs under TorchDynamo, in a process of its own, with limits.

Guarantee: nothing is run unless the server was started with `--allow-verify`; the target is a module of the server's
folders; the interpreter is the one that the server was started with. What the run may do is what `compilelint verify`
lets it do without further options. A patch changes a copy of the folder alone, and no file outside of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import Any

from compilelint.disk.tree import lies_in
from compilelint.dynamic.targets import TargetError, input_set, target_of
from compilelint.mcp.answers import (
    MOST_CHARACTERS,
    MOST_ENTRIES,
    Break,
    Finding,
    Fixable,
    ProveAnswer,
    Proved,
    Run,
    VerifyAnswer,
    clipped,
)
from compilelint.mcp.confined import RefusedError, Roots
from compilelint.project.import_roots import import_roots
from compilelint.report.layout.text import escaped
from compilelint.session.own_process import command_of

MOST_SECONDS = 600
_MOST_BYTES = 20_000_000  # of the report; what is larger is no answer
_LOOK_EVERY = 0.1
_AROUND = 60  # seconds for what is not the target: starting, the static pass, the report


def verified(
    roots: Roots,
    python: str,
    target: str,
    inputs: Sequence[str],
    mode: str,
    dynamic_dims: str,
    max_breaks: int,
    seconds: int,
    memory: int,
    stopped: threading.Event,
) -> VerifyAnswer:
    """What `verify` answers. Raises RefusedError."""
    folder, search = home_of(roots, target, inputs)
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        words = [f"--input={one}" for one in inputs] + [f"--path={one}" for one in search]
        words += [f"--dynamic-dims={dynamic_dims}"] if dynamic_dims else []
        limits = [f"--max-breaks={max_breaks}", f"--timeout={seconds}", f"--memory={memory}", f"--python={python}"]
        command = command_of(
            ["verify", *words, *limits, f"--mode={mode}", f"--output=json:{report}", "--", target], ends_with_us=True
        )
        said = ran(command, folder, seconds + _AROUND, stopped)
        document = _read(report)
    if document is None:
        return VerifyAnswer(ready=False, runs=[], findings=[], more_findings=0, error=said or "the run left no report")
    return _answer(document, roots)


def proved(
    roots: Roots,
    python: str,
    target: str,
    patch: str,
    inputs: Sequence[str],
    mode: str,
    seconds: int,
    memory: int,
    stopped: threading.Event,
) -> ProveAnswer:
    """What `prove` answers. Raises RefusedError."""
    folder, search = home_of(roots, target, inputs)
    with tempfile.TemporaryDirectory() as scratch:
        report, diff = os.path.join(scratch, "report.json"), os.path.join(scratch, "change.diff")
        with open(diff, "w", encoding="utf-8") as file:
            file.write(patch if patch.endswith("\n") else f"{patch}\n")
        words = [f"--input={one}" for one in inputs] + [f"--path={one}" for one in search]
        limits = [f"--timeout={seconds}", f"--memory={memory}", f"--python={python}", f"--mode={mode}"]
        command = command_of(
            ["prove", *words, *limits, f"--patch={diff}", f"--output=json:{report}", "--", target], ends_with_us=True
        )
        said = ran(command, folder, 2 * seconds + _AROUND, stopped)
        document = _read(report)
    if document is None:
        return ProveAnswer(proven=False, objection="", exercised="", targets=[], error=said or "the run left no report")
    return ProveAnswer(
        proven=document["proven"],
        objection=clipped(escaped(document["objection"])),
        exercised=clipped(escaped(document["exercised"])),
        targets=[
            Proved(**{**one, "target": _word(one["target"]), "fate": _word(one["fate"])})
            for one in document["targets"][:MOST_ENTRIES]
        ],
    )


def _read(report: str) -> dict[str, Any] | None:
    """A report that is there, is JSON, and is not too large."""
    try:
        with open(report, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
        found: dict[str, Any] | None = json.loads(data) if len(data) <= _MOST_BYTES else None
    except (OSError, ValueError):
        return None
    return found


def home_of(roots: Roots, target: str, inputs: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The folder of the server that holds all modules that a call has imported, and where its imports begin.

    Those are the target's, and that of a function which makes the inputs. Raises RefusedError.
    """
    try:
        function = input_set(inputs, "inputs").function if inputs else ""
    except TargetError as error:
        raise RefusedError(f"{error.what[:200]}; {error.hint}") from error
    modules = [_module_of(one) for one in (target, function) if one]
    for folder in roots.folders:
        search = import_roots(folder)
        missing = [one for one in modules if not _holds(folder, search, one)]
        if not missing:
            return folder, search
    kind = "file" if missing[0].endswith(".py") else "module"
    raise RefusedError(f"no {kind} {missing[0][:200]!r} in a folder of this server")


def _module_of(reference: str) -> str:
    """The module in `pkg.mod:Name`, or the file in `path/file.py:Name`.

    Raises RefusedError where it is no such name, or one that Python has itself.
    """
    try:
        target_of(reference, "target")
    except TargetError as error:
        raise RefusedError("a target is written `pkg.mod:Name` or `path/file.py:Name`") from error
    module = reference.rpartition(":")[0]
    if module.endswith(".py"):
        return module
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise RefusedError(f"the module {module[:200]!r} is Python's own, whatever a folder of this server contains")
    return module


def _holds(folder: str, search: Sequence[str], module: str) -> bool:
    """Whether a module's file, or a file by its path, really lies in a folder, where imports begin in `search`."""
    real = os.path.realpath(folder)
    if module.endswith(".py"):
        file = os.path.realpath(os.path.join(folder, module))
        return os.path.isfile(file) and lies_in(file, real)
    paths = [os.path.join(start, *module.split(".")) for start in search]
    files = [file for path in paths for file in (f"{path}.py", os.path.join(path, "__init__.py"))]
    return any(os.path.isfile(file) and lies_in(os.path.realpath(file), real) for file in files)


def ran(command: Sequence[str], folder: str, seconds: float, stopped: threading.Event) -> str:
    """Run to the end, to the limit or until it is stopped; what it said on standard error, its last lines."""
    environment = {name: value for name, value in os.environ.items() if name != "TORCH_LOGS"}
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,  # ours carries the protocol
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        until = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < until and not stopped.wait(_LOOK_EVERY):
            pass
        if process.poll() is None:
            process.terminate()  # its workers end with it
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()
            return "the run was cancelled and ended" if stopped.is_set() else _overrun(seconds)
        size = stderr.seek(0, os.SEEK_END)
        stderr.seek(max(0, size - 4_000))
        return "\n".join(map(escaped, stderr.read().decode("utf-8", "replace").split("\n")))[-4_000:]


def _overrun(seconds: float) -> str:
    return f"the run took longer than {seconds:g} s and was ended"


def _answer(document: dict[str, Any], roots: Roots) -> VerifyAnswer:
    runs = [_run(one, roots) for one in document["targets"][:MOST_ENTRIES]]
    findings: list[Finding] = []
    size = 0
    for one in document["findings"]:
        made = _finding(one, roots)
        size += len(made.model_dump_json())
        if size > MOST_CHARACTERS:
            break
        findings.append(made)
    return VerifyAnswer(
        ready=bool(runs) and all(run.within_budget for run in runs),
        runs=runs,
        findings=findings,
        more_findings=len(document["findings"]) - len(findings),
    )


def _run(one: dict[str, Any], roots: Roots) -> Run:
    parity = one["parity"]
    return Run(
        target=_word(one["target"]),
        fate=one["fate"],
        detail=clipped(escaped(one["detail"]), 2_000),
        torch=one["torch"],
        inputs=[_word(text) for text in one["inputs"][:MOST_ENTRIES]],
        graphs=one["graphs"],
        breaks=[
            Break(
                path=_word(roots.shown(seen["path"])),
                line=seen["line"],
                function=_word(seen["function"]),
                break_id=seen["break_id"],
                reason=_word(seen["words"]),
                explanation=clipped(escaped(seen["explanation"])),
            )
            for seen in [seen for seen in one["breaks"] if not seen["after"]][:MOST_ENTRIES]
        ],
        recompiles=[
            clipped(escaped(f"{roots.shown(seen['path'])}:{seen['line']}: {'; '.join(seen['guards'][:3])}"))
            for seen in one["recompiles"][:MOST_ENTRIES]
        ],
        parity=_parity(parity),
        within_budget=one["within_budget"],
    )


def _parity(parity: dict[str, Any] | None) -> str:
    if parity is None:
        return "not compared"
    if parity["divergences"]:
        first = parity["divergences"][0]
        return clipped(escaped(f"{first['kind']} {first['name']} differs: {first['text']}"))
    if parity["unknown"]:
        return clipped(escaped(f"not known: {parity['unknown']}"))
    return f"equal: {parity['compared']} values in {parity['calls']} calls"


def _finding(one: dict[str, Any], roots: Roots) -> Finding:
    """A finding of the JSON report, as `findings.finding_of` has those of a lint."""
    fix = one["fix"] and Fixable(safety=one["fix"]["safety"], title=_word(one["fix"]["title"]))
    words = ("name", "severity", "confidence", "effect", "line", "column")
    return Finding(
        **{word: one[word] for word in words},
        rule=one["rule"],
        path=_word(roots.shown(one["path"])),
        message=clipped(escaped(one["message"])),
        why="",
        help="",
        function=_word(one["function"]),
        reached_from=[_word(root) for root in one["roots"][:5]],
        break_ids=one["break_ids"][:MOST_ENTRIES],
        fix=fix,
        verdict=one["verdict"]["outcome"] if one["verdict"] else "",
    )


def _word(text: str) -> str:
    return clipped(escaped(text), 300)
