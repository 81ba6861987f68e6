"""A compiled call writes in place into the CUDA graph output of another: Python ends with SIGSEGV on torch 2.11.

Needs torch alone and a GPU: `python benchmarks/cudagraphs/segfault.py`. Each call is checked on its own line, so that
the last line printed names the call that does not come back.
"""

from __future__ import annotations

import torch


def made(x: torch.Tensor) -> torch.Tensor:
    """Give a tensor of the graph's own memory."""
    return x * 2


def written(y: torch.Tensor) -> torch.Tensor:
    """Write into it."""
    y.add_(1)
    return y.sum()


def main() -> None:
    """Call the two in turns."""
    print(torch.__version__, torch.cuda.get_device_name(), flush=True)
    first, second = (torch.compile(code, mode="reduce-overhead") for code in (made, written))
    x = torch.ones(64, 64, device="cuda")
    with torch.no_grad():
        for turn in range(6):
            y = first(x)
            print(turn, "made", flush=True)
            print(turn, "written", second(y).item(), flush=True)


if __name__ == "__main__":
    main()
