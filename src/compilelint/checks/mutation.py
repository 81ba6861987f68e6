"""CL22x: changes of state that compiled code does not repeat. Nearly all mutations are replayed; these are not."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Call, Dropped
from compilelint.model import Doubt, Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import Quirk, TorchFacts

DICT_ORDER = Rule("CL220", "dict-order", "a dict from outside is reordered or popped blindly", Effect.WRONG_RESULT)
UNFINISHED_GENERATOR = Rule(
    "CL221", "unfinished-generator", "a generator is left before its `with` or `finally` ends", Effect.WRONG_RESULT
)
CACHED_STATE = Rule(
    "CL222", "cached-state", "a function under `lru_cache` depends on how often it runs", Effect.WRONG_RESULT
)
ENVIRONMENT_READ = Rule(
    "CL223", "environment-read", "an environment variable is read once, while compiling", Effect.WRONG_RESULT
)

OPTIMIZER_ATTRIBUTE = Rule(
    "CL224", "optimizer-attribute", "compiled code assigns an attribute of an optimizer", Effect.WRONG_RESULT
)


@check(DICT_ORDER, on=Dropped)
def dict_order(event: Dropped, facts: TorchFacts) -> Iterator[Finding]:
    """`OrderedDict.move_to_end`, and `popitem` of a dict that nothing else looks at."""
    if event.how not in ("reorder", "popitem"):
        return
    if event.how == "reorder":
        message = f"the order of `{event.name}` is the one it had at compile time"
        why = "Dynamo writes entries back but not their order, and does not guard it: later calls see the old order."
        help_ = f"`{event.name}[key] = {event.name}.pop(key)` moves a key and is traced"
    else:
        message = f"`{event.name}` loses an item on the first call only"
        why = "No code here reads the dict, so Dynamo does not guard it, and later calls write the same items back."
        help_ = "take the item out by key, or keep this out of the compiled region"
    yield at(DICT_ORDER, event, message, confidence=event.sure, why=why, help=help_)


@check(UNFINISHED_GENERATOR, on=Dropped)
def unfinished_generator(event: Dropped, facts: TorchFacts) -> Iterator[Finding]:
    """`for v in gen(): break` with a `with` around the `yield`."""
    if event.how == "unfinished-generator" and facts.has(Quirk.UNFINISHED_GENERATOR):
        yield at(
            UNFINISHED_GENERATOR,
            event,
            f"`{event.name}()` is never finished: {event.detail}",
            confidence=event.sure,
            why="Eager Python closes the generator, which runs its `finally` and `with` exits; traced code does not.",
            help="close it (`generator.close()`), or run it to its end, or keep `with` out of the generator",
        )


@check(CACHED_STATE, on=Dropped)
def cached_state(event: Dropped, facts: TorchFacts) -> Iterator[Finding]:
    """`lru_cache` on a function that counts or draws."""
    if event.how not in ("cached-state", "cached-random"):
        return
    does = f"writes `{event.detail}`" if event.how == "cached-state" else f"draws from `{event.detail}`"
    yield at(
        CACHED_STATE,
        event,
        f"`{event.name}()` {does} on every call, because its cache is ignored",
        confidence=event.sure,
        why="Dynamo ignores `functools.lru_cache` and traces the wrapped function at each call.",
        help="compute the value before the region and keep it, in a buffer or an attribute",
    )


@check(OPTIMIZER_ATTRIBUTE, on=Dropped)
def optimizer_attribute(event: Dropped, facts: TorchFacts) -> Iterator[Finding]:
    """`self.best = loss` in the compiled step of an optimizer."""
    if event.how == "optimizer-attribute":
        yield at(
            OPTIMIZER_ATTRIBUTE,
            event,
            f"`{event.name}` keeps the value that it had: what is assigned is lost",
            confidence=event.sure,
            why=(
                "Dynamo writes back items of `self.state` and of groups, and what containers hold, but no attribute of "
                "an optimizer: each call finds the old value, without another compilation or a message."
            ),
            help='keep it in `self.state` or in a group (`group["step"] += 1`), or in a tensor changed in place',
        )


@check(ENVIRONMENT_READ, on=Call)
def environment_read(event: Call, facts: TorchFacts) -> Iterator[Finding]:
    """`os.getenv` while compiling."""
    if event.name == "os.getenv" and not event.breaks:
        yield at(
            ENVIRONMENT_READ,
            event,
            "`os.getenv()` is read at compile time and becomes a constant of the graph",
            confidence=Doubt.VARIABLE_MAY_STAY.cap,
            why="Dynamo does not guard it, so later changes of the variable are ignored; `os.environ.get` is guarded.",
            help="read it once at import, or use `os.environ.get`",
        )
