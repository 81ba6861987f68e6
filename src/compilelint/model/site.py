"""Where the project lives on the web: the one place that says it.

Help links of SARIF, links of terminals and of the HTML report, `pyproject.toml` and the site's own configuration follow
from these; `tests/model/test_site.py` holds the last two against them. The project has no public home yet: names under
`.example` are reserved (RFC 2606), so that no stranger can take them and be
installed from. Publishing begins here.
"""

from __future__ import annotations

REPOSITORY = "https://git.compilelint.example/compilelint"
SITE = "https://compilelint.example/"


def rule_page(code: str) -> str:
    """The address of a rule's page, by its code."""
    return f"{SITE}rules/{code}/"


def break_page(break_id: str) -> str:
    """The address at which an id of torch's registry of graph breaks (`GB0170`) is explained."""
    return f"{SITE}break-ids/#{break_id.lower()}"
