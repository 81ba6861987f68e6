"""A rule's metadata: a literal in `checks/`, completed by the page of the same code in `rules/`."""

from __future__ import annotations

from compilelint.model.effect import Effect, Safety
from compilelint.model.site import rule_page
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """Code and name never change meaning. `name` is kebab-case, names the pattern, and holds no instruction.

    `breaks` lists the reason codes of `torchfacts` (not GB ids, which move between torch versions) that the
    rule reports; `fix` is the safety of the rewrite it may offer, None where it has none.
    """

    code: str
    name: str
    summary: str
    effect: Effect
    breaks: tuple[str, ...] = ()
    fix: Safety | None = None
    since: str = "0.1"
    more_effects: tuple[Effect, ...] = ()
    pack: str = ""
    page: str = ""
    url: str = ""

    @property
    def family(self) -> str:
        """`CL1` for `CL101`; the letters alone for a pack's, `TEAM` for `TEAM001`."""
        return self.code.rstrip("0123456789") if self.pack else self.code[:3]

    @property
    def address(self) -> str:
        """Where its page stands on the web; empty for a pack's rule that has none."""
        return self.url if self.pack else rule_page(self.code)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """All effects, worst first."""
        order = list(Effect)
        return tuple(sorted({self.effect, *self.more_effects}, key=order.index))
