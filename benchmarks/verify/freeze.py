"""Writes recipes for `rebuild`: runs factories that build models somehow, and keeps what they built as plain data.

CASES are JSON lines {"case", "factory": "file.py:function", "factory_args", "mode"}; a factory returns the model and
its calls. A recipe is kept only if the model that is rebuilt from it has the same configuration. Run once per recorded
version, in an environment with the libraries; to check the agreement only, you need `agree` alone.

    python -m benchmarks.verify.freeze --cases CASES --factories FOLDER --count 120 --output RECIPES TRUTH...
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch

from benchmarks.verify.rebuild import built
from compilelint.dynamic.scoring import read_cases

SEED = 7
_OF_BREAKING = 2 / 3
_MOST_VALUES = 300
_MOST_NUMBERS = 8  # boxes among the labels must be boxes
_NO_TRAIT = {"transformers_version", "_name_or_path", "architectures", "id2label", "label2id"}


def sample(cases: Sequence[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    """A reproducible choice of `count` cases, each of another model class, two thirds of them breaking."""
    shuffled = sorted(cases, key=lambda case: str(case["case"]))
    Random(SEED).shuffle(shuffled)
    chosen: dict[str, Mapping[str, Any]] = {}
    for breaking, most in ((True, round(count * _OF_BREAKING)), (False, count)):
        for case in shuffled:
            model = str(case.get("model_class") or case["case"])
            if len(chosen) < most and model not in chosen and bool(_own_breaks(case)) is breaking:
                chosen[model] = case
    return list(chosen.values())


def _own_breaks(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in case["breaks"] if not one.get("secondary")]


def frozen(value: Any) -> Any:
    """A value as JSON; see `rebuild.thawed`. Raises TypeError for what is no plain data."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, tuple):
        return {"tuple": [frozen(one) for one in value]}
    if isinstance(value, list):
        return [frozen(one) for one in value]
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a key that is not a string")
        return {"dict": {name: frozen(one) for name, one in value.items()}}
    raise TypeError(f"{type(value).__name__} is no plain data")


def _tensor(value: torch.Tensor) -> dict[str, Any]:
    recipe: dict[str, Any] = {"tensor": list(value.shape), "dtype": str(value.dtype).removeprefix("torch.")}
    distinct = value.unique()
    if distinct.numel() == 1 and value.numel() > 1:
        return {**recipe, "fill": distinct[0].item()}
    if not value.dtype.is_floating_point and value.numel() > _MOST_VALUES:
        return {**recipe, "below": int(value.max()) + 1}
    if not value.dtype.is_floating_point or value.numel() <= _MOST_NUMBERS:
        return {**recipe, "values": value.flatten().tolist()}
    return recipe


def recipe_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Build a case with its factory and say how to build it without."""
    file, _, function = case["factory"].rpartition(":")
    factory = importlib.import_module(Path(file).stem)
    made, calls, *_ = getattr(factory, function)(**case["factory_args"])
    recipe: dict[str, Any] = {"case": case["case"], "mode": case["mode"]}
    if isinstance(made, torch.nn.Module) and hasattr(made, "config_class") and made.config_class is not None:
        config = made.config
        default = _traits(type(config)())
        changed = {name: one for name, one in _traits(config).items() if name not in default or default[name] != one}
        recipe.update({"class": type(made).__name__, "config_class": type(config).__name__})
        recipe["config"] = frozen(changed)["dict"]
    elif isinstance(made, torch.nn.Module):
        name, arguments, _ = factory.M[case["factory_args"]["name"]]
        recipe.update({"class": name, "arguments": frozen(arguments)["dict"]})
    else:
        recipe.update({"class": case["factory_args"]["cls"], "method": case["factory_args"]["what"]})
    recipe["calls"] = [{"args": frozen(list(args)), "named": frozen(dict(named))["dict"]} for args, named in calls]
    again, _ = built(recipe)
    if "config" in recipe and _traits(again.config) != _traits(made.config):
        first, second = _traits(again.config), _traits(made.config)
        names = [name for name in second if first.get(name) != second[name]]
        raise ValueError(f"rebuilt with other {', '.join(names)}")
    return recipe


def _traits(config: Any) -> Any:
    """All that a configuration says, without what no run depends on."""
    return _without(config.to_dict())


def _without(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without(one) for name, one in value.items() if name not in _NO_TRAIT}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the recipes, and say which cases have none."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", nargs="+")
    parser.add_argument("--cases", nargs="+", required=True, help="JSON lines that say how cases are built")
    parser.add_argument("--factories", required=True, help="folder of the factories they name")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--output", required=True)
    options = parser.parse_args(argv)
    sys.path.insert(0, options.factories)
    known = {}
    for path in options.cases:
        known.update({json.loads(line)["case"]: json.loads(line) for line in Path(path).read_text().splitlines()})
    cases = sample([case for case in read_cases(options.truth) if case["case"] in known], options.count)
    lines = []
    for number, case in enumerate(cases):
        try:
            lines.append(json.dumps(recipe_of(known[case["case"]])) + "\n")
        except (TypeError, ValueError, KeyError) as error:
            print(f"{case['case']}: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"{number + 1}/{len(cases)} {case['case']}", file=sys.stderr, flush=True)
    with open(options.output, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as out:
        out.write("".join(sorted(lines)).encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
