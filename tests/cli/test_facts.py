"""The fact tables from the command line: target versions, ranges, `facts show`, `facts diff`, `rule GBxxxx`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest

import compilelint
from compilelint.torchfacts import available
from tests.support.warm_command import warm_command

SOURCE_TREE = Path(compilelint.__file__).parent.parent
# On these lines 2.9.1 and 2.13.0 disagree: the first breaks in 2.13 only, the second in 2.9 only, the third in both.
UPGRADED = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            y = x.to_sparse()
            z = x.quantile(0.5)
            return x.sum().item() + z, y
"""
ADDED, REMOVED, KEPT = 7, 8, 9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "upgraded.py").write_text(dedent(UPGRADED).lstrip("\n"), encoding="utf-8")
    (tmp_path / "env/lib/python3.11/site-packages").mkdir(parents=True)
    (tmp_path / "env/pyvenv.cfg").write_text("version = 3.11.0\n", encoding="utf-8")
    return tmp_path


def compilelint_in(folder: Path, *words: str, source: Path = SOURCE_TREE) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment.update(PYTHONPATH=str(source), PYTHONIOENCODING="utf-8")
    if source == SOURCE_TREE:
        return warm_command(folder, words, environment)
    command = [sys.executable, "-m", "compilelint", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def printed(folder: Path, *words: str) -> str:
    done = compilelint_in(folder, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def document(folder: Path, *words: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(compilelint_in(folder, *words).stdout)
    return content


def checked(folder: Path, *words: str) -> dict[str, Any]:
    """The JSON report on the sample, in an environment without torch."""
    return document(folder, "upgraded.py", "--output", "json", "--python", "env", *words)


# --------------------------------------------------------------------- targets


def test_one_version_finds_what_that_version_breaks_on(folder: Path) -> None:
    lines = {
        version: [one["line"] for one in checked(folder, "--torch-version", version)["findings"]]
        for version in ("2.9", "2.13")
    }
    assert lines == {"2.9": [REMOVED, KEPT], "2.13": [ADDED, KEPT]}


def test_a_range_unites_the_findings_and_each_names_its_versions(folder: Path) -> None:
    report = checked(folder, "--torch-version", ">=2.9,<2.14")
    asked = ["2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0"]
    assert report["torch"]["versions"] == asked
    assert report["torch"]["target"] == ">=2.9,<2.14"
    versions = {one["line"]: one["torch_versions"] for one in report["findings"]}
    assert set(versions) == {ADDED, REMOVED, KEPT}
    assert versions[KEPT] == asked
    assert "2.13.0" in versions[ADDED]
    assert "2.9.1" not in versions[ADDED]
    assert versions[REMOVED][0] == "2.9.1"
    assert "2.13.0" not in versions[REMOVED]
    schema = json.loads((SOURCE_TREE / "compilelint/report/schema-1.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema)


def test_the_union_is_made_of_what_each_version_alone_says(folder: Path) -> None:
    report = checked(folder, "--torch-version", ">=2.9,<2.14")
    for version in report["torch"]["versions"]:
        alone = {(one["line"], one["rule"]) for one in checked(folder, "--torch-version", version)["findings"]}
        united = {(one["line"], one["rule"]) for one in report["findings"] if version in one["torch_versions"]}
        assert united == alone


def test_the_console_names_the_versions_of_a_finding(folder: Path) -> None:
    done = compilelint_in(folder, "upgraded.py", "--torch-version", "==2.9.*", "--python", "env")
    assert "for torch ==2.9.* (--torch-version)" in done.stdout
    assert "= torch: " not in done.stdout  # one version is no range
    done = compilelint_in(folder, "upgraded.py", "--torch-version", ">=2.12,<2.14", "--python", "env")
    assert "= torch: 2.12.1, 2.13.0" in done.stdout
    assert "(--torch-version: 2.12.1, 2.13.0)" in done.stdout


def test_the_projects_requirement_is_the_target_where_no_torch_is_installed(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.6,<2.10"]\n', encoding="utf-8")
    report = checked(folder)
    assert report["torch"]["target"] == "2.9.1"
    assert "torch>=2.6,<2.10" in report["torch"]["source"]
    site = folder / "env/lib/python3.11/site-packages/torch-2.13.0.dist-info"
    site.mkdir()
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n", encoding="utf-8")
    assert checked(folder)["torch"]["target"] == "2.13.0"


def test_the_newest_is_the_target_where_nothing_is_said(folder: Path) -> None:
    report = checked(folder)
    assert report["torch"]["target"] == available()[-1]
    assert "versions" not in report["torch"]


@pytest.mark.parametrize(
    ("version", "notice"),
    [
        pytest.param(
            "999.0", f"no facts for torch 999.0; those of {available()[-1]} are used", id="newer than all tables"
        ),
        pytest.param("1.13", "no facts for torch 1.13; those of 2.5.1 are used", id="older than all tables"),
        pytest.param(">=2.7,<2.8", "no facts for a torch >=2.7,<2.8; those of 2.6.0 are used", id="between two tables"),
    ],
)
def test_a_version_without_a_table_gets_the_nearest_and_says_so(folder: Path, version: str, notice: str) -> None:
    texts = [one["text"] for one in checked(folder, "--torch-version", version)["notices"] if one["kind"] == "torch"]
    assert texts == [notice]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            ["upgraded.py", "--torch-version", "newest"],
            r"'newest' is not a torch version \(--torch-version newest\); write it like 2\.9",
            id="no version",
        ),
        pytest.param(["upgraded.py", "--python", "upgraded.py"], r"\(--python .*upgraded\.py\); name ", id="no Python"),
        pytest.param(["facts", "diff", "2.9", "newest"], r"'newest' is not a torch version", id="diff, no version"),
        pytest.param(["facts", "diff", "2.9", "2.13", "none.py"], r"no such file or folder", id="diff, no file"),
        pytest.param(["facts", "show", "item"], r"did you mean .*torch\.Tensor\.item", id="show, the last part only"),
        pytest.param(["facts", "show", "torch.wehre"], r"did you mean .*torch\.where", id="show, misspelt"),
        pytest.param(["rule", "GB9999"], r"no version has it", id="no such id"),
        pytest.param(["rule", "GB0170", "--torch-version", "2.6"], r"torch 2\.6\.0 has no .*2\.8\.0", id="before ids"),
    ],
)
def test_a_wrong_request_gets_one_line_and_2(folder: Path, words: list[str], message: str) -> None:
    done = compilelint_in(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(message, done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("2.15.0.json", "{", r"fact file 2\.15\.0\.json is damaged", id="damaged"),
        pytest.param("traits.json", None, r"fact file traits\.json is missing", id="missing"),
        pytest.param("2.13.0.json", '{"schema": 99}', r"is not of schema 1", id="of another schema"),
    ],
)
def test_a_damaged_table_is_one_clear_message(
    folder: Path, tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    package = tmp_path / "installed/compilelint"
    shutil.copytree(SOURCE_TREE / "compilelint", package, ignore=shutil.ignore_patterns("__pycache__"))
    table = package / "torchfacts/data" / name
    table.unlink()
    if content is not None:
        table.write_text(content, encoding="utf-8")
    done = compilelint_in(folder, "upgraded.py", "--torch-version", "2.13", source=package.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(message + r".*reinstall compilelint", done.stderr)
    assert done.stderr.count("\n") == 1


# ------------------------------------------------------------------ facts show


def test_a_name_is_shown_over_all_versions(folder: Path) -> None:
    text = printed(folder, "facts", "show", "torch.Tensor.item")
    assert text.splitlines()[0] == "torch.Tensor.item"
    assert re.search(
        r"^  2\.5\.1 to 2\.6\.0 +breaks: host-read; traces with capture_scalar_outputs$", text, re.MULTILINE
    )
    assert re.search(r"^  2\.10\.0 to \S+ +breaks: host-read, GB0124; traces under fullgraph", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("short", "full"),
    [("Tensor.item", "torch.Tensor.item"), ("F.one_hot", "torch.nn.functional.one_hot"), ("nn.LSTM", "torch.nn.LSTM")],
)
def test_the_usual_short_names_are_understood(folder: Path, short: str, full: str) -> None:
    assert printed(folder, "facts", "show", short) == printed(folder, "facts", "show", full)


def test_the_forms_of_a_call_have_rows_of_their_own(folder: Path) -> None:
    rows = {row["key"]: row for row in document(folder, "facts", "show", "torch.where", "--output", "json")["rows"]}
    assert set(rows) == {"torch.where", "torch.where|condition-only"}
    assert set(rows["torch.where"]["versions"]) == set(available())
    assert not rows["torch.where"]["versions"]["2.13.0"]["breaks"]
    assert rows["torch.where|condition-only"]["versions"]["2.13.0"] == {
        "breaks": True,
        "breaks_fullgraph": False,
        "skips_frame": False,
        "raises": False,
        "reason": "dynamic-shape",
        "break_id": "GB0036",
        "cured_by": ["capture_dynamic_output_shape_ops"],
    }


# ------------------------------------------------------------------ facts diff


def test_names_that_change_class_are_listed_and_the_rest_counted(folder: Path) -> None:
    text = printed(folder, "facts", "diff", "2.9", "2.13")
    assert re.search(r"^breaks now \(\d+\)$", text, re.MULTILINE)
    assert re.search(r"^  torch\.Tensor\.to_sparse  traces -> breaks: sparse, GB0277$", text, re.MULTILINE)
    assert re.search(r"names change class from torch 2\.9\.1 to 2\.13\.0 \(besides: .*another id", text)
    found = document(folder, "facts", "diff", "2.9", "2.13", "--output", "json")
    changes = {one["key"]: one["change"] for one in found["differences"]}
    assert changes["torch.Tensor.to_sparse"] == "breaks now"
    assert changes["torch.Tensor.quantile"] == "works now"


def test_a_version_has_no_difference_to_itself(folder: Path) -> None:
    assert printed(folder, "facts", "diff", "2.13", "2.13") == "0 names change class from torch 2.13.0 to 2.13.0.\n"


def test_the_upgrade_advisor_says_what_an_upgrade_adds_and_removes(folder: Path) -> None:
    done = compilelint_in(folder, "facts", "diff", "2.9", "2.13", "upgraded.py", "--python", "env")
    assert done.returncode == 1
    added, removed, summary = done.stdout.splitlines()
    assert added.startswith(f"+ upgraded.py:{ADDED}:")
    assert removed.startswith(f"- upgraded.py:{REMOVED}:")
    assert summary == "torch 2.9.1 -> 2.13.0: 1 findings added, 1 gone, 1 unchanged."
    back = document(folder, "facts", "diff", "2.13", "2.9", "upgraded.py", "--python", "env", "--output", "json")
    assert [one["line"] for one in back["added"]] == [REMOVED]
    assert [one["line"] for one in back["removed"]] == [ADDED]
    assert back["kept"] == 1


def test_an_upgrade_that_adds_nothing_exits_with_0(folder: Path) -> None:
    assert printed(folder, "facts", "diff", "2.14", "2.14.1", "upgraded.py", "--python", "env").endswith(
        "2 unchanged.\n"
    )


# ----------------------------------------------------------------- rule GBxxxx


def test_a_break_id_names_the_rules_that_find_it(folder: Path) -> None:
    text = printed(folder, "rule", "GB0170", "--torch-version", "2.13")
    assert text.startswith("GB0170 Data-dependent branching\ntorch 2.13.0; reason here: branch-on-data\n")
    assert re.search(r"^CL101  branch-on-tensor", text, re.MULTILINE)
    assert '"' not in text  # torch's registry keeps the quotes of its own source
    found = document(folder, "rule", "gb170", "--output", "json")
    assert found["break_id"] == "GB0170"
    assert found["torch"] == available()[-1]
    assert [one["code"] for one in found["rules"]] == ["CL101"]
    assert found["reachable"] == "yes"
    assert found["programs"]["2.13"]["recorded"] >= found["programs"]["2.13"]["found"] > 0
    assert "recorded programs that end with it reported, with the caller in the text." in text


def test_a_rule_is_printed_for_programs_too(folder: Path) -> None:
    one = document(folder, "rule", "CL101", "--output", "json")["rules"]
    assert [(rule["code"], rule["name"]) for rule in one] == [("CL101", "branch-on-tensor")]
    assert one[0]["page"].startswith("#")
    every = document(folder, "rule", "--list", "--output", "json")["rules"]
    assert len(every) > 30
    assert "page" not in every[0]
