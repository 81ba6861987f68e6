"""The GitHub Action: its scripts are run as the runner runs them, with inputs that mean harm, and audited by zizmor."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_hostile import command_of

ROOT = Path(__file__).parent.parent
BREAKS = "import torch\n\n\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"
TEMPLATE = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


def action() -> dict[str, Any]:
    import yaml

    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return found


def _named(inputs: dict[str, str]) -> dict[str, str]:
    """The inputs by the names that the action gives them."""
    return {name.replace("_", "-"): value for name, value in inputs.items()}


class Runner:
    """As much of GitHub's runner as a composite action of bash steps needs."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "work space"
        self.temp = folder / "runner temp"
        for place in (self.workspace, self.temp):
            place.mkdir()
        self.steps = {step["name"]: step for step in action()["runs"]["steps"]}
        self.defaults = {name: one.get("default", "") for name, one in action()["inputs"].items()}
        self.defaults["python"] = sys.executable
        self.github: dict[str, str] = {}

    def step(self, name: str, outputs: dict[str, str] | None = None, fork: str = "", **inputs: str) -> Done:
        """Run one step's script. `outputs` are those of the step `lint`, `inputs` those of the action, `fork` is what
        the event says of the pull request's repository.
        """
        known = {f"inputs.{key}": value for key, value in (self.defaults | _named(inputs)).items()}
        known["github.event.pull_request.head.repo.fork"] = fork
        known |= {f"steps.lint.outputs.{key}": value for key, value in (outputs or {}).items()}
        known |= {"steps.prove.outputs.exit-code": "", "github.event.pull_request.base.sha": "", **self.github}
        step = self.steps[name]
        files = {key: self.temp / key for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        environment = {
            **os.environ,
            **{key: str(file) for key, file in files.items()},
            **{key: TEMPLATE.sub(lambda found: known[found[1]], value) for key, value in step.get("env", {}).items()},
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTION_PATH": str(ROOT),
        }
        script = self.temp / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=self.workspace, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
        )
        written = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines())
        return Done(done, written, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"))


class Done:
    """What a step left behind."""

    def __init__(self, run: subprocess.CompletedProcess[str], outputs: dict[str, str], summary: str) -> None:
        self.code = run.returncode
        self.log = run.stdout
        self.errors = run.stderr
        self.outputs = outputs
        self.summary = summary


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A runner on which the action is installed, and a workspace with one finding."""
    made = Runner(tmp_path_factory.mktemp("runner"))
    done = made.step("Install compilelint")
    assert done.code == 0, done.errors
    (made.workspace / "a model.py").write_text(BREAKS, encoding="utf-8")
    (made.workspace / "fine.py").write_text("import torch\n", encoding="utf-8")
    return made


# ------------------------------------------------------------------ the scripts


@pytest.mark.slow
def test_annotations_are_the_default(runner: Runner) -> None:
    done = runner.step("Lint", fail_on="warning")
    name, fields, _ = command_of(done.log.splitlines()[0])
    assert (name, fields["line"], fields["title"]) == ("warning", "5", "CL101 branch-on-tensor")
    assert done.outputs == {"exit-code": "1", "sarif-file": ""}
    assert "1 finding in 2 files" in done.summary
    assert done.code == 0, "the last step fails, after the upload"
    assert runner.step("Verdict", done.outputs).code == 1


@pytest.mark.slow
def test_what_nothing_compiles_is_reported_and_fails_no_job(runner: Runner) -> None:
    done = runner.step("Lint")
    assert "CL101 branch-on-tensor" in done.log
    assert done.outputs["exit-code"] == "0"


@pytest.mark.slow
def test_a_fork_gets_annotations_in_place_of_an_upload(runner: Runner) -> None:
    done = runner.step("Lint", fork="true", output="sarif", fail_on="warning")
    said, found = (command_of(line) for line in done.log.splitlines()[:2])
    assert (said[0], found[0]) == ("notice", "warning")
    assert "the token of a fork may not upload" in said[2]
    assert done.outputs == {"exit-code": "1", "sarif-file": ""}, "so the upload is skipped"


@pytest.mark.slow
def test_sarif_lies_where_the_upload_looks(runner: Runner) -> None:
    done = runner.step("Lint", output="sarif", paths="a model.py\nfine.py\n")
    (run,) = json.loads(Path(done.outputs["sarif-file"]).read_text(encoding="utf-8"))["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["CL101"]
    assert "a model.py:5:8: warning[CL101]" in done.log
    upload = runner.steps["Upload to code scanning"]
    assert upload["with"]["sarif_file"] == "${{ steps.lint.outputs.sarif-file }}"
    assert upload["if"] == "steps.lint.outputs.sarif-file != ''"


@pytest.mark.slow
def test_a_clean_run_passes_and_options_are_words(runner: Runner) -> None:
    done = runner.step("Lint", output="none", paths="a model.py", options="--ignore\nCL1, CL9\n\n--quiet")
    assert done.outputs["exit-code"] == "0"
    assert "No findings in 1 file" in done.summary
    assert runner.step("Verdict", done.outputs).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        pytest.param({"paths": "missing.py"}, "no such file or folder", id="missing path"),
        pytest.param({"options": "--no-such-option"}, "no such option --no-such-option", id="unknown option"),
        pytest.param({"output": "xml"}, "the input 'output' is sarif, github or none", id="unknown output"),
    ],
)
def test_a_run_that_cannot_be_carried_out_fails_at_once(runner: Runner, inputs: dict[str, str], complaint: str) -> None:
    done = runner.step("Lint", None, **inputs)
    assert done.code == 2
    assert complaint in done.errors + done.log
    assert "sarif-file" not in done.outputs


# ------------------------------------------------------------------- the proof


GH = """#!{python}
import os, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as out:
    out.write("\\n".join(words) + "\\n---\\n")
if "--jq" in words:
    print(os.environ.get("KNOWN", ""))
sys.exit(1 if os.environ.get("REFUSED") in words else 0)
"""


@pytest.fixture
def pull_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """A runner with a repository of one commit, and a `compilelint` and a `gh` that keep their words."""
    made = Runner(tmp_path)
    environment = made.temp / "compilelint" / "bin"
    environment.mkdir(parents=True)
    stand_in = f"""#!{sys.executable}
import os, sys
words = sys.argv[1:]
if words[:4] != ["-I", "-m", "compilelint", "prove"] or "GH_TOKEN" in os.environ:
    sys.exit(3)
place = next(one for one in words if one.startswith("--output=markdown:")).partition(":")[2]
with open(place, "w") as out:
    out.write("**Not proven**: it differs\\n")
print("\\n".join(words[4:]))
sys.exit(int(os.environ.get("ENDS", "1")))
"""
    (tmp_path / "bin").mkdir()
    for path, text in ((environment / "python", stand_in), (tmp_path / "bin" / "gh", GH.format(python=sys.executable))):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    for words in (
        ["init", "-q"],
        ["-c", "user.email=a@b", "-c", "user.name=n", "commit", "--allow-empty", "-qm", "one"],
    ):
        subprocess.run(["git", *words], cwd=made.workspace, check=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    made.github = {
        "github.event.pull_request.base.sha": "HEAD",
        "github.repository": "ours/models",
        "github.event.pull_request.number": "7",
    }
    return made


def test_targets_are_proven_against_the_base_and_the_table_is_kept(pull_request: Runner) -> None:
    done = pull_request.step("Prove", None, prove="net:Net\nnet:Other\n", prove_options="--input\n2x4\n", token="x")
    comment = pull_request.temp / "compilelint-prove.md"
    wanted = [f"--python={sys.executable}", "--against=HEAD", f"--output=markdown:{comment}", "--input", "2x4"]
    assert done.log.splitlines() == [*wanted, "--", "net:Net", "net:Other"]
    assert done.summary == "**Not proven**: it differs\n"
    assert done.outputs == {"exit-code": "1"}
    assert done.code == 0, "the comment comes first"
    pull_request.github["steps.prove.outputs.exit-code"] = "1"
    assert pull_request.step("Verdict", {"exit-code": "0"}).code == 1


def test_code_of_strangers_runs_nowhere_near_a_token(pull_request: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request_target")
    done = pull_request.step("Prove", None, prove="net:Net")
    assert (done.code, done.outputs) == (2, {})
    assert "start it on `pull_request`" in done.log


def test_without_a_base_a_revision_is_asked_for(pull_request: Runner) -> None:
    del pull_request.github["github.event.pull_request.base.sha"]
    done = pull_request.step("Prove", None, prove="net:Net")
    assert done.code == 2
    assert "name a revision with the input 'against'" in done.log


def test_a_proof_that_cannot_be_made_fails_at_once(pull_request: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENDS", "2")
    assert pull_request.step("Prove", None, prove="net:Net").code == 2


@pytest.mark.parametrize(
    ("known", "request_words"),
    [
        pytest.param("", ["--method", "POST", "repos/ours/models/issues/7/comments"], id="the first push"),
        pytest.param("91", ["--method", "PATCH", "repos/ours/models/issues/comments/91"], id="written again"),
    ],
)
def test_one_comment_stands_on_a_pull_request(
    pull_request: Runner, known: str, request_words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWN", known)
    (pull_request.temp / "compilelint-prove.md").write_text("**Proven**\n", encoding="utf-8")
    assert pull_request.step("Comment", None).code == 0
    asked, wrote = (one.split("\n") for one in Path(os.environ["CALLS"]).read_text().split("\n---\n")[:2])
    assert asked[:2] == ["api", "repos/ours/models/issues/7/comments?per_page=100"]
    body = pull_request.temp / "compilelint-comment.md"
    assert wrote == ["api", *request_words, "--field", f"body=@{body}", "--silent"]
    assert body.read_text(encoding="utf-8") == "<!-- compilelint prove -->\n**Proven**\n"


def test_a_token_that_may_not_write_is_a_warning(pull_request: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFUSED", "POST")
    (pull_request.temp / "compilelint-prove.md").write_text("**Proven**\n", encoding="utf-8")
    done = pull_request.step("Comment", None)
    assert done.code == 0
    assert "::warning title=compilelint::no comment could be written" in done.log


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paths", "options", "output"])
@pytest.mark.parametrize(
    "text", ["$(touch stolen)", "`touch stolen`", '"; touch stolen; "', "x\n; touch stolen\n", "--help; touch stolen"]
)
def test_no_input_runs_a_command(runner: Runner, name: str, text: str) -> None:
    done = runner.step("Lint", None, **{name: text})
    assert done.code == 2
    assert not list(runner.workspace.glob("stolen*"))


# -------------------------------------------------------------------- the files


def test_templates_stand_in_no_script() -> None:
    for step in action()["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), step["name"]
        assert ("run" in step) != ("uses" in step)
        assert step.get("shell") == "bash" or "uses" in step


def test_every_input_and_output_is_used_and_described() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    described = action()
    for name, one in described["inputs"].items():
        assert one["description"]
        assert f"${{{{ inputs.{name} }}}}" in text
    for name in described["outputs"]:
        assert f'echo "{name}=' in text


def steps_to_copy() -> dict[str, list[dict[str, Any]]]:
    """The steps of the example, and of the README's last block of YAML."""
    import yaml

    example = yaml.safe_load((ROOT / "examples" / "code-scanning.yml").read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    return {"example": example["jobs"]["compilelint"]["steps"], "README": yaml.safe_load(blocks[-1])["steps"]}


def test_a_fork_without_the_right_to_write_is_left_with_annotations() -> None:
    (upload,) = [step for step in steps_to_copy()["example"] if "upload-sarif" in step.get("uses", "")]
    assert upload["if"] == "always() && !github.event.pull_request.head.repo.fork"
    assert upload["with"]["sarif_file"] == "compilelint.sarif"


@pytest.mark.slow
@pytest.mark.parametrize("which", ["example", "README"])
def test_a_workflow_works_as_it_is_copied_into_another_repository(which: str, tmp_path: Path) -> None:
    """Its commands are run as they are, with the wheel where the page says that it is kept."""
    project, environment = tmp_path / "project", tmp_path / "environment"
    (project / "tools").mkdir(parents=True)
    (project / "net.py").write_text(BREAKS.replace("def f", "@torch.compile\ndef f"), encoding="utf-8")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(project / "tools")]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    summary = tmp_path / "summary.md"
    path = os.pathsep.join([str(environment / "bin"), os.environ["PATH"]])
    own = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": str(summary)}
    logs, codes = "", []
    for step in steps_to_copy()[which]:
        assert not step.get("uses", "").startswith("./"), "it is not there in another repository"
        if "run" in step:
            words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
            done = subprocess.run(words, cwd=project, env=own, capture_output=True, text=True, check=False)
            logs += done.stdout + done.stderr
            codes.append(done.returncode)
    assert codes[:2] == [0, 1], logs
    assert "::error file=net.py,line=6" in logs
    if which == "example":
        assert "branch-on-tensor" in summary.read_text(encoding="utf-8")
        (run,) = json.loads((project / "compilelint.sarif").read_text(encoding="utf-8"))["runs"]
        assert [one["ruleId"] for one in run["results"]] == ["CL101"]


def test_zizmor_finds_nothing_of_weight() -> None:
    zizmor = str(Path(sys.executable).with_name("zizmor"))
    files = ["action.yml", "examples/code-scanning.yml", ".github"]
    command = [zizmor, "--offline", "--no-progress", "--format=plain", "--min-severity=medium", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "No findings to report" in done.stdout
    assert "completed examples/code-scanning.yml" in done.stderr


def test_actionlint_accepts_every_workflow(tmp_path: Path) -> None:
    actionlint = str(Path(sys.executable).with_name("actionlint"))
    workflows = [*sorted((ROOT / ".github/workflows").glob("*.yml")), ROOT / "examples/code-scanning.yml"]
    wrong = tmp_path / "wrong.yml"
    text = workflows[-1].read_text(encoding="utf-8")
    assert "runs-on: ubuntu-latest" in text
    wrong.write_text(text.replace("runs-on: ubuntu-latest", "runs-on: ${{ matrix.absent }}"), encoding="utf-8")
    # Its findings about scripts depend on which linters of shell and Python the machine has
    command = [actionlint, "-no-color", "-shellcheck=", "-pyflakes="]
    done = subprocess.run([*command, *map(str, workflows)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    refused = subprocess.run([*command, str(wrong)], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "matrix" in refused.stdout
