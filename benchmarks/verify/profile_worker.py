"""Where `verify` spends its CPU time on real models, by whose code runs: a profile of the worker's job in one process.

    python -m benchmarks.verify.profile_worker [--count 5]

The models are those of `real_cost`. Each is judged by the worker's own `run`, in this process and under cProfile, which
slows Python down more than what is compiled: read the shares, not the seconds. Prints a row for each owner of code (the
time in its own lines), and the functions of ours in which most time is spent with all that they call.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.fixes.halves import rank

HERE = Path(__file__).parent
_OWNERS = ("/torch/_dynamo/", "/torch/fx/", "/torch/_subclasses/", "/torch/", "/transformers/", "/compilelint/")
_TARGETS = "from rebuild import model\n\n\ndef case{number}():\n    return model({case!r})\n\n\n"


def main() -> None:
    """Profile, and print both tables."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--count", type=int, default=5)
    given = asked.parse_args()
    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.targets import Target
    from compilelint.dynamic.worker.asked import Asked
    from compilelint.dynamic.worker.job import run

    sys.path.insert(0, str(HERE))
    from rebuild import recipes  # type: ignore[import-not-found]

    cases = sorted((name for name in recipes() if "/" in name), key=rank)[: given.count]
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "profiled.py").write_text(
            "".join(_TARGETS.format(number=number, case=case) for number, case in enumerate(cases)),
            encoding="utf-8",
        )
        sys.path.insert(0, folder)
        settings = Settings(python=sys.executable, paths=(folder, str(HERE)), cwd=folder)
        for number, case in enumerate(cases):
            target = Target(f"profiled:case{number}", mode="train" if "/train" in case else "eval")
            profile.enable()
            run(Asked(target, settings), lambda phase: None)
            profile.disable()
    _print(profile, cases)


def _print(profile: cProfile.Profile, cases: list[str]) -> None:
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    own: Counter[str] = Counter()
    ours: Counter[str] = Counter()
    for (path, _, name), (_, _, inside, whole, _) in found.items():
        owner = next((one for one in _OWNERS if one in path), "built in" if path == "~" else "others")
        own[owner.strip("/")] += inside
        if owner == "/compilelint/":
            ours[f"{Path(path).stem}.{name}"] = max(ours[f"{Path(path).stem}.{name}"], whole)
    total = sum(own.values())
    print(f"{', '.join(cases)}: {total:.0f} s under the profiler\n")
    print("| whose code | share |\n|---|---|")
    for name, seconds in own.most_common():
        print(f"| `{name}` | {100 * seconds / total:.1f} % |")
    print("\n| of ours, with all that it calls | share |\n|---|---|")
    for name, seconds in ours.most_common(12):
        print(f"| `{name}` | {100 * seconds / total:.1f} % |")


if __name__ == "__main__":
    main()
