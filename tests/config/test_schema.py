"""The JSON Schema of the configuration: what it accepts is what is read, key by key, and it is shipped up to date."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from compilelint import checks
from compilelint.checks.trees import compile_calls
from compilelint.cli import app
from compilelint.config import UsageError, settle
from compilelint.config.schema import schema_text
from compilelint.disk.data import toml_of
from compilelint.dynamic.targets import TargetError
from compilelint.keys import DYNAMO_KEYS, KEYS, TARGET_KEYS, Key
from compilelint.session.commands.configured_targets import configured_targets
from compilelint.torchfacts import Capture

RULES = checks.rulebook().rules
SCHEMA: dict[str, Any] = json.loads(files("compilelint.config").joinpath("schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def fits(text: str) -> bool:
    """Whether the schema accepts a `compilelint.toml`."""
    return bool(VALIDATOR.is_valid(toml_of(text)))


def is_read(text: str, folder: Path) -> bool:
    """Whether we do, targets included."""
    (folder / "base.toml").touch()
    (folder / ".git").mkdir(exist_ok=True)  # a repository, whose files `extend` may name
    (folder / "p").mkdir(exist_ok=True)
    (folder / "p" / "compilelint.toml").write_text(text, encoding="utf-8")
    try:
        configured_targets(settle((str(folder / "p"),), {}, RULES).options)
    except (UsageError, TargetError):
        return False
    return True


def test_it_is_a_schema_and_up_to_date() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    shipped = files("compilelint.config").joinpath("schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(RULES), "run `python -m docs.tooling.generate`"
    assert CliRunner().invoke(app, ["config", "--schema"]).stdout == shipped


def test_it_is_of_the_form_that_schemastore_takes() -> None:
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert SCHEMA["$id"] == "urn:compilelint:schema", "no address that would have to resolve"
    assert SCHEMA["type"] == "object"
    assert SCHEMA["additionalProperties"] is False
    described = [*SCHEMA["properties"].values(), *SCHEMA["definitions"]["target"]["properties"].values()]
    assert all(one["description"] for one in described)


# Every key of each table: what stands before it in a `compilelint.toml`.
EVERY = [
    *(pytest.param("", one, id=one.name) for one in KEYS),
    *(pytest.param("[dynamo]\n", one, id=f"dynamo.{one.name}") for one in DYNAMO_KEYS),
    *(pytest.param("[[targets]]\nmodel = 'm:N'\n", one, id=f"target.{one.name}") for one in TARGET_KEYS),
]


def line(before: str, key: Key, value: str) -> str:
    """A file that sets one key, and what it cannot be set without."""
    if key.name == "model":
        before = before.replace("model = 'm:N'\n", "")
    if key.name == "weights":
        before += 'inputs = [["2x8"], ["4x8"]]\n'
    return f"{before}{key.name} = {value}\n"


@pytest.mark.parametrize(("before", "key"), EVERY)
def test_the_example_of_every_key_is_accepted_and_read(tmp_path: Path, before: str, key: Key) -> None:
    text = line(before, key, key.example)
    assert fits(text)
    assert is_read(text, tmp_path)


@pytest.mark.parametrize(("before", "key"), EVERY)
def test_a_value_of_another_kind_is_refused_by_both(tmp_path: Path, before: str, key: Key) -> None:
    text = line(before, key, "1979-05-27")  # a date, which no key takes
    assert not fits(text)
    assert not is_read(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        pytest.param("selct = ['CL1']", "select", id="a letter is missing"),
        pytest.param("fail_on = 'error'", "fail-on", id="an underscore"),
        pytest.param("dynamo = { fullgraf = true }", "fullgraph", id="of Dynamo"),
        pytest.param("[[targets]]\nmodel = 'm:N'\nmax_breaks = 1", "max-breaks", id="of a target"),
    ],
)
def test_an_unknown_key_is_refused_by_both_and_the_nearest_is_named(tmp_path: Path, text: str, hint: str) -> None:
    assert not fits(text)
    (tmp_path / "compilelint.toml").write_text(text, encoding="utf-8")
    with pytest.raises((UsageError, TargetError)) as caught:
        configured_targets(settle((str(tmp_path),), {}, RULES).options)
    assert str(caught.value).count("unknown key") == 1
    assert f"did you mean {hint}?" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("fail-on = 'eror'", id="no severity"),
        pytest.param("timeout = 0", id="no time"),
        pytest.param("timeout = 121", id="more than a file may ask for"),
        pytest.param("min-confidence = 1", id="a number"),
        pytest.param("exclude = 'a'", id="no array"),
        pytest.param("select = ['not a rule!']", id="no rule"),
        pytest.param("severity = { CL101 = 'bad' }", id="no severity of a rule"),
        pytest.param("[[targets]]\nname = 'x'", id="a target without a model"),
        pytest.param("[[targets]]\nmodel = 'm'", id="a model that names no object"),
        pytest.param("[[targets]]\nmodel = 'm:N'\nmax-breaks = -1", id="a budget below 0"),
        pytest.param("[[targets]]\nmodel = 'm:N'\nmode = 'fast'", id="no mode"),
        pytest.param("[[targets]]\nmodel = 'm:N'\nseeds = []", id="no seeds"),
    ],
)
def test_a_value_that_is_none_is_refused_by_both(tmp_path: Path, text: str) -> None:
    assert not fits(text)
    assert not is_read(text, tmp_path)


def test_what_is_declared_is_what_the_others_know() -> None:
    assert {one.value.replace("_", "-") for one in Capture} < {one.name for one in DYNAMO_KEYS}
    assert next(one for one in DYNAMO_KEYS if one.name == "mode").choices == compile_calls._MODES
    for key in KEYS:
        option = next((one for one in app.commands["check"].params if f"--{key.name}" in one.opts), None)
        assert (option is not None) == bool(key.option), key.name
