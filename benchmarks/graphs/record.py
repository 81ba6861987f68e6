"""Record the graphs of programs and models: how many, and how many operations each holds. Needs torch.

    python -m benchmarks.graphs.record programs             # the small cases; writes programs-VERSION.jsonl
    python -m benchmarks.graphs.record models               # breaking models of transformers and diffusers

A case is compiled with Dynamo's defaults and called once, in a process of its own. `graphs` lists the operations (nodes
that call something) of each graph, in the order in which they were compiled. `root` is the place of the function that
is compiled: file, first line and qualified name.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import importlib.util
import inspect
import json
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).parent
TRUTH = FOLDER.parent / "truth"
CASES = TRUTH / "micro" / "cases"
BOARDS = sorted((FOLDER.parent / "fleet").glob("board-*.jsonl.gz"))
_TIMEOUT = 180.0
_CALLS = ("call_function", "call_method", "call_module")


def programs() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """The small cases that break, each with what builds it."""
    labels = TRUTH / "micro" / "labels-torch-2.13.jsonl.gz"
    with gzip.open(labels, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for name in sorted(row["case"] for row in rows if row["label"] == "break"):
        file, _, case = name.partition("/")
        yield name, lambda file=file, case=case: _made(file, case)  # type: ignore[misc]


def _made(file: str, case: str) -> tuple[Any, Any]:
    spec = importlib.util.spec_from_file_location(file, CASES / f"{file}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file] = module
    spec.loader.exec_module(module)
    called, samples = getattr(module, f"make_{case}")()
    return called, samples[0]


def models() -> Iterator[tuple[str, Callable[[], tuple[Any, Any]]]]:
    """The models of the board whose graphs break, each with what builds it."""
    found = set()
    for board in BOARDS:
        with gzip.open(board, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        found |= {row["model"] for row in rows if row.get("kind") == "model" and row.get("breaks")}
    for name in sorted(found):
        library, _, model = name.partition("/")
        yield name, lambda library=library, model=model: _recipe(library, model)  # type: ignore[misc]


def _recipe(library: str, name: str) -> tuple[Any, Any]:
    model, calls = importlib.import_module(f"benchmarks.fleet.{library}_models").model(name)
    return model, calls[0]


def record(name: str, make: Callable[[], tuple[Any, Any]], under: Sequence[Path]) -> dict[str, Any] | None:
    """The row of one case, None where it could not be built or called."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(theirs, make, under))
    process.start()
    theirs.close()
    try:
        row = ours.recv() if ours.poll(_TIMEOUT) else None
    except EOFError:
        row = None
    process.kill()
    process.join()
    return None if row is None else {"case": name, "torch": torch.__version__, **row}


def _send(pipe: Any, make: Callable[[], tuple[Any, Any]], under: Sequence[Path]) -> None:
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        os.dup2(nowhere.fileno(), 2)
        warnings.simplefilter("ignore")
        pipe.send(_graphs(make, under))
    os._exit(0)


def _graphs(make: Callable[[], tuple[Any, Any]], under: Sequence[Path]) -> dict[str, Any] | None:
    torch.manual_seed(0)
    called, (args, keywords) = make()
    sizes: list[int] = []

    def backend(graph: torch.fx.GraphModule, _: Any) -> Any:
        sizes.append(sum(node.op in _CALLS for node in graph.graph.nodes))
        return graph

    code = inspect.unwrap(type(called).forward if isinstance(called, torch.nn.Module) else called)
    code = getattr(code, "__func__", code).__code__
    path = Path(code.co_filename)
    file = next((path.relative_to(one) for one in under if path.is_relative_to(one)), None)
    failed = ""
    try:
        torch.compile(called, backend=backend)(*args, **keywords)
    except Exception as error:  # noqa: BLE001 - what a case raises is part of what is recorded
        failed = type(error).__name__
    if file is None:
        return None
    return {"root": [file.as_posix(), code.co_firstlineno, code.co_qualname], "graphs": sizes, "raised": failed}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the rows of one set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("programs", "models"))
    chosen = parser.parse_args(argv).which
    site = [Path(one) for one in sys.path if one.endswith(("site", "site-packages"))]
    found = [record(name, make, [CASES, *site]) for name, make in (programs() if chosen == "programs" else models())]
    rows = [row for row in found if row is not None]
    version = ".".join(torch.__version__.split(".")[:2])
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (FOLDER / f"{chosen}-{version}.jsonl").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(rows)} of {len(found)} recorded\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
