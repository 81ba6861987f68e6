"""`python -m compilelint.torchfacts.generate`; see `command`, which needs torch."""

from __future__ import annotations

import importlib.util
import sys


def main() -> int:
    """The exit code of `command.main`; 2 where there is no torch to measure."""
    if importlib.util.find_spec("torch") is None:
        where = f"torch is not installed in the environment of {sys.executable}"
        hint = "run this with the Python of an environment that has the torch to measure"
        print(f"compilelint.torchfacts.generate: error: {where}; {hint}", file=sys.stderr)
        return 2
    from compilelint.torchfacts.generate import command

    return command.main()


if __name__ == "__main__":
    sys.exit(main())
