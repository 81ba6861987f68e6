"""The generator's own parts: reasons, files, folding. Measuring itself needs torch and is marked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.torchfacts import Reason, available, load
from compilelint.torchfacts.generate import encode, fold
from compilelint.torchfacts.generate.reasons import reason_of, reason_of_words
from compilelint.torchfacts.store import DATA
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
    assert reason_of(key, words) is reason


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
    assert newest.all_keys() == ("time.brand_new", "torch.brand_new", "torch.relu")
    assert newest.config == {"recompile_limit": 9}
    old = load("2.14.1", data).callable("time.brand_new")
    assert old is not None
    assert (old.reason, old.gb_id, old.assumed) == (Reason.CLOCK, None, True)
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
