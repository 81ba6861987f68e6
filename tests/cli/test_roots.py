"""`compilelint roots`: a strange repository's compile calls, what is judged beside them, and what is not."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from compilelint.cli import run

PROGRAM = """
    import torch
    from elsewhere import thing


    class Net(torch.nn.Module):
        def forward(self, x):
            return self.head(x)

        def head(self, x):
            return x + 1

        @torch.no_grad()
        def measured(self, tokens):
            return str(tokens.unsqueeze(0).item())


    class Other(torch.nn.Module):
        def forward(self, x):
            return x


    net = torch.compile(Net(), fullgraph=True, mode="max-autotune")
    other = torch.compile(thing)
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "program.py").write_text(dedent(PROGRAM).lstrip("\n"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str], command: str) -> str:
    assert run(shlex.split(command)) == 0
    return capsys.readouterr().out


def test_the_tree_names_calls_with_their_configuration_and_reach(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "roots . --no-cache") == dedent("""\
        Compile calls (2)
          program.py:22:7  torch.compile(fullgraph=True, mode='max-autotune')
            Net.forward  program.py:6:5  2 functions in 1 file
          program.py:23:9  torch.compile
            not resolved, not checked: `elsewhere.thing` was not found, or its source is not followed

        Module forwards (1)
          program.py
            Other.forward  18:5  1 function in 1 file

        Not checked, though they look like entry points (1)
          program.py
            Net.measured  13:5  --roots program:Net.measured

    """) + (
        "Checked: 2 compile calls found, 1 resolved (1 function), 1 not: program.py:23:9 (`elsewhere.thing` was not "
        "found, or its source is not followed); 1 module forward.\n"
        "Not checked: 1 function that looks like an entry point: program:Net.measured; "
        "`--roots auto --roots program:Net.measured` checks it.\n"
    )


def test_json_holds_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(said(capsys, "roots . --no-cache --output json"))
    calls, (net, other), (left,) = (document[key] for key in ("compile_calls", "roots", "not_judged"))
    assert [(call["line"], call["resolved"]) for call in calls] == [(22, True), (23, False)]
    assert net["configuration"] == {"fullgraph": True, "mode": "max-autotune"}
    assert (net["reach"], net["compiled_at"]["line"]) == ({"functions": 2, "files": 1}, 22)
    assert (other["kind"], other["compiled_at"], other["configuration"]) == ("forward", None, {})
    assert (left["roots"], left["reach"]) == ("program:Net.measured", None)
    assert document["judged"]["compile_calls"]["found"] == 2


def test_the_roots_that_are_named_are_judged(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "roots . --no-cache --roots explicit --roots program:Net.measured")
    assert "Named by --roots (1)\n  program.py\n    Net.measured  13:5  1 function in 1 file, 1 graph\n" in text
    assert "Other.forward  18:5  --roots program:Other.forward" in text


def test_where_nothing_is_compiled_that_is_said_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.py").write_text("x = 1\n", encoding="utf-8")
    judged = "Checked: no compile call found; no function checked as compiled by --roots explicit.\n"
    assert said(capsys, "roots . --no-cache --roots explicit") == judged
    assert judged in said(capsys, "check . --no-cache --roots explicit")


def test_what_several_classes_inherit_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.py").write_text(
        dedent("""
            import torch

            class Base(torch.nn.Module):
                def forward(self, x):
                    return self.apply_to(x)

                def apply_to(self, x):
                    return x

            class Wide(Base):
                def apply_to(self, x):
                    return self.twice(x)

                def twice(self, x):
                    return x + x

            class Deep(Base):
                def apply_to(self, x):
                    return x * 2
        """),
        encoding="utf-8",
    )
    text = said(capsys, "roots . --no-cache")
    assert "Module forwards (1)\n" in text
    assert "    Base.forward of Wide, Deep  5:5  up to 3 functions in 1 file\n" in text
    roots = json.loads(said(capsys, "roots . --no-cache --output json"))["roots"]
    assert [root["class"] for root in roots] == [None, "Wide", "Deep"]


def test_where_a_graph_ends_the_graphs_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("program.py").write_text(
        dedent("""
            import torch

            @torch.compile
            def f(x, verbose: bool):
                x = x.sin()
                if verbose:
                    print("one")
                    x = x * 2
                return x + 1
        """),
        encoding="utf-8",
    )
    assert "1 function in 1 file, 1 to 2 graphs\n" in said(capsys, "roots . --no-cache")
    (root,) = json.loads(said(capsys, "roots . --no-cache --output json"))["roots"]
    assert root["reach"] == {"functions": 1, "files": 1, "graphs": 2, "fewest_graphs": 1, "more_graphs": False}
