"""What became of the findings of a line: each step that can take one out says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.report.explanation import Explanation
from compilelint.session.commands.lint import lint
from tests.support.why_asked import explained, module

READ = module("return x.sum().item()  # here")
DOUBTFUL = module("return x.cpu()  # here")


def fates(found: Explanation) -> list[tuple[str, str, str]]:
    return [(one.finding.rule.code, one.fate, "; ".join(one.because)) for one in found.outcomes]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        pytest.param(READ, {}, ("CL102", "reported", ""), id="reported"),
        pytest.param(
            READ.replace("# here", "# here # compilelint: ignore[CL102] a log"),
            {},
            ("CL102", "suppressed", "the comment on line 11 silences it (a log)"),
            id="by a comment",
        ),
        pytest.param(
            READ,
            {"ignore": ("CL102",)},
            ("CL102", "ignored", "the rule is not selected (`select`, `ignore` and their kin)"),
            id="its rule is not selected",
        ),
        pytest.param(
            DOUBTFUL, {}, ("CL303", "hidden", "its confidence is below `--min-confidence likely`"), id="not sure enough"
        ),
        pytest.param(DOUBTFUL, {"min_confidence": Confidence.POSSIBLE}, ("CL303", "reported", ""), id="sure enough"),
        pytest.param(
            module("return (x * 2).cpu()  # here"),
            {"purpose": "export"},
            ("CL303", "left out", "it does not stop what `--for export` asks for"),
            id="not what is asked for",
        ),
    ],
)
def test_a_finding_says_what_became_of_it(
    tmp_path: Path, text: str, options: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    assert expected in fates(explained(tmp_path, text, **options))


def test_per_file_ignores_are_named(tmp_path: Path) -> None:
    project = tmp_path.as_posix()
    found = explained(tmp_path, READ, per_file_ignores=(("app.py", ("CL102",)),), project=project)
    assert fates(found) == [("CL102", "ignored", "`per-file-ignores` takes the rule out of this file")]


def test_a_second_finding_of_the_line_is_folded_into_the_first(tmp_path: Path) -> None:
    found = explained(tmp_path, module("return x.min().item() + x.max().item()  # here"))
    assert fates(found) == [
        ("CL102", "folded", "the finding of column 16 stands for it"),
        ("CL102", "reported", ""),
    ]


def test_the_baseline_is_named(tmp_path: Path) -> None:
    baseline = str(tmp_path / "known.json")
    explained(tmp_path, READ)
    lint(Options((str(tmp_path),), torch_version="2.13.0", baseline=baseline, update_baseline=True))
    assert fates(explained(tmp_path, READ, baseline=baseline)) == [("CL102", "in the baseline", f"{baseline} holds it")]


def test_asking_leaves_the_baseline_as_it_is(tmp_path: Path) -> None:
    baseline = tmp_path / "known.json"
    explained(tmp_path, READ)
    lint(Options((str(tmp_path),), torch_version="2.13.0", baseline=str(baseline), update_baseline=True))
    before = baseline.read_bytes()
    more = READ.replace("return", "print(x); return")
    explained(tmp_path, more, baseline=str(baseline), update_baseline=True)
    assert baseline.read_bytes() == before
