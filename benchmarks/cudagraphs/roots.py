"""Scores what is said of CUDA graphs by root: the models and schedulers of `labels-models.jsonl`.

    python -m benchmarks.cudagraphs --models SITE                  the table by halves; SITE holds the pinned packages
    python -m benchmarks.cudagraphs --models SITE --misses first   what is wrong in the half that may be looked at
    python -m benchmarks.cudagraphs --models SITE --traced CORPUS  only findings on lines that the same case ran

Each labelled model is linted by itself: the file of its class, with that class's method as the only root, and mode
`reduce-overhead`. It is found, or flagged, where a finding with the effect `cudagraph` names the root; a finding in a
file that many models share so counts for each model whose root reaches it. Needs no torch.

A case that is hostile in float32, as it was recorded, and clean in bfloat16 (`bfloat16` of its label) is left to the
caller: it does not count, unless `--float32` counts it as hostile.

With `--traced`, files of recordings (`traced_lines`, as `score.py` takes them), a finding counts only on lines that
Dynamo traced in the same case: one in a branch for training or for other inputs is neither right nor wrong of what ran.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.cudagraphs.cases import Case
from compilelint.config import Options
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Effect, Finding
from compilelint.session.commands.lint import lint

_PACKAGES = ("diffusers", "transformers")


Traced = dict[str, dict[str, list[int]]]
"""The lines that Dynamo traced in each case, by file as the packages name it."""


def judged_roots(
    site: Path, labels: Path, half: str = "both", recordings: Sequence[Path] = (), float32: bool = False
) -> list[Case]:
    """The judged models of one half, with the findings that name their root, of lines that ran if that is recorded."""
    files = _files_of_classes(site)
    traced = lines_of(recordings) if recordings else None
    found = []
    for row in map(json.loads, labels.read_text(encoding="utf-8").splitlines()):
        if row["label"] == "unjudged" or (row.get("bfloat16") == "clean" and not float32):
            continue
        empty = Case(row["case"], row["label"], tuple(row["reasons"]), 0, 0, ())
        if half not in ("both", empty.half):
            continue
        cls, method = class_and_method(row["case"])
        path = files.get(cls)
        findings = () if path is None else tuple(_named(path, cls, method))
        if traced is not None:
            lines = traced.get(row["case"], {})
            findings = tuple(one for one in findings if _ran(one, site, lines))
        found.append(Case(row["case"], row["label"], tuple(row["reasons"]), 0, 0, findings))
    return found


def lines_of(recordings: Sequence[Path]) -> Traced:
    """What Dynamo traced, from files of recordings, packed or not."""
    found: Traced = {}
    for path in recordings:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for row in map(json.loads, text.decode("utf-8").splitlines()):
            found[row["case"]] = row["traced_lines"]
    return found


def _ran(finding: Finding, site: Path, lines: dict[str, list[int]]) -> bool:
    """Whether a line of a finding was traced."""
    path = Path(finding.location.path).resolve().relative_to(site.resolve()).as_posix()
    span = finding.location.span
    return any(span.line <= number <= span.end_line for number in lines.get(path, ()))


def class_and_method(case: str) -> tuple[str, str]:
    """What a case ran: `bert/BertModel/eval` the forward of a model, `DDIMScheduler.step` a method."""
    if "/" in case:
        parts = case.split("/")  # `/pixels` may follow: a call with images
        return parts[parts.index("eval") - 1], "forward"
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
