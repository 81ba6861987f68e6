"""The commands of the README and of the site's pages run, and what they show is what the tool says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from benchmarks import readme
from benchmarks.verify import joint
from compilelint.checks import rulebook
from compilelint.cli import app, run
from compilelint.config import settle

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = readme.README.parent
README = readme.README.read_text(encoding="utf-8")
PAGES = [one for one in sorted((ROOT / "docs").rglob("*.md")) if one.stem != "messages"]
GETTING_STARTED = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
TEXT = "".join([README, *(one.read_text(encoding="utf-8") for one in PAGES)])


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Every command line of the README and the pages, without its comment, once."""
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    return list(dict.fromkeys(re.sub(r"\s+# .*", "", line).strip() for line in lines if line.strip()))


def test_the_readme_is_one_screen() -> None:
    assert len(README.splitlines()) <= 90


def test_what_the_readme_prints_of_its_own_file_is_what_is_printed() -> None:
    """The commands that need no torch; `python -m benchmarks.readme` in .ci/run compares all."""
    shown = readme.console(README)
    static = [one for one in shown if "--input" not in one[0]]
    assert (len(shown), len(static)) == (4, 2)
    printed = readme.sessions([command for command, _ in static], readme.own_file(README))
    assert list(printed) == [output for _, output in static], "run `python -m benchmarks.readme --update`"


def test_the_table_of_accuracy_is_made_of_measured_rows() -> None:
    table = readme.accuracy_table(readme.MEASURED.read_text(encoding="utf-8"))
    for page in (readme.README, readme.ACCURACY):
        text = page.read_text(encoding="utf-8")
        assert readme.with_part(text, "accuracy", table) == text, "run `python -m benchmarks.readme --update`"


def test_rows_of_counts_are_summed_and_a_share_stays() -> None:
    counted = readme.Row("a", "## A", ("| one |", "| two |"))
    alone = readme.Row("b", "## A", ("| share |",))
    page = (
        "\n## A\n| | precision | recall |\n| --- | --- | --- |\n| one | 0.500 (1 of 2) | 1.000 (3 of 3) |\n"
        "| two | **1.000** (2 of 2) | 0.000 (0 of 1) |\n| share | 0.971 | 0.968 |\n"
    )
    assert readme._shares(page, counted) == ("75 % (3 of 4)", "75 % (3 of 4)")
    assert readme._shares(page, alone) == ("97 %", "97 %")


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)\)|(?:src|srcset)=\"([^\"]+)\"", README)
    paths = [one or other for one, other in links if "://" not in (one or other)]
    assert len(paths) > 10
    assert [one for one in paths if not (ROOT / one).exists()] == []


def test_the_findings_of_the_model_are_held_against_its_sources_by_the_continuous_integration() -> None:
    assert "-m benchmarks.readme\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    page = readme.FINDINGS.read_text(encoding="utf-8")
    shown = page.split("<!-- model:begin -->")[1].split("<!-- model:end -->")[0]
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


def screen_lines() -> list[str]:
    """The lines of the first screen that the first page explains."""
    section = GETTING_STARTED.split("\n## 2. Your repository\n", 1)[1].split("\nOther views", 1)[0]
    found = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert len(found) > 8
    return found


def pattern_of(line: str) -> re.Pattern[str]:
    """Where the screen has such a line: `N` is a number, a word in capitals any text, `...` the rest."""
    words = re.escape(line).replace(r"\.\.\.", ".*")
    words = re.sub(r"\b[A-Z]{4,}\b", ".+", words)
    return re.compile(r"^ *" + re.sub(r"\bN\b", r"[\\d.,]+", words), re.MULTILINE)


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
    if command == "compilelint fixtures/demo --exit-zero":
        assert [line for line in screen_lines() if not pattern_of(line).search(printed.out)] == []


def test_all_other_commands_are_run_by_the_continuous_integration_or_by_a_test() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    others = [line for line in commands() if not line.startswith("compilelint ")]
    steps = [step for line in others for step in line.split(" && ")]
    reproduced = [step for step in steps if "benchmarks.reproduce" in step]  # tests/benchmarks/test_reproduce.py
    missing = [step for step in steps if step not in reproduced and step.replace(".venv", ".venv-ci") not in script]
    assert steps
    assert not [step.replace("'", "") for step in missing if step.replace("'", "") not in script.replace("'", "")]


# Commands that are shown and not run here, by what they begin with, and why.
NOT_RUN = {
    "compilelint report . --output json:before.json": "two reports of the reader's: tests/cli/test_report.py",
    "compilelint report . --since before.json": "the same",
    "python3 -m http.server": "it serves until Ctrl-C: tests/playground reads the built page",
    "pip install .": "the continuous integration installs the checkout",
    "pip install 'compilelint[dynamic]'": "there is no release yet",
    "pip install 'compilelint[cluster]'": "there is no release yet",
    "pip install './compilelint[": "the test environment has the extras: tests/server and tests/mcp use them",
    "compilelint board ": "runs of the reader's: tests/session/commands/test_board_rows.py, tests/report/layout",
    "compilelint report . --verify ": "runs of the reader's: tests/report/overview and tests/cli/test_report.py",
    "compilelint bench ": "minutes, on a model of the reader's: tests/bench and tests/cli/test_bench.py run bench",
    "compilelint check fixtures/demo --watch": "it ends with Ctrl-C alone: tests/cli/test_watch.py",
    "compilelint check --stdin-filename ": "a buffer of the reader's: tests/cli runs it",
    "compilelint verify pkg.mod:": "a model of the reader's: tests/cli/test_verify.py runs verify",
    "compilelint fix pkg.mod:": "a model of the reader's: tests/session/fixing/test_prove.py runs fix",
    "compilelint prove pkg.mod:": "a change of the reader's: tests/cli/test_prove.py runs prove",
    "pip install ../compilelint": "the continuous integration installs the checkout",
    "pip install '../compilelint[dynamic]'": "the test environment has the extra",
    "pip install pre-commit": "tests/test_pre_commit.py has it",
    "pre-commit install": "writes a hook of git, which runs what tests/test_pre_commit.py runs",
    "pre-commit run compilelint --all-files": "tests/test_pre_commit.py runs the hooks as pre-commit does",
    "compilelint check . --trace trace": "logs of the reader's run: tests/cli/test_trace.py marks findings",
    "compilelint trace trace": "logs of the reader's run: tests/cli/test_trace.py reads recorded ones",
    "compilelint reproduce ": "a model of the reader's: tests/session/commands/test_reproduce.py",
    "compilelint why fixtures/demo/": "tests/cli/test_why.py compares what the page shows with a run",
    "compilelint why model.py:44 src --bundle ": "a file of the reader's: tests/cli/test_why.py writes a bundle",
    "compilelint dev new-rule TEAM001 ": "it writes a rule of the reader's: tests/cli/test_scaffold_pack.py",
    "compilelint dev test-rules --rules item_call.py": "the rule that the line before wrote",
    "compilelint --rules item_call.py": "the same",
    "compilelint transformers/": "held against transformers' sources by `benchmarks.readme` in .ci/run",
    "compilelint verify transformers:": "`benchmarks.verify.joint` holds its table against a run",
}
_SHOWN = re.compile(r"^(?:\$ )?((?:compilelint|pip|uvx|python3?|pre-commit) .*?)(?:\s+#.*)?$", re.MULTILINE)


def shown() -> list[tuple[str, str]]:
    """Page and command of every fenced block that is not `bash`, prompts and comments taken off."""
    found = []
    for page in (readme.README, *PAGES, ROOT / "CONTRIBUTING.md"):
        text = page.read_text(encoding="utf-8")
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if language in ("", "text", "console", "sh"):
                found += [(page.relative_to(ROOT).as_posix(), line) for line in _SHOWN.findall(block)]
    return found


def test_commands_that_are_shown_and_not_run_are_listed_with_a_reason() -> None:
    compared = [("README.md", command) for command, _ in readme.console(README)]
    assert [one for one in shown() if not one[1].startswith(tuple(NOT_RUN)) and one not in compared] == []
    inline = "".join([README, *(page.read_text(encoding="utf-8") for page in PAGES)])
    assert [start for start in NOT_RUN if start.strip() not in inline] == []


def test_every_option_that_a_page_names_exists() -> None:
    facts = app.commands["facts"]
    assert isinstance(facts, click.Group)
    known = {
        option
        for command in (app, *app.commands.values(), *facts.commands.values())
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    texts = [*re.findall(r"`(compilelint [^`]*)`", TEXT), *of_the_tool(running=True), *of_the_tool(running=False)]
    named = {option for text in texts for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)}
    assert len(named) > 10
    assert sorted(named - known - {"--help", "--version"}) == []


def test_the_configuration_shown_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (shown,) = [one for one in blocks("toml") if "per-file-ignores" in one]
    assert "tool" in tomllib.loads(shown)
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    found = settle((".",), {}, rulebook().rules).options
    assert found.torch_version == ">=2.9"
    assert found.dynamo.mode == "reduce-overhead"


@pytest.mark.parametrize("shown", re.findall(r"^```toml\n(.*?)^```", GETTING_STARTED, re.MULTILINE | re.DOTALL))
def test_the_configuration_of_the_first_page_is_taken(
    shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    found = settle((".",), {}, rulebook().rules).options
    assert found.fail_on.label == "error"
    assert found.baseline


def test_the_hook_shown_has_the_entry_of_the_hook_shipped() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    shown = "\n".join(blocks("yaml"))
    for line in ("entry: compilelint check --force-exclude", "types_or: [python, jupyter]", "require_serial: true"):
        assert line in hooks
        assert line in shown


def workflows() -> list[dict[str, Any]]:
    """The workflows, jobs and steps that are shown, but for hooks."""
    found = [yaml.safe_load(block) for block in blocks("yaml")]
    return [one for one in found if "repos" not in one]


def test_the_job_of_gitlab_runs_as_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (job,) = [one["compilelint"] for one in workflows() if "compilelint" in one]
    (tmp_path / ".git").mkdir()  # paths count from the repository
    shutil.copytree(ROOT / "fixtures" / "demo" / "captioner", tmp_path / "src" / "captioner")
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(job["script"])[1:]) == 1, "findings fail the job, and `when: always` keeps its report"
    assert job["artifacts"]["when"] == "always"
    report = json.loads(Path(job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert {one["location"]["path"].split("/")[0] for one in report} == {"src"}


def test_a_workflow_that_uses_the_action_gives_it_inputs_that_exist() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    steps = [step for one in workflows() for job in one.get("jobs", {}).values() for step in job["steps"]]
    given = [step["with"] for step in steps if "/compilelint@" in step.get("uses", "")]
    assert given
    assert [name for one in given for name in one if name not in inputs] == []


def test_the_skill_for_coding_agents_names_commands_that_there_are() -> None:
    from compilelint.cli import app

    text = (ROOT / "examples" / "skill" / "SKILL.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    assert [line.partition(":")[0] for line in head.splitlines()] == ["name", "description"]
    named = {*re.findall(r"`compilelint (\w+)", body)}
    assert {"check", "why", "rule", "init", "verify", "fix", "mcp"} <= named
    assert named <= {*app.commands}, named - {*app.commands}
