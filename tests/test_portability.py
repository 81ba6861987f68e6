"""Systems that are not Linux: what only some of them have is used behind a guard, and the other branch works.

No macOS or Windows is at hand here: the tests take away what those lack. CI runs the suite on all three.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
import yaml

from compilelint.disk import write
from compilelint.dynamic import orphans
from compilelint.dynamic.worker import channel, limits

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "compilelint"

# What Windows lacks, or macOS too (`/proc`, `prctl`, the affinity of processors).
_LACKING = re.compile(
    r"[\"'f]/proc|\bos\.(?:fork|killpg|getpgrp|getuid|geteuid|wait\w*|W[A-Z]+|setsid|mkfifo|sched_\w+|set_blocking)\b"
    r"|\bsignal\.(?:SIGKILL|SIGUSR\d|SIGALRM|SIGVTALRM|ITIMER_\w+|alarm|setitimer|pthread_\w+|sigwait)\b"
    r"|^\s*(?:import|from) (?:fcntl|resource|pwd|grp|pty|termios|select)\b|\bselect\.|prctl|O_NONBLOCK|O_CLOEXEC",
    re.MULTILINE,
)
GUARDED = {
    "bench/worker/memory.py": "`sys.platform`; 0 elsewhere, which is shown as unknown",
    "bench/worker/stack.py": "`sys.platform` and `hasattr`; `platform.processor()` and `os.cpu_count()` elsewhere",
    "cache/store.py": "`getattr(os, ..., 0)`",
    "cache/secret.py": "`os.name`: folders of a user are not others' on Windows",
    "disk/read.py": "`getattr(os, ..., 0)`",
    "disk/write.py": "`hasattr(os, ...)`",
    "cli/__init__.py": "`except ImportError`: where memory has no limit to read, it has none",
    "dynamic/orphans.py": "psutil where there is no `/proc`, SIGTERM where there is no SIGKILL",
    "dynamic/worker_process.py": "`hasattr(os, 'killpg')`; statuses of children come from forks alone",
    "dynamic/worker/calling.py": "`can_fork`",
    "dynamic/worker/channel.py": "`sys.platform` and `hasattr`",
    "dynamic/worker/exercising.py": "`can_fork`, by `forks`",
    "dynamic/worker/last_words.py": "statuses of children come from forks alone",
    "dynamic/worker/origin.py": "in copies alone, which `can_fork` allows",
    "reproduce/worker.py": "`session/commands/reproduce.py` refuses where there is no `os.fork`",
    "dynamic/worker/limits.py": "what is refused or allowed by name; `readlink` and `fcntl` fail into the plain answer",
    "fleet/environments.py": "`suppress(ImportError)`: not locked elsewhere",
    "fleet/journal.py": "`suppress(ImportError)`, `getattr(os, ..., 0)` and `hasattr`: not locked elsewhere",
    "dynamic/worker/places.py": "asked for by the runner alone, behind its `hasattr(os, 'fork')`",
    "dynamic/worker/serve.py": "`can_fork` and `sys.platform`",
    "session/parallel/cores.py": "`hasattr(os, ...)` and `except OSError`: `os.cpu_count()` and no limit elsewhere",
    "session/own_process.py": "`sys.platform`; elsewhere a child outlives its parent",
}
# They measure torch for the facts that are shipped, on the machine of their maintainer: Linux.
_MAINTAINERS = "torchfacts/generate/"


def test_what_some_systems_lack_is_used_where_it_is_guarded() -> None:
    found = {
        name
        for path in PACKAGE.rglob("*.py")
        if _LACKING.search(path.read_text(encoding="utf-8"))
        and not (name := path.relative_to(PACKAGE).as_posix()).startswith(_MAINTAINERS)
    }
    assert found - {*GUARDED} == set(), "guard it, give the other systems a branch, and say how in GUARDED"
    assert {*GUARDED} - found == set(), "not used there any more"


@pytest.mark.parametrize("line", ["import fcntl", "os.fork()", "signal.SIGKILL", 'open("/proc/self/status")'])
def test_such_a_use_is_recognised(line: str) -> None:
    assert _LACKING.search(line)


def test_a_new_file_is_made_where_links_are_always_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where `os.link` takes no `follow_symlinks`."""

    def link(source: str, target: str) -> None:
        Path(target).write_bytes(Path(source).read_bytes())

    monkeypatch.setattr(os, "link", link)
    write.create_text(str(tmp_path / "new.toml"), "x = 1\n")
    assert (tmp_path / "new.toml").read_text() == "x = 1\n"
    assert [one.name for one in tmp_path.iterdir()] == ["new.toml"], "nothing is left beside it"


def test_a_worker_posts_no_guard_where_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    for system in ("win32", "darwin"):
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr(channel, "_ask_for", None)
        monkeypatch.delattr(os, "fork", raising=False)
        channel.post_guard()
        channel.die_with_parent()


def test_a_worker_without_groups_ends_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(os, "getpgrp")
    monkeypatch.setattr(os, "_exit", ended.append)
    channel.kill_own_group()
    assert ended == [1]


def test_what_a_worker_leaves_is_ended_without_sigkill(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[tuple[int, int]] = []
    monkeypatch.setattr(orphans, "marked", lambda mark: [11, 12])
    monkeypatch.setattr(orphans, "_KILL", signal.SIGTERM)
    monkeypatch.setattr(os, "kill", lambda pid, number: ended.append((pid, number)))
    orphans.end_marked("mark", but=12)
    assert ended == [(11, signal.SIGTERM)]


def test_the_folder_of_a_descriptor_is_the_current_one_where_nothing_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def readlink(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "readlink", readlink)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert limits._folder_of(3) == os.curdir


def test_ci_runs_every_python_on_every_system() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    matrix = jobs["static"]["strategy"]["matrix"]
    assert matrix["system"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert matrix["python"] == ["3.10", "3.11", "3.12", "3.13", "3.14"]
