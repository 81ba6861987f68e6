"""What each program of a folder lets TorchDynamo compile: the functions of its own file, and where their graphs end.

    python benchmarks/frameworks/record.py benchmarks/frameworks/programs/trainer.py    # one JSON line

Runs the program. Needs torch and the framework: transformers, accelerate, lightning.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from types import FrameType
from typing import Any


def recorded(path: str) -> dict[str, Any]:
    """The compiled functions of a program, and the lines at which a graph ended; the program is run."""
    import torch._dynamo.convert_frame as frames
    import torch._dynamo.output_graph as graphs

    functions: set[str] = set()
    breaks: set[int] = set()
    convert, end = frames.ConvertFrame.__call__, graphs.OutputGraph.compile_subgraph

    def converting(self: Any, frame: FrameType, *args: Any, **given: Any) -> Any:
        if os.path.abspath(frame.f_code.co_filename) == os.path.abspath(path):
            functions.add(frame.f_code.co_name)
        return convert(self, frame, *args, **given)

    def ending(self: Any, tx: Any, reason: Any = None, *args: Any, **given: Any) -> Any:
        if getattr(reason, "graph_break", False) and reason.user_stack:
            breaks.add(reason.user_stack[-1].lineno)
        return end(self, tx, reason, *args, **given)

    frames.ConvertFrame.__call__ = converting
    graphs.OutputGraph.compile_subgraph = ending
    runpy.run_path(path, run_name="__main__")
    return {"functions": sorted(one for one in functions if "torch_dynamo_resume" not in one), "breaks": sorted(breaks)}


if __name__ == "__main__":
    output = os.dup(1)
    os.dup2(2, 1)  # what the program prints
    line = json.dumps(recorded(sys.argv[1]))
    os.write(output, line.encode() + b"\n")
