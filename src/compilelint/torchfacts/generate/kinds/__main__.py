"""`python -m compilelint.torchfacts.generate.kinds`; see `command`."""

import sys

from compilelint.torchfacts.generate.kinds.command import main

if __name__ == "__main__":
    sys.exit(main())
