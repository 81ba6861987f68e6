"""Where the project is on the web: the one place that names it.

Help links of SARIF, links of terminals and of the HTML report, and the links of the documentation site follow from
these. Empty means that there is no public home yet: then nothing links there, and reports name the text that is shipped
with the package (`compilelint rule CL101`). Publishing begins here, with `[project.urls]` of `pyproject.toml`;
`tests/model/test_site.py` holds one against the other.
"""

from __future__ import annotations

REPOSITORY = ""
"""As `https://git.host/owner/compilelint`."""
SITE = ""
"""As `https://host/`, with the slash at its end."""


def rule_page(code: str) -> str:
    """The address of a rule's page, by its code; empty while there is no site."""
    return f"{SITE}rules/{code}/" if SITE else ""


def break_page(break_id: str) -> str:
    """The address at which an id of torch's registry of graph breaks (`GB0170`) is explained; empty without a site."""
    return f"{SITE}break-ids/#{break_id.lower()}" if SITE else ""
