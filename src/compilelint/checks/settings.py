"""CL845: settings that this version of torch does not have."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Setting
from compilelint.model import Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts
from compilelint.torchfacts.settings import settings

UNKNOWN_SETTING = Rule("CL845", "unknown-setting", "a setting that this version of torch does not have", Effect.ERROR)


@check(UNKNOWN_SETTING, on=Setting)
def unknown_setting(event: Setting, facts: TorchFacts) -> Iterator[Finding]:
    """`torch._dynamo.config.max_recompiles = 64`."""
    if event.guarded:
        return
    for module, names in settings().get(facts.version.partition("+")[0], {}).items():
        name = event.name.removeprefix(f"{module}.")
        if name == event.name or name in names or any(one.startswith(f"{name}.") for one in names):
            continue
        import difflib  # imported where a name is wrong: few runs need it

        close = difflib.get_close_matches(name, names, 1, 0.5)
        yield at(
            UNKNOWN_SETTING,
            event,
            f"torch {facts.version} has no setting `{name}`",
            why=f"Assigning a name that `{module}` does not have raises AttributeError.",
            help=f"is `{close[0]}` meant?" if close else "remove it, or ask for it with `hasattr` first",
        )
