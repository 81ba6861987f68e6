"""How many kernels one pass runs and how long they take, by torch's profiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile


def kernels(run: Callable[[], Any], device: str) -> dict[str, Any]:
    """Kernels on the device, or operators of torch on a CPU (Inductor's own kernels are not among those)."""
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if device == "cuda" else [])]
    run()  # the profiler's own start is not to be seen
    with profile(activities=activities) as seen:
        run()
    events = [
        one for one in seen.events() if one.device_type == (DeviceType.CUDA if device == "cuda" else DeviceType.CPU)
    ]
    if device == "cuda":
        seconds = sum(one.device_time_total for one in events) / 1e6
        return {"count": len(events), "seconds": seconds, "of": "kernels"}
    own = [one for one in events if one.name.startswith("aten::")]
    return {"count": len(own), "seconds": sum(one.self_cpu_time_total for one in own) / 1e6, "of": "operators"}
