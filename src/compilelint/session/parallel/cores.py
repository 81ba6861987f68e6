"""How many processes a run uses where no number is given: what this process may have of the machine.

In a container the machine has more cores and memory than the process may use, which cgroups say. Does not belong here:
how many are of use to a project (`commands.lint`), and what one of them keeps in memory (`workers`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

MOST = 4
"""Every process lowers again what its parts import: more of them cost more than they save."""

_BYTES_EACH = 1_000_000_000  # 45 MB of source take less than 700 MB in each of two
_LONGEST = 256  # bytes of a line that holds two numbers
_CGROUP = Path("/sys/fs/cgroup")


def usual_jobs(environ: Mapping[str, str] = os.environ, cgroup: Path = _CGROUP) -> int:
    """The number of processes where none is asked for: one for each core and gigabyte, at most `MOST`.

    One among the workers of pytest-xdist, which use the cores already.
    """
    if "PYTEST_XDIST_WORKER" in environ:
        return 1
    return max(1, min(MOST, _cores(cgroup), _memory(cgroup) // _BYTES_EACH))


def _cores(cgroup: Path) -> int:
    """The cores that this process may use, by its affinity and by the time that its cgroup is given."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = _read(cgroup / "cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal() and int(period):
        return min(allowed, int(quota) // int(period))
    return allowed


def _memory(cgroup: Path) -> int:
    """Bytes of memory that this process may use; where the system does not say, enough for `MOST`."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows; a system without these names
        whole = MOST * _BYTES_EACH
    limit = _read(cgroup / "memory.max")
    return min(whole, int(limit)) if limit.isdecimal() else whole


def _read(file: Path) -> str:
    """The first line of a file of the system; nothing where it has none (another system, an older cgroup)."""
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, _LONGEST).decode("ascii").partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""
    finally:
        os.close(descriptor)
