"""What the summary says was judged: distinct functions, calls with reasons, entries with their option."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.model import Location, Notice, Span
from compilelint.project.compile_calls import CompileCall
from compilelint.report.layout.judged import judged, judged_words
from compilelint.report.report import CompileRoot, Report
from tests.report.samples import empty


def at(line: int) -> Location:
    return Location("/p/net.py", Span(line, 1, line, 2))


def root(line: int, kind: str = "forward", compiled: int = 0) -> CompileRoot:
    return CompileRoot(f"f{line}", at(line), at(compiled) if compiled else None, kind, f"net:f{line}")


def call(line: int, reason: str = "") -> CompileCall:
    return CompileCall(at(line), "torch.compile", (), reason)


def report(*roots: CompileRoot, calls: tuple[CompileCall, ...] = (), **more: object) -> Report:
    return replace(empty(), roots=roots, calls=calls, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (report(), "no compile call found; no function checked as compiled by --roots auto."),
        (
            report(asked_roots=("explicit", "a b")),
            "no compile call found; no function checked as compiled by --roots explicit --roots 'a b'.",
        ),
        (
            report(root(1, "explicit", 9), calls=(call(9),)),
            "1 compile call found, resolved (1 function).",
        ),
        (
            # compiled twice, in two ways, it is one function
            report(root(1, "explicit", 8), root(1, "explicit", 9), calls=(call(8), call(9))),
            "2 compile calls found, all resolved (1 function).",
        ),
        (
            report(root(1), calls=(call(7, "a name from outside"),)),
            "1 compile call found, 0 resolved, 1 not: net.py:7:1 (a name from outside); 1 module forward.",
        ),
        (
            report(root(1), root(2), root(3, "autograd"), root(4, "unreached"), root(5, "glob"), root(6, "all")),
            "no compile call found; 2 module forwards; 1 method of autograd functions; 1 function named by --roots; "
            "2 functions if compiled.",
        ),
    ],
    ids=["nothing", "nothing asked for", "a call", "two calls of one", "not resolved", "every kind"],
)
def test_what_was_judged(made: Report, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getcwd", lambda: "/p")
    assert judged_words(made)[0] == ("Checked", said)


def test_what_was_not_judged_comes_with_the_option_that_judges_it() -> None:
    left = tuple(root(line, "unjudged") for line in range(1, 6))
    (_, (head, said)) = judged_words(report(root(9), unjudged=left))
    assert head == "Not checked"
    assert said == (
        "5 functions that look like entry points: net:f1, net:f2, net:f3 and 2 more; "
        "`--roots auto --roots net:f1` checks the first, `compilelint roots` lists all."
    )


def test_where_no_file_was_looked_at_nothing_is_said() -> None:
    assert judged_words(replace(empty(), files_checked=0)) == []


@pytest.mark.parametrize(
    ("made", "whole"),
    [
        (report(root(1)), True),
        (report(root(1, "explicit", 9), calls=(call(9),)), True),
        (report(), False),
        (report(root(1), calls=(call(7, "a name from outside"),)), False),
        (report(root(1), notices=(Notice("defect", "ended"),)), False),
    ],
    ids=["a forward", "a resolved call", "nothing judged", "a call that is not resolved", "a defect"],
)
def test_all_clear_is_said_only_of_a_whole_run(made: Report, whole: bool) -> None:
    assert judged(made).whole is whole
