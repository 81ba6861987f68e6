"""What parent and worker say to each other: JSON lines, one message a line.

The parent sends `settings` once, then `job`s, and a `place` before those that run from other paths; the worker answers
`ready` (or `no-torch`), and for each job `start`, `phase` and `done`. A `died` says how the copy that ran a job ended,
a `defect` that the worker itself goes no further. What was observed travels as plain data and becomes `model.TargetRun`
here, so that the worker needs nothing of ours beyond the standard library, this package and the data model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from compilelint.dynamic.targets import Input, InputSet, Target

OLDEST_TORCH = (2, 5)
"""The oldest torch that targets run on, which the extra `dynamic` asks for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How targets are run; the same for all targets of a worker.

    `python` is the interpreter with torch in it; `paths` come first on its `sys.path`, `cwd` is where it runs.
    `config` sets attributes of `torch._dynamo.config`. `repeats` is how often each input set is called. `explain` asks
    `torch._dynamo.explain` too. `cuda_graphs` records them, as `mode="reduce-overhead"` does. `parity` compares with
    eager, `reordered` allows for another rounding there, as where an operation moves to another device. `locate` looks
    for the first operation that differs. `export` goes through `torch.export` instead. `threads` of 0 are as many as
    torch takes by itself. `allow` names what else a target may do: `subprocess`, `network`, `writes`.
    """

    python: str = ""
    paths: tuple[str, ...] = ()
    cwd: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    backend: str = "eager"
    device: str = "cpu"
    fullgraph: bool = False
    dynamic: bool | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    parity: bool = True
    reordered: bool = False
    locate: bool = False
    repeats: int = 2
    explain: bool = False
    cuda_graphs: bool = False
    export: bool = False
    threads: int = 1
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One target for a worker. Eager results are written to `save_to`, or compared with those in `compare_with`.

    `exercise` is a file: the target is run many times more, as `worker.exercises` says, and what came of it is written
    there. With `fewer_than` it is exercised only if it breaks in fewer places than that, and agrees in its own calls.
    `changes` replaces settings for this job alone: `config` (added to the worker's), `dynamic`, `fullgraph`.
    `watched` are the files and folders whose exercises are watched for the sides that ran: all of the current folder
    where none is named. A job `apart` shares no import of its module with others, so nothing that its module does when
    imported.
    """

    number: int
    target: Target
    save_to: str = ""
    compare_with: str = ""
    exercise: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    apart: bool = False
    watched: tuple[str, ...] = ()
    fewer_than: int | None = None


def encode(message: Mapping[str, Any]) -> str:
    """A message as one line."""
    return json.dumps(message, default=_json_value, separators=(",", ":")) + "\n"


def decode(line: str) -> dict[str, Any] | None:
    """The message of a line, None for a line that is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("event"), str) else None


def _json_value(value: Any) -> Any:
    """What JSON cannot hold is put into words."""
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return repr(value)


def settings_message(settings: Settings) -> dict[str, Any]:
    """The first message of a parent."""
    return {"event": "settings", **asdict(settings)}


def job_message(job: Job) -> dict[str, Any]:
    """A job as a message; Python values among the inputs travel as text, since JSON knows no tuples."""
    message = asdict(job)
    for inputs in message["target"]["inputs"]:
        for one in inputs["inputs"]:
            one["value"] = repr(one["value"])
    message["target"]["arguments"] = repr(dict(job.target.arguments))
    return {"event": "job", **message}


def target_of(message: Mapping[str, Any], literal: Any) -> Target:
    """The target of a job message; `literal` reads a Python literal (`ast.literal_eval`)."""
    table = dict(message)
    sets = tuple(
        InputSet(
            tuple(
                Input(
                    one["name"],
                    None if one["shape"] is None else tuple(one["shape"]),
                    one["dtype"],
                    one["high"],
                    literal(one["value"]),
                )
                for one in inputs["inputs"]
            ),
            inputs["function"],
            inputs["weight"],
        )
        for inputs in table["inputs"]
    )
    table.update(
        inputs=sets,
        arguments=literal(table["arguments"]),
        dynamic_dims=tuple((name, tuple(dims)) for name, dims in table["dynamic_dims"]),
        regions=tuple(table["regions"]),
        seeds=tuple(table["seeds"]),
    )
    return Target(**table)
