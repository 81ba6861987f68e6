"""Missing and damaged data end in one clear error."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from compilelint.torchfacts import FactsError, available, load
from compilelint.torchfacts.store import DATA, key_of, without_ids


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the shipped data that a test may spoil."""
    return Path(shutil.copytree(DATA, tmp_path / "data"))


def test_a_copy_answers_like_the_original(data: Path) -> None:
    fact = load("2.9", data).callable("torch.Tensor.item")
    assert fact is not None
    assert fact.gb_id == "GB0124"


def test_no_data_at_all(tmp_path: Path) -> None:
    with pytest.raises(FactsError, match=r"no fact table found .*; reinstall compilelint"):
        available(tmp_path)


@pytest.mark.parametrize("name", ["2.15.0.json", "2.13.0.json", "conditions.json", "traits.json"])
def test_a_missing_file_is_named(data: Path, name: str) -> None:
    (data / name).unlink()
    with pytest.raises(FactsError, match=r"is missing|no fact table"):
        load("2.12.1", data)


@pytest.mark.parametrize("name", ["2.15.0.json", "2.13.0.json", "conditions.json", "traits.json"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b'{"schema": 1, "verd', "is damaged", id="cut off"),
        pytest.param(b"\xff\xfe\x00", "is damaged", id="not text"),
        pytest.param(b"[]", "is not of schema 1", id="no object"),
        pytest.param(b'{"schema": 99}', "is not of schema 1", id="another schema"),
        pytest.param(b'{"schema": 1}', "is damaged", id="without entries"),
    ],
)
def test_a_damaged_file_is_named_with_the_hint(data: Path, name: str, content: bytes, message: str) -> None:
    (data / name).write_bytes(content)
    with pytest.raises(FactsError) as caught:
        load("2.12.1", data)
    assert message in str(caught.value)
    assert name in str(caught.value)
    assert caught.value.hint.startswith("reinstall compilelint")


def test_a_verdict_outside_the_grammar(data: Path) -> None:
    path = data / "2.15.0.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["verdicts"]["gone-fishing@GB0001"] = {"torch.": "relu"}
    path.write_text(json.dumps(content), encoding="utf-8")
    facts = load("2.15.0", data)
    with pytest.raises(FactsError, match=r"unreadable verdict 'gone-fishing@GB0001'"):
        facts.callable("torch.relu")


def test_a_damaged_registry_is_reported_when_it_is_asked(data: Path) -> None:
    (data / "registry.json").write_text('{"schema": 1, "versions": []}', encoding="utf-8")
    facts = load("2.13.0", data)
    with pytest.raises(FactsError, match=r"registry\.json is damaged"):
        facts.graph_break("GB0170")


def test_a_base_that_is_not_newer_is_refused(data: Path) -> None:
    path = data / "2.14.1.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, "base": "2.13.0"}), encoding="utf-8")
    with pytest.raises(FactsError, match=r"2\.14\.1\.json names 2\.13\.0 as its base"):
        load("2.14.1", data)


@pytest.mark.parametrize(
    ("version", "key"),
    [
        ("2.9.1", (2, 9, 1)),
        ("2.9.0a0+git123", (2, 9, 0)),
        ("v2.10", (2, 10)),
        ("2.11.0rc1", (2, 11, 0)),
        (" 2.9 ", (2, 9)),
    ],
)
def test_version_keys(version: str, key: tuple[int, ...]) -> None:
    assert key_of(version) == key


def test_ids_are_taken_out_where_there_is_no_registry() -> None:
    assert without_ids("skip:host-read@GB0124;full=ok;cfg=S") == "skip:host-read;full=ok;cfg=S"
    assert without_ids("print@GB0059;full=GB0170") == "print"
