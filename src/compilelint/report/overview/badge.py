"""A badge of the readiness report: what a shields.io endpoint reads, as JSON; nothing is fetched or drawn here."""

from __future__ import annotations

import json

from compilelint.report.layout.text import json_text
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.roots import Compiled


def render(overview: Overview) -> str:
    """The document of an endpoint badge: https://shields.io/badges/endpoint-badge."""
    label = "torch.export" if overview.exports else "torch.compile"
    message, color = _message(overview)
    return json_text(json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": color})) + "\n"


def _message(overview: Overview) -> tuple[str, str]:
    """`5 of 7 in one graph`, of what the code compiles, else of its models; and its colour."""
    functions = overview.of_kind("explicit") or overview.of_kind("forward")
    if not functions:
        return "nothing checked", "lightgrey"
    whole = sum(map(_is_whole, functions))
    color = "brightgreen" if whole == len(functions) else "red" if any(one.failures for one in functions) else "yellow"
    return f"{whole} of {len(functions)} {'can be exported' if overview.exports else 'in one graph'}", color


def _is_whole(one: Compiled) -> bool:
    return not one.failures and not one.breaks and bool(one.graphs.most)
