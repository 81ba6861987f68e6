"""Fixing in rounds: each file has one budget of time for the search, however many rounds there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.fixes.engine.edits import Placed, connected
from compilelint.session.commands.fix import fix, store, unified
from compilelint.session.fixing import propose
from compilelint.session.fixing.explain import messages

TEXT = """\
import torch


def f(x: torch.Tensor):
    x = torch.tanh(x)
    if x.sum() > 0:
        x = x + 1
    return x
"""


def test_a_file_is_fixed_and_settles(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TEXT, encoding="utf-8")
    found = fix(Options((str(tmp_path),), torch_version="2.13"), unsafe=True)
    assert found.settled
    assert sum(found.applied.values()) == 1


def test_rounds_share_the_time_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is spent, later rounds look for nothing in the file, and the run settles on what it has."""
    (tmp_path / "m.py").write_text(TEXT, encoding="utf-8")
    spent: list[dict[str, float]] = []
    search = propose._with_fixes

    def taking_long(found, unsafe, least, taken, linted):  # type: ignore[no-untyped-def]
        made = search(found, unsafe, least, taken, linted)
        spent.append(dict(taken))
        taken.update(dict.fromkeys(taken, propose.MAX_SECONDS))
        return made

    monkeypatch.setattr(propose, "_with_fixes", taking_long)
    found = fix(Options((str(tmp_path),), torch_version="2.13"), unsafe=True)
    assert found.settled
    assert all(seconds >= propose.MAX_SECONDS for one in spent[1:] for seconds in one.values())


def test_what_changed_meanwhile_or_lies_outside_is_left_alone_with_the_reason(tmp_path: Path) -> None:
    names = ("a.py", "b.py", "c.py")
    for name in names:
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    found = fix(Options((str(tmp_path),), torch_version="2.13"), unsafe=True)
    first, second, third = sorted(found.texts)
    (tmp_path / "b.py").write_text(TEXT + "y = 1\n", encoding="utf-8")
    refused = store(found, [first, second])
    assert set(refused) == {second, third}
    assert "changed during the run" in refused[second]
    assert "outside the linted paths" in refused[third]
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == found.texts[first][1] != TEXT
    assert (tmp_path / "c.py").read_text(encoding="utf-8") == TEXT
    left = found.without(refused)
    assert list(left.texts) == [first]
    assert sum(left.applied.values()) == 1
    assert sum(found.applied.values()) == 3


def test_files_that_a_fix_ties_together_are_written_or_left_alone_together(tmp_path: Path) -> None:
    names = ("helper.py", "net.py", "other.py")
    for name in names:
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    helper, net, other = (str(tmp_path / name) for name in names)
    found = fix(Options((str(tmp_path),), torch_version="2.13"), unsafe=True)
    first, second, third = found.made
    both = replace(first.fix, edits=(*first.fix.edits, *(replace(one, path=net) for one in second.fix.edits)))
    tied = tuple(connected([Placed(helper, both), third.placed]))
    found = replace(found, made=(replace(first, fix=both), third), tied=tied, applied=Counter(CL101=2))
    (tmp_path / "net.py").write_text(TEXT + "y = 1\n", encoding="utf-8")
    refused = store(found, [str(tmp_path)])
    assert refused[net] == "it changed during the run"
    assert refused[helper].startswith("it changed during the run (a fix changes it together with ")
    assert (tmp_path / "helper.py").read_text(encoding="utf-8") == TEXT
    assert (tmp_path / "other.py").read_text(encoding="utf-8") == found.texts[other][1]
    left = found.without([net])
    assert (list(left.texts), sum(left.applied.values()), len(left.made)) == ([other], 1, 1)
    (said,) = messages(replace(found, made=found.made[:1]).made, "2.13", lambda path: Path(path).name)
    assert "The change is one with that in net.py." in said


def test_the_diff_says_where_a_file_ends_without_a_newline(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TEXT.rstrip("\n"), encoding="utf-8")
    found = fix(Options((str(tmp_path),), torch_version="2.13"), unsafe=True)
    lines = unified(found, lambda path: Path(path).name).splitlines()
    assert lines[:2] == ["--- m.py", "+++ m.py"]
    assert lines[-1] == "\\ No newline at end of file"
    assert [line for line in lines if line.startswith("-    ")] == ["-    if x.sum() > 0:", "-        x = x + 1"]


_HOST = """

def masked(x: torch.Tensor, size: int):
    x = torch.tanh(x)
    if x.sum() > 0:
        x = x + 1
    return x[:size]
"""
_NET = """

class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        x = torch.tanh(x)
        if x.sum() > 0:
            x = x + 1
        return x
"""


@pytest.mark.parametrize(
    ("text", "everywhere", "roots", "done", "aside"),
    [
        pytest.param(_NET + _HOST, False, ("auto",), 1, 1, id="host code beside a model gets advice alone"),
        pytest.param(_NET + _HOST, True, ("auto",), 2, 0, id="all are asked for"),
        pytest.param(_NET + _HOST, False, ("auto", "*masked"), 2, 0, id="named as a root"),
        pytest.param(
            _NET + _NET.replace("torch.nn.Module", "elsewhere.PreTrainedModel").replace("Net", "Head"),
            False,
            ("auto",),
            2,
            0,
            id="the forward of a class whose base is not there",
        ),
        pytest.param(_HOST, False, ("auto",), 1, 0, id="a library of functions, nothing in it is known to be compiled"),
        pytest.param(
            _NET.replace("torch.tanh(x)", "torch.tanh(masked(x, 2))") + _HOST,
            False,
            ("auto",),
            2,
            0,
            id="a forward reaches it",
        ),
        pytest.param(
            _HOST + "\n\ntorch.compile(masked)\n" + _NET, False, ("auto",), 2, 0, id="a compile call reaches it"
        ),
    ],
)
def test_only_what_is_known_to_be_compiled_is_changed(
    text: str, everywhere: bool, roots: tuple[str, ...], done: int, aside: int, tmp_path: Path
) -> None:
    (tmp_path / "m.py").write_text("import torch\n" + text, encoding="utf-8")
    options = Options((str(tmp_path),), torch_version="2.13", roots=roots)
    found = fix(options, unsafe=True, everywhere=everywhere)
    assert (sum(found.applied.values()), found.aside) == (done, aside)


@pytest.mark.parametrize(
    ("folder", "done"),
    [
        pytest.param("tests", 1, id="beside the package"),
        pytest.param("third_party", 1, id="vendored"),
        pytest.param("models", 2, id="of the package"),
    ],
)
def test_tests_and_vendored_code_get_advice_alone(folder: str, done: int, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    for path in (tmp_path / "m.py", tmp_path / folder / "n.py"):
        path.write_text("import torch\n" + _NET, encoding="utf-8")
    options = Options((str(tmp_path),), torch_version="2.13")
    assert sum(fix(options, unsafe=True).applied.values()) == done
    assert sum(fix(replace(options, paths=(str(tmp_path / folder),)), unsafe=True).applied.values()) == 1
