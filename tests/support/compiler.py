"""A C++ compiler that makes once for all tests what is the same for every program: headers, probes of the processor.

Each configuration that is measured has caches of its own, empty at first, and Inductor fills them: before its first
kernel it precompiles its header and tries what the processor can do, ten seconds that are the same each time. `g++` in
`folder` goes before the real one on `PATH` and keeps these two. Everything else is compiled whenever it is asked for,
and whether to ask again is for Inductor to decide, so a test still sees what is made a second time.

Runs as a program: the real compiler, the folder that keeps, and the compiler's own arguments.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

_PROBE = b"_chk_kernel()"


def put_before(real: str, folder: Path) -> None:
    """A program `g++` in the folder, which several processes may make at once."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-S", "-E", __file__, real, str(folder / "kept")]
    own = folder / f"g++.{os.getpid()}"
    own.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    own.chmod(0o755)
    own.replace(folder / "g++")


def main(real: str, folder: str, words: list[str]) -> int:
    """Compile, or hand out a copy of what was compiled from the same text with the same words."""
    source, output = _of_every_program(words)
    if not source:
        return _run(real, words)
    os.makedirs(folder, exist_ok=True)
    own = (source, output)
    name = hashlib.sha256("\0".join([real, *(one for one in words if one not in own)]).encode() + _read(source))
    kept = os.path.join(folder, name.hexdigest())
    with open(f"{kept}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(kept):
            code = _run(real, words)
            if code == 0:
                shutil.copyfile(output, f"{kept}.new")
                os.replace(f"{kept}.new", kept)
            return code
    shutil.copyfile(kept, output)
    shutil.copymode(f"{kept}.lock", output)
    return 0


def _of_every_program(words: list[str]) -> tuple[str, str]:
    """Source and output of a call that makes a header or a probe, else nothing."""
    output = words[words.index("-o") + 1] if "-o" in words[:-1] else ""
    sources = [word for word in words if word.endswith((".h", ".cpp")) and os.path.isfile(word)]
    if "c++-header" in words and output:
        sources = [word for word in sources if word.endswith(".h")]
    elif not output or "-include" in words or not all(_PROBE in _read(word) for word in sources):
        sources = []
    return (sources[0], output) if len(sources) == 1 else ("", "")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _run(real: str, words: list[str]) -> int:
    return subprocess.call([real, *words])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
