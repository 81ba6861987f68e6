"""Judge the answers of a coding agent: `python -m benchmarks.agents.judge FOLDER [--arm NAME] [--write]`.

FOLDER holds the programs as the agent left them. Each is compared with the committed original on inputs that the agent
did not see (hidden.py), in a process of its own, without compilelint: its proof is not its own judge. Needs torch.

A verdict is one of

- `whole`: results, gradients, state and class of an error equal those of the original on every input, in plain Python
  and compiled, and the compiled runs have no break;
- `breaks`: equal, and a compiled run still breaks (`breaks` says how often);
- `wrong`: something differs, and `why` says what and on which input;
- `fails`: the answer can't be imported or run.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import torch

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
RESULTS = HERE / "results.jsonl"
# What hides a region from the compiler instead of compiling it, and a switch that changes what is captured: both are
# said beside the verdict
OPAQUE = ("custom_op", "allow_in_graph", "leaf_function", "nonstrict_trace", "disable")
SWITCH = ("capture_scalar_outputs", "capture_dynamic_output_shape_ops", "trace_autograd_ops")
SECONDS = 300


def names() -> list[str]:
    """The programs' names in order."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"answer_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _outcome(model: torch.nn.Module, call: Callable[..., object], args: tuple[object, ...]) -> dict[str, object]:
    """What a call gives: results, gradients of parameters and inputs, the state after it, or the class of its error."""
    import torch

    given = [a.clone().requires_grad_(a.is_floating_point()) if isinstance(a, torch.Tensor) else a for a in args]
    model.zero_grad(set_to_none=True)
    try:
        result = call(*given)
    except Exception as error:  # noqa: BLE001 - the program's own
        return {"error": _class_of(error)}
    leaves = torch.utils._pytree.tree_leaves(result)
    flat = [x for x in leaves if isinstance(x, torch.Tensor)]
    total = [x.float().pow(2).sum() + x.float().sum() for x in flat if x.requires_grad]
    if total:
        torch.stack(total).sum().backward()
    return {
        "structure": str(torch.utils._pytree.tree_structure(result)),
        "results": [
            x.detach().clone() if isinstance(x, torch.Tensor) else x for x in torch.utils._pytree.tree_leaves(result)
        ],
        "grads": [p.grad for p in model.parameters()] + [a.grad for a in given if isinstance(a, torch.Tensor)],
        "state": {key: value.clone() for key, value in model.state_dict().items()},
    }


def _class_of(error: BaseException) -> str:
    """The class of an error; the compiler's own wrapper counts as what it wraps."""
    cause = error.__cause__
    if type(error).__module__.startswith("torch._") and cause is not None:
        return _class_of(cause)
    return type(error).__name__


def _same(a: object, b: object) -> bool:
    import torch

    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and bool(torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if a is None or b is None:
        # A gradient that is missing and one of zeros move no parameter
        other = b if a is None else a
        return other is None or (isinstance(other, torch.Tensor) and not other.any())
    return bool(a == b)


def _difference(a: dict[str, object], b: dict[str, object]) -> str | None:
    """The first part in which two outcomes differ, or None."""
    for part in ("error", "structure", "results", "grads", "state"):
        if (part in a) != (part in b) or not _same(a.get(part), b.get(part)):
            return f"{part}: {a[part]} became {b.get(part, 'a result')}" if part == "error" and part in a else part
    return None


def judged(name: str, answer: Path) -> dict[str, object]:
    """The verdict over one answer, `{"case", "verdict", "why", "breaks", "graphs", "notes"}`; runs the answer here."""
    import torch
    from torch._dynamo.utils import counters

    from benchmarks.agents.hidden import cases

    text = answer.read_text(encoding="utf-8")
    row: dict[str, object] = {"case": name, "why": None, "breaks": 0, "graphs": 0}
    row["notes"] = [word for word in (*OPAQUE, *SWITCH) if word in text]
    old_module = _load(PROGRAMS / f"{name}.py")
    try:
        new_module = _load(answer)
        torch.manual_seed(0)
        new = new_module.build()
    except Exception as error:  # noqa: BLE001 - the answer's own
        return row | {"verdict": "fails", "why": f"{type(error).__name__}: {error}"[:200]}
    torch.manual_seed(0)
    old = old_module.build()
    if list(old.state_dict()) != list(new.state_dict()):
        return row | {"verdict": "wrong", "why": "the keys of the state differ"}
    traced = copy.deepcopy(new)
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(traced, backend="aot_eager", dynamic=False)
    for index, args in enumerate(cases(name)):
        before = _outcome(old, old, args)
        for how, (model, call) in {"in plain Python": (new, new), "compiled": (traced, compiled)}.items():
            after = _outcome(model, call, args)
            # Compiled code may word an error of its own; that it raises is what matters
            part = None if how == "compiled" and "error" in before and "error" in after else _difference(before, after)
            if part is not None:
                return row | {"verdict": "wrong", "why": f"input {index}, {how}: {part}"}
    row["graphs"] = counters["stats"]["unique_graphs"]
    counted = sum(counters["graph_break"].values())
    row["breaks"] = max(counted, sum(not _is_one_graph(new, args) for args in cases(name)))
    return row | {"verdict": "breaks" if row["breaks"] or not row["graphs"] else "whole"}


def _is_one_graph(model: torch.nn.Module, args: tuple[object, ...]) -> bool:
    """Whether `fullgraph` captures a call, which also sees the breaks at tests on tensors that no counter counts.

    It is not enough alone: `fullgraph` captures `tolist` and `item` that break without it.
    """
    import torch

    torch._dynamo.reset()
    try:
        torch.compile(copy.deepcopy(model), backend="eager", fullgraph=True, dynamic=False)(*args)
    except torch._dynamo.exc.TorchDynamoException:
        return False
    except Exception:  # noqa: BLE001 - the error of the program, which the comparison before has seen
        return True
    return True


def _judge_apart(name: str, answer: Path) -> dict[str, object]:
    """The verdict of a process of its own, which a hang or a crash of the answer ends alone."""
    command = [sys.executable, "-m", "benchmarks.agents.judge", str(answer.parent), "--one", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return {"case": name, "verdict": "fails", "why": f"no answer in {SECONDS} s"}
    except (IndexError, ValueError):
        return {"case": name, "verdict": "fails", "why": done.stderr.strip().rsplit("\n", 1)[-1][:200]}


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--arm", default="", help="The name under which the rows are kept, such as `compilelint 1`.")
@click.option("--write", is_flag=True, help="Keep the rows in results.jsonl in place of those of this arm.")
@click.option("--one", hidden=True)
def main(folder: Path, arm: str, write: bool, one: str | None) -> None:
    """Judge the programs in FOLDER, as an agent left them."""
    if one is not None:
        warnings.simplefilter("ignore")
        print(json.dumps(judged(one, folder / f"{one}.py")))
        return
    rows = []
    for name in names():
        row = {"arm": arm} | _judge_apart(name, folder / f"{name}.py")
        rows.append(row)
        click.echo(f"{name:16} {row['verdict']:7} {row.get('why') or ''} {row.get('notes') or ''}")
    counts = {kind: sum(row["verdict"] == kind for row in rows) for kind in ("whole", "breaks", "wrong", "fails")}
    click.echo(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    if write:
        if not arm:
            raise click.UsageError("--write needs --arm")
        kept = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
        kept = [line for line in kept if json.loads(line)["arm"] != arm]
        RESULTS.write_text("\n".join(kept + [json.dumps(row) for row in rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
