"""Record what `torch.export` does with each program. Needs torch; each case runs in a process of its own.

    python -m benchmarks.export.record                     # every case; writes labels-VERSION.jsonl
    python -m benchmarks.export.record --pages             # the Bad code of every rule page; writes pages-VERSION.jsonl
    python -m benchmarks.export.record --case values:branch_sum --show

A file of `programs/` holds functions `make_NAME()` that give a module, its arguments and its keyword arguments. It is
exported by `torch.export.export(module, args, kwargs, strict=True)`, and without `strict`, as torch does by default.
A page's code is what a module calls. `refused` says whether that raises, `error` with which type, `text` with which
first line.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import io
import logging
import multiprocessing
import re
import sys
import tempfile
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from benchmarks.export.labels import PROGRAMS, Row, write
from compilelint.rulebook import pages as rule_pages
from tests.rules.pages import program_of, written

_TIMEOUT = 120.0  # seconds a case
_LONGEST = 300
_FOLDERS = re.compile(r"/\S*/(?=(?:site-packages|programs)/)")


def version() -> str:
    """The torch that is running, as the labels are named: `2.13`."""
    return ".".join(torch.__version__.split(".")[:2])


def cases() -> list[str]:
    """`file:name` of all programs, without importing them."""
    found = []
    for path in sorted(PROGRAMS.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
        found += [f"{path.stem}:{name.removeprefix('make_')}" for name in names if name.startswith("make_")]
    return found


class Page(torch.nn.Module):  # type: ignore[misc]
    """A module that calls what a page defines."""

    def __init__(self, called: Any) -> None:
        super().__init__()
        self.called = called

    def forward(self, *args: Any) -> Any:
        """As it does."""
        return self.called(*args)


def pages() -> list[str]:
    """`page:CODE` of all rules whose page runs code under Dynamo."""
    programs = (program_of(page) for code, page in rule_pages().items() if not code.startswith("CL9"))
    return sorted(f"page:{one.code}" for one in programs if not one.measured and "\nargs = " in f"\n{one.run}")


def _page(code: str) -> tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]:
    """The Bad code of a page, as the tests of the pages run it."""
    program = program_of(rule_pages()[code])
    with tempfile.TemporaryDirectory() as folder:
        bad, _ = written(program, Path(folder))
        name = f"page_{code.lower()}"
        spec = importlib.util.spec_from_file_location(name, bad)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    defined: dict[str, Any] = {}
    exec(compile(program.run, f"<run with of {code}>", "exec"), defined)
    called = module.f if hasattr(module, "f") else module.M()
    return (called if isinstance(called, torch.nn.Module) else Page(called)), tuple(defined["args"]), {}


def made(case: str) -> tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]:
    """The module of a case, with what it is exported with."""
    stem, _, name = case.partition(":")
    if stem == "page":
        return _page(name)
    path = PROGRAMS / f"{stem}.py"
    spec = importlib.util.spec_from_file_location(stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[stem] = module  # strict export looks names of a file up in its module
    spec.loader.exec_module(module)
    found: tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]] = getattr(module, f"make_{name}")()
    return found


def tried(case: str, strict: bool) -> Row:
    """What one way of exporting a case comes to; the program runs in eager mode first, or is no case."""
    net, args, kwargs = made(case)
    net(*args, **kwargs)
    net, args, kwargs = made(case)
    asked = {"strict": True} if strict else {}
    try:
        torch.export.export(net, args, kwargs, **asked)
    except Exception as error:  # noqa: BLE001 - whatever it raises is the recording
        text = next((line for line in str(error).splitlines() if line.strip()), "")
        return {"refused": True, "error": type(error).__name__, "text": _FOLDERS.sub("", text)[:_LONGEST]}
    return {"refused": False, "error": "", "text": ""}


def row_of(case: str) -> Row:
    """The recording of one case."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return {"case": case, "torch": version(), "strict": tried(case, True), "non-strict": tried(case, False)}


def _send(case: str, out: Connection) -> None:
    try:
        out.send(row_of(case))
    except Exception as error:  # noqa: BLE001 - a program that fails in eager mode is a mistake in it
        out.send({"case": case, "failed": f"{type(error).__name__}: {error}"[:_LONGEST]})


def recorded(case: str) -> Row:
    """The recording, made in a process of its own."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(case, theirs))
    process.start()
    theirs.close()
    try:
        row: Row = ours.recv() if ours.poll(_TIMEOUT) else {"case": case, "failed": "out of time"}
    except EOFError:
        row = {"case": case, "failed": "the process died"}
    if process.is_alive():
        process.kill()
    process.join()
    return row


def main() -> None:
    """Record what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", help="one case, as in values:branch_sum")
    parser.add_argument("--pages", action="store_true", help="record the Bad code of the rule pages")
    parser.add_argument("--show", action="store_true", help="print rows and write nothing")
    asked = parser.parse_args()
    torch.export.export(torch.nn.ReLU(), (torch.ones(2),), strict=True)  # what that imports, each process then has
    wanted = [asked.case] if asked.case else pages() if asked.pages else cases()
    rows = [recorded(case) for case in wanted]
    failed = [row for row in rows if "failed" in row]
    for row in rows if asked.show else failed:
        print(row)
    if not asked.show and not asked.case and (asked.pages or not failed):
        rows = [row for row in rows if "failed" not in row]
        write(version(), rows, "pages" if asked.pages else "labels")
        for way in ("strict", "non-strict"):
            print(f"torch {version()}, {way}: {sum(row[way]['refused'] for row in rows)} of {len(rows)} refused")


if __name__ == "__main__":
    main()
