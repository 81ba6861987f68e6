"""Bytes that this process holds, and the most it held: resident, as Linux counts, and on the device."""

from __future__ import annotations

import contextlib
import sys

import torch


def now(device: str) -> dict[str, int]:
    """Bytes held now."""
    return {"host": _status("VmRSS"), "device": torch.cuda.memory_allocated() if device == "cuda" else 0}


def peak(device: str) -> dict[str, int]:
    """The most that was held since `forget_peaks`; 0 where the system does not say."""
    return {"host": _status("VmHWM"), "device": torch.cuda.max_memory_allocated() if device == "cuda" else 0}


def forget_peaks(device: str) -> None:
    """Begin again; what compiling held is not what running holds."""
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    if sys.platform == "linux":
        with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as asked:
            asked.write("5")


def _status(name: str) -> int:
    if sys.platform != "linux":
        return 0
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0
