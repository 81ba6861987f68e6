"""`compilelint.watch` in trainers: the callbacks start, count and stop it when their library says so.

The libraries are stood in for by the class that they ask callbacks to be of.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from compilelint import callbacks
from compilelint.monitor import RecompileBudgetError

TRANSFORMERS = ("on_train_begin", "on_step_end", "on_train_end")
LIGHTNING = ("on_fit_start", "on_train_batch_end", "on_fit_end", "on_exception")


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both libraries with the base classes of their callbacks, and a torch that is there."""
    for name, base, events in (
        ("transformers", "TrainerCallback", TRANSFORMERS),
        ("lightning.pytorch", "Callback", LIGHTNING),
    ):
        module = ModuleType(name)
        setattr(module, base, type(base, (), dict.fromkeys(events, lambda *_, **__: None)))
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "lightning", ModuleType("lightning"))
    if "torch" not in sys.modules:
        monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))


def trained(callback: Any, steps: int) -> None:
    """The calls of transformers' trainer."""
    callback.on_train_begin(None, None, None, model=None)
    for _ in range(steps):
        callback.on_step_end(None, None, None, model=None)
    callback.on_train_end(None, None, None, model=None)


def fitted(callback: Any, steps: int) -> None:
    """The calls of Lightning's trainer."""
    callback.on_fit_start(None, None)
    for number in range(steps):
        callback.on_train_batch_end(None, None, {}, [], number)
    callback.on_fit_end(None, None)


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize(
    ("make", "train"),
    [(callbacks.for_transformers, trained), (callbacks.for_lightning, fitted)],
    ids=["transformers", "lightning"],
)
def test_steps_are_counted_and_a_spent_budget_ends_the_training(make: Any, train: Any) -> None:
    callback = make(quiet=True)
    train(callback, 3)
    assert callback.watched.steps == 3
    assert callback.watched.trace is not None
    strict = make(max_recompiles=0, quiet=True)
    strict.watched._again("a guard failed")
    with pytest.raises(RecompileBudgetError, match="1 recompile after step 0, 0 allowed; the last: a guard failed"):
        train(strict, 1)
    strict.watched.stop()


@pytest.mark.usefixtures("libraries")
def test_a_failed_training_is_watched_no_more() -> None:
    callback = callbacks.for_lightning(quiet=True)
    callback.on_fit_start(None, None)
    callback.on_exception(None, None, ValueError())
    callback.on_fit_end(None, None)
    assert callback.watched._handler is None


def test_without_the_library_its_import_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "_LIGHTNING", ("no_such_lightning", "nor_this_one"))
    with pytest.raises(ImportError, match="nor_this_one"):
        callbacks.for_lightning()
