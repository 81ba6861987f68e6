"""`python -m compilelint` is the command `compilelint`."""

from compilelint.cli import main

if __name__ == "__main__":
    main()
