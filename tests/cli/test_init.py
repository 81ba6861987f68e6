"""`compilelint init` on small projects: what it writes can be read back, and what is there is never touched."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from compilelint import __version__
from compilelint.cli import run
from compilelint.config.starter import Row, starter

pytestmark = pytest.mark.usefixtures("shared_worker")

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MODELS = """
import torch
from torch import nn

open("imported.txt", "w")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(x)


class Sized(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.linear = nn.Linear(width, 1)

    def forward(self, tokens, mask=None):
        return self.linear(tokens)


class Base(nn.Module):
    def forward(self, x):
        return x


class Derived(Base):
    def __init__(self):
        super().__init__()
        raise RuntimeError("no weights here\\nsecond line")
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "__init__.py").touch()
    (tmp_path / "src" / "pkg" / "model.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_model.py").write_text(
        "from torch import nn\n\n\nclass Fake(nn.Module):\n    def forward(self, x): return x\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def uncommented(text: str) -> str:
    """Every key and table that is written as a comment, switched on."""
    return re.sub(r"^# (?=[a-z-]+ = |\[)", "", text, flags=re.MULTILINE)


def test_it_writes_the_models_that_no_other_is_built_from(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init"]) == 0
    text = (project / "compilelint.toml").read_text(encoding="utf-8")
    targets = tomllib.loads(uncommented(text))["targets"]
    assert [one["model"] for one in targets] == ["pkg.model:Net", "pkg.model:Sized", "pkg.model:Derived"]
    assert [one["inputs"] for one in targets] == [["2x8"], ["tokens=2x8"], ["x=2x8"]]
    assert "Its constructor needs width" in text
    said = capsys.readouterr().out
    assert said.startswith("Wrote ./compilelint.toml: 3 models found, none of them run")
    assert "entry: compilelint check --force-exclude" in said
    assert "- run: compilelint check . --output github" in said


def test_a_model_that_is_built_from_something_says_where_to_write_it(project: Path) -> None:
    assert run(["init"]) == 0
    targets = tomllib.loads(uncommented((project / "compilelint.toml").read_text(encoding="utf-8")))["targets"]
    assert [one.get("arguments") for one in targets] == [None, {"width": 8}, None]


def test_of_many_models_the_first_are_written_and_the_rest_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = "".join(f"\n\nclass M{number}(nn.Module):\n    def forward(self, x): return x\n" for number in range(30))
    (project / "src" / "pkg" / "more.py").write_text(f"from torch import nn\n{many}", encoding="utf-8")
    assert run(["init"]) == 0
    assert "33 models found, the first 20 written, none of them run" in capsys.readouterr().out
    text = (project / "compilelint.toml").read_text(encoding="utf-8")
    assert text.count("[[targets]]") == 20
    assert "# Models found that are not written here: 13." in text


def test_breaks_that_were_seen_stand_beside_the_budget() -> None:
    text = starter([Row("m:Net", inputs=("2x8",), breaks=3), Row("m:Whole", inputs=("2x8",))])
    assert [line for line in text.splitlines() if line.startswith("max-breaks")] == [
        "max-breaks = 0  # 3 today",
        "max-breaks = 0",
    ]


def test_nothing_of_the_project_is_run_unless_asked(project: Path) -> None:
    assert run(["init"]) == 0
    assert not (project / "imported.txt").exists()


def test_what_it_wrote_is_read_back_with_every_line_switched_on(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init"]) == 0
    path = project / "compilelint.toml"
    path.write_text(uncommented(path.read_text(encoding="utf-8")), encoding="utf-8")
    capsys.readouterr()
    assert run(["config"]) == 0
    assert "min-confidence" in capsys.readouterr().out


def test_a_second_run_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init"]) == 0
    path = project / "compilelint.toml"
    path.write_text('select = ["CL1"]\n', encoding="utf-8")
    capsys.readouterr()
    assert run(["init"]) == 0
    assert capsys.readouterr().out == "compilelint.toml already configures this project; nothing was written.\n"
    assert path.read_text(encoding="utf-8") == 'select = ["CL1"]\n'


def test_a_table_in_pyproject_is_a_configuration(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_text("[tool.compilelint]\n", encoding="utf-8")
    assert run(["init", "src"]) == 0
    assert "pyproject.toml already configures this project" in capsys.readouterr().out
    assert not (project / "src" / "compilelint.toml").exists()


def test_a_project_without_models_gets_an_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tool.py").write_text("x = 1\n", encoding="utf-8")
    assert run(["init", str(tmp_path)]) == 0
    assert "no models found, so name yours under [[targets]]." in capsys.readouterr().out
    text = (tmp_path / "compilelint.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {}
    assert '# model = "pkg.mod:Model"' in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["init", "missing"], "no such folder (missing)", id="no folder"),
        pytest.param(["init", "--python", "x"], "--python without --verify", id="python for nothing"),
        pytest.param(["init", "--allow-network"], "--allow-network without --verify", id="permission for nothing"),
        pytest.param(["init", "empty"], "no Python file found", id="nothing to read"),
    ],
)
def test_a_wrong_request_is_one_line(
    project: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "empty").mkdir()
    assert run(words) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


def test_words_of_other_programs_stay_in_their_comment() -> None:
    note = 'boom"\n[[targets]]\r\x1b[31m ' + "x" * 500
    text = starter([Row("pkg.mod:Model", note=note)])
    assert tomllib.loads(text) == {}
    text = starter([Row("pkg.mod:Model", note="a reason that goes on and on " * 8)])
    assert max(len(line) for line in text.splitlines()[-8:]) <= 102
    assert max(map(len, text.splitlines())) < 400


@pytest.mark.slow
@pytest.mark.dynamo
def test_verify_writes_inputs_that_ran_and_says_why_others_did_not(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "--verify", "--allow-writes"]) == 0
    assert "3 models found, 2 of them with inputs that ran" in capsys.readouterr().out
    text = (project / "compilelint.toml").read_text(encoding="utf-8")
    net, sized = tomllib.loads(text)["targets"]
    assert net == {"model": "pkg.model:Net", "inputs": ["2x8:float32"], "max-breaks": 0}
    assert sized["model"] == "compilelint_targets:sized"
    assert "guesses: width" in (project / "compilelint_targets.py").read_text(encoding="utf-8")
    assert "no weights here" in text
    assert run(["verify", "--allow-writes"]) == 0


# ------------------------------------------------------------- ordinary models

ORDINARY = Path(__file__).parent.parent / "data" / "ordinary"


@pytest.fixture
def ordinary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A CNN, an MLP, a transformer, an LSTM, a U-Net and a generator, in a namespace package below `src`."""
    shutil.copytree(ORDINARY, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_inputs_of_ordinary_models_are_guessed_by_reading(ordinary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init"]) == 0
    assert "6 models found, none of them run, inputs of 6 guessed" in capsys.readouterr().out
    targets = tomllib.loads((ordinary / "compilelint.toml").read_text(encoding="utf-8"))["targets"]
    assert {one["model"].removeprefix("zoo.models:"): one["inputs"] for one in targets} == {
        "SmallCNN": ["2x1x28x28"],
        "MLP": ["2x784"],
        "TextTransformer": ["2x8:int64<1000"],
        "Forecaster": ["2x8x5"],
        "UNet": ["2x3x64x64"],
        "Generator": ["2x100x1x1"],
    }


@pytest.mark.slow
@pytest.mark.dynamo
def test_the_guesses_run(ordinary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init"]) == 0
    capsys.readouterr()
    assert run(["verify", "--exit-zero", "--output", "json"]) == 0
    targets = json.loads(capsys.readouterr().out)["targets"]
    assert {one["target"].partition(":")[2]: one["fate"] for one in targets} == dict.fromkeys(
        ("SmallCNN", "MLP", "TextTransformer", "Forecaster", "UNet", "Generator"), "ran"
    )


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_run_finds_inputs_of_ordinary_models_too(ordinary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--verify"]) == 0
    assert "6 models found, 6 of them with inputs that ran" in capsys.readouterr().out


FORK = {"url": "https://git.example/fork", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
FOLDER = {"url": "file:///home/me/a%20tool", "dir_info": {"editable": True}}
WHEEL_OF_FOLDER = """\
      # Once: pip wheel --no-deps --wheel-dir tools '/home/me/a tool', and commit the wheel
      - run: pip install tools/compilelint-*.whl
"""


@pytest.mark.parametrize(
    ("origin", "steps"),
    [
        pytest.param(json.dumps(FORK), "      - run: pip install git+https://git.example/fork@abc\n", id="a commit"),
        pytest.param(json.dumps(FOLDER), WHEEL_OF_FOLDER, id="a folder, which a runner does not have"),
        pytest.param(None, f"      - run: pip install compilelint=={__version__}\n", id="an index"),
    ],
)
def test_the_workflow_installs_what_this_one_was_installed_from(
    origin: str | None,
    steps: str,
    ordinary: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return origin

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    assert run(["init"]) == 0
    assert steps in capsys.readouterr().out


VERIFIED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 2)

    def forward(self, x, scale):
        return self.layer(x) * scale.sum()
"""
EXAMPLE = "from net import Net\nimport torch\nnet = Net(3)\nnet(torch.ones(2, 3), torch.ones(1))\n"


@pytest.mark.dynamo
@pytest.mark.slow
@pytest.mark.parametrize("configured", [False, True], ids=["no configuration", "a configuration that is kept"])
def test_verify_writes_a_factory_as_an_example_builds_the_model(
    configured: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text(VERIFIED, encoding="utf-8")
    (tmp_path / "README.md").write_text(f"```python\n{EXAMPLE}```\n", encoding="utf-8")
    if configured:
        (tmp_path / "compilelint.toml").write_text("jobs = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--verify"]) == 0
    said = capsys.readouterr().out
    text = said if configured else (tmp_path / "compilelint.toml").read_text(encoding="utf-8")
    assert '[[targets]]\nmodel = "compilelint_targets:net"\nmax-breaks = 0' in text
    assert "return model, (torch.ones(2, 3), torch.ones(1))" in (tmp_path / "compilelint_targets.py").read_text()
    assert "1 model found, 1 of them with inputs that ran" in said
    if not configured:
        assert "`compilelint verify` (the 1 target that ran)" in said
        assert run(["verify"]) == 0
        assert run(["init", "--verify"]) == 2, "what it wrote is not written over"
