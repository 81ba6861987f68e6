"""pytest fixtures that keep models compile-ready: `compile_check` and `compilelint_targets`.

    def test_my_model_compiles(compile_check):
        compile_check(MyModel(), torch.randn(2, 8), only="mypkg")

    def test_targets(compilelint_targets):      # once for each [[tool.compilelint.targets]]
        compilelint_targets.check()

Loading this imports neither torch nor LibCST nor anything of ours: pytest loads it in every project that has
compilelint installed.
"""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from compilelint.config import Options
    from compilelint.dynamic.targets import Target
    from compilelint.model import TargetRun


class CompileCheck:
    """Compiles a model, calls it, and fails the test where that is not clean. See `__call__`."""

    def __call__(
        self,
        model: Any,
        *args: Any,
        max_breaks: int = 0,
        max_recompiles: int | None = None,
        max_syncs: int | None = None,
        parity: bool = True,
        only: str | None = None,
        **kwargs: Any,
    ) -> TargetRun:
        """Call `model(*args, **kwargs)` compiled, twice, and compare with eager; train mode compares gradients too.

        Fails with the diagnostics of `compilelint verify` for more than `max_breaks` graph breaks or `max_recompiles`
        recompilations, and with `parity` where compiled and eager differ. `only` counts what lies in that package.
        With `max_syncs` one more call, in eager code, must not wait for a device more often than that.
        The model is left in whatever state its calls leave it. Returns what was seen.
        """
        __tracebackhide__ = True
        from compilelint.dynamic.observations import run_of
        from compilelint.dynamic.protocol import Settings
        from compilelint.dynamic.targets import Target
        from compilelint.dynamic.worker.live import run_live

        name = getattr(model, "__qualname__", None) or type(model).__qualname__
        mode = "train" if getattr(model, "training", False) else "eval"
        target = Target("test:model", name=name, mode=mode, max_breaks=max_breaks, max_recompiles=max_recompiles)
        with _without_trace():
            observed = run_live(model, args, kwargs, target, Settings(parity=parity))
        if only is not None:
            _keep_only(observed, only)
        run = run_of(target, observed, "")
        _refuse_unanswered([run])
        if not run.within_budget:
            pytest.fail(_diagnosis([run]), pytrace=False)
        if max_syncs is not None:
            _refuse_syncs(name, model, args, kwargs, max_syncs)
        return run


def _refuse_syncs(name: str, model: Any, args: Sequence[Any], kwargs: dict[str, Any], most: int) -> None:
    from compilelint.dynamic.worker.syncs import syncs_of
    from compilelint.report.layout.text import counted, escaped

    __tracebackhide__ = True
    seen = syncs_of(model, args, kwargs)
    if len(seen) > most:
        lines = "".join(f"\n  {escaped(one.text())}" for one in seen)
        head = f"a call of {name} waits {counted(len(seen), 'time')} for its device, {most} allowed"
        pytest.fail(f"compilelint: {head}:{lines}", pytrace=False)


@contextmanager
def _without_trace() -> Iterator[None]:
    """torch's structured trace stays out of "Captured log call": 195 of the 265 lines of a failed test were its.

    It is left alone where it was asked for (`TORCH_TRACE`). torch itself sets the logger's level and `propagate` again.
    """
    logger = logging.getLogger("torch.__trace")
    before = logger.disabled
    logger.disabled = "TORCH_TRACE" not in os.environ
    try:
        yield
    finally:
        logger.disabled = before


@dataclass(frozen=True)
class TargetCheck:
    """One configured target and what its run saw."""

    target: Target
    run: TargetRun

    def check(self) -> TargetRun:
        """Fail the test where the target breaks its budget, differs from eager or did not run."""
        __tracebackhide__ = True
        _refuse_unanswered([self.run])
        if not self.run.within_budget:
            pytest.fail(_diagnosis([self.run]), pytrace=False)
        return self.run


@pytest.fixture
def compile_check() -> CompileCheck:
    """A function: compile_check(model, *args, max_breaks=0, max_recompiles=None, max_syncs=None, ...)."""
    return CompileCheck()


@pytest.fixture
def compilelint_targets(request: pytest.FixtureRequest) -> TargetCheck:
    """One target of the project's configuration; a test that asks for it runs once for each."""
    target: Target | None = request.param
    if target is None:
        pytest.fail("no [[tool.compilelint.targets]] is configured for this project", pytrace=False)
    store: dict[str, TargetRun] = request.config.stash.setdefault(_stash_key(), {})
    if target.label not in store:
        store.update(_observed(request.config))
    return TargetCheck(target, store[target.label])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `compilelint_targets` becomes one test a target."""
    if "compilelint_targets" in metafunc.fixturenames:
        targets: Sequence[Target | None] = _configured(metafunc.config) or (None,)
        ids = ["none configured" if one is None else one.label for one in targets]
        metafunc.parametrize("compilelint_targets", targets, indirect=True, ids=ids)


_KEYS: list[pytest.StashKey[dict[str, TargetRun]]] = []


def _stash_key() -> pytest.StashKey[dict[str, TargetRun]]:
    """The key of the runs in pytest's stash; all targets run together when the first is asked for."""
    if not _KEYS:
        _KEYS.append(pytest.StashKey())
    return _KEYS[0]


def _options(config: pytest.Config) -> Options:
    from compilelint import checks
    from compilelint.config import settle

    return settle((str(config.rootpath),), {}, checks.rulebook().rules).options


def _configured(config: pytest.Config) -> tuple[Target, ...]:
    from compilelint.config import UsageError
    from compilelint.dynamic.targets import TargetError
    from compilelint.session.commands.configured_targets import configured_targets

    try:
        return configured_targets(_options(config))
    except (TargetError, UsageError) as error:
        raise pytest.UsageError(f"compilelint: {error}") from error


def _observed(config: pytest.Config) -> dict[str, TargetRun]:
    """Run all configured targets in workers, so that a crash costs a test and not the session."""
    from compilelint.dynamic.no_worker import NoWorkerError
    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.runner import observe
    from compilelint.dynamic.unanswered import refuse_unanswered
    from compilelint.project.import_roots import import_roots

    root = config.rootpath
    targets = _configured(config)
    try:
        runs = observe(targets, Settings(paths=import_roots(str(root)), cwd=str(root)))
        refuse_unanswered(runs)
    except NoWorkerError as error:
        raise pytest.UsageError(f"compilelint: {error}") from error
    return {target.label: run for target, run in zip(targets, runs, strict=True)}


def _refuse_unanswered(runs: Sequence[TargetRun]) -> None:
    """Fail the test in the words of the cause where compilelint itself failed: the model is not to blame."""
    from compilelint.dynamic.unanswered import causes

    __tracebackhide__ = True
    for line in causes(runs):
        pytest.fail(f"compilelint: {line}", pytrace=False)


def _keep_only(observed: dict[str, Any], package: str) -> None:
    """Leave what lies in a package: breaks with a frame in it, and recompiles of its frames."""
    import importlib.util
    import os

    spec = importlib.util.find_spec(package.partition(".")[0])
    if spec is None or spec.origin is None:
        raise pytest.UsageError(f"compile_check(only={package!r}): there is no such package")
    folders = spec.submodule_search_locations
    home = f"{os.path.join(*[folders[0], *package.split('.')[1:]])}" if folders else spec.origin

    def inside(path: str) -> bool:
        return path.startswith(home)

    observed["breaks"] = [one for one in observed.get("breaks", []) if any(inside(frame[0]) for frame in one["stack"])]
    observed["recompiles"] = [one for one in observed.get("recompiles", []) if inside(one["path"])]
    if folders:
        observed["place"] = [os.path.join(folders[0], "__init__.py"), 1, ""]


def _diagnosis(runs: Sequence[TargetRun]) -> str:
    """What `compilelint verify` would print of these runs."""
    from compilelint.config import Options
    from compilelint.report.formats import render
    from compilelint.report.layout.target_table import readiness
    from compilelint.session.commands.verify import joined

    verification = joined(runs, Options(paths=()))
    targets = {run.target for run in runs}
    about = [
        one
        for one in verification.report.findings
        if one.verdict is not None and one.verdict.outcome.value in ("confirmed", "run-only")
    ]
    report = replace(verification.report, findings=tuple(about))
    text = render(report, "full", summary=False)
    table = readiness(verification.sides, color=False, width=None)
    return f"compilelint: {', '.join(sorted(targets))} is not compile-ready\n\n{text}{table}"
