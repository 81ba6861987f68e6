"""Functions of libraries that call what they are given: thread pools, checkpointing, a call with other weights.

Does not belong here: functions whose result alone matters (`library`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import Any

from compilelint.host.iterating import items_of
from compilelint.host.modules import modules_of
from compilelint.host.protocol import Machine
from compilelint.host.signals import MOST_TIMED
from compilelint.host.values import UNKNOWN, Env, Lib, Tensor, Thing, Value, Wrapper

FUTURE = "concurrent.futures.Future"
_MOST_TASKS = 6


def in_a_pool(
    m: Machine, env: Env, pool: Lib, name: str, args: list[Value], keywords: dict[str, Value], pos: int
) -> Value:
    """`pool.submit(function, ...)`, `pool.map(function, ...)`: worker threads call the function.

    A pool of one worker is one thread for all calls, as good as the main one.
    """
    function, *given = args
    several = (pool.args[0] if pool.args else pool.keywords.get("max_workers")) != 1
    with _worker(m, several):
        if name == "submit":
            done = Lib(FUTURE, [], {})
            done.attrs["<result>"] = m.call(env, function, given, keywords, pos)
            return done
        columns = [items_of(m, one, _MOST_TASKS) or [UNKNOWN] for one in given]
        return [m.call(env, function, list(row), {}, pos) for row in list(zip(*columns, strict=False))[:_MOST_TASKS]]


def started(m: Machine, env: Env, thread: Lib, pos: int) -> Value:
    """`threading.Thread(target=..., args=...).start()`."""
    given, named = thread.keywords.get("args", ()), thread.keywords.get("kwargs", {})
    if "target" in thread.keywords:
        with _worker(m, True):
            m.call(
                env,
                thread.keywords["target"],
                list(given) if isinstance(given, (list, tuple)) else [UNKNOWN],
                dict(named) if isinstance(named, dict) else {},
                pos,
            )
    return None


@contextmanager
def _worker(m: Machine, several: bool) -> Any:
    m.regions.threads += several
    try:
        yield
    finally:
        m.regions.threads -= several


def called_by(m: Machine, env: Env, name: str, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """What one of `CALLERS` gives."""
    return CALLERS[name](m, env, args, keywords, pos)


def _to_thread(m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    with _worker(m, True):
        return m.call(env, args[0], args[1:], keywords, pos)


def _as_completed(m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    return args[0] if isinstance(args[0], (list, tuple)) else UNKNOWN


def _checkpoint(m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """Reentrant checkpointing calls without gradients, and with gradients again in the backward pass."""
    given = {key: value for key, value in keywords.items() if key not in _OF_CHECKPOINT}
    reentrant = keywords.get("use_reentrant") is True and m.gradients
    if not reentrant or m.region is not None:
        return m.call(env, args[0], args[1:], given, pos)
    m.gradients = False
    try:
        m.call(env, args[0], args[1:], given, pos)
    finally:
        m.gradients = True
    detached = [one.but(grad=True) if isinstance(one, Tensor) and one.grad else one for one in args[1:]]
    return m.call(env, args[0], detached, given, pos)


_OF_CHECKPOINT = frozenset({"use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state"})


def _functional(m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """`functional_call(module, weights, args, kwargs)`: the module holds these weights for one call."""
    module, weights = args[0], args[1] if len(args) > 1 else UNKNOWN
    given = args[2] if len(args) > 2 else keywords.get("args", ())
    named = args[3] if len(args) > 3 else keywords.get("kwargs")
    owners = dict(modules_of(module.target if isinstance(module, Wrapper) else module))
    put: list[tuple[Any, str, Value]] = []
    for key, weight in weights.items() if isinstance(weights, dict) else ():
        path, _, last = str(key).removeprefix("_orig_mod.").rpartition(".")
        owner = owners.get(path)
        if isinstance(owner, (Thing, Lib)) and isinstance(weight, Tensor):
            put.append((owner, last, owner.attrs.get(last)))
            m.note_write(env, owner, last, pos)
            owner.attrs[last] = weight
    try:
        return m.call(
            env,
            module,
            list(given) if isinstance(given, (list, tuple)) else [given],
            dict(named) if isinstance(named, dict) else {},
            pos,
        )
    finally:
        for owner, last, old in put:
            owner.attrs[last] = old
            if old is None:
                del owner.attrs[last]


def _timeit(m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """`timeit(function, number=10)`: the clock is read before the first call and behind the last."""
    number = keywords.get("number", args[3] if len(args) > 3 else None)
    few = isinstance(number, int) and number <= MOST_TIMED
    before = m.regions.library_called(m, env, "time.perf_counter", [], {}, pos)
    m.call(env, args[0], [], {}, pos)
    after = m.regions.library_called(m, env, "time.perf_counter", [], {}, pos)
    if few:
        m.regions.subtracted(m, after, before)
    return UNKNOWN


def _transformed(m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
    """`vmap(function)` and its like: another function, which calls that one with what no kernel of a graph may get."""
    return Lib(TRANSFORMED, [args[0]], {})


def call_transformed(m: Machine, env: Env, made: Lib, pos: int) -> Value:
    """What a transform of `torch.func` made of a function is called."""
    m.regions.transforms += 1
    try:
        m.call(env, made.args[0], [UNKNOWN], {}, pos)
    finally:
        m.regions.transforms -= 1
    return UNKNOWN


TRANSFORMED = "torch.func.<transformed>"
_TRANSFORMS = ("vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian")

CALLERS: Mapping[str, Callable[[Machine, Env, list[Value], dict[str, Value], int], Value]] = {
    "asyncio.to_thread": _to_thread,
    "concurrent.futures.as_completed": _as_completed,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.func.functional_call": _functional,
    "torch.nn.utils.stateless.functional_call": _functional,
    "timeit.timeit": _timeit,
    "timeit.repeat": _timeit,
    "torch.vmap": _transformed,
    **{f"torch.func.{name}": _transformed for name in _TRANSFORMS},
}
"""Functions of libraries that call what they are given first, by what each does."""
