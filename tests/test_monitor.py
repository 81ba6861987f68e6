"""`compilelint.watch` and `COMPILELINT_WATCH`: what is shown while a run compiles, and what a budget does."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

import compilelint
from compilelint.monitor import RecompileBudgetError, Watch, autoload
from compilelint.trace.cause import Kind

TRACE = logging.getLogger("torch.__trace")


def log(metadata: dict[str, object], payload: object = None) -> None:
    """What `torch._logging.trace_structured` does with a record."""
    record = TRACE.makeRecord(TRACE.name, logging.DEBUG, "", 0, "", (), None, extra=None)
    record.metadata, record.payload = metadata, payload
    TRACE.handle(record)


def compile_once(number: int, seconds: float = 0.5) -> None:
    metrics = {
        "co_name": "f",
        "co_filename": "/job/net.py",
        "co_firstlineno": 3,
        "entire_frame_compile_time_s": seconds,
    }
    metrics |= {"graph_op_count": 2, "start_time": 1.0 + number}
    log({"compilation_metrics": metrics, "frame_id": 0, "frame_compile_id": number})


def compile_again(number: int) -> None:
    reason = f"0/{number - 1}: tensor 'x' size mismatch at index 0. expected {number}, actual {number + 1}"
    log(
        {"artifact": {"name": "recompile_reasons"}, "frame_id": 0, "frame_compile_id": number, "has_payload": "a"},
        reason,
    )
    compile_once(number)


def listening() -> list[logging.Handler]:
    """Who listens to torch's log, pytest itself left out."""
    return [one for one in TRACE.handlers if not type(one).__module__.startswith("_pytest")]


@pytest.fixture(autouse=True)
def _torch_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    monkeypatch.setattr(TRACE, "handlers", [])


def test_a_line_a_compile_with_its_cause_and_seconds() -> None:
    out = io.StringIO()
    with compilelint.watch(file=out):
        compile_once(0)
        compile_again(1)
    lines = out.getvalue().splitlines()
    assert lines[0] == "compilelint: compiled 0/0 `f` (/job/net.py:3) in 0.50 s"
    expected = "compilelint: compiled again 0/1 `f` (/job/net.py:3) in 0.50 s: tensor 'x' size mismatch at index 0. "
    assert lines[1] == f"{expected}expected 1, actual 2"
    assert lines[2] == "0 graph breaks, 1 recompile in 2 compiles of 1.0 s"
    assert any("torch._dynamo.mark_dynamic(x, 0)" in line for line in lines)


def test_what_was_seen_is_there_as_data_while_it_runs_and_afterwards() -> None:
    with compilelint.watch(quiet=True) as run:
        compile_once(0)
        assert run.trace.compiles == 1
        compile_again(1)
    assert run.trace.compiles == 2
    assert [(one.kind, one.values) for one in run.trace.causes] == [(Kind.RECOMPILE, ("1", "2"))]


def test_a_budget_raises_at_the_next_step_after_the_warm_up() -> None:
    with compilelint.watch(max_recompiles=0, warmup=2, quiet=True) as run:
        compile_again(1)
        run.step()
        run.step()
        assert run.recompiles_after_warmup == 0
        compile_again(2)
        with pytest.raises(RecompileBudgetError, match="1 recompile after step 2, 0 allowed; the last: tensor 'x'"):
            run.step()


def test_a_budget_that_is_spent_behind_the_last_step_raises_at_the_end() -> None:
    with pytest.raises(RecompileBudgetError), compilelint.watch(max_recompiles=0, quiet=True):
        compile_again(1)


def test_an_error_of_the_program_is_not_hidden_by_the_budget() -> None:
    def program() -> None:
        with compilelint.watch(max_recompiles=0, quiet=True):
            compile_again(1)
            raise KeyError

    with pytest.raises(KeyError):
        program()


def test_within_the_budget_nothing_is_raised() -> None:
    with compilelint.watch(max_recompiles=2, quiet=True) as run:
        compile_again(1)
        compile_again(2)
        run.step()


def test_a_budget_may_warn_once_instead() -> None:
    out = io.StringIO()
    with compilelint.watch(max_recompiles=0, action="warn", file=out) as run:
        compile_again(1)
        run.step()
        run.step()
    assert out.getvalue().count("warning: 1 recompile after step 0, 0 allowed") == 1


def test_it_listens_no_more_when_it_is_over() -> None:
    with compilelint.watch(quiet=True) as run:
        pass
    compile_once(0)
    assert listening() == []
    assert run.trace.compiles == 0


@pytest.mark.parametrize(
    "metadata",
    [{}, {"compilation_metrics": 3}, {"artifact": {"name": []}}, {"str": "x"}, {"dynamo_start": {"stack": 1}}],
)
def test_records_of_another_shape_do_not_disturb_the_run(metadata: dict[str, object]) -> None:
    with compilelint.watch(quiet=True) as run:
        log(metadata, object())
    assert run.trace.causes == ()


def test_without_torch_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(RuntimeError, match="import torch first"):
        Watch().start()


def test_a_wrong_action_is_refused() -> None:
    with pytest.raises(ValueError, match="action is 'raise' or 'warn'"):
        compilelint.watch(action="stop")


@pytest.mark.parametrize("value", [None, "", "0", "off"])
def test_the_hook_of_torch_does_nothing_unless_asked(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPILELINT_WATCH", raising=False)
    if value is not None:
        monkeypatch.setenv("COMPILELINT_WATCH", value)
    autoload()
    assert listening() == []


PROGRAM = """
import torch

net = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
step = torch.compile(lambda x: net(x).sum(), backend="eager")
for n in (2, 2, 3, 3):
    step(torch.randn(n, 4)).backward()
    optimizer.step()
print("done")
"""


@pytest.mark.dynamo
@pytest.mark.parametrize("action", ["warn", "raise"])
def test_the_environment_watches_a_program_that_knows_nothing_of_it(tmp_path: Path, action: str) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(PROGRAM))
    info = tmp_path / "hook-1.dist-info"  # as an installed compilelint declares it
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hook\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[torch.backends]\nhook = compilelint.monitor:autoload\n")
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path),
        "COMPILELINT_WATCH": "1",
        "COMPILELINT_WATCH_MAX_RECOMPILES": "0",
        "COMPILELINT_WATCH_WARMUP": "1",
        "COMPILELINT_WATCH_ACTION": action,
    }
    done = subprocess.run(
        [sys.executable, "train.py"],
        check=False,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "compiled again 0/1" in done.stderr
    assert "1 recompile after step 1, 0 allowed" in done.stderr
    assert "0 graph breaks, 1 recompile in 2 compiles" in done.stderr
    assert ("done" in done.stdout, done.returncode) == ((True, 0) if action == "warn" else (False, 1))
