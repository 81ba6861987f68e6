"""One model of `benchmarks.fixes.eager`, from both libraries: run, compared, and written as one row.

    python -m benchmarks.fixes.eager_runs CASE OUT.json FACTORIES.py OLD NEW

Each library is run in a process of its own, since a model is built by importing it. A run is kept as hashes of its
tensors; where the hashes of a run differ, both are asked for the numbers of what differs, and these are compared. The
original is run again first: where it differs from itself (sums of numbers far too large hang on where memory lies), the
run says nothing of the fix. Such runs are counted as `unsteady`.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LATE = "did not end in time"
_ROOT = Path(__file__).resolve().parents[2]
_SECONDS_OF_A_CASE = 6  # of the processor, after which no further run of a case begins
_MOST_SECONDS = 120  # of the processor, for all of a case on one side
_MOST_NAMES = 40  # of a run, of which the numbers are compared
_AGAIN = 3  # times that the original is run again where a run differs

Runs = list[dict[str, Any]]


def main() -> None:
    """Write the row of a case; with a seventh word, what one side gives."""
    if sys.argv[1] == "--side":
        _side(*sys.argv[2:])
        return
    case, out, factories, old, new = sys.argv[1:6]
    row: dict[str, Any] = {"case": case, "not_run": "", "runs": 0, "raising": 0, "differences": []}
    with tempfile.TemporaryDirectory(prefix="runs-") as folder:
        row |= _compared(case, factories, old, new, folder)
    Path(out).write_text(json.dumps(row), encoding="utf-8")


def _compared(case: str, factories: str, old: str, new: str, folder: str) -> dict[str, Any]:
    def asked(library: str, name: str, wanted: list[tuple[int, list[str]]] | None, count: int) -> Runs | str:
        return _of_side(case, factories, library, old, os.path.join(folder, name), wanted, count)

    first = asked(old, "old", None, 0)
    if isinstance(first, str):
        return {"not_run": first}
    second = asked(new, "new", None, len(first))
    if second == LATE:
        return {"not_run": LATE}
    if isinstance(second, str):
        return {"differences": [{"kind": "run", "name": "all", "text": second, "label": "the fixed library"}]}
    found = {"runs": len(first), "raising": sum(bool(one["error"]) for one in first)}
    unlike = [(number, names) for number, names in enumerate(map(_unlike, first, second)) if names is not None]
    for again in range(_AGAIN if unlike else 0):
        other = asked(old, f"again-{again}", None, len(first))
        if isinstance(other, str):
            return {**found, "not_run": other}
        steady = [(number, names) for number, names in unlike if _unlike(first[number], other[number]) is None]
        found["unsteady"] = found.get("unsteady", 0) + len(unlike) - len(steady)
        unlike = steady
    if not unlike:
        return found
    wanted, got = asked(old, "old", unlike, len(first)), asked(new, "new", unlike, len(first))
    if isinstance(wanted, str) or isinstance(got, str):
        return {**found, "not_run": wanted if isinstance(wanted, str) else got}
    from compilelint.dynamic.worker.exercising import differing

    return {**found, "differences": differing(wanted, got, frozenset(), compiled=False, reordered=False)}


def _unlike(first: dict[str, Any], second: dict[str, Any]) -> list[str] | None:
    """The names of what is not the same to the bit in two runs, at most some; None where all is."""
    if first == second:
        return None
    names = []
    for part in ("found", "state"):
        one, other = first.get(part, {}), second.get(part, {})
        names += [name for name in dict.fromkeys([*one, *other]) if one.get(name) != other.get(name)]
    return names[:_MOST_NAMES]


def _of_side(
    case: str, factories: str, library: str, site: str, out: str, wanted: list[tuple[int, list[str]]] | None, count: int
) -> Runs | str:
    """What one library gives: hashes, or of the runs and names that are `wanted` the numbers; words where it fails."""
    own = [library, site, *(one for one in sys.path if one)]
    # Where a program keeps a set as a list, its order must be that of the other side.
    fixed = {"PYTHONHASHSEED": "0", "HF_HUB_OFFLINE": "1"}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(own)), **fixed}
    words = [case, factories, library, out, json.dumps(wanted), str(count)]
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fixes.eager_runs", "--side", *words]
    ended = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        check=False,
    )
    if ended.returncode:
        there = os.path.exists(f"{out}.txt")
        return Path(f"{out}.txt").read_text(encoding="utf-8") if there else LATE
    import torch

    runs: Runs = torch.load(f"{out}.pt", weights_only=True)
    return runs


# ------------------------------------------------------------- in the process of a side


def _side(case: str, factories: str, library: str, out: str, wanted: str, count: str) -> None:
    import torch

    torch.set_num_threads(1)
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + _MOST_SECONDS,) * 2)
        torch.save(_runs(case, factories, library, json.loads(wanted), int(count)), f"{out}.pt")
    except Exception as error:  # noqa: BLE001 - whatever a model raises when it is built
        Path(f"{out}.txt").write_text(f"{type(error).__name__}: {error}".partition("\n")[0][:150], encoding="utf-8")
        sys.exit(1)


def _runs(case: str, factories: str, library: str, wanted: list[tuple[int, list[str]]] | None, count: int) -> Runs:
    """What each exercise of a case gives; `count` of them, or as many as there is time for."""
    from compilelint.dynamic.targets import Target
    from compilelint.dynamic.worker.exercises import exercises_for
    from compilelint.dynamic.worker.exercising import exercised
    from compilelint.dynamic.worker.loading import build, find

    recipe = find(f"{factories}:recipes")()[case]
    target = Target(f"{factories}:built", name=case, arguments={"recipe": recipe}, mode=recipe["mode"])
    loaded = build(find(target.model), target.arguments)
    _assert_from(library)
    asked = exercises_for(target, loaded, "cpu")
    started = time.process_time()
    runs: Runs = []
    for number, one in enumerate(asked[: count or None]):
        made = build(find(target.model), target.arguments).function if "method" in recipe else loaded.function
        for run in exercised(made, made, [one]):
            names = None if wanted is None else dict(wanted).get(number, [])
            runs.append(_kept(run, names))
        if not count and time.process_time() - started > _SECONDS_OF_A_CASE:
            break
    return runs


def _assert_from(library: str) -> None:
    """Every module of the libraries comes from the copy."""
    homes = {one.name for one in Path(library).iterdir() if one.is_dir()}
    loaded = [name for name in sys.modules if name in homes and getattr(sys.modules[name], "__file__", None)]
    strange = [name for name in loaded if not str(sys.modules[name].__file__).startswith(library)]
    assert not strange, f"{strange[0]} is not that of {library}"


def _kept(run: dict[str, Any], names: list[str] | None) -> dict[str, Any]:
    """A run with hashes for its tensors; with `names`, their tensors and nothing else."""
    parts = {part: run[part] for part in ("found", "state") if part in run}
    if names is None:
        kept: dict[str, Any] = {
            part: {name: _hash(one) for name, one in found.items()} for part, found in parts.items()
        }
    else:
        kept = {part: {name: one for name, one in found.items() if name in names} for part, found in parts.items()}
    return {**run, **kept}


def _hash(value: Any) -> Any:
    """A tensor as its dtype, shape and a hash of its bits; other values as they are, numbers by their bits."""
    import torch

    if isinstance(value, float):
        return value.hex()
    if not isinstance(value, torch.Tensor):
        return value
    bits = value.detach().contiguous().reshape(-1).view(torch.uint8).numpy()
    return f"{value.dtype} {tuple(value.shape)} {hashlib.sha256(bits).hexdigest()}"


if __name__ == "__main__":
    main()
