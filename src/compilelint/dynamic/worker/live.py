"""The same run for a model that lives in this process already: what the pytest plugin asks for.

Nothing survives a crash here, as nothing in a test does. The caller has torch loaded.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Mapping
from typing import Any

import torch

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker.asked import Asked
from compilelint.dynamic.worker.inputs import Calls, described
from compilelint.dynamic.worker.job import Ended, compare, configured
from compilelint.dynamic.worker.loading import Loaded, place_of


def run_live(
    model: Any, args: tuple[Any, ...], named: Mapping[str, Any], target: Target, settings: Settings
) -> dict[str, Any]:
    """Compile and call a model as a worker would, and report what a worker would."""
    train = isinstance(model, torch.nn.Module) and model.training
    observed: dict[str, Any] = {"fate": "ran", "torch": torch.__version__, "mode": "train" if train else "eval"}
    loaded = Loaded(model, None, place_of(model))
    observed["place"] = loaded.place
    first = (tuple(args), dict(named))
    calls = Calls([first, *(copy.deepcopy(first) for _ in range(settings.repeats - 1))], "the test")
    observed.update(inputs=described(first), inputs_from=calls.source)
    asked = Asked(target, settings)
    torch._dynamo.reset()
    try:
        with (
            configured(settings),
            tempfile.TemporaryDirectory(prefix="compilelint-") as folder,
            torch.random.fork_rng(devices=[]),
        ):
            compare(asked, loaded, calls, 0, folder, observed, lambda phase: None, first=True)
    except Ended as end:
        observed.update(fate=end.fate, detail=end.detail)
    torch._dynamo.reset()
    return observed
