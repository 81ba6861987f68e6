"""Scripts that ask for CUDA graphs as users write them, held against recordings of a GPU. Needs no torch.

    python -m benchmarks.cudagraphs.scripts [FOLDER LABELS] [--misses]

Each script of `scripts/` was run whole on an NVIDIA H200 with torch 2.11 before any was linted. A hostile script is
found where a finding with the effect `cudagraph`, `error` or `wrong-result` of the family CL8xx lies in it; a clean one
is flagged where one does. Notes (`possible`) do not count. Halves are drawn by the parity of the SHA-256 of the name:
the rules were written with the misses of the even half in view.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path

from compilelint.config import Options
from compilelint.model import Confidence, Effect, Finding
from compilelint.session.commands.lint import lint

HERE = Path(__file__).resolve().parent
_COUNTED = {Effect.CUDAGRAPH, Effect.ERROR, Effect.WRONG_RESULT}


def findings(folder: Path) -> dict[str, list[Finding]]:
    """What is said of CUDA graphs in each script, by its name."""
    found: dict[str, list[Finding]] = defaultdict(list)
    report = lint(Options(paths=(str(folder),), torch_version="2.11"))
    for one in report.findings:
        of_graphs = one.rule.code.startswith("CL8") or Effect.CUDAGRAPH in one.effects
        if of_graphs and one.confidence > Confidence.POSSIBLE and _COUNTED & {*one.effects}:
            found[Path(one.location.path).stem].append(one)
    return found


def half_of(name: str) -> str:
    """The half that a script belongs to."""
    return "odd" if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 else "even"


def main() -> None:
    """Print a row a half, and the misses of the even one where they are asked for."""
    places = [Path(one) for one in sys.argv[1:] if not one.startswith("--")]
    folder, labels = places or (HERE / "scripts", HERE / "labels-scripts.jsonl")
    said = findings(folder)
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    for half in ("even", "odd"):
        own = [row for row in rows if half_of(row["case"]) == half]
        hostile = [row for row in own if row["label"] == "hostile"]
        clean = [row for row in own if row["label"] == "clean"]
        caught = [row for row in hostile if said[row["case"]]]
        flagged = [row for row in clean if said[row["case"]]]
        lost = [row for row in hostile if "overwritten" in row["reasons"]]
        both = len(caught) + len(flagged)
        print(
            f"{half}: recall {len(caught)} of {len(hostile)}, precision {len(caught)} of {both}, "
            f"overwritten {sum(row in caught for row in lost)} of {len(lost)}, "
            f"clean ones flagged {len(flagged)} of {len(clean)}"
        )
        models = [row for row in own if row["kind"] == "model"]
        if models:
            met, clear = ([row for row in models if row in some] for some in (hostile, clean))
            print(
                f"  whole models: found {sum(row in caught for row in met)} of {len(met)}, "
                f"clean ones flagged {sum(row in flagged for row in clear)} of {len(clear)}"
            )
        if "--misses" in sys.argv and half == "even":
            for row in hostile:
                if row not in caught:
                    print("  missed", row["case"], *row["reasons"])
            for row in flagged:
                print(
                    "  false", row["case"], *[f"{one.rule.code}:{one.location.span.line}" for one in said[row["case"]]]
                )


if __name__ == "__main__":
    main()
