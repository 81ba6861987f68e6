"""How `verify` behaves while it runs and when it is ended: what it names, what it keeps, what it leaves out."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.keys import TARGET_KEYS

pytestmark = [pytest.mark.dynamo, pytest.mark.slow]

SOURCE = Path(__file__).resolve().parents[2] / "src"
MODELS = """\
import time

import torch
from torch import nn

TABLE = None
TABLES = {}


def table(size):
    global TABLE
    if TABLE is None:
        TABLE = torch.arange(size)
    if size not in TABLES:
        TABLES[size] = torch.zeros(size)
    return TABLE + TABLES[size]


class MakesGlobals(nn.Module):
    def forward(self, x):
        return x + table(x.shape[-1])


class Breaks(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x


class RaisesLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x.view(7, 7) if self.calls > 1 else x + 1


class ReachesNothing(nn.Module):
    def forward(self, x):
        if x.shape[0] == 77:
            print("never")
        return x + 1


class Sleeps(nn.Module):
    def forward(self, x):
        time.sleep(60)
        return x
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(MODELS)
    return tmp_path


def started(folder: Path, *words: str, columns: int = 80, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "compilelint", "verify", *words, "--input", "2x4"]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=stdout, stderr=subprocess.PIPE, text=True)


def test_an_interrupted_run_keeps_what_is_done_in_table_json_and_record(shop: Path) -> None:
    outputs = ("--output", "full", "--output", "json:seen.json", "--record", "seen.jsonl")
    process = started(shop, "shop:Breaks", "shop:Sleeps", *outputs)
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("compilelint: 1 of 2: shop:Breaks: ran, "), first
    assert first.endswith(" s\n"), first
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; 1 of 2 targets are in the report" in said
    rows = {line.split()[0]: line for line in printed.splitlines() if line.startswith("shop:")}
    assert " 1 of 1 " in rows["shop:Breaks"]
    assert rows["shop:Sleeps"].rstrip().endswith("not run: interrupted")
    report = json.loads((shop / "seen.json").read_text())
    assert [one["fate"] for one in report["targets"]] == ["ran", "interrupted"]
    assert len((shop / "seen.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("columns", [80, 100])
def test_a_terminal_s_table_keeps_its_first_column_whole_and_drops_others(columns: int, shop: Path) -> None:
    screen, terminal = os.openpty()
    process = started(shop, "shop:Breaks", "shop:ReachesNothing", "--output", "full", columns=columns, stdout=terminal)
    os.close(terminal)
    _, said = process.communicate(timeout=120)
    assert process.returncode in (0, 1), said
    written = re.sub(r"\x1b\[[0-9;]*m", "", os.read(screen, 1 << 16).decode())
    os.close(screen)
    table = [line.rstrip() for line in written.splitlines() if line.startswith("shop:")]
    assert [line.split()[0] for line in table] == ["shop:Breaks", "shop:ReachesNothing"], written
    assert max(map(len, table)) <= columns


def test_what_no_target_reached_is_left_out_with_one_line(shop: Path) -> None:
    printed, said = started(shop, "shop:ReachesNothing", "--exit-zero").communicate(timeout=120)
    lines = [line for line in said.splitlines() if "on lines that no target reached" in line]
    assert len(lines) == 1
    assert "; see --verbose" in lines[0]
    assert "shop.py" not in printed


def test_globals_made_by_a_first_call_and_errors_of_one_cause_are_no_difference(shop: Path) -> None:
    printed, _ = started(shop, "shop:MakesGlobals", "shop:RaisesLater", "--quiet").communicate(timeout=120)
    rows = [line.split() for line in printed.splitlines() if line.startswith("shop:")]
    assert [(row[0], "equal" in row) for row in rows] == [("shop:MakesGlobals", True), ("shop:RaisesLater", True)]


def test_help_names_the_keys_of_a_target_and_what_a_factory_returns(shop: Path) -> None:
    text = " ".join(started(shop, "--help").communicate(timeout=60)[0].split())
    assert all(one.name in text for one in TARGET_KEYS)
    assert "returns a module, a function, or a tuple of one and its inputs" in text
