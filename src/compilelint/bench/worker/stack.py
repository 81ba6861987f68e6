"""What a measurement ran on: versions, the processor, the device and its driver, and the flags that change times."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import torch

_FLAGS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCH_COMPILE_DISABLE", "CUDA_VISIBLE_DEVICES", "CXX")


def stack(device: str) -> dict[str, str]:
    """The software and hardware, in words, by name."""
    found = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "processors": f"{os.cpu_count()} in all, {_allowed()} of them for this process",
        "threads": str(torch.get_num_threads()),
        "compiler": compiler() or "none",
        "float32 matmul precision": torch.get_float32_matmul_precision(),
    }
    if device == "cuda":
        card = torch.cuda.get_device_properties(0)
        found |= {
            "device": f"{card.name}, {card.total_memory >> 20} MB, compute capability {card.major}.{card.minor}",
            "cuda": str(torch.version.cuda),
            "cudnn": str(torch.backends.cudnn.version()),
            "cudnn tf32": str(torch.backends.cudnn.allow_tf32),
            "cudnn benchmark": str(torch.backends.cudnn.benchmark),
            "driver": _driver(),
        }
    flags = [f"{name}={os.environ[name]}" for name in _FLAGS if name in os.environ]
    return {**found, "flags": " ".join(flags) or "none"}


def compiler() -> str:
    """The C++ compiler that Inductor takes for a CPU, with its version; empty where there is none that works."""
    try:
        from torch._inductor.cpp_builder import get_cpp_compiler

        path = get_cpp_compiler()
    except Exception:  # noqa: BLE001 - InvalidCxxCompiler, and in older versions whatever a missing program raises
        return ""
    try:
        printed = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except OSError:
        return ""
    return printed.partition("\n")[0] or path


def _allowed() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("model name", "Model")):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _driver() -> str:
    """The version of NVIDIA's driver, as its own program prints it."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return "unknown"
    asked = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    printed = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=False).stdout
    return printed.strip().partition("\n")[0] or "unknown"
