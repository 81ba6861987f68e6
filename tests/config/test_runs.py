"""What settings do to a run and how wrong ones are refused, against `golden/runs.txt`."""

from __future__ import annotations

from tests.support.recorded_runs import REWRITE_THEM, Run, path_of, recorded

BASE = (
    'ignore = ["CL101"]\n[severity]\nCL102 = "error"\nCL201 = "error"\n[per-file-ignores]\n"pkg/ops.py" = ["CL620"]\n'
)
OWN = (
    'extend = "base.toml"\nextend-select = ["CL9"]\nroots = ["explicit"]\nmin-confidence = "possible"\n'
    'fail-on = "error"\n[severity]\nCL201 = "note"\n[per-file-ignores]\n"pkg/t*" = ["sync", "CL8"]\n'
    '[dynamo]\nfullgraph = true\nmode = "max-autotune"\ncapture-scalar-outputs = true\n'
    '[[targets]]\nmodel = "pkg.model:Net"\ninputs = ["2x3"]\nmax-breaks = 1\n'
)
TWO = (("base.toml", BASE), ("compilelint.toml", OWN))
VALUES = (
    "select=1",
    'select=["CL777"]',
    'select=["brach-on-tensor"]',
    'select=["CL10", "CL0"]',
    'ignore=["CL7", "CL9XX", "sync", "TOOL"]',
    'ignore="CL101"',
    'ignore=[""]',
    "extend-select=[3]",
    'extend="missing.toml"',
    "severity=1",
    'severity={CL101="fatal"}',
    'severity={CL777="error"}',
    'per-file-ignores=["x"]',
    'per-file-ignores={"a/**b"=["CL1"]}',
    'per-file-ignores={"a"="CL1"}',
    'min-confidence="sure"',
    'min-confidence="LIKELY"',
    'fail-on="never"',
    "exclude=[1]",
    'exclude=["[a"]',
    "force-exclude=1",
    'roots="all"',
    "roots=[]",
    "torch-version=2.9",
    'torch-version="nine"',
    'torch-version="1.0"',
    'python=""',
    'python="missing"',
    'follow-imports="some"',
    'follow-imports="None"',
    "timeout=-1",
    "timeout=true",
    'timeout="20"',
    "timeout=1e9",
    "timeout=120.0",
    "timeout=121",
    "dynamo=1",
    "dynamo={fullgraph=1}",
    "dynamo={fulgraph=true}",
    'dynamo={mode="fast"}',
    'dynamo={dynamic="yes"}',
    "dynamo={dynamic=false, export=true}",
    "targets={}",
    "targets=[1]",
    "baseline=1",
    'baseline="../known.json"',
    "unknown=1",
    "slect=1",
    "select",
    "=1",
    "select=[",
    "a.b=1",
    "select=1979-05-27",
)
OUTPUTS = (
    "json",
    "jsn",
    "JSON",
    "json:",
    "json:pkg",
    "json:missing/report.json",
    "json --output sarif",
    "json:a --output sarif:./a",
    "json:a --output sarif:b --output concise",
)

RUNS = [
    Run("config pkg/model.py nested/other.py"),
    Run("config pkg", files=TWO),
    Run("config pkg --isolated"),
    Run("config pkg --config base.toml --config 'ignore=[\"CL2\"]' --select CL1,sync", files=TWO),
    Run("check . --no-cache --output concise", files=TWO),
    Run("check . --no-cache --output concise --config base.toml", files=TWO),
    Run("check . --no-cache --output concise --isolated --python env --select CL1 --extend-select CL2 --ignore sync"),
    Run("check pkg --no-cache -v --output concise", files=(("pkg/pyproject.toml", "[tool.other]\nx = 1\n"),)),
    Run("check pkg --no-cache -v --output concise", files=(("pkg/compilelint.toml", 'select = ["CL7"]\n'),)),
    Run("check pkg tests --no-cache --output concise", files=(("compilelint.toml", "select = [\n"),)),
    Run("check pkg tests --no-cache --output concise", files=(("compilelint.toml", 'extend = "compilelint.toml"\n'),)),
    Run("check pkg --no-cache --output concise", files=(("pyproject.toml", "[tool.compilelint\n"),)),
    Run("check pkg --no-cache --output concise --config missing.toml"),
    Run("check pkg --no-cache --output concise --min-confidence likely --config 'min-confidence=\"certain\"'"),
    *(Run(f"check pkg/helper.py --no-cache --output concise --config '{value}'") for value in VALUES),
    *(Run(f"check pkg/helper.py --no-cache --output {words}") for words in OUTPUTS),
    Run("check pkg/helper.py --no-cache --timeout -1"),
    Run("check pkg/helper.py --no-cache --output concise --timeout 0"),
    Run("check pkg/helper.py --no-cache --select CL777"),
]


def test_runs_are_those_recorded() -> None:
    assert recorded(RUNS) == path_of("config").read_text(encoding="utf-8"), REWRITE_THEM
