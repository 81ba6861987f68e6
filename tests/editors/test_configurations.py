"""The files that editors are configured with: they parse, name the one command, and fit the schema they announce."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from compilelint import config
from tests.editors.sample import EDITORS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STORE = EDITORS / "schemastore"
SCHEMA: dict[str, Any] = json.loads((Path(config.__file__).parent / "schema.json").read_text(encoding="utf-8"))


def toml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def test_helix_starts_the_server_for_python() -> None:
    found = toml(EDITORS / "helix" / "languages.toml")
    assert found["language-server"]["compilelint"] == {"command": "compilelint", "args": ["server"]}
    assert "compilelint" in found["language"][0]["language-servers"]


def test_zed_knows_the_server_under_the_name_that_its_code_asks_for() -> None:
    assert toml(EDITORS / "zed" / "extension.toml")["language_servers"]["compilelint"]["languages"] == ["Python"]
    assert toml(EDITORS / "zed" / "Cargo.toml")["lib"]["crate-type"] == ["cdylib"]


def test_lsp4ij_starts_the_server_for_python() -> None:
    found = json.loads((EDITORS / "pycharm" / "template.json").read_text(encoding="utf-8"))
    assert found["programArgs"]["default"] == "compilelint server"
    assert found["fileTypeMappings"][0]["languageId"] == "python"


def test_the_catalog_of_schemastore_leads_to_the_schema() -> None:
    entry = json.loads((STORE / "catalog.json").read_text(encoding="utf-8"))
    inside = json.loads((STORE / "pyproject.json").read_text(encoding="utf-8"))
    assert entry["url"] == inside["tool"]["properties"]["compilelint"]["$ref"]
    assert entry["description"] == SCHEMA["description"]


def test_the_schema_takes_the_example_with_every_key_but_two() -> None:
    example = toml(STORE / "test" / "compilelint.toml")
    jsonschema.validate(example, SCHEMA)
    assert set(SCHEMA["properties"]) - set(example) == {"extend-select", "baseline", "force-exclude"}


@pytest.mark.parametrize("file", sorted((STORE / "negative_test").glob("*.toml")), ids=lambda file: str(file.stem))
def test_the_schema_refuses_what_is_wrong(file: Path) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(toml(file), SCHEMA)
