"""The site's and the repository's address stand in one place; what cannot import it is held against it here."""

from __future__ import annotations

import sys
from pathlib import Path

from compilelint.model.site import REPOSITORY, SITE, break_page, rule_page

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]


def test_the_package_names_the_same_addresses() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Documentation"] == SITE
    assert urls["Source"] == REPOSITORY
    assert all(address.startswith((SITE, REPOSITORY)) for address in urls.values())


def test_pages_lie_below_the_site() -> None:
    assert rule_page("CL101") == f"{SITE}rules/CL101/"
    assert break_page("GB0170") == f"{SITE}break-ids/#gb0170"
