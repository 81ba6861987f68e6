"""The generator's own parts: reasons, files, folding. Measuring itself needs torch and is marked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compilelint.torchfacts import FactsError, Reason, available, load
from compilelint.torchfacts.generate import __main__ as generator
from compilelint.torchfacts.generate import batches, encode, fold
from compilelint.torchfacts.generate.groups import measured_lines
from compilelint.torchfacts.reasons import reason_of_key, reason_of_words
from compilelint.torchfacts.store import DATA, unpacked
from compilelint.torchfacts.verdict import OK, parse

SNIPPETS = Path(encode.__file__).with_name("snippets")


@pytest.mark.parametrize(
    ("key", "words", "reason"),
    [
        ("my.function", "Data-dependent branching", Reason.BRANCH_ON_DATA),
        ("my.function", "Dynamic control flow is not supported at the moment.", Reason.BRANCH_ON_DATA),
        ("my.function", "dynamic shape operator: aten.nonzero.default", Reason.DYNAMIC_SHAPE),
        ("my.function", "'skip function f in file <path>", Reason.SKIPPED_CALLABLE),
        ("my.function", "TorchDynamo purposely graph breaks on RNN, GRU, LSTMs", Reason.RNN),
        ("my.function", "C-level descriptor setattr on user-defined object", Reason.UNSUPPORTED_ATTRIBUTE),
        ("my.function", "nothing known", Reason.OTHER),
        ("time.time", "Attempted to call function marked as skipped", Reason.CLOCK),
        ("time.time", "Call to a time function", Reason.CLOCK),
        ("with-object:contextlib.closing", "Unsupported context manager", Reason.CONTEXT_MANAGER),
        ("torch.set_num_threads", "Attempted to call function marked as skipped", Reason.SKIPPED_CALLABLE),
    ],
)
def test_reasons_come_from_the_name_first_and_then_from_the_words(key: str, words: str, reason: Reason) -> None:
    assert (reason_of_key(key) or reason_of_words(words)) is reason


def test_words_alone() -> None:
    assert reason_of_words("torch.* op returned non-Tensor") is Reason.RETURNS_PYTHON_VALUE


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "ok;full=GB0212",
        "print@GB0059",
        "skip:host-read@GB0124;full=ok;cfg=S",
        "raise:compile-error;full=error",
        "sparse;cfg=SD",
    ],
)
def test_a_verdict_survives_its_text(text: str) -> None:
    assert str(parse(text)) == text


def test_the_clean_verdict_is_one_object() -> None:
    assert parse("ok") is OK


@pytest.mark.parametrize("text", ["fine", "ok;mode=x", "print@GB0059;cfg=Q"])
def test_a_text_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        parse(text)


def test_writing_what_was_read_changes_no_byte(tmp_path: Path) -> None:
    encode.write(fold.shipped().values(), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {f"{version}.json" for version in available()}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (DATA / path.name).read_bytes(), path.name


def test_the_traits_file_too() -> None:
    assert encode.dump(fold.traits_content([fold.shipped_traits()])) == (DATA / "traits.json").read_text(
        encoding="utf-8"
    )


def test_installing_a_new_version_folds_it_in(tmp_path: Path) -> None:
    data = Path(shutil.copytree(DATA, tmp_path / "data"))
    measured = {
        "torch": "2.16.0",
        "python": "3.11.7",
        "verdicts": {"ok": ["torch.relu", "torch.brand_new"], "clock@GB9193": ["time.brand_new"]},
        "config": {"recompile_limit": 9},
        "rules": {"polyfills": ["math.brand_new"]},
        "traits": {"returns": {"time.brand_new": "python-value"}, "random": [], "view": [], "sync": []},
        "registry": {
            "GB0001": ["A new name for it", False],
            "GB9193": ["Call to a time function", True],
            "GB9999": ["Data-dependent branching of a new kind", True],
        },
        "words": {"GB9193": ["Do not ask for the time.", ["Take it before."]]},
    }
    fold.install(measured, data)
    newest, before = load("2.16.0", data), load("2.15.0", data)
    measured_here = {key for key in newest.all_keys() if not newest.is_assumed(key)}
    assert measured_here == {"time.brand_new", "torch.brand_new", "torch.relu"}
    on_device = set().union(*(table.device for table in fold.shipped().values()))
    assert set(newest.all_keys()) - measured_here <= on_device, "only what needs a device is lent to a measured version"
    assert newest.config == {"recompile_limit": 9}
    # Nearer versions were measured too, and have no such name.
    assert load("2.14.1", data).callable("time.brand_new") is None
    assert before.callable("time.brand_new") is None
    assert before.graph_break("GB9193") is not None
    assert before.graph_break("GB9999") is None
    added, renamed = newest.graph_break("GB9999"), newest.graph_break("GB0001")
    assert added is not None
    assert renamed is not None
    assert (added.reason, added.live) == (Reason.BRANCH_ON_DATA, True)
    assert (renamed.type, renamed.live) == ("A new name for it", False)
    assert newest.graph_break("GB0170") is None
    assert load("2.13.0", data).graph_break("GB0001") == load("2.13.0").graph_break("GB0001")


def measured_on_device(version: str) -> dict[str, Any]:
    """What `generate --only cuda` writes, of names that need a device and one that does not."""
    return {
        "torch": version,
        "python": "3.12.3",
        "verdicts": {},
        "device": {
            "name": "a GPU",
            "verdicts": {
                "ok": ["torch.cuda.fine", "torch.relu"],
                "returns-python-value@GB0208": ["torch.cuda.x"],
                "skipped-callable@GB0007": ["torch.cuda.entered_later"],
            },
            "unmeasured": {},
        },
        "traits": {"returns": {"torch.cuda.x": "python-value"}, "random": [], "view": [], "sync": []},
        "registry": {},
        "words": {},
    }


def test_what_a_device_shows_is_lent_to_the_versions_without_one(tmp_path: Path) -> None:
    data = Path(shutil.copytree(DATA, tmp_path / "data"))
    before = load("2.11.0", data)
    fold.install(measured_on_device("2.11.0"), data)
    new = {"torch.cuda.fine", "torch.cuda.x", "torch.cuda.entered_later"}
    own, newest, oldest = load("2.11.0", data), load("2.15.0", data), load("2.5.1", data)
    assert (str(own.verdict("torch.cuda.x")), own.is_assumed("torch.cuda.x")) == ("returns-python-value@GB0208", False)
    assert (str(newest.verdict("torch.cuda.x")), newest.is_assumed("torch.cuda.x")) == (
        "returns-python-value@GB0208",
        True,
    )
    assert (str(oldest.verdict("torch.cuda.x")), oldest.is_assumed("torch.cuda.x")) == ("returns-python-value", True)
    assert not own.is_assumed("torch.relu"), "a run without a device showed it before"
    assert not new & set(before.all_keys()), "the names of this test are its own, whatever is shipped"
    assert set(own.all_keys()) - set(before.all_keys()) == new
    assert {key for key in new if own.is_assumed(key)} == set()
    assert {key for key in new if newest.is_assumed(key)} == new


def test_a_break_is_not_lent_to_versions_that_put_the_name_into_the_graph() -> None:
    names = ("torch.cuda.x", "torch.cuda.fine", "torch.cuda.entered_later")
    versions = ("2.5.1", "2.6.0", "2.10.0", "2.11.0", "2.13.0", "2.14.1")
    tables = {version: encode.Measured(version, "3.11", {"torch.relu": "ok"}) for version in versions}
    for version, in_graph in (("2.5.1", set[str]()), ("2.13.0", {"torch.cuda.fine", "torch.cuda.entered_later"})):
        tables[version].generated = True
        tables[version].rules["in_graph"] = frozenset(in_graph)
    fold.fold(measured_on_device("2.11.0"), tables, DATA)
    assumed = {version: [key for key in names if key in table.assumed] for version, table in tables.items()}
    assert assumed == {
        "2.5.1": list(names),
        "2.6.0": list(names),
        "2.10.0": list(names),
        "2.11.0": [],
        "2.13.0": ["torch.cuda.x", "torch.cuda.fine"],
        "2.14.1": ["torch.cuda.x", "torch.cuda.fine"],
    }


def test_installing_what_a_device_shows_twice_changes_no_byte(tmp_path: Path) -> None:
    data = Path(shutil.copytree(DATA, tmp_path / "data"))
    fold.install(measured_on_device("2.11.0"), data)
    once = {path.name: path.read_bytes() for path in data.iterdir()}
    fold.install(measured_on_device("2.11.0"), data)
    assert {path.name: path.read_bytes() for path in data.iterdir()} == once


def test_the_order_of_measuring_with_and_without_a_device_does_not_matter() -> None:
    on_device = measured_on_device("2.11.0")
    without: dict[str, Any] = {
        "torch": "2.15.0",
        "python": "3.11.7",
        "verdicts": {"print@GB0059": ["torch.cuda.fine", "torch.relu"]},
        "config": {},
        "rules": {},
    }
    outcomes = []
    for files in ([on_device, without], [without, on_device]):
        tables = {version: encode.Measured(version, "3.11.7", {"torch.relu": "ok"}) for version in ("2.11.0", "2.15.0")}
        for file in files:
            fold.fold(file, tables, DATA)
        outcomes.append({version: (table.verdicts, table.assumed, table.device) for version, table in tables.items()})
    assert outcomes[0] == outcomes[1]
    assert outcomes[0]["2.11.0"][2] == {"torch.cuda.x", "torch.cuda.entered_later"}
    assert outcomes[0]["2.15.0"][1] == {"torch.cuda.x", "torch.cuda.entered_later"}


def test_a_device_file_of_a_version_without_a_table_is_refused(tmp_path: Path) -> None:
    data = Path(shutil.copytree(DATA, tmp_path / "data"))
    with pytest.raises(FactsError, match=r"no table of torch 2\.16\.0 .*without --only"):
        fold.install(measured_on_device("2.16.0"), data)


@pytest.mark.parametrize(
    ("version", "lender"), [("2.6.0", "2.5.1"), ("2.9.1", "2.5.1"), ("2.10.0", "2.13.0"), ("2.14.1", "2.13.0")]
)
def test_the_nearest_measured_version_lends(version: str, lender: str) -> None:
    tables = {
        one: encode.Measured(one, "3.11", {f"from.{one}": "ok"} if one == version else {"time.new": text})
        for one, text in {version: "", "2.5.1": "clock", "2.13.0": "print", "2.15.0": "warning"}.items()
    }
    for one in ("2.5.1", "2.13.0", "2.15.0"):
        tables[one].generated = True
    fold.lend(tables, DATA)
    assert tables[version].verdicts["time.new"] == tables[lender].verdicts["time.new"]
    assert tables[version].assumed == {"time.new"}


def test_keys_are_packed_by_their_places() -> None:
    keys = ["torch.abs", "torch.Tensor.abs", "torch.Tensor.abs_", "torch.fill_", "print", "syntax:del x.y", "a.b|c d"]
    assert encode.packed(keys) == {
        "": "print",
        "a.": ["b|c d"],
        "syntax:": ["del x.y"],
        "torch.": "fill_",
        "torch.,torch.Tensor.,torch.Tensor.*_": "abs",
    }
    assert sorted(unpacked(encode.packed(keys))) == sorted(keys)


@pytest.mark.parametrize(
    ("text", "version", "expected"),
    [
        ("clock@GB9193", "2.13.0", "clock"),
        ("print@GB0059", "2.6.0", "print"),
        ("host-read@GB0124;full=ok;cfg=S", "2.9.1", "host-read@GB0124;cfg=S"),
        ("host-read@GB0124;full=ok;cfg=S", "2.10.0", "host-read@GB0124;full=ok;cfg=S"),
    ],
)
def test_what_is_carried_over_fits_the_version(text: str, version: str, expected: str) -> None:
    assert fold.carried(text, version) == expected


def test_no_key_is_probed_by_two_snippets() -> None:
    keys = [
        line
        for path in sorted(SNIPPETS.glob("*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    ]
    assert len(keys) > 1400
    assert sorted({key for key in keys if keys.count(key) > 1}) == []


def test_a_crash_is_blamed_on_what_had_begun_and_on_nothing_else(tmp_path: Path) -> None:
    """A worker dies while arguments are tried for a name, is started again, and goes on with the next name."""
    started: list[str] = []

    def worker(group: str, folder: Path) -> batches.Running:
        started.append(group)
        results = folder / f"{group}.jsonl"
        done = {line["id"] for line in measured_lines(results)}
        script = "import os; os.abort()"
        if "try 0 torch.hostile" in done:
            script = "pass"
            with results.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({"id": "1 torch.next", "key": "torch.next", "verdict": "ok"}) + "\n")
        else:
            with results.open("w", encoding="utf-8") as lines:
                lines.write(json.dumps({"id": "0 torch.fine", "key": "torch.fine", "verdict": "ok"}) + "\n")
            now = {"id": "try 0 torch.hostile", "key": "torch.hostile"}
            results.with_suffix(".now").write_text(json.dumps(now), encoding="utf-8")
        return batches.Running(group, subprocess.Popen([sys.executable, "-c", script]), results)

    lines = batches.measure_all(tmp_path, groups=["some"], start=worker)
    assert started == ["some", "some"]
    assert [(line["id"], line.get("verdict", line.get("unmeasured"))) for line in lines] == [
        ("0 torch.fine", "ok"),
        ("try 0 torch.hostile", "crash"),
        ("1 torch.next", "ok"),
    ]


def test_without_torch_there_is_nothing_to_measure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert generator.main() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("compilelint.torchfacts.generate: error: torch is not installed in the environment of ")
    assert line.endswith("; run this with the Python of an environment that has the torch to measure")


@pytest.mark.dynamo
def test_the_quirks_of_the_installed_torch_are_those_shipped(tmp_path: Path) -> None:
    import torch

    results = tmp_path / "quirks.jsonl"
    command = [sys.executable, "-m", "compilelint.torchfacts.generate.worker", "quirks", str(results)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (line,) = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert line["quirks"] == sorted(load(torch.__version__).rule("quirks"))


@pytest.mark.slow
@pytest.mark.dynamo
def test_the_generator_measures_what_is_shipped(tmp_path: Path) -> None:
    """One small group under the real Dynamo; the whole is `python -m compilelint.torchfacts.generate --check`."""
    results = tmp_path / "contexts.jsonl"
    command = [sys.executable, "-m", "compilelint.torchfacts.generate.worker", "contexts", str(results)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    facts = load("2.13.0")
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 40
    assert {line["key"]: line["verdict"] for line in lines} == {
        line["key"]: str(facts.verdict(line["key"])) for line in lines
    }


def test_a_version_that_the_registry_has_gets_the_ids_that_it_lacks() -> None:
    registry: dict[str, Any] = {"versions": ["2.13.0", "2.15.0"], "reasons": {"other": {"3 3": {"0001": "One thing"}}}}
    found = fold.with_version(registry, "2.13.0", {"GB0001": ["One thing", True], "GB0002": ["Nothing known", True]})
    assert found["versions"] == ["2.13.0", "2.15.0"]
    assert found["reasons"] == {"other": {"3 3": {"0001": "One thing"}, "1 1": {"0002": "Nothing known"}}}
    assert fold.with_version(found, "2.13.0", {"GB0001": ["One thing", True]}) == found


@pytest.mark.dynamo
def test_raise_sites_are_found_however_the_text_is_written() -> None:
    from compilelint.torchfacts.generate import static

    source = """
unimplemented(gb_type="plain", context="")
unimplemented(gb_type="in two "
              "pieces")
unimplemented(gb_type=f"of {name}")
unimplemented(gb_type="one" if name else "other")
unimplemented(gb_type=given)
"""
    assert list(static._raised(source)) == ["plain", "in two pieces", "of {name}", "one", "other"]
