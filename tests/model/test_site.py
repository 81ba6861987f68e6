"""The addresses of site and repository are in one place; what cannot import it is held against it here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compilelint.model import site

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]


def test_the_package_names_the_same_addresses() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = project.get("urls", {})
    assert urls.get("Documentation", "") == site.SITE
    assert urls.get("Source", "") == site.REPOSITORY
    assert all(address.startswith((site.SITE, site.REPOSITORY)) for address in urls.values())


def test_pages_are_below_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SITE", "https://lint.test/")
    assert site.rule_page("CL101") == "https://lint.test/rules/CL101/"
    assert site.break_page("GB0170") == "https://lint.test/break-ids/#gb0170"


def test_without_a_site_nothing_is_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SITE", "")
    assert (site.rule_page("CL101"), site.break_page("GB0170")) == ("", "")
