"""The same target through `torch.export`: strict, then draft, each with its own words for what stops it.

Also names the submodules that are TorchScript, and the files in which the model's classes are written, so that the
parent can look for what else older ways to freeze a model left there.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import torch

from compilelint.dynamic.worker.inputs import Call
from compilelint.dynamic.worker.loading import place_of

_MOST_TEXT = 2000


def export(function: Any, calls: list[Call]) -> dict[str, Any]:
    """Export with the first call's arguments.

    `exports` holds an entry a way, `remnants` what is scripted or traced, `sources` the files of the model's classes.
    """
    module = function if isinstance(function, torch.nn.Module) else _Wrapped(function)
    args, named = calls[0]
    tried: list[dict[str, Any]] = []
    for way in ("strict", "non-strict", "draft"):
        tried.append({"way": way, **_tried(way, module, args, named)})
    return {"exports": tried, "remnants": _remnants(module), "sources": _sources(module, function)}


def _tried(way: str, module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    torch._dynamo.reset()
    draft: Any = getattr(torch.export, "draft_export", None)
    if way == "draft" and draft is None:
        return {"works": False, "text": f"torch {torch.__version__} has no torch.export.draft_export", "nodes": 0}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if way == "draft":
                program = draft(module, args, kwargs=named)
                report = getattr(program, "_report", None)
                failures = [] if report is None else [str(one.print()) for one in report.failures]
                nodes = len(program.graph.nodes)
                return {"works": not failures, "text": "\n".join(failures)[:_MOST_TEXT], "nodes": nodes}
            program = torch.export.export(module, args, kwargs=named, strict=way == "strict")
    except Exception as error:  # noqa: BLE001 - what export raises is the answer
        return {"works": False, "text": f"{type(error).__name__}: {error}"[:_MOST_TEXT], "nodes": 0}
    return {"works": True, "text": "", "nodes": len(program.graph.nodes)}


def _remnants(module: Any) -> list[str]:
    """Submodules that were scripted or traced, by name; what lies inside of one is not named again."""
    found: list[str] = []
    inside: list[str] = []
    for name, one in module.named_modules():
        if not isinstance(one, torch.jit.ScriptModule) or any(name.startswith(f"{outer}.") for outer in inside):
            continue
        inside.append(name)
        kind = "traced" if isinstance(one, (torch.jit.TracedModule, torch.jit.TopLevelTracedModule)) else "scripted"
        where = f"submodule `{name}`" if name else "the model"
        found.append(
            f"{where} is a {kind} TorchScript module, which strict export refuses; use the module it was made of"
        )
    return found


def _sources(module: Any, function: Any) -> list[str]:
    """The files that the classes of a model, or a function, are written in, without those of torch."""
    made = [function, *(type(one) for one in module.modules())]
    places = [place_of(one) for one in made]
    paths = {str(place[0]) for place in places if place is not None}
    return sorted(path for path in paths if not path.startswith(os.path.join(torch.__path__[0], "")))


class _Wrapped(torch.nn.Module):  # type: ignore[misc]  # torch is Any to mypy
    """A function as a module, since export takes nothing else."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, *args: Any, **named: Any) -> Any:
        return self._function(*args, **named)
