"""Record what models do, eager and compiled: results, gradients, state, and where TorchDynamo ends graphs.

Run it twice, with PYTHONPATH naming the library as it is and as fixed; `benchmarks.fixes.table` compares the two. Needs
torch, the libraries, and the folder that holds the recorder (`harness.py`) and the factories of the cases.

    python record.py --harness FOLDER --cases CASES.jsonl --library FOLDER --out OUT [--eager-only]
        [--capture shapes|numbers|both] [--shard 0/2] [--timeout 150]

`--capture` sets the switches that `fix --verify` tries (`fixes.rewrites.capture_switch`) for the compiled run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy
import torch

SWITCHES: dict[str, dict[str, bool]] = {
    "none": {},
    "shapes": {"capture_dynamic_output_shape_ops": True},
    "numbers": {"capture_scalar_outputs": True},
    "both": {"capture_dynamic_output_shape_ops": True, "capture_scalar_outputs": True},
}


def main() -> None:
    """Record every case in a forked process of its own; cases recorded before are passed over."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--harness", required=True)
    asked.add_argument("--cases", required=True)
    asked.add_argument("--library", required=True, help="folder whose files breaks are charged to")
    asked.add_argument("--out", required=True)
    asked.add_argument("--eager-only", action="store_true")
    asked.add_argument("--capture", choices=SWITCHES, default="none")
    asked.add_argument("--shard", default="0/1")
    asked.add_argument("--timeout", type=float, default=150)
    given = asked.parse_args()
    sys.path.insert(0, given.harness)
    harness = importlib.import_module("harness")
    for library in ("transformers", "diffusers"):
        importlib.import_module(library)
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    number, of = map(int, given.shard.split("/"))
    for index, line in enumerate(Path(given.cases).read_text(encoding="utf-8").splitlines()):
        case = json.loads(line)
        target = out / (case["case"].replace("/", "~") + ".pt")
        if index % of != number or target.exists():
            continue

        def recorded(case: dict[str, Any] = case) -> dict[str, Any]:
            with torch._dynamo.config.patch(SWITCHES[given.capture]):
                return record(harness, case, given.library.rstrip("/") + "/", compiled=not given.eager_only)

        fate, value = harness.fork_call(recorded, given.timeout, 10)
        torch.save(value if fate == "ok" else {"fate": fate, "detail": str(value)}, target)
        print(case["case"], fate, flush=True)


def record(harness: Any, case: dict[str, Any], library: str, compiled: bool) -> dict[str, Any]:
    """One case: `eager` and `compiled` hold a result a sample; `breaks` what the recorder saw in the library."""
    factory = harness.load_factory(str(Path(harness.__file__).parent / case["factory"]))
    train = case.get("mode") == "train"
    result: dict[str, Any] = {"fate": "ok", "eager": _run(_built(factory, case, train), train, None)}
    if not compiled:
        return result
    torch._dynamo.reset()
    recorder = harness.Recorder((library,))
    with recorder.installed():
        model = _built(factory, case, train)
        result["compiled"] = _run(model, train, recorder)
    observed = recorder.result()
    result["breaks"] = [
        {**one, "file": one["file"].removeprefix(library)} for one in observed["breaks"] if not one.get("secondary")
    ]
    result["recompiles"] = [{**one, "file": one["file"].removeprefix(library)} for one in observed["recompiles"]]
    return result


def _seed() -> None:
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)


def _built(factory: Any, case: dict[str, Any], train: bool) -> tuple[Any, Any]:
    _seed()
    made = factory(**case.get("factory_args", {}))
    if isinstance(made[0], torch.nn.Module):
        made[0].train(train)
    return made[0], made[1]


def _run(built: tuple[Any, Any], train: bool, recorder: Any) -> list[dict[str, Any]]:
    """Outputs, gradients and buffers after each sample; an exception is a result too."""
    model, samples = built
    call = model if recorder is None else torch.compile(model, backend="eager")
    found: list[dict[str, Any]] = []
    for number, (args, keywords) in enumerate(samples):
        if recorder is not None:
            recorder.sample = number
        _seed()
        try:
            with torch.set_grad_enabled(train):
                outputs = list(tensors(call(*args, **keywords)))
                grown = [one.sum() for one in outputs if one.requires_grad and one.is_floating_point()]
                if train and grown and isinstance(model, torch.nn.Module):
                    torch.stack([one.float() for one in grown]).sum().backward()
        # A model may raise anything, and what it raises is compared like a result: eager, compiled and fixed runs must
        # agree on it, and the samples that follow still run. Nothing is hidden: `table.py` lists every disagreement.
        except Exception as error:  # noqa: BLE001 - see above
            found.append({"error": f"{type(error).__name__}: {error}"[:500]})
            continue
        state: dict[str, torch.Tensor] = {}
        gradients: dict[str, torch.Tensor] = {}
        if isinstance(model, torch.nn.Module):
            state = {name: one.detach().clone() for name, one in model.named_buffers()}
            gradients = {
                name: one.grad.detach().clone() for name, one in model.named_parameters() if one.grad is not None
            }
            model.zero_grad(set_to_none=True)
        kept = [one.detach().clone() for one in outputs]
        found.append({"outputs": kept, "gradients": gradients, "state": state, "error": ""})
    return found


def tensors(value: Any) -> Any:
    """All tensors in a result, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors(one)
    elif hasattr(value, "__dataclass_fields__"):
        yield from tensors({name: getattr(value, name) for name in value.__dataclass_fields__})


if __name__ == "__main__":
    main()
