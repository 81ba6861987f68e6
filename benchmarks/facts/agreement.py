"""Holds the whole static pass against recorded one-line programs that real TorchDynamo ran.

Usage: python benchmarks/facts/agreement.py [--torch-version 2.13.0 2.15.0]
Every snippet becomes a function under `@torch.compile` with typed parameters; it is predicted to break where a
finding (likely or certain) that ends the graph stands in it. Needs no torch.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from compilelint.config import Options
from compilelint.model import Effect, Finding
from compilelint.session.commands.lint import lint

SNIPPETS = Path(__file__).with_name("snippets.jsonl.gz")
PREAMBLE = Path(__file__).parents[2] / "src/compilelint/torchfacts/generate/snippets/preamble.txt"
_ENDS_THE_GRAPH = frozenset({Effect.GRAPH_BREAK, Effect.ERROR})
_PACKAGES = (
    "numpy, numpy as np, scipy, scipy.special, scipy.stats, scipy.optimize, scipy.ndimage, sklearn.metrics",
    "einops, einops.layers.torch, tqdm, PIL.Image, requests, yaml, omegaconf, pydantic, transformers",
    "transformers.modeling_outputs, safetensors.torch, rich, sympy, networkx, pandas, cv2, typing_extensions",
    "packaging.version, regex, attr, torchvision, torchvision.ops, torchvision.transforms.functional",
)
_OF_PACKAGES = (
    "NP = np.zeros(3, dtype=np.float32)",
    "NPA = np.ones((3, 3))",
    "NPU8 = np.ones((2, 2, 3), dtype='uint8')",
    "REAR = einops.layers.torch.Rearrange('a b -> b a')",
    "PYD = pydantic.create_model('PYD', a=(int, ...))",
    "HFCFG = transformers.PretrainedConfig(hidden_size=3)",
    "HFLOG = transformers.utils.logging.get_logger('x')",
    "ATTR = attr.make_class('ATTR', ['a'])",
    "BOX = torch.tensor([[0., 0., 1., 1.]])",
    "BSC = torch.tensor([1.])",
)
_ANNOTATIONS = {"float": "torch.FloatTensor", "int": "torch.LongTensor", "bool": "torch.BoolTensor"}


@dataclass(frozen=True, slots=True)
class Snippet:
    """One recorded program: its parameters with their kinds (`float2`: dtype class and rank), lines that stood
    outside, its lines, and what Dynamo did in default mode (`ok` or `break`) by torch version."""

    key: str
    parameters: dict[str, str]
    outside: list[str]
    lines: list[str]
    verdicts: dict[str, str]

    def source(self, number: int) -> list[str]:
        """The program's lines; names made outside get the number, since all programs share one file."""
        renamed = [re.sub(r"\bm\b(?=\(|\[| )", f"m{number}", line) for line in (*self.outside, *self.lines)]
        outside, lines = renamed[: len(self.outside)], renamed[len(self.outside) :]
        if not self.outside:
            lines = self.lines
        parameters = ", ".join(f"{name}: {annotation(kind)}" for name, kind in self.parameters.items())
        return [*outside, "@torch.compile", f"def f{number}({parameters}):", *(f"    {line}" for line in lines)]


def annotation(kind: str) -> str:
    """The type that gives a parameter's dtype class."""
    return "list" if kind == "object" else _ANNOTATIONS.get(kind.rstrip("0123456789"), "torch.Tensor")


def snippets(path: Path = SNIPPETS) -> list[Snippet]:
    """All recorded snippets."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [Snippet(**json.loads(line)) for line in file]


@dataclass(frozen=True, slots=True)
class Compared:
    """A snippet, what was recorded for it, and the findings that predict a break (none: it is predicted to trace)."""

    snippet: Snippet
    recorded: str
    findings: tuple[Finding, ...]

    @property
    def predicted(self) -> str:
        """`ok` or `break`."""
        return "break" if self.findings else "ok"

    @property
    def agrees(self) -> bool:
        """Whether the prediction is what was recorded."""
        return self.predicted == self.recorded


def compare(chosen: Iterable[Snippet], version: str, folder: Path) -> list[Compared]:
    """Lints the snippets that have a verdict in `version`, all in one file that is written to `folder`."""
    asked = [one for one in chosen if version in one.verdicts]
    text = [
        *(f"import {line}" for line in _PACKAGES),
        *PREAMBLE.read_text(encoding="utf-8").splitlines(),
        *_OF_PACKAGES,
    ]
    starts: list[int] = []
    for number, one in enumerate(asked):
        starts.append(len(text) + 1)
        text += one.source(number)
    file = folder / "recorded_snippets.py"
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
    report = lint(
        Options((str(file),), roots=("explicit",), torch_version=version, python=str(_empty(folder)), no_cache=True)
    )
    by_line: dict[int, list[Finding]] = {}
    for finding in report.findings:
        if finding.effect is Effect.TOOL:
            raise SystemExit(f"{version}, line {finding.location.span.line}: {finding.message}")
        if _ENDS_THE_GRAPH.intersection(finding.effects):
            by_line.setdefault(finding.location.span.line, []).append(finding)
    ends = [*starts[1:], len(text) + 1]
    return [
        Compared(one, one.verdicts[version], tuple(_between(by_line, start, end)))
        for one, start, end in zip(asked, starts, ends, strict=True)
    ]


def _between(by_line: dict[int, list[Finding]], start: int, end: int) -> Iterator[Finding]:
    for line in range(start, end):
        yield from by_line.get(line, ())


def _empty(folder: Path) -> Path:
    """An environment without packages, so that the outcome does not depend on what is installed."""
    made = folder / "environment"
    (made / "lib/python3.11/site-packages").mkdir(parents=True, exist_ok=True)
    (made / "pyvenv.cfg").write_text("version = 3.11.0\n", encoding="utf-8")
    return made


def listed(compared: Iterable[Compared]) -> Iterator[str]:
    """One line for each snippet on which prediction and recording differ."""
    for one in compared:
        if not one.agrees:
            codes = ",".join(sorted({finding.rule.code for finding in one.findings}))
            line = f"{one.recorded} predicted {one.predicted}" + (f" {codes}" if codes else "")
            yield f"{line}: {one.snippet.key} | {' ; '.join((*one.snippet.outside, *one.snippet.lines))}"


def main() -> int:
    """Answers the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch-version", nargs="*", default=["2.13.0", "2.15.0"])
    options = parser.parse_args()
    recorded = snippets()
    for version in options.torch_version:
        with tempfile.TemporaryDirectory(prefix="snippets-") as folder:
            compared = compare(recorded, version, Path(folder))
        print("\n".join(listed(compared)))
        kinds = Counter((one.recorded, one.predicted) for one in compared)
        agreeing = sum(one.agrees for one in compared)
        print(f"torch {version}: {agreeing} of {len(compared)} agree ({agreeing / len(compared):.2%}); {dict(kinds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
