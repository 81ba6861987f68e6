"""Reads the data files and puts one version's table together; knows nothing of what the entries mean.

`<version>.json` holds either a whole table or what differs from the version its `base` names; the chain ends at
the newest shipped version. `conditions.json`, `traits.json`, `registry.json` and
`reach.json` hold for all versions.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError

DATA = Path(__file__).with_name("data")
SCHEMA = 1
IMPLIED = "tensor"
IN_PLACE = "*_"
_IDS = late_pattern(r"@GB\d+|;full=GB\d+")
_HINT = "reinstall compilelint"


@dataclass(frozen=True, slots=True)
class Table:
    """One version's raw table: `verdicts` maps keys (see `facts.py`) to verdict texts.

    `lent` holds the keys that only generated tables measured; a table that is not `generated` assumes them.
    `device` holds the keys that were measured on a CUDA device; a table that is not `on_device` assumes them.
    `config` are Dynamo's defaults; `rules` the trace rules, each a set of dotted names.
    """

    version: str
    python: str
    generated: bool
    verdicts: dict[str, str]
    lent: frozenset[str]
    device: frozenset[str]
    device_versions: tuple[str, ...]
    config: dict[str, Any]
    rules: dict[str, frozenset[str]]

    @property
    def on_device(self) -> bool:
        """Whether this version was measured on a CUDA device."""
        return self.version in self.device_versions

    def assumes(self, key: str) -> bool:
        """Whether the table has a verdict of `key` that was measured in another version only."""
        if key not in self.verdicts:
            return False
        return (not self.generated and key in self.lent) or (not self.on_device and key in self.device)


def key_of(version: str) -> tuple[int, ...]:
    """A sortable key of a release number; local and pre-release parts do not count (`2.9.0a0+cu126` is 2.9.0).

    Raises FactsError where `version` does not start with a number.
    """
    numbers: list[int] = []
    for part in version.strip().removeprefix("v").split("+")[0].split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    if not numbers:
        raise FactsError(f"{version!r} is not a torch version", "requested version", "write it like 2.9 or 2.9.1")
    return tuple(numbers)


def versions(data: Path = DATA) -> tuple[str, ...]:
    """The versions that have a file in `data`, oldest first; raises FactsError where there is none."""
    found = [path.stem for path in data.glob("*.*.*.json") if path.stem[:1].isdigit()]
    if not found:
        raise FactsError("no fact table found", str(data), _HINT)
    return tuple(sorted(found, key=key_of))


def read(name: str, data: Path = DATA) -> dict[str, Any]:
    """The JSON object in `data`/`name`; raises FactsError where it is missing, damaged or of another schema."""
    path = data / name
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise FactsError(f"fact file {name} is missing", str(path), _HINT) from error
    except OSError as error:
        raise FactsError(f"fact file {name} cannot be read: {error.strerror}", str(path), _HINT) from error
    except ValueError as error:
        raise FactsError(f"fact file {name} is damaged: {error}", str(path), _HINT) from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise FactsError(f"fact file {name} is not of schema {SCHEMA}", str(path), _HINT)
    return content


@functools.lru_cache(maxsize=16)
def table(version: str, data: Path = DATA) -> Table:
    """The whole table of a shipped `version`; raises FactsError where a file of its chain is missing or damaged."""
    name = f"{version}.json"
    content = read(name, data)
    try:
        return _merge(version, content, data)
    except (KeyError, TypeError, AttributeError) as error:
        raise FactsError(f"fact file {name} is damaged: {error!r}", str(data / name), _HINT) from error


def _merge(version: str, content: dict[str, Any], data: Path) -> Table:
    base = content.get("base")
    if base is None:
        verdicts, config, rules = dict[str, str](), dict[str, Any](), dict[str, frozenset[str]]()
        lent = _shared_keys(content["lent"], verdicts)
        device, on_device = _shared_keys(content["device"]["verdicts"], verdicts), content["device"]["versions"]
    else:
        if key_of(base) <= key_of(version):
            raise FactsError(f"fact file {version}.json names {base} as its base", str(data), _HINT)
        newer = table(base, data)
        verdicts, config, rules = newer.verdicts.copy(), newer.config.copy(), newer.rules.copy()
        lent, device, on_device = newer.lent, newer.device, newer.device_versions
    if content.get("without_ids"):
        verdicts = {key: without_ids(text) for key, text in verdicts.items()}
    for text, keys in content["verdicts"].items():
        verdicts.update(dict.fromkeys(unpacked(keys), text))
    for key in unpacked(content.get("gone", {})):
        verdicts.pop(key, None)
    config.update(content["config"])
    for option in content.get("config_gone", ()):
        config.pop(option, None)
    for rule, change in content["rules"].items():
        gone, names = unpacked(change.get("gone", {})), unpacked(change["names"])
        rules[rule] = rules.get(rule, frozenset()).difference(gone).union(names)
    return Table(
        version, content["python"], content["generated"], verdicts, lent, device, tuple(on_device), config, rules
    )


def _shared_keys(groups: dict[str, Any], verdicts: dict[str, str]) -> frozenset[str]:
    """The keys of `groups`; their verdicts go into `verdicts`, those under the empty text excepted."""
    found: list[str] = []
    for text, keys in groups.items():
        names = unpacked(keys)
        found += names
        verdicts.update(dict.fromkeys(names, text) if text else {})
    return frozenset(found)


_WITHOUT_TENSORS = tuple(
    f"torch.{space}."
    for space in """
    _dynamo accelerator amp autograd.functional autograd.graph autograd.profiler backends compiler cpu cuda distributed
    fx futures hub jit mps mtia nn.Module nn.attention nn.utils optim overrides profiler random serialization utils xpu
    """.split()
)


def implied(name: str) -> bool:
    """Whether a measured name that `traits.json` does not list returns a tensor; of all others nothing is known."""
    return name.startswith(("torch.", "layer:torch.")) and not name.startswith(_WITHOUT_TENSORS)


def without_ids(text: str) -> str:
    """A verdict's text for a torch that has no break ids (before 2.8)."""
    return _IDS.sub("", text)


def unpacked(keys: dict[str, str | list[str]]) -> list[str]:
    """The keys of a `places -> names` object: each name in each place, names being a list or one string with blanks.

    Places are separated by commas: prefixes, or a prefix and `*_` for the name with an underscore behind it.
    """
    found: list[str] = []
    for places, texts in keys.items():
        names = texts.split() if isinstance(texts, str) else texts
        for place in places.split(","):
            if place.endswith(IN_PLACE):
                prefix = place.removesuffix(IN_PLACE)
                found += [f"{prefix}{name}_" for name in names]
            else:
                found += [place + name for name in names]
    return found
