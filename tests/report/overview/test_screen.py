"""The first screen: three blocks in forty lines, work by its expected gain, and nothing that would not be done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import Confidence, Effect, Finding, Rule
from compilelint.project.compile_calls import CompileCall
from compilelint.report.overview.screen import fits, screen_of
from compilelint.report.report import CompileRoot, Report
from tests.report.overview.samples import BREAK, WAIT, at, finding, report, root

ADVICE = Rule("CL840", "advice", "what may pay", Effect.SLOW)


def said(found: Report, width: int | None = None) -> str:
    return screen_of(found, color=False, width=width, links=False, more="compilelint check --all")


def numbered(text: str) -> list[str]:
    """The places of the work, in order."""
    return [line.split()[1] for line in text.splitlines() if line[:5].strip().rstrip(".").isdigit() and ". " in line]


def many(count: int) -> tuple[tuple[Finding, ...], tuple[CompileRoot, ...]]:
    roots = tuple(root(f"f{number}", number * 10 + 1, compiled_at=9_000 + number) for number in range(count))
    found = tuple(
        finding(BREAK, number * 10 + 2, f"f{number}", help="word " * 60, message="word " * 60 + str(number))
        for number in range(count)
    )
    return found, roots


@pytest.mark.parametrize("width", [40, 80, 200, None])
@pytest.mark.parametrize("count", [1, 5, 300])
def test_it_is_no_longer_than_a_screen(width: int | None, count: int) -> None:
    calls = tuple(CompileCall(at(line), "torch.compile", (), "no code says why " * 20) for line in range(1, 60))
    text = said(replace(report(*many(count)), calls=calls), width)
    assert fits(text) or width == 40, text.count("\n")
    assert numbered(text)
    assert text.index("What is compiled") < text.index("What to do first") < text.index("What was not seen")


def test_the_dearest_comes_first_and_its_price_has_a_row() -> None:
    found = report((finding(WAIT, 2), finding(BREAK, 3)), (root(compiled_at=20),))
    text = said(found)
    assert numbered(text) == ["/p/model.py:3:5", "/p/model.py:2:5"]
    assert "expected: 0.06 to 1.3 ms a step (branch/train/default, branch/infer/default)" in text


def test_what_has_no_price_says_so() -> None:
    unpriced = finding(Rule("CL399", "slow", "is slow", Effect.SLOW), 3)
    assert "expected: not priced" in said(report((unpriced,), (root(compiled_at=20),)))


@pytest.mark.parametrize(
    "left_out",
    [
        pytest.param(finding(BREAK, 3, confidence=Confidence.POSSIBLE), id="merely possible"),
        pytest.param(finding(ADVICE, 3, confidence=Confidence.POSSIBLE), id="advice that may pay"),
        pytest.param(finding(BREAK, 3, path="/p/examples/model.py"), id="beside the package"),
        pytest.param(finding(BREAK, 31, "guess (unreached)"), id="of what nothing compiles"),
    ],
)
def test_what_would_not_be_done_is_no_work(left_out: Finding) -> None:
    roots = (root(compiled_at=20), root("guess", 30, kind="unreached"))
    certain = finding(BREAK, 8)
    assert numbered(said(report((left_out, certain), roots))) == ["/p/model.py:8:5"]


def test_what_nothing_compiles_is_work_only_where_nothing_is_compiled() -> None:
    guess, maybe = root("guess", 30, kind="unreached"), finding(BREAK, 31, "guess (unreached)")
    assert numbered(said(report((maybe,), (guess,)))) == ["/p/model.py:31:5"]
    compiled = said(report((maybe,), (guess, root(compiled_at=20))))
    assert numbered(compiled) == []
    assert "Counted only: 1 in functions that no linted code compiles." in compiled


@pytest.mark.parametrize(
    ("spec", "work"),
    [
        pytest.param("model:Net.sample", 1, id="a method of a model"),
        pytest.param("model:Tokenizer.decode", 0, id="a method of another class"),
        pytest.param("model:helper", 0, id="a function"),
    ],
)
def test_beside_models_only_their_methods_are_work(spec: str, work: int) -> None:
    guess = root("guess", 30, kind="unreached", spec=spec)
    found = report(
        (finding(BREAK, 31, "guess (unreached)"),), (guess, root("Net.forward", 5, spec="model:Net.forward"))
    )
    assert len(numbered(said(found))) == work


def test_the_same_in_many_functions_is_one_with_a_count() -> None:
    roots = tuple(root(f"f{number}", number * 10, compiled_at=900 + number) for number in range(1, 9))
    found = tuple(finding(BREAK, number * 10 + 1, f"f{number}", help="the same") for number in range(1, 9))
    text = said(report(found, roots))
    assert len(numbered(text)) == 1
    assert "in f1 and 7 more; 7 like it" in text
    assert "at each of 8 places" in text


def test_calls_that_compile_nothing_are_said_among_what_is_compiled() -> None:
    calls = (CompileCall(at(5), "torch.compile", (), ""), CompileCall(at(20), "torch.compile", ("f",), ""))
    text = said(replace(report((), (root(compiled_at=20),)), calls=calls))
    assert "1 compile call compiles no function that is checked here (a library's, one that a trainer calls, or" in text
    assert "are called): /p/model.py:5." in " ".join(text.split())


def test_what_was_not_seen_stands_on_it() -> None:
    text = said(report((finding(BREAK, 3),), (root(compiled_at=20, unseen=("timm",)),)))
    assert "Not found: timm (1): 1 of 1 root calls it" in text.partition("What was not seen")[2]


def test_what_is_behind_a_switch_is_counted_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "def forward(x, probe=False):\n    if probe:\n        print(x)\n    return x + y\n", encoding="utf-8"
    )
    off, on = (finding(BREAK, line, path=str(file)) for line in (3, 4))
    text = said(report((off, on), (root(compiled_at=20),)))
    assert numbered(text) == [f"{file}:4:5"]
    assert "and 1 behind switches that are off by default (`probe`)" in text
    alone = said(report((off,), (root(compiled_at=20),)))
    assert numbered(alone) == []
    assert "Counted only: 1 behind switches that are off by default (`probe`)." in alone


def test_what_raises_gains_that_it_runs() -> None:
    raising = finding(Rule("CL307", "raises", "raises", Effect.ERROR), 3)
    assert "expected: the code runs; as written, this line or a use of its result raises" in said(
        report((raising,), (root(compiled_at=20),))
    )


def test_beside_what_is_compiled_models_that_are_not_are_counted() -> None:
    roots = (root(compiled_at=20), root("Other.forward", 40))
    found = (finding(BREAK, 3), finding(BREAK, 41, "Other.forward", help="another"))
    text = said(report(found, roots))
    assert numbered(text) == ["/p/model.py:3:5"]
    assert "and 1 in models that this code does not compile" in text
    assert numbered(said(report(found[1:], roots))) == ["/p/model.py:41:5"]
