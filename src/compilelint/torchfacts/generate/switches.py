"""Try which breaks each setting of Dynamo removes, in the installed torch. Imports torch.

python -m compilelint.torchfacts.generate.switches             # print them
python -m compilelint.torchfacts.generate.switches --install   # fold them into switches.json
python -m compilelint.torchfacts.generate.switches --check     # compare with what is there; 1 if it differs

Dynamo's registry of breaks names settings in its hints. Each is tried on a program that breaks without it: a row holds
the ids that are gone with it. What the hints name and no trial shows is printed, so that nothing is believed untried.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from compilelint.torchfacts.store import DATA, SCHEMA

_PRELUDE = """
import logging
import warnings

import torch
from torch import nn

log = logging.getLogger("program")
rnn = nn.LSTM(4, 4)
"""


class Trial(NamedTuple):
    """A setting, the value that it is given, and the body of a function of a tensor `x` that breaks without it."""

    setting: str
    value: str
    body: str
    argument: str = "torch.ones(3)"


TRIALS = (
    Trial("allow_rnn", "True", "return rnn(x * 2)[0] + 1", "torch.ones(5, 2, 4)"),
    Trial("capture_scalar_outputs", "True", "return x * x.sum().item()"),
    Trial("capture_dynamic_output_shape_ops", "True", "return x.nonzero() + 1"),
    Trial("enable_trace_load_build_class", "True", "class Box:\n    scale = 2\nreturn x * Box.scale"),
    Trial("graph_break_on_nn_param_ctor", "False", "return x * nn.Parameter(torch.ones(3))"),
    Trial(
        "trace_autograd_ops",
        "True",
        "return torch.autograd.grad((x * x).sum(), x)[0] + 1",
        "torch.ones(3, requires_grad=True)",
    ),
    Trial("trace_autograd_ops", "True", "y = (rnn.weight_hh_l0 * x[0]).sum()\ny.backward()\nreturn y * 2"),
    Trial("reorderable_logging_functions", "{print}", "y = x * 2\nprint('mean', y)\nreturn y + 1"),
    Trial("reorderable_logging_functions", "{warnings.warn}", "y = x * 2\nwarnings.warn('slow')\nreturn y + 1"),
    Trial("reorderable_logging_functions", "{log.info}", "y = x * 2\nlog.info('step')\nreturn y + 1"),
    Trial("ignore_logging_functions", "{log.info}", "y = x * 2\nlog.info('step')\nreturn y + 1"),
    Trial("ignore_logging_functions", "{logging.Logger.info}", "y = x * 2\nlog.info('step')\nreturn y + 1"),
    Trial("ignore_logging_functions", "{print}", "y = x * 2\nprint('mean', y)\nreturn y + 1"),
    Trial("ignore_logging_functions", "{warnings.warn}", "y = x * 2\nwarnings.warn('slow')\nreturn y + 1"),
)
_FUNCTIONS = re.compile(r"\{(.+)\}")
_SETTING = re.compile(r"[a-z_]{6,}")


def breaks_of(trial: Trial, switched: bool) -> frozenset[str]:
    """The ids at which the program of a trial breaks, with the setting and without."""
    import torch
    import torch._dynamo

    names: dict[str, Any] = {}
    body = trial.body.replace("\n", "\n    ")
    exec(f"{_PRELUDE}\ndef f(x):\n    {body}\n", names)
    value = eval(trial.value, names)
    given = eval(trial.argument, names)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    with torch._dynamo.config.patch({trial.setting: value} if switched else {}):
        torch.compile(names["f"], backend="eager")(given)
    reasons = " ".join(torch._dynamo.utils.counters["graph_break"])
    return frozenset(found.upper() for found in re.findall(r"\bgb\d{4}\b", reasons, re.IGNORECASE))


def read(tried: Callable[[Trial, bool], frozenset[str]] = breaks_of) -> dict[str, dict[str, Any]]:
    """By setting: the value that was tried, and the ids or the functions whose breaks are gone with it."""
    config: Any = importlib.import_module("torch._dynamo.config")
    rows: dict[str, dict[str, Any]] = {}
    for trial in TRIALS:
        if trial.setting not in config._config:
            continue
        before, after = tried(trial, False), tried(trial, True)
        gone = before - after if not after else frozenset()
        if not gone:
            continue
        function = _FUNCTIONS.fullmatch(trial.value)
        row = rows.setdefault(trial.setting, {} if function else {"value": trial.value == "True"})
        key, found = ("functions", {function[1]}) if function else ("ids", gone)
        row[key] = sorted({*row.get(key, ()), *found})
    return dict(sorted(rows.items()))


def untried(rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    """What the hints of Dynamo's registry say of settings and no row shows."""
    import torch._dynamo

    config: Any = importlib.import_module("torch._dynamo.config")
    registry = Path(inspect.getfile(torch._dynamo)).with_name("graph_break_registry.json")
    for gb_id, entries in json.loads(registry.read_text()).items():
        hints = " ".join(entries[0]["Hints"])
        for name in sorted({*_SETTING.findall(hints)} & config._config.keys()):
            row = rows.get(name, {})
            if gb_id not in row.get("ids", ()) and "functions" not in row:
                yield f"{name}: {gb_id}, {entries[0]['Gb_type']}"


def main(argv: list[str]) -> int:
    """Print, install or compare; the exit status."""
    import torch

    version, rows = torch.__version__.partition("+")[0], read()
    path = DATA / "switches.json"
    known: dict[str, Any] = json.loads(path.read_text())["versions"] if path.is_file() else {}
    if "--check" in argv:
        if known.get(version) == rows:
            return 0
        print(f"{path} differs: python -m compilelint.torchfacts.generate.switches --install")
        return 1
    known[version] = rows
    text = json.dumps({"schema": SCHEMA, "versions": dict(sorted(known.items()))}, indent=1) + "\n"
    if "--install" in argv:
        path.write_text(text)
    else:
        print(text, end="")
    print(*(f"shown by no trial: {line}" for line in untried(rows)), sep="\n", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
