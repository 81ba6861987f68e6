"""Containers that outlive the call: which methods and stores leave them changed, and which leave them as they were."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
from tests.support.reveal import run


def changes(
    init: str, *lines: str, head: str = "", signature: str = "self, x: Tensor, k: int"
) -> list[tuple[str, str]]:
    """Name and kind of what a forward of these lines leaves changed."""
    body = "\n        ".join(lines)
    text = (
        f"{head}\nclass M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        {init}\n    def forward({signature}):\n        {body}\n        return x * 2\n"
    )
    return [(event.name, event.how) for event in run(text) if isinstance(event, StateChange)]


@pytest.mark.parametrize(
    ("init", "line", "found"),
    [
        pytest.param("self.h = []", "self.h.append(x)", ("self.h", "grows"), id="append"),
        pytest.param("self.h = []", "self.h.extend([x])", ("self.h", "grows"), id="extend"),
        pytest.param("self.h = []", "self.h.insert(0, x)", ("self.h", "grows"), id="insert"),
        pytest.param("self.d = {}", "self.d['a'] = x", ("self.d", "fills"), id="a new key"),
        pytest.param("self.d = {}", "self.d.setdefault('a', x)", ("self.d", "fills"), id="setdefault"),
        pytest.param("self.d = {}", "self.d[x.shape[0]] = x", ("self.d", "gains-key"), id="a key of the call"),
        pytest.param("self.d = {}", "self.d.update(a=x)", ("self.d", "gains-key"), id="update"),
        pytest.param(
            "self.d = {'a': 1}", "x = x * len(self.d); self.d |= {'b': 1}", ("self.d", "gains-key"), id="joined"
        ),
        pytest.param("self.d = {'n': 0}", "self.d['n'] += 1", ("self.d['n']", "counts"), id="a count in a dict"),
        pytest.param("self.c = [0]", "self.c[0] += 1", ("self.c[0]", "counts"), id="a count in a list"),
        pytest.param("self.d = {'n': 0}", "self.d['n'] = self.d['n'] + 1", ("self.d['n']", "counts"), id="by hand"),
        pytest.param("self.d = {'h': []}", "self.d['h'].append(x)", ("self.d['h']", "grows"), id="a list in a dict"),
        pytest.param("self.h = []", "h = self.h; h.append(x)", ("self.h", "grows"), id="by another name"),
        pytest.param(
            "self.d = {}",
            "t = self.d.get(k); self.d[k] = x if t is None else t",
            ("self.d", "gains-key"),
            id="got first",
        ),
        pytest.param("self.d = defaultdict(dict)", "t = self.d[k]", ("self.d", "gains-key"), id="a key by default"),
        pytest.param("self.s = {'a'}", "self.s.add('b')", ("self.s", "fills"), id="a new member"),
        pytest.param("self.q = [1, 2]", "x = x * self.q[0]; self.q.reverse()", ("self.q", "flips"), id="another order"),
    ],
)
def test_what_the_next_call_finds_changed(init: str, line: str, found: tuple[str, str]) -> None:
    assert changes(init, line, head="from collections import defaultdict") == [found]


@pytest.mark.parametrize(
    ("init", "lines"),
    [
        pytest.param("self.d = {'a': 1}", ("self.d['a'] = x",), id="a key that is there"),
        pytest.param("self.d = {'a': x}", ("t = self.d['a']",), id="a key of a plain dict"),
        pytest.param("self.s = {'a'}", ("self.s.add('a')",), id="a member that is there"),
        pytest.param("self.s = {'a'}", ("self.s.discard('b')",), id="a member that was never there"),
        pytest.param("self.q = [x, x]", ("self.q.reverse()",), id="tensors in another order"),
        pytest.param("self.d = {'a': 1}", ("self.d.update({'a': 1})",), id="an update that changes nothing"),
        pytest.param("self.d = {'a': 1}", ("x = x * self.d['a']", "self.d |= {'a': 1}"), id="joined with what it has"),
        pytest.param("self.d = {'a': 1}", ("self.d.setdefault('a', x)",), id="setdefault of a key that is there"),
        pytest.param("self.h = []", ("self.h.append(x)", "self.h.pop()"), id="taken out again"),
        pytest.param("self.h = []", ("self.h = []", "self.h.append(x)"), id="made in the call"),
        pytest.param("self.h = []", ("h = []", "h.append(x)"), id="a list of its own"),
        pytest.param("self.h = []", ("h = list(self.h)", "h.append(x)"), id="a copy"),
        pytest.param("self.h = []", ("y = len(self.h)",), id="only read"),
        pytest.param("self.log = make()", ("self.log.append(x)",), id="an object that is no known container"),
    ],
)
def test_what_it_finds_as_it_was(init: str, lines: tuple[str, ...]) -> None:
    assert changes(init, *lines) == []


@pytest.mark.parametrize(
    ("default", "names"),
    [
        pytest.param("kept=[]", ["kept"], id="a list"),
        pytest.param("kept=list()", ["kept"], id="made by a call"),
        pytest.param("kept=()", [], id="a tuple"),
        pytest.param("kept=None", [], id="none"),
    ],
)
def test_a_mutable_default_outlives_the_call(default: str, names: list[str]) -> None:
    found = changes("pass", "kept.append(x)", signature=f"self, x: Tensor, {default}")
    assert [name for name, _ in found] == names


def test_a_list_of_the_file_or_of_an_enclosing_function_outlives_the_call() -> None:
    assert changes("pass", "KEPT.append(x)", head="KEPT = []") == [("G['KEPT']", "grows")]
    factory = (
        "def make():\n    kept = []\n    @torch.compile\n    def f(x):\n        kept.append(x)\n        return x\n"
    )
    names = [event.name for event in run(f"{factory}    return f\n") if isinstance(event, StateChange)]
    assert names == ["kept"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("def f(x: Tensor, out: list):\n    out.append(x)\n    return x\n", [], id="an argument"),
        pytest.param("def f(x: Tensor):\n    out = []\n    out.append(x)\n    return x\n", [], id="a local"),
    ],
)
def test_what_belongs_to_the_call_is_no_state(text: str, names: list[str]) -> None:
    found = [event.name for event in run(f"@torch.compile\n{text}") if isinstance(event, StateChange)]
    assert found == names


@pytest.mark.parametrize(
    ("init", "line", "found"),
    [
        pytest.param("self.it = iter([1, 2])", "y = next(self.it)", [("self.it", "advances")], id="of the module"),
        pytest.param("pass", "y = next(iter([1, 2]))", [], id="made in the call"),
    ],
)
def test_an_iterator_that_is_advanced(init: str, line: str, found: list[tuple[str, str]]) -> None:
    assert changes(init, line) == found


@pytest.mark.parametrize(
    ("init", "line", "found"),
    [
        pytest.param("deque([1.0, 2.0], maxlen=2)", "self.h.append(3.0)", [], id="full"),
        pytest.param("deque([0.0] * k, maxlen=k)", "self.h.append(3.0)", [], id="full, as long as an argument says"),
        pytest.param("deque([0.0], maxlen=2)", "self.h.append(3.0)", [("self.h", "grows")], id="not full yet"),
        pytest.param("deque([0.0, 1.0])", "self.h.append(3.0)", [("self.h", "grows")], id="without a bound"),
        pytest.param("deque([0.0, 1.0])", "self.h.rotate(1)", [("self.h", "flips")], id="rotated"),
        pytest.param("deque([0.0, 0.0])", "self.h.rotate(1)", [], id="rotated, all the same"),
        pytest.param("itertools.repeat(2)", "x = x * next(self.h)", [], id="one value again and again"),
        pytest.param("itertools.count(2)", "x = x * next(self.h)", [("self.h", "advances")], id="another value"),
    ],
)
def test_windows_and_iterators(init: str, line: str, found: list[tuple[str, str]]) -> None:
    head = "import itertools; from collections import deque; k = 3"
    assert changes(f"self.h = {init}", line, head=head) == found
