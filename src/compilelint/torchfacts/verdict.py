"""One measured outcome and its one-line text in the data files.

Grammar: `ok` or `[skip:][raise:]reason[@GBxxxx]`, then `;full=ok|error|GBxxxx|break` where `fullgraph=True`
differs from the default mode, then `;cfg=S|D|SD` for the capture flags that cure it.
"""

from __future__ import annotations

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.vocabulary import Capture, Reason

_FLAGS = {"S": Capture.SCALAR, "D": Capture.DYNAMIC_SHAPE}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What Dynamo did with one form of a call.

    `full` is empty where `fullgraph=True` ends as the default mode does, else `ok`, `error` (compilation
    raises), `break`, or the id of the break.
    """

    reason: Reason | None = None
    gb_id: str | None = None
    skips_frame: bool = False
    raises: bool = False
    full: str = ""
    cured_by: frozenset[Capture] = frozenset()

    @property
    def breaks(self) -> bool:
        """Whether the default mode leaves the graph."""
        return self.reason is not None

    @property
    def breaks_fullgraph(self) -> bool:
        """Whether `fullgraph=True` (which captures scalars and dynamic shapes from torch 2.10 on) raises."""
        return self.full != "ok" if self.full else self.breaks

    def __str__(self) -> str:
        head = "ok"
        if self.reason is not None:
            head = ("skip:" if self.skips_frame else "") + ("raise:" if self.raises else "") + self.reason.value
        if self.gb_id:
            head += "@" + self.gb_id
        if self.full:
            head += ";full=" + self.full
        if self.cured_by:
            head += ";cfg=" + "".join(letter for letter, flag in _FLAGS.items() if flag in self.cured_by)
        return head


OK = Verdict()


def parse(text: str) -> Verdict:
    """The verdict that `text` spells; raises ValueError for a text outside the grammar."""
    head, *options = text.split(";")
    full, cured_by = "", frozenset[Capture]()
    for option in options:
        key, _, value = option.partition("=")
        if key == "full":
            full = value
        elif key == "cfg":
            cured_by = frozenset(_FLAGS[letter] for letter in value)
        else:
            raise ValueError(f"unknown option {option!r} in verdict {text!r}")
    if head == "ok":
        return Verdict(full=full, cured_by=cured_by) if options else OK
    unskipped = head.removeprefix("skip:")
    unraised = unskipped.removeprefix("raise:")
    skips_frame, raises = unskipped != head, unraised != unskipped
    reason, _, gb_id = unraised.partition("@")
    return Verdict(Reason(reason), gb_id or None, skips_frame, raises, full, cured_by)
