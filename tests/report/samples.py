"""A report made by hand, for the tests of the formats."""

from __future__ import annotations

from pathlib import Path

from compilelint.events import DynamoConfig
from compilelint.model import (
    CallSite,
    Confidence,
    Doubt,
    Edit,
    Effect,
    Finding,
    Fix,
    Location,
    Notice,
    Related,
    Rule,
    Safety,
    Span,
)
from compilelint.project.compile_calls import CompileCall
from compilelint.report.report import CompileRoot, Report, TorchTarget

BRANCH = Rule("CL101", "branch-on-tensor", "the branch depends on tensor data", Effect.GRAPH_BREAK)
READ = Rule("CL102", "host-read", "tensor data is read", Effect.GRAPH_BREAK, more_effects=(Effect.SYNC,))
SOURCE = "def f(x):\r\n    y = x.sum() > 0\r\n    if y:\r\n        x = x + 1\r\n    return x.item()\r\n"


def sample(folder: Path) -> Report:
    """Two findings in a file with CRLF line ends, which is written to `folder`."""
    path = folder / "model.py"
    path.write_bytes(SOURCE.encode())
    name = path.as_posix()
    branch = Finding(
        BRANCH,
        "`if` needs the data of `y`",
        BRANCH.effects,
        Confidence.CERTAIN,
        Location(name, Span(3, 8, 3, 9)),
        function="f",
        break_ids=("GB0170",),
        roots=("Net.forward", "B.forward", "C.forward", "D.forward"),
        call_chain=(CallSite(Location(name, Span(4, 9, 4, 18)), "Net.forward"),),
        related=(Related(Location(name, Span(2, 9, 2, 20)), "result of `>`"),),
        why="The data does not exist while Dynamo traces.",
        help="use `torch.where`",
        fix=Fix(Safety.UNSAFE, "rewrite with `torch.where`", (Edit(Span(3, 5, 4, 18), "x = ..."),)),
        line_text="    if y:",
    )
    read = Finding(
        READ,
        "`.item()` reads [bold]the data[/bold] :smile:",
        READ.effects,
        Doubt.BEHIND_A_TEST.cap,
        Location(name, Span(5, 12, 5, 20)),
        function="f",
        line_text="    return x.item()",
    )

    def at(line: int) -> Location:
        return Location(name, Span(line, 1, line, 2))

    return Report(
        (branch, read),
        files_checked=3,
        torch=TorchTarget("2.13.0", "--torch-version"),
        base=folder.as_posix(),
        notices=(
            Notice("environment", "looking up imports in env", None),
            Notice("compile-call", "what `torch.compile` compiles here is not known: a guess", name, 7),
        ),
        roots=(
            CompileRoot(
                "Net.forward", at(1), at(6), "explicit", "net:Net.forward", DynamoConfig(fullgraph=True), "", 4, 2, 4
            ),
            CompileRoot("B.forward", at(2), None, "forward", "net:B.forward", functions=1, files=1, graphs=4),
            CompileRoot("helper", at(3), None, "unreached", "net:helper", functions=2, files=1),
        ),
        unjudged=(CompileRoot("Net.generate", at(4), None, "unjudged", "net:Net.generate"),),
        calls=(
            CompileCall(at(6), "torch.compile", ("Net.forward",)),
            CompileCall(at(7), "torch.compile", (), "a guess"),
        ),
        suppressed=1,
        hidden=2,
    )


def empty() -> Report:
    """A run that found nothing in one file."""
    root = CompileRoot("Net.forward", Location("/p/net.py", Span(2, 5, 2, 12)), None)
    return Report((), files_checked=1, torch=TorchTarget("2.9", "--torch-version"), base="/p", roots=(root,))
