"""What surrounds the line at work in a frame, and what the frame leaves behind in its caller."""

from __future__ import annotations

from compilelint.events import Event
from compilelint.interp.core.slots import Slot, Use
from compilelint.interp.core.state import State
from compilelint.model import Confidence
from compilelint.syntax import ir
from compilelint.values import FunctionRef, Value


class Loop:
    """States that leave a loop body early."""

    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks: list[State] = []
        self.continues: list[State] = []


class Around:
    """The statements and tests around the current line, and the statement itself."""

    __slots__ = (
        "blocks",
        "cap",
        "conditional",
        "doubtful",
        "dropped",
        "loops",
        "rare",
        "rhs",
        "statement",
        "tests",
        "with_item",
    )

    def __init__(self) -> None:
        self.blocks: tuple[str, ...] = ()
        self.cap = Confidence.CERTAIN
        self.conditional = 0  # undecided tests
        self.statement = -1  # where the statement at work begins
        self.rare = 0  # tests that mostly come out the other way
        self.doubtful = 0  # tests of which it is not known how they mostly come out
        self.tests: list[tuple[ir.Expr, bool]] = []  # the undecided `if`s, and their arms
        self.loops: list[Loop] = []
        self.with_item: ir.Expr | None = None  # what a `with` is about to enter: a call that is taken back
        self.dropped = -1  # where the statement began whose value is not used
        self.rhs: ir.Expr | ir.AugAssign | None = None  # what the assignment at work assigns


class Effects:
    """What a call leaves behind in its caller, its result apart."""

    __slots__ = (
        "always_broke",
        "broke",
        "calls_back",
        "escaped",
        "exits",
        "handed",
        "heeds",
        "left_changed",
        "left_to_python",
        "made",
        "outlived",
        "split_by_calls",
        "stranded",
        "use",
        "writes",
        "written_inputs",
        "wrote_dict",
    )

    def __init__(self) -> None:
        self.writes: dict[str, Value] = {}  # on `self`
        self.handed: list[tuple[Value, str, Value]] | None = None  # stored on other objects, where that is asked for
        self.escaped: dict[object, Event] = {}
        self.made: list[FunctionRef] = []  # functions defined in this frame
        self.broke = False
        self.left_to_python = False  # a likely break in a loop, `try` or `with`, behind no test: nothing is compiled
        self.outlived: tuple[Value, ...] = ()  # the objects that variables held at the last graph break
        self.always_broke: bool | None = None  # on every path that has returned
        self.calls_back = False  # of what is not linted: it has called what is, whose events go by the floor
        self.heeds = False  # something has hung on whether the call has a handler around it
        self.use: Use | None = None  # state that outlives the call, once the frame touches any
        self.exits: frozenset[Slot] | None = None  # slots written on every path that has returned
        self.written_inputs: frozenset[str] = frozenset()  # as what came the inputs of an operator's body
        self.split_by_calls = 0  # counts calls in which a graph ends on every path, at lines of the callee's own
        self.stranded = ""  # the id of what lies outside now and cannot be rebuilt there (`leaving_region`)
        self.wrote_dict = False  # an item of a dict from outside, since the last graph break (`mapping_proxies`)
        self.left_changed = False  # a body has changed a number that was there before
