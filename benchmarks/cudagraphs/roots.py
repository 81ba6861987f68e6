"""Scores what is said of CUDA graphs by root: the models and schedulers of `labels-models.jsonl`.

    python -m benchmarks.cudagraphs --models SITE                  the table by halves; SITE holds the pinned packages
    python -m benchmarks.cudagraphs --models SITE --misses first   what is wrong in the half that may be looked at

Each labelled model is linted by itself: the file of its class, with that class's method as the only root, and mode
`reduce-overhead`. It is found, or flagged, where a finding with the effect `cudagraph` names the root; a finding in a
file that many models share so counts for each model whose root reaches it. Needs no torch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cudagraphs.cases import Case
from compilelint.config import Options
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Effect, Finding
from compilelint.session.commands.lint import lint

_PACKAGES = ("diffusers", "transformers")


def judged_roots(site: Path, labels: Path, half: str = "both") -> list[Case]:
    """The judged models of one half, with the findings that name their root."""
    files = _files_of_classes(site)
    found = []
    for row in map(json.loads, labels.read_text(encoding="utf-8").splitlines()):
        if row["label"] == "unjudged":
            continue
        empty = Case(row["case"], row["label"], tuple(row["reasons"]), 0, 0, ())
        if half not in ("both", empty.half):
            continue
        cls, method = class_and_method(row["case"])
        path = files.get(cls)
        findings = () if path is None else tuple(_named(path, cls, method))
        found.append(Case(row["case"], row["label"], tuple(row["reasons"]), 0, 0, findings))
    return found


def class_and_method(case: str) -> tuple[str, str]:
    """What a case ran: `bert/BertModel/eval` the forward of a model, `DDIMScheduler.step` a method."""
    if "/" in case:
        return case.split("/")[-2], "forward"
    cls, _, method = case.partition(".")
    return cls, method


def _files_of_classes(site: Path) -> dict[str, Path]:
    """The file that defines each class; those that lie in files named for models or schedulers first."""
    found: dict[str, Path] = {}
    for package in _PACKAGES:
        for path in sorted((site / package).rglob("*.py")):
            if "modular_" in path.name or "modular_pipelines" in path.parts:
                continue
            for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
                found.setdefault(name, path)
    return found


def _named(path: Path, cls: str, method: str) -> Iterator[Finding]:
    """The findings of one root that say that no CUDA graph is recorded of all of it."""
    options = Options(
        (str(path),),
        roots=(f"*{cls}.{method}",),
        torch_version="2.13",
        dynamo=DynamoConfig(mode="reduce-overhead"),
    )
    for one in lint(options).findings:
        named = any(root.rpartition(".")[2] == method and cls in root for root in one.roots)
        if named and Effect.CUDAGRAPH in one.effects and one.confidence > Confidence.POSSIBLE:
            yield one
