"""The cases of `benchmarks.doors` that run nothing of what they read."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.doors_case import BREAKS, OTHER, Facts, command, fill, need_root, peak_of, run, small_disk

_CHECK = ("check", "net.py", "--torch-version", "2.13", "--output-format", "json")
_BREAK = "CL101"


def _tree(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "net.py").write_text(BREAKS, encoding="utf-8")
    return folder


def full_disk(folder: Path, facts: Facts) -> None:
    """What is written where there is no room: cache, reports, baseline, fixes, suppressions, configuration."""
    tree = _tree(folder / "tree")
    expected = run(tree, *_CHECK, "--no-cache").stdout
    with small_disk(folder / "full", 64) as full:
        fill(full)
        done = run(tree, *_CHECK, "--cache-dir", str(full / "cache"))
        facts.ended("a cache on a full disk", done, 1)
        facts.seen("its report is that of a run without", done.stdout == expected, done.stdout == expected)
        done = run(tree, "check", "net.py", "--no-cache", "--output", f"json:{full}/report.json")
        facts.ended("a report on a full disk", done, 2)
        done = run(tree, "check", "net.py", "--no-cache", "--baseline", str(full / "base.json"), "--update-baseline")
        facts.ended("a baseline on a full disk", done, 2)
        (full / "filler").unlink()
        (full / "net.py").write_text(BREAKS, encoding="utf-8")
        fill(full)
        for words in (("--fix", "--unsafe-fixes"), ("--add-ignore=x",)):
            done = run(full, "check", "net.py", "--no-cache", *words)
            same = (full / "net.py").read_text(encoding="utf-8") == BREAKS
            facts.ended(f"{words[0]} on a full disk", done, 0, 1, 2)
            facts.seen("the file is as it was", same, same)
        left = sorted(path.name for path in full.rglob("*") if path.is_file() and path.name not in ("net.py", "filler"))
        facts.seen("left behind", left, not left)


def read_only_home(folder: Path, facts: Facts) -> None:
    """Homes that cannot be written, that are not there, or that are a file."""
    tree = _tree(folder / "tree")
    (folder / "file").touch()
    expected = run(tree, *_CHECK, "--no-cache").stdout
    homes: dict[str, str] = {"is not there": str(folder / "none"), "is a file": str(folder / "file"), "is empty": ""}
    with small_disk(folder / "home", 64, "ro") as home:
        for what, where in {"is read-only": str(home), **homes}.items():
            done = run(tree, *_CHECK, HOME=where, XDG_CACHE_HOME="", XDG_CONFIG_HOME="")
            facts.ended(f"a home that {what}", done, 1)
            facts.seen("its report is the same", done.stdout == expected, done.stdout == expected)


def other_users(folder: Path, facts: Facts) -> None:
    """One cache folder for two users: neither takes the other's word, nor stumbles over it."""
    need_root()
    tree, cache = _tree(folder / "tree"), folder / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    homes = {user: folder / f"home{user}" for user in (0, OTHER)}
    for user, home in homes.items():
        home.mkdir()
        os.chown(home, user, user)
    expected = run(tree, *_CHECK, "--no-cache").stdout

    def lint(user: int) -> subprocess.CompletedProcess[str]:
        return run(tree, *_CHECK, "--cache-dir", str(cache), user=user, HOME=str(homes[user]))

    done = lint(OTHER)
    facts.ended("another user fills a cache", done, 1)
    entries = sorted(cache.glob("*.entry"))
    facts.seen("entries of the other", len(entries), bool(entries))
    for one in entries:  # the text of every rule, in place of the findings
        one.write_bytes(one.read_bytes().replace(b"CL101", b"CL102"))
    for user in (0, OTHER, 0):
        done = lint(user)
        facts.ended(f"user {user} lints with it", done, 1)
        facts.seen("the report is the same", done.stdout == expected, done.stdout == expected)
    cache.chmod(0o700)
    done = lint(OTHER)
    facts.ended("a cache that is closed to its user", done, 1)


def _cells(*sources: Any, **more: Any) -> str:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": one} for one in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more})


def _notebooks() -> dict[str, str | bytes]:
    cell = BREAKS.splitlines(keepends=True)
    torn = _cells(BREAKS).encode()
    return {
        "lines": _cells(cell),
        "magics": _cells("%matplotlib inline\n!touch pwned\n", "%%bash\ntouch pwned\n", "?x\nx??\n", BREAKS),
        "no cells": json.dumps({"nbformat": 4}),
        "cells that are a number": json.dumps({"cells": 3, "nbformat": 4}),
        "a cell that is a list": json.dumps({"cells": [[], None, 3], "nbformat": 4}),
        "a source of numbers": _cells([1, 2], None, {"a": 1}),
        "version 3": json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": BREAKS}]}], "nbformat": 3}),
        "10,000 cells": _cells(*[f"x{number} = {number}" for number in range(10_000)]),
        "an output of 4 MB": json.dumps(
            {"cells": [{"cell_type": "code", "source": BREAKS, "outputs": ["x" * 4_000_000]}], "nbformat": 4}
        ),
        "half a file": torn[: len(torn) // 2],
        "empty": b"",
        "bytes": bytes(range(256)),
        "half a surrogate": _cells(BREAKS + "s = '\\ud800'\n").replace("\\\\ud800", "\\ud800"),
        "lists in each other": '{"cells": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "digits": '{"nbformat": ' + "9" * 5_000 + ', "cells": []}',
        "the same key twice": _cells(BREAKS)[:-1] + ', "cells": []}',
        "a cell that changes its type": json.dumps(
            {"cells": [{"cell_type": ["code"], "source": BREAKS}], "nbformat": 4}
        ),
        "escapes for a terminal": _cells("x = '\x1b]0;pwned\x07'\n" + BREAKS),
        "an await at the top": _cells("await f()\nasync with a: pass\n" + BREAKS),
        "a kernel of another language": _cells("x <- 1", metadata={"kernelspec": {"language": "R", "name": "ir"}}),
    }


def notebooks(folder: Path, facts: Facts) -> None:
    """Odd notebooks, each linted, fixed, shown as a diff and suppressed, all in one folder."""
    for name, text in _notebooks().items():
        path = folder / f"{name}.ipynb"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    before = {path.name: path.read_bytes() for path in folder.glob("*.ipynb")}
    (folder / "net.py").write_text(BREAKS, encoding="utf-8")
    for words in ((), ("--diff", "--unsafe-fixes"), ("--fix", "--unsafe-fixes"), ("--add-ignore=why",)):
        begin = time.monotonic()
        done = run(folder, "check", ".", "--no-cache", *words)
        facts.ended(f"{len(before)} notebooks, {' '.join(words) or 'linted'}", done, 0, 1)
        facts.seen("seconds", round(time.monotonic() - begin, 1), time.monotonic() - begin < 120)
        sent = "\x1b]0" in done.stdout + done.stderr
        facts.seen("escapes for a terminal in it", sent, not sent)
    facts.seen("a program ran", (folder / "pwned").exists(), not (folder / "pwned").exists())
    broken = [path.name for path in folder.glob("*.ipynb") if _was_read(before[path.name]) and not _is_json(path)]
    facts.seen("notebooks that are no JSON any more", broken, not broken)


def _was_read(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _is_json(path: Path) -> bool:
    return _was_read(path.read_bytes())


def watch(folder: Path, facts: Facts) -> None:
    """Storms of changes, a folder that goes and comes back, a file in its place; then an edit, which must be seen."""
    tree, chance = _tree(folder / "tree"), random.Random(1)
    log = folder / "log"
    words = command("check", str(tree), "--watch", "--no-cache", "--torch-version", "2.13")
    with open(log, "wb") as opened:
        process = subprocess.Popen(
            words,
            stdout=opened,
            stderr=opened,
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    try:
        facts.seen("the first report", "in time", _until(lambda: _BREAK in _said(log)))
        for number in range(3_000):
            path = tree / f"m{chance.randrange(200)}.py"
            _storm(path, tree / f"m{chance.randrange(200)}.py", number % 4, number)
        shutil.rmtree(tree)
        time.sleep(1)
        tree.write_text("no folder\n", encoding="utf-8")
        time.sleep(1)
        tree.unlink()
        _tree(tree)
        at = len(_said(log))
        time.sleep(2)
        (tree / "last.py").write_text(BREAKS, encoding="utf-8")
        noticed = _until(lambda: "last.py" in _said(log)[at:])
        facts.seen("an edit after 3,000 changes and a folder that went", "seen" if noticed else "not seen", noticed)
        facts.seen("MB", round(peak_of(process.pid)), peak_of(process.pid) < 400)
        facts.seen("it lives", process.poll() is None, process.poll() is None)
        process.send_signal(signal.SIGINT)
        facts.seen("exit code after Ctrl-C, that of the last report", process.wait(30), process.returncode == 1)
    finally:
        process.kill()
        process.wait()
    facts.seen("tracebacks", _said(log).count("Traceback"), "Traceback" not in _said(log))


def _storm(path: Path, other: Path, how: int, number: int) -> None:
    if how == 0 or not path.exists():
        path.write_text(f"x = {number}\n", encoding="utf-8")
    elif how == 1:
        path.replace(other)
    elif how == 2:
        path.unlink()
    else:
        path.write_text(BREAKS, encoding="utf-8")


def _said(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def _until(holds: Callable[[], bool], seconds: float = 120) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


CASES: dict[str, Callable[[Path, Facts], None]] = {
    "disk": full_disk,
    "home": read_only_home,
    "users": other_users,
    "notebooks": notebooks,
    "watch": watch,
}
