"""What `init` finds in a project and what trying it says, with scripted runs: no torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.config import UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.model import Fate, TargetRun
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
    assert tried(monkeypatch, fate=Fate.RAN, inputs=("2x4",)) == init.Tried(PLAIN, ("2x4",))
    assert tried(monkeypatch, fate=Fate.COMPILE_ERROR, inputs=("2x4",)).inputs == ("2x4",)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ({"fate": Fate.EAGER_ERROR, "detail": "\nno file /home/a.txt\nmore"}, "no file a.txt"),
        ({"fate": Fate.EAGER_ERROR}, Fate.EAGER_ERROR.value),
        (
            {"fate": Fate.RAN, "inputs": ("<Batch>",), "inputs_from": "a hook"},
            "it ran, with inputs that have no short form (a hook)",
        ),
    ],
)
def test_why_there_are_no_inputs(run: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(monkeypatch, **run) == init.Tried(PLAIN, why_not=why)


def test_nothing_is_run_where_every_model_asks_for_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "observe", lambda *_: pytest.fail("nothing to run"))
    assert init.tried([ASKING], Settings(python="python", cwd="/home")) == [init.Tried(ASKING)]


def test_without_torch_the_request_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def observe(*_: Any) -> None:
        raise NoWorkerError("python", "no torch")

    monkeypatch.setattr(init, "observe", observe)
    with pytest.raises(UsageError, match="leave out --verify"):
        init.tried([PLAIN], Settings(python="python", cwd="/home"))
