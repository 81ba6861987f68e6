"""What the README shows of the rules and of the tool is what they say themselves, and its commands run."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from benchmarks import readme
from benchmarks.verify import joint
from compilelint.checks import rulebook
from compilelint.cli import run
from compilelint.config import settle
from compilelint.rulebook import pages

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXT = readme.README.read_text(encoding="utf-8")
ROOT = readme.README.parent


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Every command line of the README, without its comment."""
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    return [re.sub(r"\s+# .*", "", line).strip() for line in lines if line.strip()]


def test_the_tables_are_those_of_the_code() -> None:
    assert readme.with_parts(TEXT, readme.TABLES) == TEXT, "run `python -m benchmarks.readme --update`"


def test_every_page_of_the_table_is_there() -> None:
    linked = {line.split("](")[1].split(")")[0] for line in readme.rules_table().splitlines() if "](" in line}
    assert linked
    assert all((ROOT / page).is_file() for page in linked)
    assert len(linked) == len(pages())


def test_the_findings_of_the_model_are_held_against_its_sources_by_the_continuous_integration() -> None:
    assert "-m benchmarks.readme --model\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    shown = TEXT.split("<!-- model:begin -->")[1].split("<!-- model:end -->")[0]
    codes = set(re.findall(r"^\w+\[(CL\d+)\]", shown, re.MULTILINE))
    assert codes == {"CL120"}


def test_the_joint_report_is_of_the_models_that_its_command_runs() -> None:
    shown = TEXT.split(joint.BEGIN)[1].split(joint.END)[0]
    rows = [line.split() for line in shown.splitlines() if line.startswith(("transformers:", "diffusers:"))]
    assert tuple(row[0] for row in rows) == joint.MODELS
    assert [(row[2], row[-1]) for row in rows] == [("2", "missed"), ("2", "missed"), ("0", "kept")]
    assert joint.without_times(shown.replace("4.8 s", "14.8 s")) == joint.without_times(shown)


def of_the_tool(*, running: bool) -> list[str]:
    """The commands of compilelint that run linted code, which needs torch, or those that do not."""
    return [c for c in commands() if c.startswith("compilelint ") and c.startswith("compilelint verify ") is running]


@pytest.mark.dynamo
@pytest.mark.parametrize("command", of_the_tool(running=True))
def test_the_commands_that_run_the_demo_run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run(shlex.split(command)[1:]) == 0


@pytest.mark.parametrize("command", of_the_tool(running=False))
def test_the_commands_of_the_tool_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "fixtures" / "demo", tmp_path / "fixtures" / "demo")
    for folder in ("rules", "src/compilelint/checks"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr()
    assert printed.out
    assert "error:" not in printed.err


def test_all_other_commands_are_run_by_the_continuous_integration_or_by_a_test() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    others = [line for line in commands() if not line.startswith("compilelint ")]
    steps = [step for line in others for step in line.split(" && ")]
    reproduced = [step for step in steps if "benchmarks.reproduce" in step]  # tests/benchmarks/test_reproduce.py
    missing = [step for step in steps if step not in reproduced and step.replace(".venv", ".venv-ci") not in script]
    assert steps
    assert not [step.replace("'", "") for step in missing if step.replace("'", "") not in script.replace("'", "")]


def test_the_configuration_shown_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (shown,) = blocks("toml")
    assert "tool" in tomllib.loads(shown)
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    found = settle((".",), {}, rulebook().rules).options
    assert found.torch_version == ">=2.9"
    assert found.dynamo.mode == "reduce-overhead"


def test_the_hook_shown_has_the_entry_of_the_hook_shipped() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    shown = "\n".join(blocks("yaml"))
    for line in ("entry: compilelint check --force-exclude", "types_or: [python, jupyter]", "require_serial: true"):
        assert line in hooks
        assert line in shown
