"""Runs recorded one-line programs again, each alone in a fresh process, and corrects their verdict.

Usage: python -m benchmarks.facts.rerecord KEY [KEY ...]        print recorded and observed, change nothing
       python -m benchmarks.facts.rerecord --write KEY ...      store in snippets.jsonl.gz what this torch did

The programs were recorded many to a process and share the objects of the preamble: what one of them froze or cached
the next one met. This is for those whose verdict hangs on that. Needs torch.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Sequence

from benchmarks.facts.agreement import PREAMBLE, SNIPPETS, Snippet, snippets

_INPUTS = {"float": "torch.ones({})", "int": "torch.ones({}, dtype=torch.long)", "bool": "torch.ones({}) > 0"}
_PROGRAM = """
{preamble}
import torch._dynamo
{outside}
def program({parameters}):
{lines}
torch._dynamo.utils.counters.clear()
torch.compile(program, backend="eager")({inputs})
print("RECORDED", "break" if torch._dynamo.utils.counters["graph_break"] else "ok", torch.__version__.partition("+")[0])
"""


def observed(one: Snippet) -> tuple[str, str]:
    """What Dynamo does in default mode ("ok", "break"), and torch's version. Raises RuntimeError if it fails."""
    program = _PROGRAM.format(
        preamble=PREAMBLE.read_text(encoding="utf-8"),
        outside="\n".join(one.outside),
        parameters=", ".join(one.parameters),
        lines="\n".join(f"    {line}" for line in one.lines),
        inputs=", ".join(_input(kind) for kind in one.parameters.values()),
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    recorded = [line.split() for line in done.stdout.splitlines() if line.startswith("RECORDED")]
    if done.returncode != 0 or not recorded:
        raise RuntimeError(f"{one.key}: {done.stderr.strip().splitlines()[-1]}")
    return recorded[0][1], recorded[0][2]


def _input(kind: str) -> str:
    dtype, rank = kind.rstrip("0123456789"), int(kind[-1])
    return _INPUTS[dtype].format((3,) * rank)


def main(argv: Sequence[str] | None = None) -> int:
    """Run, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="+", metavar="KEY")
    parser.add_argument("--write", action="store_true", help="store what was observed")
    args = parser.parse_args(argv)
    every = snippets()
    known = {one.key: one for one in every}
    for key in args.keys:
        verdict, version = observed(known[key])
        print(f"{key}: {known[key].verdicts.get(version)} recorded, {verdict} alone, torch {version}")
        if args.write:
            known[key].verdicts[version] = verdict
    if args.write:
        text = "".join(json.dumps(_as_dict(one), separators=(",", ":")) + "\n" for one in every)
        SNIPPETS.write_bytes(gzip.compress(text.encode(), mtime=0))
    return 0


def _as_dict(one: Snippet) -> dict[str, object]:
    return {name: getattr(one, name) for name in ("key", "parameters", "outside", "lines", "verdicts")}


if __name__ == "__main__":
    sys.exit(main())
