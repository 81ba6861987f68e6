"""`compilelint.watch` as a callback of a trainer: each step is counted, a budget that is spent ends the training.

    trainer = transformers.Trainer(..., callbacks=[compilelint.callbacks.for_transformers(max_recompiles=0, warmup=50)])
    trainer = lightning.Trainer(..., callbacks=[compilelint.callbacks.for_lightning(max_recompiles=0, warmup=50)])

Neither library is imported before its function is called. The arguments are those of `compilelint.watch`.
"""

from __future__ import annotations

import importlib
from typing import Any

from compilelint.monitor import watch

_LIGHTNING = ("lightning.pytorch", "pytorch_lightning")


def for_transformers(**budget: Any) -> Any:
    """A `transformers.TrainerCallback` that watches from the first step of training to its end."""
    base: Any = importlib.import_module("transformers").TrainerCallback
    run = watch(**budget)

    class WatchCallback(base):  # type: ignore[misc]
        """Counts the steps that the optimizer made."""

        watched = run

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """Begin to listen."""
            run.start()

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """Count a step. Raises RecompileBudgetError."""
            run.step()

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """Print what it came to."""
            run.stop()

    return WatchCallback()


def for_lightning(**budget: Any) -> Any:
    """A `lightning.pytorch.Callback`, or one of `pytorch_lightning`, that watches while the trainer fits.

    Raises ImportError where neither is installed.
    """
    base: Any = _lightning().Callback
    run = watch(**budget)

    class WatchCallback(base):  # type: ignore[misc]
        """Counts the batches of training."""

        watched = run

        def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
            """Begin to listen."""
            run.start()

        def on_train_batch_end(self, trainer: Any, pl_module: Any, *batch: Any) -> None:
            """Count a step. Raises RecompileBudgetError."""
            run.step()

        def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
            """Print what it came to."""
            run.stop()

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            """Listen no more where the training has failed."""
            run.stop()

    return WatchCallback()


def _lightning() -> Any:
    for name in _LIGHTNING:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            missing = error
    raise missing
