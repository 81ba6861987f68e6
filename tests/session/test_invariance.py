"""The same truth however it is asked: files alone, together, in any order, by several processes, cached, on stdin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compilelint.config import Options
from compilelint.model import Confidence, Finding
from compilelint.session.commands.lint import lint

PACKAGE = Path(__file__).parents[2] / "fixtures" / "lamps" / "lamps"
FILES = sorted(path.name for path in PACKAGE.glob("*.py"))
Place = tuple[str, str, int]


def findings(*files: str, **options: Any) -> dict[Place, Finding]:
    """What is shown of these files by rule and place, possible findings included."""
    paths = tuple(str(PACKAGE / name) for name in files)
    given_ = {"paths": paths, "torch_version": "2.13", "no_cache": True, "min_confidence": Confidence.POSSIBLE}
    report = lint(Options(**{**given_, **options}))
    return {(x.rule.code, Path(x.location.path).name, x.location.span.line): x for x in report.findings}


WHOLE = findings(*FILES)


def sure(found: dict[Place, Finding]) -> dict[Place, Confidence]:
    """The places that the default report shows, and how sure it is of each."""
    return {place: x.confidence for place, x in found.items() if x.confidence > Confidence.POSSIBLE}


def ends_outside(finding: Finding, files: frozenset[str]) -> bool:
    """Whether a finding stands at a call, for a break in a file that is not among those linted."""
    ends = [x.location.path for x in finding.related if x.text == "graph break here"]
    return bool(ends) and Path(ends[0]).name not in files


SELECTIONS = st.frozensets(st.sampled_from(FILES), min_size=1)


def test_the_package_has_breaks_of_its_own_and_none_that_only_a_choice_has() -> None:
    assert {(rule, name) for rule, name, _ in sure(WHOLE)} == {
        ("CL101", "boxes.py"),
        ("CL101", "lantern.py"),
        ("CL101", "masks.py"),
        ("CL102", "guards.py"),
        ("CL120", "masks.py"),
    }


@settings(max_examples=25, deadline=None)
@given(SELECTIONS)
def test_a_file_says_of_its_own_lines_what_the_package_says(files: frozenset[str]) -> None:
    alone, whole = sure(findings(*sorted(files))), sure(WHOLE)
    for place, confidence in whole.items():
        if place[1] not in files:
            continue
        if place in alone:  # a caller that is not linted may have been what made it certain
            assert alone[place] <= confidence, place
        else:  # or the reason to judge the function at all: alone it looks like code of the host
            assert {Path(site.location.path).name for site in WHOLE[place].call_chain} - files, place


@settings(max_examples=25, deadline=None)
@given(SELECTIONS)
def test_a_finding_that_the_package_lacks_stands_at_a_call_for_a_break_outside(files: frozenset[str]) -> None:
    alone = findings(*sorted(files))
    for place in sure(alone).keys() - sure(WHOLE).keys():
        assert ends_outside(alone[place], files), place


@settings(max_examples=10, deadline=None)
@given(st.permutations(FILES))
def test_the_order_of_the_files_changes_nothing(files: list[str]) -> None:
    assert sure(findings(*files)) == sure(WHOLE)


def test_a_model_alone_has_the_break_of_its_helper_at_the_call_and_none_of_the_choices() -> None:
    found = sure(findings("lantern.py"))
    assert sorted((rule, line) for rule, _, line in found) == [("CL101", 18), ("CL102", 17)]
    assert sure(findings("lamp.py")) == {}
    possible = findings("lamp.py").values()
    assert any("lamps.losses.box_loss" in x.why for x in possible)
    assert any("lamps.masks.packed_mask" in x.why for x in possible)


def test_processes_cache_and_stdin_say_the_same(tmp_path: Path) -> None:
    cached = {"no_cache": False, "cache_dir": str(tmp_path)}
    first, again = findings(*FILES, **cached), findings(*FILES, **cached)
    assert sure(first) == sure(again) == sure(WHOLE) == sure(findings(*FILES, jobs=2))
    for name in FILES:
        text = (PACKAGE / name).read_bytes()
        assert sure(findings(name, stdin=text)) == sure(findings(name))
