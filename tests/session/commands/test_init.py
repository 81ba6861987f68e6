"""What `init` finds in a project and what trying it says, with scripted runs: no torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.config import UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.model import Fate, TargetRun
from compilelint.session.building.candidates import Candidate
from compilelint.session.commands import init
from compilelint.survey.top_models import Model

NET = "from torch import nn\n\n\nclass {name}(nn.Module):\n    def forward(self, x):\n        return x\n"


def test_models_of_tests_are_left_out(tmp_path: Path) -> None:
    files = ["net.py", "tests/helper.py", "test/other.py", "pkg/test_net.py", "pkg/conftest.py", "pkg/testing.py"]
    for number, name in enumerate(files):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(NET.format(name=f"Net{number}"), encoding="utf-8")
    found, count = init.models_in(str(tmp_path))
    assert [one.reference for one in found] == ["net:Net0", "pkg.testing:Net5"]
    assert count == 2


def test_only_the_first_models_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    text = "".join(NET.format(name=f"Net{number}") for number in range(22))
    (tmp_path / "net.py").write_text(text, encoding="utf-8")
    found, count = init.models_in(str(tmp_path))
    assert (len(found), count) == (20, 22)


PLAIN = Model("net:Net", "net.py", 1, (), ("x",))
ASKING = Model("net:Wide", "net.py", 9, ("width",), ("x",))


def tried(monkeypatch: pytest.MonkeyPatch, **run: Any) -> init.Tried:
    """What is said of a model of which the one run ended like this."""
    asked: list[list[str]] = []

    def observe(targets: Any, settings: Any) -> list[TargetRun]:
        asked.append([one.label for one in targets])
        return [TargetRun("net:Net", **run) for _ in targets]

    monkeypatch.setattr(init, "observe", observe)
    first, second = init.tried([PLAIN, ASKING], Settings(python="python", cwd="/home"))
    assert asked == [["net:Net"]]
    assert second == init.Tried(ASKING)
    return first


def test_inputs_that_worked_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    worked = init.Tried(PLAIN, ("2x4",), ran=True, ways=1)
    assert tried(monkeypatch, fate=Fate.RAN, inputs=("2x4",)) == worked
    assert tried(monkeypatch, fate=Fate.COMPILE_ERROR, inputs=("2x4",)) == worked


@pytest.mark.parametrize(
    "run",
    [
        pytest.param({"inputs": ("<Batch>",), "inputs_from": "a hook"}, id="no short form"),
        pytest.param({"inputs": ("2x4:float32",), "inputs_from": "the factory"}, id="the factory gives them"),
    ],
)
def test_inputs_that_a_run_finds_by_itself_are_not_written(
    run: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tried(monkeypatch, fate=Fate.RAN, **run) == init.Tried(PLAIN, ran=True, ways=1)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ({"fate": Fate.EAGER_ERROR, "detail": "\nno file /home/a.txt\nmore"}, "no file a.txt"),
        ({"fate": Fate.EAGER_ERROR}, Fate.EAGER_ERROR.value),
    ],
)
def test_why_there_are_no_inputs(run: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, **run) == init.Tried(PLAIN, why_not=why, ways=1)


WAYS = [Candidate(f"return {number}", f"As in {number}.py") for number in range(3)]


def test_the_next_way_is_tried_where_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def observe(targets: Any, settings: Any) -> list[TargetRun]:
        """The second factory of a model runs."""
        asked.append([one.label.rpartition("/")[2] for one in targets])
        texts = [Path(one.label.rpartition(":")[0]).read_text() for one in targets if "/" in one.label]
        fates = [Fate.RAN if "return 1" in text else Fate.BUILD_ERROR for text in texts or [""]]
        return [TargetRun("net:Net", fate, "no\nmore") for fate in fates]

    monkeypatch.setattr(init, "observe", observe)
    settings = Settings(python="python", cwd="/home")
    (asking,) = init.tried([ASKING], settings, {ASKING: WAYS})
    assert asked == [["ways_0.py:way_0"], ["ways_1.py:way_0"]]
    assert asking == init.Tried(ASKING, ran=True, way=WAYS[1], ways=2)
    (plain,) = init.tried([PLAIN], settings, {PLAIN: WAYS[:1]})
    assert asked[2:] == [["net:Net"], ["ways_1.py:way_0"]]
    assert plain == init.Tried(PLAIN, why_not="no", ways=2)
    text, names = init.factories_text([asking, plain])
    assert names == {ASKING: "compilelint_targets:wide"}
    assert text.endswith('def wide():\n    """As in 1.py."""\n    return 1\n')
    assert init.factories_text([plain]) == ("", {})


def test_nothing_is_run_where_every_model_asks_for_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "observe", lambda *_: pytest.fail("nothing to run"))
    assert init.tried([ASKING], Settings(python="python", cwd="/home")) == [init.Tried(ASKING)]


def test_without_torch_the_request_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def observe(*_: Any) -> None:
        raise NoWorkerError("python", "no torch")

    monkeypatch.setattr(init, "observe", observe)
    with pytest.raises(UsageError, match="leave out --verify"):
        init.tried([PLAIN], Settings(python="python", cwd="/home"))
