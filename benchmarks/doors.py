"""Every door once, under what goes wrong around it: full disks, homes that cannot be written, caches of other users,
notebooks, storms of changes under `--watch`, documents that an editor opens, hostile targets of `bench`, clusters that
hang, lie or lose their client.

    python -m benchmarks.doors                       all of them
    python -m benchmarks.doors --only watch --only disk
    python -m benchmarks.doors --output benchmarks/doors.json

A case says what it saw, fact by fact; one that is not as it must be makes the exit code 1. Full disks are small file
systems in memory, and to be another user takes a switch: both need root on Linux, and elsewhere those cases say that
they were not run. What runs targets needs torch.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import doors_dynamic, doors_server, doors_static
from benchmarks.doors_case import Facts, NotRunError

CASES = {**doors_static.CASES, **doors_dynamic.CASES, "documents": doors_server.documents}


def main(argv: Sequence[str] | None = None) -> int:
    """Try them; 1 if anything is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], choices=sorted(CASES), metavar="CASE")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write what was seen there, as JSON")
    args = parser.parse_args(argv)
    rows, held = [], True
    for name in args.only or CASES:
        facts, begin = Facts(), time.monotonic()
        with tempfile.TemporaryDirectory(prefix="doors-") as folder:
            os.chmod(folder, 0o755)  # other users look into it
            try:
                CASES[name](Path(folder), facts)
            except NotRunError as error:
                facts.seen("not run", str(error))
        rows.append({"case": name, "seconds": round(time.monotonic() - begin, 1), "facts": facts.rows})
        held = held and all(row["held"] for row in facts.rows)
        for row in facts.rows:
            print(f"{name}: {'' if row['held'] else 'NOT HELD: '}{row['what']}: {row['seen']}", flush=True)
    if args.output is not None:
        args.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
