"""`python -m benchmarks.faults`."""

from __future__ import annotations

import sys

from benchmarks.faults.run import main

if __name__ == "__main__":
    sys.exit(main())
