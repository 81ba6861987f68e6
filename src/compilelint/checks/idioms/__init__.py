"""Help by idiom: what to write instead of a statement, by what the statement does and not by its rule alone.

An `Idiom` has a name, the rules it advises, and the question whether an event stands in such a statement, asked of the
event's values and the IR around it (`Place`). Each has a program in `rules/idioms`, before and after, that the tests
run under the real TorchDynamo: before breaks a graph, after breaks none, with equal results and gradients. Does not
belong here: what a break is (`checks.breaks`), and edits (`fixes`).
"""

from __future__ import annotations

from compilelint.checks.idioms import branches, constructs, reads, shapes
from compilelint.checks.idioms.idiom import Idiom, Place
from compilelint.events import Event
from compilelint.syntax.spelling import spelled
from compilelint.torchfacts import TorchFacts

IDIOMS: tuple[Idiom, ...] = (*reads.FIRST, *branches.IDIOMS, *reads.IDIOMS, *shapes.IDIOMS, *constructs.IDIOMS)
"""All of them; of those of one rule the first that fits is the advice."""

_BY_RULE = {
    code: tuple(one for one in IDIOMS if code in one.rules)
    for code in sorted({code for one in IDIOMS for code in one.rules})
}


def advice(code: str, event: Event, facts: TorchFacts) -> str:
    """What to write instead, by the idiom that an event of a rule stands in; empty where it stands in none of them."""
    idiom = idiom_of(code, event, facts)
    if idiom is None:
        return ""
    return idiom.help.replace("{}", spelled(Place(event, facts).asked)) if "{}" in idiom.help else idiom.help


def idiom_of(code: str, event: Event, facts: TorchFacts) -> Idiom | None:
    """The first idiom of a rule that an event stands in; None where it stands in none."""
    candidates = _BY_RULE.get(code)
    if candidates is None:
        return None
    place = Place(event, facts)
    return next((idiom for idiom in candidates if idiom.fits(place)), None)
