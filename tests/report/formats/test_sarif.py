"""SARIF as GitHub code scanning takes it: the schema, and what neither schema nor Microsoft's validator looks at."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from compilelint import checks
from compilelint.model import CallSite, Confidence, Edit, Finding, Fix, Location, Notice, Related, Safety, Span
from compilelint.report.formats import sarif
from compilelint.report.formats.sarif import render as sarif_report
from compilelint.report.layout.fingerprints import fingerprints
from compilelint.report.report import Report
from compilelint.rulebook import UNPARSABLE_FILE
from tests.report.samples import READ, empty, sample

SCHEMA = Path(__file__).parent.parent.parent / "data" / "sarif-2.1.0.json"


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def run_of(report: Report) -> dict[str, Any]:
    log = json.loads(sarif_report(report))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def full(folder: Path) -> Report:
    return replace(sample(folder), rules=checks.rulebook().rules)


def results(report: Report) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run_of(report)["results"]
    return found


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON document."""
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from objects(one)
    elif isinstance(value, list):
        for one in value:
            yield from objects(one)


# ---------------------------------------------------------------------- schema


def test_full_and_empty_logs_obey_the_schema(tmp_path: Path, validator: Any) -> None:
    for report in (full(tmp_path), sample(tmp_path), empty(), replace(empty(), rules=checks.rulebook().rules)):
        validator.validate(json.loads(sarif_report(report)))


def test_the_schema_notices_what_is_wrong(tmp_path: Path, validator: Any) -> None:
    log = json.loads(sarif_report(full(tmp_path)))
    for key, value in [("level", "fatal"), ("locations", 1), ("message", {}), ("extra", 1)]:
        broken = json.loads(json.dumps(log))
        broken["runs"][0]["results"][0][key] = value
        assert not validator.is_valid(broken), key


# ----------------------------------------------------------------------- rules


def test_the_rules_are_those_that_occur_and_each_result_points_to_its_own(tmp_path: Path) -> None:
    run = run_of(full(tmp_path))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({result["ruleId"] for result in run["results"]})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert run_of(replace(empty(), rules=checks.rulebook().rules))["tool"]["driver"]["rules"] == []


def test_every_rule_has_what_code_scanning_shows(tmp_path: Path) -> None:
    for rule in run_of(full(tmp_path))["tool"]["driver"]["rules"]:
        code = rule["id"]
        assert re.fullmatch(r"([A-Z][a-z0-9]*)+", rule["name"]), code
        assert re.fullmatch(r"[A-Z`].*\.", rule["shortDescription"]["text"], re.DOTALL), code
        for key, limit in (("shortDescription", 1024), ("fullDescription", 1024)):
            assert 0 < len(rule[key]["text"]) <= limit, code
        assert "## What it finds" in rule["help"]["text"], code
        assert "## Bad\n" in rule["help"]["markdown"], code
        assert "## Run with" not in rule["help"]["markdown"], "that is for the tests of the page"
        assert "helpUri" not in rule, "there is no site that it could lead to"
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note"), code
        properties = rule["properties"]
        assert properties["precision"] in ("very-high", "high", "medium", "low"), code
        assert properties["problem.severity"] in ("error", "warning", "recommendation"), code
        assert 0 < len(properties["tags"]) <= 10, code
        assert len(properties["tags"]) == len(set(properties["tags"])), code
        assert not any("security" in str(value) for value in [*properties, *properties["tags"]]), code


# --------------------------------------------------------------------- results


def test_every_level_is_said_even_where_it_is_the_default(tmp_path: Path) -> None:
    assert [one["level"] for one in results(full(tmp_path))] == ["error", "warning"]
    unsure = [replace(one, confidence=Confidence.POSSIBLE) for one in full(tmp_path).findings]
    assert [one["level"] for one in results(replace(full(tmp_path), findings=tuple(unsure)))] == ["note", "note"]


def test_every_region_has_four_fields_and_columns_are_code_points(tmp_path: Path) -> None:
    run = run_of(full(tmp_path))
    assert run["columnKind"] == "unicodeCodePoints"
    regions = [one["region"] for one in objects(run) if "region" in one]
    assert len(regions) == 7
    for region in regions:
        assert set(region) == {"startLine", "startColumn", "endLine", "endColumn"}
    primary = run["results"][0]["locations"][0]["physicalLocation"]
    assert primary["region"] == {"startLine": 3, "startColumn": 8, "endLine": 3, "endColumn": 9}
    assert primary["artifactLocation"] == {"uri": "model.py", "uriBaseId": "%SRCROOT%"}


def test_no_path_of_the_machine_is_in_the_log(tmp_path: Path) -> None:
    assert str(tmp_path) not in sarif_report(full(tmp_path))


def test_links_of_a_message_lead_to_related_locations(tmp_path: Path) -> None:
    first = results(full(tmp_path))[0]
    related = {one["id"]: one["message"]["text"] for one in first["relatedLocations"]}
    assert related == {1: "result of `>`", 2: "called in Net.forward"}
    assert first["message"]["text"] == (
        "`if` needs the data of `y`. The data does not exist while Dynamo traces. "
        "Because: [result of `>`](1). Reached: [called in Net.forward](2)."
    )


def test_a_call_chain_is_a_code_flow_that_ends_at_the_finding(tmp_path: Path) -> None:
    first, second = results(full(tmp_path))
    (flow,) = first["codeFlows"][0]["threadFlows"]
    steps = [one["location"] for one in flow["locations"]]
    assert [one["message"]["text"] for one in steps] == ["called in Net.forward", "`if` needs the data of `y`"]
    assert steps[-1]["physicalLocation"] == first["locations"][0]["physicalLocation"]
    assert "codeFlows" not in second


def test_a_fix_replaces_what_the_finding_says(tmp_path: Path) -> None:
    first, second = results(full(tmp_path))
    (fix,) = first["fixes"]
    assert fix["description"]["text"] == "Rewrite with `torch.where` (unsafe)."
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "model.py"
    assert change["replacements"][0]["insertedContent"] == {"text": "x = ..."}
    assert '"fixes"' not in second


def test_a_fix_of_two_files_has_two_changes(tmp_path: Path) -> None:
    report = full(tmp_path)
    home = report.findings[0].location.path
    edits = (Edit(Span(3, 1, 3, 2), "y"), Edit(Span(1, 1, 1, 2), "z", home.replace("model.py", "helper.py")))
    two = replace(report.findings[0], fix=Fix(Safety.UNSAFE, "give it", edits))
    (fix,) = results(replace(report, findings=(two,)))[0]["fixes"]
    assert [
        (one["artifactLocation"]["uri"], [each["insertedContent"]["text"] for each in one["replacements"]])
        for one in fix["artifactChanges"]
    ] == [("model.py", ["y"]), ("helper.py", ["z"])]


def test_a_fix_without_edits_is_no_fix(tmp_path: Path) -> None:
    report = full(tmp_path)
    hollow = replace(report.findings[0], fix=Fix(Safety.SAFE, "nothing", ()))
    assert '"fixes"' not in sarif_report(replace(report, findings=(hollow,)))


def test_an_empty_text_may_be_inserted(tmp_path: Path) -> None:
    report = full(tmp_path)
    cut = replace(report.findings[0], fix=Fix(Safety.SAFE, "remove it", (Edit(Span(3, 1, 4, 1), ""),)))
    (fix,) = results(replace(report, findings=(cut,)))[0]["fixes"]
    assert fix["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": ""}


def test_alerts_are_found_again_by_line_hash_and_by_our_mark(tmp_path: Path) -> None:
    report = full(tmp_path)
    marks = [one["partialFingerprints"] for one in results(report)]
    assert [mark["compilelint/v1"] for mark in marks] == fingerprints(report)
    # Line 5 of the sample and the end of the file: independent of CRLF, by the published description.
    value = 0
    for character in ("returnx.item()\n" + "\uffff").ljust(100, "\0"):
        value = (value * 37 + ord(character)) % 2**64
    assert marks[1]["primaryLocationLineHash"] == f"{value:x}:1"


def test_hits_of_one_rule_on_one_line_are_one_alert_named_by_the_worst(tmp_path: Path) -> None:
    report = full(tmp_path)
    second = report.findings[1]
    place = second.location
    worse = replace(second, confidence=Confidence.CERTAIN, location=Location(place.path, Span(5, 15, 5, 16)))
    other = replace(second, location=Location(place.path, Span(5, 18, 5, 19)))
    (alert,) = results(replace(report, findings=(second, worse, other)))
    assert alert["level"] == "error"
    assert alert["locations"][0]["physicalLocation"]["region"]["startColumn"] == 15
    assert alert["message"]["text"].endswith("The same at: [column 12](1), [column 18](2).")
    next_line = replace(second, location=Location(place.path, Span(6, 1, 6, 2)))
    assert len(results(replace(report, findings=(second, next_line)))) == 2


def test_what_could_not_be_analysed_is_a_notification_and_the_run_succeeds(tmp_path: Path) -> None:
    report = full(tmp_path)
    place = Location(f"{report.base}/broken.py", Span(2, 1, 2, 2))
    broken = Finding(UNPARSABLE_FILE, "the file is no Python", UNPARSABLE_FILE.effects, Confidence.CERTAIN, place)
    notice = Notice("unresolved", "packages not found: timm", place.path)
    (invocation,) = run_of(replace(report, findings=(broken,), notices=(notice,)))["invocations"]
    assert invocation["executionSuccessful"] is True
    about_files = [one for one in invocation["toolExecutionNotifications"] if one["descriptor"]["id"] != "judged"]
    notes = [(one["level"], one["message"]["text"]) for one in about_files]
    assert notes == [("note", "Packages not found: timm."), ("warning", "The file is no Python.")]
    for one in about_files:
        assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.py"


def test_a_clean_run_has_an_empty_list_of_results(tmp_path: Path) -> None:
    run = run_of(empty())
    assert run["results"] == []
    ((notification,),) = [one["toolExecutionNotifications"] for one in run["invocations"]]
    assert notification["message"]["text"] == "Checked: no compile call found; 1 module forward."
    assert run["properties"]["judged"]["module_forwards"] == 1


def test_a_compile_call_that_is_not_resolved_is_a_warning_at_its_line(tmp_path: Path) -> None:
    (invocation,) = run_of(full(tmp_path))["invocations"]
    (said,) = [one for one in invocation["toolExecutionNotifications"] if one["descriptor"]["id"] == "compile-call"]
    assert (said["level"], said["locations"][0]["physicalLocation"]["region"]["startLine"]) == ("warning", 7)
    assert "a guess" in said["message"]["text"]


# ---------------------------------------------------------------------- places


def test_uris_are_relative_resolved_and_percent_encoded(tmp_path: Path) -> None:
    repository, elsewhere = tmp_path / "repo", tmp_path / "else where"
    (repository / "a b").mkdir(parents=True)
    elsewhere.mkdir()
    real = repository / "a b" / "50% ü#?.py"
    outside = elsewhere / "o.py"
    for file in (real, outside):
        file.write_text("x\n", encoding="utf-8")
    (repository / "link").symlink_to(repository / "a b")
    (repository / "out").symlink_to(elsewhere)
    (tmp_path / "repo link").symlink_to(repository)
    base = repository.as_posix()

    def uri(path: str, base: str = base) -> dict[str, str]:
        finding = Finding(READ, "m", READ.effects, Confidence.CERTAIN, Location(path, Span(1, 1, 1, 2)))
        (one,) = results(replace(empty(), findings=(finding,), base=base))
        found: dict[str, str] = one["locations"][0]["physicalLocation"]["artifactLocation"]
        return found

    inside = {"uri": "a%20b/50%25%20%C3%BC%23%3F.py", "uriBaseId": "%SRCROOT%"}
    assert uri(real.as_posix()) == inside
    assert uri(f"{base}/link/{real.name}") == inside, "a link within the repository"
    assert uri(f"{tmp_path}/repo link/a b/{real.name}", f"{tmp_path}/repo link") == inside, "a link to the repository"
    assert uri(real.as_posix(), f"{tmp_path}/repo link") == inside
    assert uri(f"{base}/out/o.py") == {"uri": "out/o.py", "uriBaseId": "%SRCROOT%"}, "a link out of it"
    absolute = f"file://{tmp_path.as_posix()}/else%20where/o.py"
    assert uri(outside.as_posix()) == {"uri": absolute}, "outside"
    assert uri("/home/me/.venv/lib/python3.11/site-packages/timm/layers/drop.py") == {
        "uri": "timm/layers/drop.py",
        "uriBaseId": "PACKAGES",
    }, "an installed package, on any machine"
    assert uri("/usr/lib/python3.11/contextlib.py") == {"uri": "contextlib.py", "uriBaseId": "PACKAGES"}


def test_a_finding_in_a_notebook_lies_in_the_json_and_names_its_cell(tmp_path: Path) -> None:
    notebook = {"cells": [{"source": ["text"]}, {"source": ["y = 1\n", "x.item()\n"]}]}
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    place = Location(path.as_posix(), Span(2, 1, 2, 9), cell=2)
    fix = Fix(Safety.SAFE, "remove it", (Edit(Span(2, 1, 2, 9), ""),))
    finding = Finding(READ, "m", READ.effects, Confidence.CERTAIN, place, fix=fix)
    (one,) = results(replace(empty(), findings=(finding,), base=tmp_path.as_posix()))
    region = one["locations"][0]["physicalLocation"]["region"]
    line = path.read_text(encoding="utf-8").split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "x.item()"
    assert one["locations"][0]["logicalLocations"] == [{"name": "cell 2", "kind": "module"}]
    assert one["message"]["text"] == "M. In cell 2, line 2."
    assert "primaryLocationLineHash" in one["partialFingerprints"]
    assert '"fixes"' not in one, "its lines are not lines of the file"


# ---------------------------------------------------------------------- limits


def many(count: int, confidence: Confidence) -> list[Finding]:
    return [
        Finding(READ, f"m{number}", READ.effects, confidence, Location("/p/a.py", Span(number, 1, number, 2)))
        for number in range(1, count + 1)
    ]


def test_of_too_many_results_the_least_severe_are_left_out_and_it_is_said() -> None:
    notes = many(25_010, Confidence.POSSIBLE)
    errors = [replace(one, location=Location("/p/z.py", one.location.span)) for one in many(5, Confidence.CERTAIN)]
    run = run_of(replace(empty(), findings=(*notes, *errors)))
    assert len(run["results"]) == 25_000
    assert [one["level"] for one in run["results"][:6]] == ["error"] * 5 + ["note"]
    _, said = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"] == (
        "15 of 25015 results are left out, the least severe, to stay within GitHub's limits."
    )


def test_a_log_that_would_be_too_large_is_cut_until_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_BYTES", 6_000)
    text = sarif_report(replace(empty(), findings=tuple(many(1000, Confidence.LIKELY))))
    run = json.loads(text)["runs"][0]
    assert len(gzip.compress(text.encode(), 6)) <= 6_000
    assert 10 < len(run["results"]) < 1000
    left_out = 1000 - len(run["results"])
    _, said = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith(f"{left_out} of 1000 results are left out")


def test_a_result_keeps_within_the_limits_on_places_and_text(tmp_path: Path) -> None:
    report = full(tmp_path)
    place = report.findings[0].location
    crowded = replace(
        report.findings[0],
        related=tuple(Related(place, f"reason {number}") for number in range(1500)),
        call_chain=tuple(CallSite(place, f"f{number}") for number in range(12_000)),
        message="m" * 1_000_000,
    )
    (one,) = results(replace(report, findings=(crowded,)))
    assert len(one["relatedLocations"]) == 100
    assert len(one["codeFlows"][0]["threadFlows"][0]["locations"]) == 101
    assert one["message"]["text"].endswith("[reason 98](99), [reason 99](100) and 1400 more.")
    assert "m" * 5_000 not in json.dumps(one)
