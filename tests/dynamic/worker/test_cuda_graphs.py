"""What is noted of the decisions of Inductor: its own functions are called as it calls them, since CI has no device."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch._inductor import config, cudagraph_trees, output_code, scheduler

from compilelint.dynamic.worker.cuda_graphs import CudaGraphs, stack_of

pytestmark = pytest.mark.dynamo

SKIP = """skipping cudagraphs due to cpu device (arg1_1). Found from :
   File "/p/model.py", line 12, in forward
    return x + self.table
"""


def test_a_skip_is_kept_with_its_reason_and_its_stack() -> None:
    graphs = CudaGraphs()
    with graphs.recording():
        output_code.log_cudagraph_skip_and_bump_counter(SKIP)
        output_code.log_cudagraph_skip_and_bump_counter(SKIP)
    one = {"reason": "cpu device (arg1_1).", "stack": [["/p/model.py", 12, "forward"]]}
    assert graphs.observed() == {"recorded": 0, "left_out": [one], "error": ""}


def test_a_split_is_kept_with_the_stacks_of_its_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler.Scheduler, "should_partition", lambda self, node: node.why)
    trace = '  File "/p/model.py", line 3, in forward\n    y = x.cpu()\n'
    copy = SimpleNamespace(why="DeviceCopy ops", node=SimpleNamespace(origins=[SimpleNamespace(stack_trace=trace)]))
    graphs = CudaGraphs()
    with graphs.recording():
        assert scheduler.Scheduler.should_partition(None, copy) == "DeviceCopy ops"
        assert scheduler.Scheduler.should_partition(None, SimpleNamespace(why=None)) is None
    assert graphs.left_out == [{"reason": "DeviceCopy ops", "stack": [["/p/model.py", 3, "forward"]]}]


def test_what_a_torch_without_a_hook_left_out_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(scheduler.Scheduler, "should_partition")
    graphs = CudaGraphs()
    with graphs.recording():
        pass
    assert graphs.missing == ["should_partition"]
    assert graphs.observed() is None


def test_a_recording_that_begins_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cudagraph_trees.CUDAGraphNode, "__init__", lambda self: None)
    graphs = CudaGraphs()
    with graphs.recording():
        cudagraph_trees.CUDAGraphNode()
    assert graphs.recorded == 1


def test_all_is_as_it_was_behind_it() -> None:
    owners = (output_code.log_cudagraph_skip_and_bump_counter, scheduler.Scheduler.should_partition)
    with CudaGraphs().asked():
        assert config.triton.cudagraphs
        assert output_code.log_cudagraph_skip_and_bump_counter is not owners[0]
    assert not config.triton.cudagraphs
    assert owners == (output_code.log_cudagraph_skip_and_bump_counter, scheduler.Scheduler.should_partition)


def test_inductor_itself_leaves_out_what_runs_on_the_host() -> None:
    torch._dynamo.reset()
    graphs = CudaGraphs()
    with graphs.asked(), torch.no_grad():
        torch.compile(_on_the_host)(torch.ones(3))
    (left_out,) = graphs.left_out
    assert graphs.recorded == 0
    assert left_out["reason"] == "cpu ops"
    path, line, function = left_out["stack"][-1]
    assert (path, line) == (__file__, _on_the_host.__code__.co_firstlineno + 1)
    assert function == "_on_the_host"


def _on_the_host(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x)


def test_frames_of_a_text() -> None:
    text = 'File "/a b/c.py", line 7, in f\n  x\nFile "/d.py", line 8'
    assert stack_of(text) == [["/a b/c.py", 7, "f"], ["/d.py", 8, ""]]
    assert stack_of("no frame") == []
