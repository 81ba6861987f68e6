"""`compilelint verify` and `score` as a user meets them: what is printed, and the exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Protocol

import jsonschema
import pytest

import compilelint
from compilelint.cli import run

pytestmark = [pytest.mark.dynamo, pytest.mark.slow, pytest.mark.usefixtures("shared_worker")]

SOURCE = Path(compilelint.__file__).parents[1]
SCHEMA = Path(compilelint.__file__).parent / "report" / "schema-1.json"
MODEL = """\
import torch


class Ranker(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        if y.sum() > 1e9:
            y = y + 1
        if self.training:
            print("training")
        return y.max().item()


class Second(Ranker):
    pass
"""
CHOOSES = """\
import torch


class Ranker(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        z = y + 1 if y.sum() > 1e9 else y - 1
        return z * ANSWER
"""
OLD = """\
import os

import torch


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x) if not torch.onnx.is_in_onnx_export() else x


class Scale(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)

    @staticmethod
    def symbolic(g, x):
        return g.op("Mul", x, x)


class Opens(Plain):
    def forward(self, x):
        with open(os.devnull, "w") as file:
            file.write("x")
        return x + 1


class Scripted(Plain):
    def __init__(self):
        super().__init__()
        self.layer = torch.jit.script(torch.nn.Linear(4, 4))
"""
TABLE = """\
[[tool.compilelint.targets]]
name = "ranker"
model = "shop.ranker:Ranker"
inputs = ["2x4"]
max-breaks = 2

[[tool.compilelint.targets]]
name = "lost"
model = "shop.nowhere:Ranker"
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with one model, two breaks that run, and one that does not in eval mode."""
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ranker.py").write_text(MODEL)
    (tmp_path / "pyproject.toml").write_text(TABLE)
    return tmp_path


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


class Call(Protocol):
    """Runs a command in a folder."""

    def __call__(self, folder: Path, *words: str) -> Done: ...


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs it in this process, whose worker has imported torch."""

    def here(folder: Path, *words: str) -> Done:
        monkeypatch.chdir(folder)
        code = run(list(words))
        return Done(code, *capsys.readouterr())

    return here


def in_a_process(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, "-m", "compilelint", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_joint_report_in_json_and_the_record_that_score_reads(shop: Path) -> None:
    done = in_a_process(
        shop, "verify", "shop.ranker:Ranker", "--isolated", "--output", "json:r.json", "--record", "seen.jsonl"
    )
    assert done.returncode == 1, done.stderr
    report = json.loads((shop / "r.json").read_text())
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))
    verdicts = {(one["rule"], one["line"]): one["verdict"]["outcome"] for one in report["findings"]}
    assert verdicts == {("CL101", 11): "confirmed", ("CL102", 15): "confirmed", ("CL201", 14): "not-reached"}
    (target,) = report["targets"]
    assert (target["fate"], len(target["breaks"]), target["within_budget"]) == ("ran", 2, False)
    assert target["parity"]["divergences"] == []

    scored = in_a_process(shop, "score", "seen.jsonl", "--root", ".", "--output", "json")
    assert scored.returncode == 0, scored.stderr
    table = json.loads(scored.stdout)
    assert (table["break_lines"], table["found"], table["recall"], table["precision"]) == (2, 2, 1.0, 1.0)


def test_configured_targets_their_budgets_and_what_did_not_run(shop: Path, call: Call) -> None:
    done = call(shop, "verify", "--output", "concise")
    assert done.returncode == 1
    assert "CL905" in done.stdout
    assert "No module named 'shop.nowhere'" in done.stdout
    table = [row.split() for row in done.stdout.splitlines() if row.startswith(("ranker", "lost"))]
    assert table[0][:6] == ["ranker", "2", "2", "2", "of", "2"]
    assert table[0][-1] == "kept"
    assert table[1][-1] == "import-error"
    assert call(shop, "verify", "ranker").returncode == 0


def test_with_reports_in_files_alone_stderr_says_what_failed_and_where_they_are(shop: Path, call: Call) -> None:
    done = call(shop, "verify", "shop.ranker:Ranker", "lost", "--output", "json:r.json", "--output", "html:r.html")
    assert (done.returncode, done.stdout) == (1, "")
    errors = [line for line in done.stderr.splitlines() if line.startswith("compilelint: error: ")]
    assert errors[0] == (
        "compilelint: error: shop.ranker:Ranker: graph breaks: 2, allowed: 0, the first at shop/ranker.py:11"
    )
    assert errors[1].startswith("compilelint: error: lost: not run: ModuleNotFoundError: No module named")
    assert "--path" in errors[1], "the hint"
    assert len(errors) == 2
    assert done.stderr.splitlines()[-1] == "compilelint: note: the report is in r.json, r.html"


def test_what_if_names_the_switch_that_helps(shop: Path, call: Call) -> None:
    done = call(shop, "verify", "ranker", "--quiet", "--what-if")
    assert "capture_scalar_outputs = True: removes shop/ranker.py:15" in done.stdout
    assert "torch.compile(dynamic=True): removes nothing" in done.stdout
    assert "shortest way:\n    1. torch._dynamo.config.capture_scalar_outputs = True\n" in done.stdout


def test_what_if_tries_proposed_fixes_on_a_copy_and_proves_the_whole_way(shop: Path, call: Call) -> None:
    text = CHOOSES.replace("ANSWER", "y.max().item()")
    (shop / "shop" / "ranker.py").write_text(text)
    done = call(shop, "verify", "ranker", "--quiet", "--what-if")
    where = "CL101 at ranker.py:11, compute both sides and choose with `torch.where`"
    assert f"{where}: removes shop/ranker.py:11\n" in done.stdout, done.stdout + done.stderr
    way, _, rest = done.stdout.partition("shortest way:\n")[2].partition("    leaves ")
    assert [row[7:] for row in way.splitlines()] == ["torch._dynamo.config.capture_scalar_outputs = True", where]
    assert rest == "one graph\n"
    assert (shop / "shop" / "ranker.py").read_text() == text


def test_export_has_its_own_words(shop: Path, call: Call) -> None:
    done = call(shop, "verify", "ranker", "--for", "export")
    assert done.returncode == 1
    assert "strict     fails" in done.stdout
    assert "data-dependent" in done.stdout.lower()


def test_what_fails_in_strict_export_alone_is_reported_and_old_ways_are_named(shop: Path, call: Call) -> None:
    (shop / "shop" / "old.py").write_text(OLD)
    words = ["--isolated", "--input", "2x4", "--for", "export", "--output", "full", "--output", "json:r.json"]
    done = call(shop, "verify", "shop.old:Opens", "shop.old:Plain", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    opens, _, plain = done.stdout.partition("shop.old:Plain: called with 2x4:float32")
    assert "strict     fails\n" in opens
    assert "only strict export fails: `torch.export.export(..., strict=False)` takes it" in opens
    assert "strict     one graph of" in plain
    assert "only strict export fails" not in plain
    assert plain.count("shop/old.py:12: `torch.onnx.is_in_onnx_export` is False while exporting") == 1
    line = OLD.splitlines().index("    def symbolic(g, x):") + 1
    assert plain.count(f"shop/old.py:{line}: `Scale.symbolic` translates an operator for the older ONNX") == 1
    report = json.loads((shop / "r.json").read_text())
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))
    assert [[one["works"] for one in run["exports"]] for run in report["targets"]] == [[False, True, True], [True] * 3]


def test_a_scripted_submodule_is_named_where_export_fails(shop: Path, call: Call) -> None:
    (shop / "shop" / "old.py").write_text(OLD)
    done = call(shop, "verify", "shop.old:Scripted", "--isolated", "--input", "2x4", "--for", "export")
    assert done.returncode == 1
    assert "remnant    submodule `layer` is a scripted TorchScript module, which strict export refuses" in done.stdout


def test_sarif_is_one_run_with_one_result_a_place_and_the_verdict(shop: Path, call: Call) -> None:
    words = ["shop.ranker:Ranker", "shop.ranker:Second", "shop.ranker:Gone"]
    done = call(shop, "verify", *words, "--isolated", "--output", "sarif:x.sarif", "--output", "json:x.json")
    assert done.returncode == 1, done.stderr
    (run,) = json.loads((shop / "x.sarif").read_text())["runs"]
    found = {}
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        key = (result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"])
        assert key not in found
        found[key] = result
    branch = found["CL101", "shop/ranker.py", 11]
    assert branch["level"] == "error"
    assert branch["properties"]["verdict"] == "confirmed"
    assert branch["properties"]["targets"] == ["shop.ranker:Ranker", "shop.ranker:Second"]
    assert "Confirmed: Data-dependent branching in shop.ranker:Ranker, shop.ranker:Second." in branch["message"]["text"]
    assert found["CL201", "shop/ranker.py", 14]["properties"]["verdict"] == "not-reached"
    (lost,) = [result for key, result in found.items() if key[0] == "CL905"]
    assert "shown by trying to run shop.ranker:Gone" in lost["message"]["text"]
    report = json.loads((shop / "x.json").read_text())
    schema = json.loads(SCHEMA.read_text())
    jsonschema.validate(report, schema)
    report["findings"][0]["verdict"]["outcome"] = "perhaps"
    with pytest.raises(jsonschema.ValidationError, match="perhaps"):
        jsonschema.validate(report, schema)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["verify", "--isolated"], "no target (compilelint verify); name one"),
        (["verify", "a:B", "--python", "nowhere/python"], "nowhere/python"),
    ],
)
def test_a_wrong_request_is_one_line_and_two(shop: Path, call: Call, words: list[str], complaint: str) -> None:
    done = call(shop, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert complaint in line
