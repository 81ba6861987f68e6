"""Converts the recorded tables (`facts-<version>.json`, one a torch version) to the data files of `torchfacts`.

Usage: python -m benchmarks.facts.convert RECORDED_FOLDER [--check]
The tables that `torchfacts.generate` measured since (`measured-<version>.json`, beside this file) are folded in after
Deterministic; `--check` writes nothing and exits 1, naming the files that would change.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.facts.keys import MIXED, api_keys, stdlib_keys, syntax_keys
from compilelint.torchfacts import Reason, Verdict
from compilelint.torchfacts.generate.encode import OPTIONS, Measured, dump, readable, write
from compilelint.torchfacts.generate.fold import fold, traits_content, used_ids, with_words
from compilelint.torchfacts.reasons import reason_of_key, reason_of_words
from compilelint.torchfacts.store import DATA, SCHEMA, key_of
from compilelint.torchfacts.vocabulary import Capture

_CAPTURES = {"S": Capture.SCALAR, "D": Capture.DYNAMIC_SHAPE}
_RULES = {
    "builtin_skip_modules": "skip_modules",
    "thirdparty_skip_modules": "skip_modules",
    "polyfills": "polyfills",
    "constant_fold": "constant_fold",
}


def verdict_of(key: str, recorded: str, types: dict[str, str]) -> Verdict:
    """The verdict behind a recorded text such as `skipframe:GB0124;full=ok;cfg=S`."""
    cfg = re.search(r";cfg=([SD]+)$", recorded)
    text = recorded[: cfg.start()] if cfg else recorded
    head, _, full = text.partition(";full=")
    cured_by = frozenset(_CAPTURES[letter] for letter in (cfg.group(1) if cfg else ""))
    if full and not re.fullmatch(r"ok|GB\d+", full):
        full = "break" if re.match(r"legacy: (Graph break|'skip|Can't find|Dynamic control)", full) else "error"
    if head == "ok":
        return Verdict(full=full, cured_by=cured_by)
    skips_frame, raises = head.startswith("skipframe:"), head.startswith("error:")
    words = re.sub(r"^(skipframe:|error:)?(legacy: )?", "", head)
    # torch 2.8 registers this one under a placeholder type, so the recording has its words instead of its id.
    words = "GB0170" if words == "Data-dependent branching" else words
    gb_id = words if re.fullmatch(r"GB\d+", words) else None
    reason = reason_of_key(key) or (
        Reason.COMPILE_ERROR if raises and gb_id is None else reason_of_words(types.get(words, words))
    )
    return Verdict(reason, gb_id, skips_frame, raises, full, cured_by)


def convert(recorded: dict[str, Any]) -> Measured:
    """One version's table in our keys and reasons."""
    config = {option: value for option, value in recorded["config"].items() if option in OPTIONS}
    table = Measured(recorded["torch"], recorded["python"], config=config)

    def put(keys: tuple[str, ...], text: str) -> None:
        for key in keys:
            table.verdicts[key] = str(verdict_of(key, text, recorded["gb"]))

    for text, labels in recorded["api"].items():
        for label in labels:
            if text != "mixed" and label not in MIXED:
                put(api_keys(label), text)
    for text, labels in recorded["api"].items():
        for label in labels:
            if label in MIXED and text != "mixed":
                put(api_keys(label), text)
    for label, forms in recorded["mixed"].items():
        for pattern, form in MIXED.get(label, ()):
            text = next((text for source, text in forms if re.search(pattern, source)), None)
            if text is None:
                continue
            if form.endswith(":"):
                put((form + label,), text)
            else:
                put(tuple(f"{key}|{form}" if form else key for key in api_keys(label)), text)
    for label, text in recorded["stdlib"].items():
        put(stdlib_keys(label), text)
    for label, text in recorded["syntax"].items():
        put(syntax_keys(label), text)
    for rule, target in _RULES.items():
        names = readable(recorded["trace_rules"].get(rule) or ())
        table.rules[target] = table.rules.get(target, frozenset()) | names
    return table


def registry_content(recorded: list[dict[str, Any]]) -> dict[str, Any]:
    """`registry.json`: by our reason and the bit masks of versions, present and live, the type of each id.

    An id that was renamed has a list of types, each with its own mask.
    """
    versions = [version["torch"] for version in recorded]
    reasons: dict[str, dict[str, dict[str, Any]]] = {}
    for gb_id in sorted({gb_id for version in recorded for gb_id in version["gb"]}):
        types: dict[str, int] = {}
        present = live = 0
        for index, version in enumerate(recorded):
            if gb_id in version["gb"]:
                present |= 1 << index
                live |= (gb_id in version["gb_live"]) << index
                text = "Data-dependent branching" if version["gb"][gb_id] == "_gb_type" else version["gb"][gb_id]
                types[text] = types.get(text, 0) | 1 << index
        if not live:
            continue  # retired before the oldest version here: it is never met
        newest = list(types)[-1]
        by_masks = reasons.setdefault(reason_of_words(newest).value, {})
        named = newest if len(types) == 1 else [[text, mask] for text, mask in types.items()]
        by_masks.setdefault(f"{present} {live}", {})[gb_id.removeprefix("GB")] = named
    return {"schema": SCHEMA, "versions": versions, "reasons": dict(sorted(reasons.items())), "words": {}, "hints": []}


def build(recorded_folder: Path, measured_paths: list[Path], out: Path) -> dict[str, int]:
    """Writes all data files into `out` and answers their sizes in bytes by name."""
    paths = recorded_folder.glob("facts-[0-9]*.json")
    recorded = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    recorded.sort(key=lambda version: key_of(version["torch"]))
    tables = {version["torch"]: convert(version) for version in recorded}
    registry = registry_content(recorded)
    (out / "registry.json").write_text(dump(registry), encoding="utf-8")
    measured = [json.loads(path.read_text(encoding="utf-8")) for path in measured_paths]
    for table in measured:
        fold(table, tables, out)
    for table in measured:
        registry = with_words(registry, table["words"], used_ids(tables.values()))
    (out / "traits.json").write_text(dump(traits_content(measured)), encoding="utf-8")
    write(tables.values(), out)
    (out / "registry.json").write_text(dump(registry), encoding="utf-8")
    return {path.name: path.stat().st_size for path in sorted(out.glob("*.json"))}


def main() -> int:
    """Converts, or checks; answers the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path, help="folder of the recorded tables")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file would change")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sizes = build(options.recorded, sorted(Path(__file__).parent.glob("measured-*.json")), folder)
        changed = [name for name in sizes if not _same(DATA / name, folder / name)]
        if not options.check:
            for name in changed:
                (DATA / name).write_bytes((folder / name).read_bytes())
    for name, size in sizes.items():
        print(f"{name:16} {size:7} bytes{'  changed' if name in changed else ''}")
    return 1 if options.check and changed else 0


def _same(path: Path, other: Path) -> bool:
    return path.exists() and path.read_bytes() == other.read_bytes()


if __name__ == "__main__":
    sys.exit(main())
