"""Commands that a code lens or an action names; the one that runs code runs it for real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from compilelint.server.features.commands import target_of
from tests.support.editor import editor

MODEL = """import torch
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.lin(x)
        if y.sum() > 0:
            return y
        return x
"""


@pytest.mark.parametrize(
    ("spec", "target"), [("pkg.m:Model.forward", "pkg.m:Model"), ("pkg.m:step", "pkg.m:step"), ("m:A.B.go", "m:A.B.go")]
)
def test_what_verify_takes_for_a_root(spec: str, target: str) -> None:
    assert target_of(spec) == target


@pytest.mark.dynamo
def test_a_trusted_workspace_is_verified_with_progress(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path, options={"trusted": True}) as client:
        client.open("model.py")
        done = client.execute("compilelint.verify", {"uri": client.uri("model.py"), "spec": "model:Model.forward"})
        assert done["ran"]
        (finding,) = done["report"]["findings"]
        assert finding["verdict"]["outcome"] == "confirmed"
        kinds = [one["kind"] for one in client.progress if isinstance(one, dict)]
        assert kinds == ["begin", "end"]
        assert client.messages[-1].message == "compilelint verify model:Model: ran, graphs 1, breaks 1"


@pytest.mark.dynamo
def test_a_run_that_is_cancelled_ends(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import time\ntime.sleep(600)\n" + MODEL)
    with editor(tmp_path, options={"trusted": True}) as client:
        client.open("model.py")
        root = {"uri": client.uri("model.py"), "spec": "model:Model.forward"}
        params = types.ExecuteCommandParams("compilelint.verify", [root])
        answer: list[Any] = []

        async def asked() -> None:
            client.client.workspace_execute_command(params, callback=answer.append)

        client.run(asked())
        client.until(lambda: any(isinstance(one, dict) and one["kind"] == "begin" for one in client.progress))
        token = client.progress[0]
        cancel = types.WorkDoneProgressCancelParams(token)
        client.call(lambda: client.client.window_work_done_progress_cancel(cancel))
        client.until(lambda: bool(answer), "the end of the run")
        assert answer[0]["ran"] is False


def test_where_the_graphs_of_a_root_end(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        (found,) = client.execute(
            "compilelint.showRoot", {"uri": client.uri("model.py"), "spec": "model:Model.forward"}
        )
        assert (found["code"], found["position"]) == ("CL101", {"line": 11, "character": 11})


def test_the_report_of_the_project_as_a_page(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        page = client.execute("compilelint.htmlReport", client.uri("model.py"))
        assert page.lstrip().lower().startswith("<!doctype html>")
        assert "CL101" in page
        compiled, work, unseen = client.execute("compilelint.firstScreen", client.uri("model.py"))
        assert compiled["rows"][0]["text"].endswith("they are checked as if one did.")
        (first,) = work["rows"]
        assert first["text"].startswith("CL101 ")
        assert (first["uri"], first["position"]) == (client.uri("model.py"), {"line": 11, "character": 11})
        assert any(line.startswith("do: ") for line in first["details"])
        assert unseen["rows"][0]["text"].startswith("Checked: ")
