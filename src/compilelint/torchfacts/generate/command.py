"""Measures the installed torch: `python -m compilelint.torchfacts.generate [--check | --install] [--out FILE]`.

What needs a CUDA device is measured where torch sees one; `--only cuda` measures nothing else. Without a flag the
result is written to FILE (`facts-<version>.json`); `--check` compares it with the shipped table of this version and
names what differs; `--install` folds it into the shipped data. Interrupted, it goes on where it stopped when it is
started again with the same `--work` folder. Takes about 4 minutes on one core. `--check` and `--install` go on to what
operations return (`torchfacts.generate.results`), which takes some ten minutes more.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from compilelint.torchfacts import store
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.generate import fold, results, static
from compilelint.torchfacts.generate.batches import measure_all
from compilelint.torchfacts.generate.encode import Measured, dump, grouped
from compilelint.torchfacts.generate.groups import ON_DEVICE, QUIRKS
from compilelint.torchfacts.generate.traits import SYNC
from compilelint.torchfacts.verdict import parse
from compilelint.torchfacts.vocabulary import Reason, Returns


def _merged(lines: Sequence[dict[str, Any]]) -> tuple[dict[str, str], dict[str, list[str]], dict[str, str]]:
    """Verdicts by key, the keys whose probes disagree, and why keys have no verdict."""
    found: dict[str, list[str]] = {}
    missing: dict[str, str] = {}
    for line in lines:
        if "verdict" in line:
            found.setdefault(line["key"], []).append(line["verdict"])
        elif "unmeasured" in line:
            missing[line["key"]] = line["unmeasured"]
    # A clean form shows that the callable itself is fine; what breaks are its arguments.
    verdicts = {key: "ok" if "ok" in texts else texts[0] for key, texts in found.items()}
    disagreeing = {key: sorted(set(texts)) for key, texts in found.items() if len(set(texts)) > 1}
    return verdicts, disagreeing, {key: why for key, why in missing.items() if key not in found}


def _traits(lines: list[dict[str, Any]], verdicts: dict[str, str]) -> dict[str, Any]:
    returns: dict[str, str] = {}
    flags: dict[str, set[str]] = {"random": set(), "view": set(), "sync": set(SYNC)}
    for line in lines:
        key, traits = line["key"].removeprefix("layer:"), line.get("traits", {})
        if line["key"].startswith("layer:"):
            key = line["key"]
        if "returns" in traits:
            returns.setdefault(key, traits["returns"])
        for flag in ("random", "view"):
            if traits.get(flag):
                flags[flag].add(key)
    for key in returns:
        if (
            key in verdicts
            and parse(verdicts[key]).reason is Reason.DYNAMIC_SHAPE
            and returns[key] in ("tensor", "tensors")
        ):
            returns[key] = Returns.DYNAMIC_SHAPE.value
    # Every measured name of torch has an entry, since a missing one means a tensor; elsewhere it means unknown.
    for key in verdicts:
        if store.implied(key) and "|" not in key:
            returns.setdefault(key, Returns.UNKNOWN.value)
    known = {key: value for key, value in returns.items() if value != Returns.UNKNOWN.value or store.implied(key)}
    return {"returns": dict(sorted(known.items())), **{flag: sorted(names) for flag, names in flags.items()}}


def content_of(
    lines: list[dict[str, Any]], device_lines: Sequence[dict[str, Any]] = (), device: str = ""
) -> dict[str, Any]:
    """The measured file's content, the same for the same lines; without `lines` what only a device can show.

    `device` names the device of `device_lines`, empty where there is none.
    """
    verdicts, _, missing = _merged(lines)
    version, tables = torch.__version__.partition("+")[0], fold.shipped()
    verdicts = fold.with_newer_reasons(verdicts, version, tables)
    of_device, _, missing_on_device = _merged(device_lines)
    both = {**of_device, **verdicts}
    content = {
        "schema": store.SCHEMA,
        "torch": version,
        "python": platform.python_version(),
        "verdicts": grouped(verdicts),
        "unmeasured": dict(sorted(missing.items())),
    }
    if device:
        unmeasured = dict(sorted(missing_on_device.items()))
        content["device"] = {"name": device, "verdicts": grouped(of_device), "unmeasured": unmeasured}
    if lines:
        rules = {**static.rules(), "in_graph": static.in_graph(verdicts)}
        found = [line[QUIRKS] for line in lines if QUIRKS in line]
        if found:
            rules[QUIRKS] = frozenset(found[-1])
        content["config"] = dict(sorted(static.config().items()))
        content["rules"] = {name: sorted(names) for name, names in sorted(rules.items())}
    # Explanations are kept for the ids that a table can show.
    used = fold.used_ids([*tables.values(), Measured("", "", both)])
    return {
        **content,
        "traits": _traits([*lines, *device_lines], both),
        "registry": static.registered(),
        "words": {gb_id: row for gb_id, row in static.words().items() if gb_id in used},
    }


def differences(measured: dict[str, Any], data: Path = store.DATA) -> list[str]:
    """One line for each entry that the shipped table of this version has otherwise, or not at all.

    Raises FactsError where no table of this version is shipped.
    """
    version = measured["torch"]
    if version not in store.versions(data):
        raise FactsError(f"no table of torch {version} is shipped", str(data), "run with --install to add it")
    table = store.table(version, data)
    found = []
    for text, keys in measured["verdicts"].items():
        for key in keys:
            if table.verdicts.get(key) != text:
                found.append(f"{key}: shipped {table.verdicts.get(key, 'nothing')}, measured {text}")
            elif table.assumes(key):
                found.append(f"{key}: shipped as assumed, measured {text}")
    for text, keys in measured.get("device", {}).get("verdicts", {}).items():
        # Most versions only assume what another one did on a device: that it does the same is no difference.
        wrong = [key for key in keys if table.verdicts.get(key) != text]
        found += [f"{key}: shipped {table.verdicts.get(key, 'nothing')}, measured {text}" for key in wrong]
    config: dict[str, Any] = measured.get("config", table.config)
    for option in sorted(config.keys() | table.config.keys()):
        if config.get(option) != table.config.get(option):
            found.append(f"config {option}: shipped {table.config.get(option)!r}, measured {config.get(option)!r}")
    for rule, names in measured.get("rules", {}).items():
        for name in sorted(table.rules.get(rule, frozenset()) ^ set(names)):
            found.append(f"rule {rule}: {name} is {'measured' if name in names else 'shipped'} only")
    return found


def main() -> int:
    """Answers the exit code: 0 fine, 1 the shipped table differs, 2 no shipped table of this version."""
    parser = argparse.ArgumentParser(
        prog="python -m compilelint.torchfacts.generate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare with the shipped table instead of writing")
    mode.add_argument("--install", action="store_true", help="fold the result into the shipped tables")
    parser.add_argument("--out", type=Path, help="where to write the measured table")
    parser.add_argument(
        "--work", type=Path, help="folder for results on the way, to be able to go on after an interruption"
    )
    parser.add_argument("--jobs", type=int, default=1, help="worker processes at a time")
    parser.add_argument("--only", choices=["cuda"], help="measure what needs a CUDA device and nothing else")
    options = parser.parse_args()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    if options.only and not device:
        parser.error("--only cuda: torch sees no CUDA device; run it on a machine with one, with torch's CUDA build")
    with tempfile.TemporaryDirectory(prefix="torchfacts-") as scratch:
        work = options.work or Path(scratch)
        lines = [] if options.only else measure_all(work, jobs=options.jobs)
        device_lines = measure_all(work, jobs=options.jobs, groups=ON_DEVICE) if device else []
    measured = content_of(lines, device_lines, device)
    _, disagreeing, missing = _merged([*lines, *device_lines])
    for key, texts in disagreeing.items():
        print(f"{key} depends on its arguments ({' / '.join(texts)}): give it forms", file=sys.stderr)
    found = [measured["verdicts"], measured.get("device", {}).get("verdicts", {})]
    total = sum(len(keys) for verdicts in found for keys in verdicts.values())
    print(f"torch {measured['torch']}: {total} names measured, {len(missing)} not measurable here", file=sys.stderr)
    if options.out or not (options.check or options.install):
        out = options.out or Path(f"facts-{measured['torch']}{'-cuda' if options.only else ''}.json")
        out.write_text(dump(measured), encoding="utf-8")
        print(out)
    if options.install:
        try:
            print("\n".join(fold.install(measured)))
        except FactsError as error:
            print(error, file=sys.stderr)
            return 2
    mode_of_results = "--check" if options.check else "--install" if options.install else ""
    wrong = results.main([mode_of_results]) if mode_of_results and not options.only else 0
    return max(_report(measured) if options.check else 0, wrong)


def _report(measured: dict[str, Any]) -> int:
    try:
        found = differences(measured)
    except FactsError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(found) or f"the shipped table of torch {measured['torch']} agrees")
    if found:
        print("rebuild with: python -m compilelint.torchfacts.generate --install", file=sys.stderr)
    return 1 if found else 0
