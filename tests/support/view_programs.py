"""Random programs that turn, cut and view a tensor, in sizes that are expressions: what torch says of each last line.

A program is the body of `forward(self, x, k)`; `x` has three or four dimensions, all multiples of `k`. Sizes are chosen
so that different products of them are different numbers, as `interp.models.views` assumes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from compilelint.events import Placed

SIZES = ((6, 10, 14, 22, 2), (15, 21, 33, 39, 3), (10, 26, 34, 4, 2))
"""The sizes of `x`, and `k`."""
_NAMES = "bcij"
_INCOMPATIBLE = "view size is not compatible"


def program(rng: random.Random) -> list[str]:
    """The lines of one program; the last is a view."""
    rank = rng.choice((3, 3, 4))
    names = list(_NAMES[:rank])
    lines = [f"{', '.join(names)} = x.shape", rng.choice(("y = x.contiguous()", "y = (x * 2).contiguous()"))]
    sizes = list(names)  # of y, as text
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        sizes = _step(rng, lines, sizes)
    given = _wanted(rng, sizes, names)
    if rng.random() < 0.3:
        given[rng.randrange(len(given))] = "-1"
    lines.append(f"y.view({', '.join(given)})")
    return lines


def _step(rng: random.Random, lines: list[str], sizes: list[str]) -> list[str]:
    """One operation on `y`; its sizes after it."""
    rank = len(sizes)
    d = rng.randrange(rank)
    kind = rng.choice(
        "transpose transpose permute permute permute flatten unflatten unsqueeze slice half mean product chunk select "
        "cat reshape view add expand squeeze".split()
    )
    if kind == "transpose" and rank > 1:
        e = rng.choice([one for one in range(rank) if one != d])
        lines.append(f"y = y.transpose({d}, {rng.choice((e, e - rank))})")
        sizes = [sizes[e if one == d else d if one == e else one] for one in range(rank)]
    elif kind == "permute" and rank > 1:
        order = rng.sample(range(rank), rank)
        lines.append(f"y = y.permute({', '.join(map(str, order))})")
        sizes = [sizes[one] for one in order]
    elif kind == "flatten" and rank > 2 and d < rank - 1:
        lines.append(f"y = y.flatten({d}, {d + 1})")
        sizes = [*sizes[:d], f"{sizes[d]} * {sizes[d + 1]}", *sizes[d + 2 :]]
    elif kind in ("unflatten", "reshape", "view") and rank < 5 and "/" not in sizes[d]:
        split = ["k", f"({sizes[d]}) // k"]
        if kind == "unflatten":
            lines.append(f"y = y.unflatten({d}, (k, -1))")
        else:
            lines.append(f"y = y.{kind}({', '.join([*sizes[:d], *split, *sizes[d + 1 :]])})")
        sizes = [*sizes[:d], *split, *sizes[d + 1 :]]
    elif kind == "unsqueeze" and rank < 5:
        lines.append(f"y = y.unsqueeze({d})")
        sizes = [*sizes[:d], "1", *sizes[d:]]
    elif kind == "slice":
        index = [":"] * d + ["1:"]
        lines.append(f"y = y[{', '.join(index)}]")
        sizes = [*sizes[:d], f"y.size({d})", *sizes[d + 1 :]]
    elif kind == "half" and "/" not in sizes[d]:
        lines.append(f"y = y[{', '.join([':'] * d + [f': ({sizes[d]}) // k'])}]")
        sizes = [*sizes[:d], f"({sizes[d]}) // k", *sizes[d + 1 :]]
    elif kind == "mean":
        lines.append(f"y = y.mean({d}, keepdim=True)")
        sizes = [*sizes[:d], "1", *sizes[d + 1 :]]
    elif kind == "product" and rank > 2:
        lines.append("y = y @ y.transpose(-2, -1)")
        sizes = [*sizes[:-1], sizes[-2]]
    elif kind == "chunk" and "/" not in sizes[d]:
        lines.append(f"y = y.chunk({rng.choice(('k', 2))}, dim={d})[0]")
        sizes = [*sizes[:d], f"y.shape[{d}]", *sizes[d + 1 :]]
    elif kind == "select" and rank > 2:
        lines.append(f"y = y[{', '.join([':'] * d + ['0'])}]")
        sizes = [*sizes[:d], *sizes[d + 1 :]]
    elif kind == "cat":
        lines.append(f"y = torch.cat([y, y], dim={d})")
        sizes = [*sizes[:d], f"2 * {sizes[d]}", *sizes[d + 1 :]]
    elif kind == "expand" and "1" in sizes:
        at = sizes.index("1")
        lines.append(f"y = y.expand({', '.join('k' if one == at else '-1' for one in range(rank))})")
        sizes = [*sizes[:at], "k", *sizes[at + 1 :]]
    elif kind == "squeeze" and "1" in sizes and rank > 2:
        at = sizes.index("1")
        lines.append(f"y = y.squeeze({at})")
        sizes = [*sizes[:at], *sizes[at + 1 :]]
    else:
        lines.append("y = y + 1")
    return sizes


def _wanted(rng: random.Random, sizes: list[str], names: list[str]) -> list[str]:
    """Sizes for the view: those of `y` merged, split or in another order, or those of `x`."""
    kind = rng.choice(("merge", "merge", "merge", "merge two", "split", "same", "shuffle", "shuffle", "x", "x merged"))
    found = list(names) if kind.startswith("x") else list(sizes)
    if kind == "shuffle":
        rng.shuffle(found)
    if kind in ("merge", "x merged", "merge two"):
        for _ in range(2 if kind == "merge two" else 1):
            if len(found) > 1:
                at = rng.randrange(len(found) - 1)
                found[at : at + 2] = [f"{found[at]} * {found[at + 1]}"]
    if kind == "split":
        at = rng.randrange(len(found))
        if "/" not in found[at]:
            found[at : at + 1] = rng.choice(
                (["k", f"({found[at]}) // k"], [f"({found[at]}) // k", "k"], ["1", found[at]])
            )
    return found


def outcomes(lines: list[str]) -> Iterator[str]:
    """What torch does with each choice of sizes, where it gets there: "runs", "raises", "invalid" or "other"."""
    import torch

    rank = lines[0].count(",") + 1
    for *sizes, k in SIZES:
        names: dict[str, Any] = {"torch": torch, "x": torch.zeros(sizes[:rank]), "k": k}
        try:
            exec("\n".join(lines[:-1]), names)
        except (RuntimeError, IndexError):
            continue
        try:
            exec(lines[-1], names)
        except IndexError:
            yield "other"  # a dimension is gone that the expression asks for
        except RuntimeError as error:
            yield "raises" if _INCOMPATIBLE in str(error) else "invalid" if "is invalid for" in str(error) else "other"
        else:
            yield "runs"


def text_of(programs: list[list[str]]) -> tuple[str, dict[int, int]]:
    """All programs as one module, and which line of it is the view of which program."""
    lines = ["import torch"]
    views: dict[int, int] = {}
    for number, one in enumerate(programs):
        lines += [f"class Net{number}(torch.nn.Module):", "    def forward(self, x: torch.Tensor, k: int):"]
        lines += [f"        {line}" for line in one]
        views[len(lines)] = number
    return "\n".join(lines) + "\n", views


def judged(seed: int, count: int) -> tuple[list[str], dict[str, int]]:
    """Programs that are said to raise although they run, and how many do what: `count` programs of this seed."""
    from tests.support.reveal import PRELUDE, run

    rng = random.Random(seed)
    programs = [program(rng) for _ in range(count)]
    counts = dict.fromkeys(("programs", "reached", "raise", "raise and said so", "said", "run"), 0)
    wrong: list[str] = []
    for first in range(0, count, _TOGETHER):
        part = programs[first : first + _TOGETHER]
        text, views = text_of(part)
        said = {
            views.get(event.site.location.span.line - PRELUDE.count("\n"))
            for event in run(text)
            if isinstance(event, Placed) and event.how == "view"
        }
        for number, lines in enumerate(part):
            found = list(outcomes(lines))
            raises = bool(found) and all(one == "raises" for one in found)
            counts["programs"] += 1
            counts["reached"] += bool(found)
            counts["raise"] += raises
            counts["run"] += "runs" in found
            counts["said"] += number in said
            counts["raise and said so"] += raises and number in said
            if number in said and "runs" in found:
                wrong.append("\n".join([f"seed {seed}, program {first + number}: {found}", *lines]))
    return wrong, counts


_TOGETHER = 100
