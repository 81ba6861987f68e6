"""The messages that torch writes for people, as data: a break, a recompile, the limit, a graph without CUDA graphs.

They stand in `TORCH_LOGS` text and, the same, in the payloads of structured traces. Where versions differ in their
words both are matched: `Reason:` up to torch 2.6, `Graph Break Reason:` since; ids of breaks since 2.9; what is skipped
until 2.9 and since 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from compilelint.model import Step
from compilelint.model.patterns import late_pattern
from compilelint.trace.events import MOST_STEPS, Break, Id, Limit, NoCudaGraph, Recompile, cut

# Every quantifier is over a class that excludes what follows it, so that no line takes more than linear time.
_BREAK = late_pattern(r"Graph break(?: \(user stack suppressed[^)]*\))? in user code at (.+):(\d+)\s*$")
_REASON = late_pattern(r"\s*(?:Graph Break )?Reason: (?:Unsupported: )?(.*)$")
_UNRESUMED = ("which results in a skip", "Graph break: skip: from user code at:")  # since 2.10, and before
_SKIPPING = ("Skipping the function and falling back", "Skipping the frame and falling back")
_LINK = late_pattern(r"/gb/gb(\d{4,6})\.html")
_STEP = late_pattern(r'\s*File "([^"]+)", line (\d+)(?:, in (.+))?$')
_RECOMPILE = late_pattern(r"Recompiling function (.+) in (.+):(\d+)\s*$")
_FAILURE = late_pattern(r"\s*-? ?(\d+/\d+(?:_\d+)?): (.*)$")
_LIMIT = late_pattern(r"torch\._dynamo hit config\.(\w+) \((\d+)\)")
_LIMIT_FRAME = late_pattern(r"\s*function: '(.*)' \((.+):(\d+)\)\s*$")
_LAST_REASON = late_pattern(r"\s*last reason: (.*)$")
_CUDA_GRAPH = late_pattern(r"(skipping cudagraphs due to .*)$", re.IGNORECASE)
_OVER = ("User code traceback:", "User stack trace:", "Traceback (most recent call last):")
_TRACING = "========== most recent `torch.compile` tracing attempt"
_LATER = "Most recent bytecode instructions traced"
_MOST_LINES = 400
"""Lines of one message that are looked at: what follows is the bytecode of a verbose log."""


def break_of(lines: Sequence[str], at: Id | None) -> Break | None:
    """The break that a message reports; None where it is no such message."""
    lines = lines[:_MOST_LINES]
    head = next((found for line in lines if (found := _BREAK.match(line))), None)
    unresumed = any(words in line for line in lines[:3] for words in _UNRESUMED)
    if head is None and not unresumed:
        return None
    stack, codes = _stack(lines, head is None)
    if head is not None:
        place = Step(cut(head[1]), _number(head[2]), "")
        if not stack or (stack[-1].path, stack[-1].line) != (place.path, place.line):
            stack = (*_up_to(stack, place), place)
            codes = codes[: len(stack)] if len(codes) >= len(stack) else (*codes, "")
    if not stack:
        return None
    words, explanation, hints = _reason(lines)
    link = next((found for line in lines if (found := _LINK.search(line))), None)
    break_id = f"GB{link[1]}" if link is not None else ""
    skips = unresumed or _skips(lines)
    kept = slice(-MOST_STEPS, None)
    return Break(at, stack[kept], cut(words, 400), break_id, cut(explanation), hints, skips, codes[kept])


def _skips(lines: Sequence[str]) -> bool:
    """Whether the words say that the whole frame falls back."""
    return any(word in line for line in lines[:60] for word in _SKIPPING)


def _up_to(stack: tuple[Step, ...], place: Step) -> tuple[Step, ...]:
    """The part of a stack that lies around a line: what is further in is torch's own, inlined."""
    for number in range(len(stack) - 1, -1, -1):
        if (stack[number].path, stack[number].line) == (place.path, place.line):
            return stack[:number]
    return stack


def _stack(lines: Sequence[str], to_traceback: bool) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """The frames of the user's traceback, behind its heading up to the next text, and the code of each."""
    begun = to_traceback
    found: list[Step] = []
    codes: list[str] = []
    for line in lines:
        if line.strip() in _OVER[:2] or line.startswith(_TRACING):
            begun, found, codes = True, [], []
            continue
        if not begun:
            continue
        if line.startswith((_OVER[2], _LATER, "NOTE: the most recent")):
            break
        step = step_of(line)
        if step is not None:
            found.append(step)
            codes.append("")
        elif found and line.strip() and not line[0].isspace():
            break  # what follows the traceback
        elif found and not codes[-1] and line.strip():
            codes[-1] = cut(line.strip(), 300)
    return tuple(found), tuple(codes)


def step_of(line: str) -> Step | None:
    """The frame that a line of a traceback names."""
    found = _STEP.match(line)
    return None if found is None else Step(cut(found[1]), _number(found[2]), cut((found[3] or "").strip(), 200))


def _number(digits: str) -> int:
    return int(digits[:9])


def _reason(lines: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """Dynamo's name of the break, its explanation and its hints."""
    words, explanation, hints = "", [], []
    part = ""
    for line in lines:
        bare = line.strip()
        found = _REASON.match(line) if not words else None
        if found is not None:
            words = found[1].strip()
            part = "words"
        elif bare in _OVER:
            if words:
                break
            part = ""
        elif bare.startswith("Explanation: "):
            part = "explanation"
            explanation = [bare.removeprefix("Explanation: ")]
        elif bare.startswith("Hint: "):
            part = "hint"
            hints.append(bare.removeprefix("Hint: "))
        elif bare.startswith(("Developer debug context:", "For more details about this graph break")):
            part = ""
        elif part == "explanation" and bare:
            explanation.append(bare)
        elif part == "hint" and bare:
            hints[-1] += f" {bare}"
        elif part == "words" and bare and words.endswith(":"):
            words = bare  # what Dynamo tried stands first, then the name of the break
        elif _names_unsupported(bare) and not words:
            words = bare.partition("Unsupported: ")[2]
            part = "words"
    return words, "\n".join(explanation), tuple(cut(one, 1_000) for one in hints[:8])


def _names_unsupported(bare: str) -> bool:
    return bare.startswith("torch._dynamo.exc.") and "Unsupported: " in bare


def recompile_of(lines: Sequence[str], at: Id | None) -> Recompile | None:
    """The recompile that a message reports; None where it is no such message."""
    head = next((found for line in lines[:3] if (found := _RECOMPILE.search(line))), None)
    if head is None:
        return None
    frame = Step(cut(head[2]), _number(head[3]), cut(head[1], 200))
    return Recompile(at, frame, failures_of(lines))


def failures_of(lines: Sequence[str]) -> tuple[str, ...]:
    """The failing guards in the lines of a message: `0/0: L['n'] == 3`, the newest compiled version first."""
    found: list[str] = []
    verbose = ""
    for line in lines[:_MOST_LINES]:
        one = _FAILURE.match(line)
        if one is not None:
            found.append(cut(f"{one[1]}: {one[2].strip()}", 1_000))
        elif line.strip().startswith("guard ") and line.rstrip().endswith(" failures:"):
            verbose = line.strip()
    if not found and verbose:
        found = [cut(line.strip().removeprefix("- "), 1_000) for line in lines if line.strip().startswith("- ")]
    return tuple(found[:64])


def limit_of(lines: Sequence[str], at: Id | None) -> Limit | None:
    """The limit that a message says was hit; None where it is no such message."""
    head = next((found for line in lines[:3] if (found := _LIMIT.search(line))), None)
    frame = next((found for line in lines[:8] if (found := _LIMIT_FRAME.match(line))), None)
    if head is None or frame is None:
        return None
    reason = next((found[1].strip() for line in lines[:12] if (found := _LAST_REASON.match(line))), "")
    place = Step(cut(frame[2]), _number(frame[3]), cut(frame[1], 200))
    return Limit(at, place, head[1], _number(head[2]), cut(reason, 1_000))


def no_cuda_graph_of(lines: Sequence[str], at: Id | None) -> NoCudaGraph | None:
    """What a message says CUDA graphs left out; None where it is no such message."""
    found = next((one for line in lines[:3] if (one := _CUDA_GRAPH.search(line))), None)
    if found is None:
        return None
    steps = [step for line in lines[:40] if (step := step_of(line)) is not None]
    return NoCudaGraph(at, cut(found[1].strip(), 400), steps[-1] if steps else None)


def is_head(body: str) -> bool:
    """Whether a line begins a message that is read here."""
    return body.startswith(HEADS) or "skipping cudagraphs due to" in body


HEADS = (
    "Graph break in user code at ",
    "Graph break (user stack suppressed",
    "Graph break: skip: from user code at:",
    "Graph break: torch.compile cannot properly resume",
    "Recompiling function ",
    "torch._dynamo hit config.",
    "skipping cudagraphs due to ",
)
"""How the first lines of these messages begin."""
