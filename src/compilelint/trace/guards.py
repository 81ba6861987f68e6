"""Guards that failed, as torch words them: what was checked, of which value, and what it was instead.

The forms are a table, a row each, so that a version's new wording is a row. A guard that no row matches is kept as its
text: it is still a cause, only one about which less is known.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from compilelint.model import Step
from compilelint.model.patterns import late_pattern
from compilelint.trace.events import cut

Kind: TypeAlias = Literal[
    "size", "stride", "rank", "dtype", "device", "requires-grad", "dispatch-keys", "tensor-kind",
    "value", "length", "keys", "type", "identity", "symbolic", "global-state", "backend", "other",
]  # fmt: skip


class Failure(NamedTuple):
    """A guard that failed: `source` is the value it reads (`L['x']`, `L['self'].step`), empty where it reads none.

    `dimension` counts from 0, -1 where it is about no dimension. `expected` is what the compiled version was made for,
    `actual` what came instead (empty where torch does not say). `place` is the line for which the guard was made, its
    path shortened by torch to its last parts. `version` names the compiled version that did not fit.
    """

    kind: Kind
    source: str
    dimension: int = -1
    expected: str = ""
    actual: str = ""
    place: Step | None = None
    code: str = ""
    text: str = ""
    version: str = ""
    of_parameter: bool = False

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What it is about, whatever the values: failures of one cause have the same."""
        return self.kind, self.source, self.dimension, "" if self.source or self.kind == "global-state" else self.text


_T = r"tensor '(?P<source>.+)' "
_DIFFERS = r"mismatch\. expected (?P<expected>[^,]+), actual (?P<actual>[^. ]+)"
_AT = r"mismatch at index (?P<dimension>\d+)\. expected (?P<expected>[^,]+), actual (?P<actual>[^. ]+)"
_KEYS = r"DispatchKeySet\([^)]*\)"
_STATE = r"___check_torch_function_mode_stack\(\)|___skip_backend_check\(\).*|___check_current_backend\(.*"
# A row: kind, pattern with the groups source, dimension, expected, actual. No pattern needs more than linear time.
_ROWS: tuple[tuple[Kind, str], ...] = (
    ("size", f"{_T}size {_AT}"),
    ("stride", f"{_T}strides? {_AT}"),
    ("rank", f"{_T}rank {_DIFFERS}"),
    ("dtype", f"{_T}dtype {_DIFFERS}"),
    (
        "device",
        _T + r"(?:Tensor )?device index mismatch\. Expected device index to be (?P<expected>[^,]+), "
        r"actual (?P<actual>[^. ]+)",
    ),
    (
        "requires-grad",
        _T + r"requires_grad mismatch\. expected requires_grad=(?P<expected>\w+)(?:[,.] actual (?P<actual>\w+))?",
    ),
    (
        "dispatch-keys",
        f"{_T}dispatch key set mismatch\\. expected (?P<expected>{_KEYS}), actual (?P<actual>{_KEYS})",
    ),
    ("type", r"expected type of '(?P<source>.+)' to be (?P<expected>a tensor type), ' but found (?P<actual>.+)$"),
    ("tensor-kind", r"tensor '(?P<source>.+)' (?P<expected>\w[^.]*mismatch)"),
    ("global-state", r"GLOBAL_STATE changed: (?P<actual>.*)$"),
    ("global-state", r"(?P<expected>___check_global_state\(\))"),
    ("global-state", f"(?P<expected>{_STATE})"),
    ("length", r"(?:not )?len\((?P<source>.+)\) == (?P<expected>\d+)$"),
    ("length", r"not (?P<source>[\w.'\[\]]+)$"),
    ("keys", r"(?P<expected>not )?___dict_contains\((?P<actual>.+), (?P<source>.+)\)$"),
    ("keys", r"list\((?:dict\.keys\()?(?P<source>.+?)(?:\.keys\(\)|\))\) == (?P<expected>.+)$"),
    ("keys", r"(?P<expected>(?:not )?(?:hasattr|___\w*contains)\(.+)$"),
    ("identity", r"___check_obj_id\((?P<source>.+), (?:type=)?(?P<expected>\d+)\)"),
    ("identity", r"___check_type_id\((?P<source>.+), (?P<expected>\d+)\)"),
    ("identity", r"(?P<source>[^=<>]+) is (?P<expected>not None|None|True|False|[\w.]+)$"),
    ("type", r"___check_\w*type\w*\((?P<source>.+), (?P<expected>.+)\)"),
    ("size", r"(?P<source>.+)\.size\(\)\[(?P<dimension>\d+)\] == (?P<expected>[^=<>]+)$"),
    ("symbolic", r"(?P<expected>.*\.(?:size|stride)\(\)\[.*)$"),
    ("symbolic", r"(?P<expected>(?:Eq|Ne|Gt|Ge|Lt|Le|Mod)\(.*)$"),
    ("value", r"___is_(?P<expected>\w+)\((?P<source>.+)\)$"),
    ("value", r"(?P<source>[^=<>]+) == (?P<expected>.+)$"),
    ("value", r"(?P<source>[^=<>]+) != (?P<expected>.+)$"),
    ("value", r"(?P<source>[^=<>]+) (?:<|>|<=|>=) (?P<expected>.+)$"),
)
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple((kind, late_pattern(pattern)) for kind, pattern in _ROWS)

_VERSION = late_pattern(r"(\d+/\d+(?:_\d+)?): ")
# Behind many blanks: `# return f(x)  # models/net.py:13 in forward (HINT: ...)`.
_COMMENT = late_pattern(r"\s{2,}# ")
_PLACE = late_pattern(r"# ([^#]+?):(\d+) in ([^\s(]+)")
_OF_PARAMETER = "Guard failed on a parameter"
_REGISTERED = late_pattern(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")
_NAME = late_pattern(r"[A-Za-z_]\w*")


def failure_of(text: str) -> Failure:
    """What a text such as `0/1: tensor 'x' size mismatch at index 0. expected 2, actual 3` says."""
    head = _VERSION.match(text)
    version, rest = (head[1], text[head.end() :]) if head is not None else ("", text)
    of_parameter = _OF_PARAMETER in rest
    guard, code, place = _without_comment(rest)
    for kind, pattern in _FORMS:
        found = pattern.match(guard)
        if found is not None:
            parts = found.groupdict()
            dimension = parts.get("dimension")
            return Failure(
                kind,
                source_of(parts.get("source") or ""),
                int(dimension[:6]) if dimension else -1,
                cut((parts.get("expected") or "").strip(), 200),
                cut((parts.get("actual") or "").strip(), 200),
                place,
                code,
                cut(guard, 400),
                version,
                of_parameter,
            )
    return Failure("other", "", place=place, code=code, text=cut(guard, 400), version=version)


def _without_comment(text: str) -> tuple[str, str, Step | None]:
    """The guard, the code for which it was made, and where that stands."""
    found = _COMMENT.search(text)
    if found is None:
        return text.strip(), "", None
    comment = text[found.start() :].strip()
    line = _PLACE.search(comment)
    code = comment[2 : line.start()].strip() if line is not None else comment[2:].strip()
    place = Step(cut(line[1].strip()), int(line[2][:9]), cut(line[3], 200)) if line is not None else None
    return text[: found.start()].strip(), cut(code, 300), place


def source_of(written: str) -> str:
    """A source as torch's settings take it: logs write `x` and `self.step` for `L['x']` and `L['self'].step`."""
    written = cut(written.strip(), 300)
    name = _NAME.match(written)
    if name is None or written.startswith(("L[", "G[")) or written[name.end() : name.end() + 1] == "(":
        return written
    return f"L['{name[0]}']{written[name.end() :]}"


def spoken_source(source: str) -> str:
    """A source as a reader of the code writes it: `x`, `self.step`, `self.linear.bias`."""
    for scope in ("L['", "G['"):
        if source.startswith(scope) and "']" in source:
            name, _, rest = source[len(scope) :].partition("']")
            return name + _REGISTERED.sub(r".\1", rest)
    return source
