"""The deployment report of an overview: verdicts on its functions, advice from the code around, commands."""

from __future__ import annotations

from collections.abc import Callable

from compilelint.report.layout.quoted import Lines
from compilelint.report.overview.blocks import Blocks
from compilelint.report.overview.deployment.advice import advice, obstacle
from compilelint.report.overview.deployment.expected import assumptions
from compilelint.report.overview.deployment.plan import Asked, Deployment
from compilelint.report.overview.deployment.protocol import commands
from compilelint.report.overview.deployment.surroundings import Surroundings
from compilelint.report.overview.deployment.verdicts import SETTINGS, judged, verdict
from compilelint.report.overview.overview import Overview

MOST_VERDICTS = 4


def deploy(overview: Overview, asked: Asked, shown: Callable[[str], str]) -> Deployment:
    """What to do with a project for a purpose; `shown` writes a path."""
    purpose = asked.purpose
    around = Surroundings(asked.practices, overview.report.base, shown)
    found = judged(overview, asked.tops)
    in_loop = Blocks(Lines(overview.report)).repeats
    why = obstacle(around, purpose)
    verdicts = tuple(verdict(one, purpose, why, in_loop, around.of("once")) for one in found)
    said = tuple(advice(overview, found[:MOST_VERDICTS], around, purpose))
    assumes = assumptions(SETTINGS[purpose]) if purpose in SETTINGS else ""
    left = len(overview.functions) - len(found)
    return Deployment(purpose, verdicts, left, said, tuple(commands(purpose, verdicts)), assumes)
