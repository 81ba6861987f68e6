"""CL70x and CL71x on small programs: what changes a guard and what only looks so (each was run under Dynamo)."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.checks import rulebook
from compilelint.events import InputGuard, StateChange
from compilelint.model import Confidence, Finding
from compilelint.torchfacts import load
from tests.support.reveal import run

BOOK = rulebook()
CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def findings(source: str, roots: tuple[str, ...] = ("auto",), version: str = "2.13.0") -> list[Finding]:
    facts = load(version)
    events = [one for one in run(source, roots) if isinstance(one, (StateChange, InputGuard))]
    return [finding for event in events for finding in BOOK.findings_for(event, facts)]


def said(source: str, roots: tuple[str, ...] = ("auto",), version: str = "2.13.0") -> list[tuple[str, Confidence]]:
    return [(one.rule.code, one.confidence) for one in findings(source, roots, version)]


def module(init: str, *lines: str, more: str = "") -> str:
    """A module whose constructor and forward hold these lines."""
    body = "\n        ".join(lines)
    return (
        "class M(nn.Module):\n    def __init__(self, flag=False):\n        super().__init__()\n"
        f"        {init}\n    def forward(self, x, on=False):\n        {body}\n        return x * 2\n{more}"
    )


@pytest.mark.parametrize(
    ("init", "line", "code"),
    [
        pytest.param("self.n = 0", "self.n += 1", "CL701", id="an int counter"),
        pytest.param("self.n = 0", "self.n = self.n + x.shape[0]", "CL701", id="a position"),
        pytest.param("self.t = 1.0", "self.t *= 0.9", "CL701", id="a float that decays"),
        pytest.param("self.n = 0", "self.n = (self.n + 1) % 3", "CL701", id="round robin"),
        pytest.param("self.d = {'n': 0}", "self.d['n'] += 1", "CL701", id="a number in a dict"),
        pytest.param("self.c = [0]", "self.c[0] += 1", "CL701", id="a number in a list"),
        pytest.param("pass", "self.n = getattr(self, 'n', 0) + 1", "CL701", id="a counter that starts late"),
        pytest.param("self.h = []", "self.h.append(x)", "CL702", id="a list"),
        pytest.param("self.h = []", "self.h = self.h + [x]", "CL702", id="a longer list in its place"),
        pytest.param("self.h = ()", "self.h = (*self.h, x)", "CL702", id="a longer tuple"),
        pytest.param("self.d = {}", "self.d['a'] = x", "CL702", id="a new key"),
        pytest.param("self.t = 0", "self.t = self.t + x.sum()", "CL703", id="a number becomes a tensor"),
        pytest.param("self.k = torch.zeros(0)", "self.k = torch.cat([self.k, x])", "CL704", id="a longer tensor"),
        pytest.param("self.i = iter(range(9))", "x = x + next(self.i)", "CL706", id="an iterator"),
    ],
)
def test_state_that_every_call_finds_changed(init: str, line: str, code: str) -> None:
    assert said(module(init, line)) == [(code, CERTAIN)]


@pytest.mark.parametrize(
    ("init", "lines"),
    [
        pytest.param("self.m = None", ("if self.m is None: self.m = torch.ones(3)", "x = x * self.m"), id="None"),
        pytest.param("self.f = True", ("if self.f: self.f = False",), id="a flag"),
        pytest.param("pass", ("if not hasattr(self, 'm'): self.m = torch.ones(3)",), id="an attribute that is missing"),
        pytest.param(
            "pass", ("if not hasattr(self, 'm'): self.register_buffer('m', x)",), id="a buffer that is missing"
        ),
        pytest.param("self.p = 'a'", ("if self.p == 'a': self.p = 'b'",), id="a text"),
    ],
)
def test_state_that_the_first_call_sets_up(init: str, lines: tuple[str, ...]) -> None:
    assert said(module(init, *lines)) == [("CL703", LIKELY)]


@pytest.mark.parametrize(
    ("init", "lines"),
    [
        pytest.param("self.n = 0", ("self.n = 0", "self.n += 1"), id="reset first"),
        pytest.param("self.last = None", ("self.last = x",), id="only written"),
        pytest.param("self.m = None", ("self.m = x", "x = x + self.m"), id="written before it is read"),
        pytest.param("self.m = None", ("self.m = x", "x = x + self.m", "self.m = None"), id="taken back at the end"),
        pytest.param("self.f = True", ("if self.f: x = x + 1", "self.f = True"), id="set to what it is"),
        pytest.param("self.n = 0", ("if not torch.compiler.is_compiling(): self.n += 1",), id="not while compiling"),
        pytest.param("self.e = torch.zeros(3)", ("self.e = 0.9 * self.e + x",), id="a tensor"),
        pytest.param("self.q = torch.zeros(3)", ("self.q = torch.cat([self.q, x])[-3:]",), id="a window of a tensor"),
        pytest.param("self.h = []", ("self.h = []", "self.h.append(x)"), id="a list made again"),
        pytest.param("self.h = []", ("self.h.append(x)", "y = x + 1", "self.h.pop()"), id="pushed and popped"),
        pytest.param("self.d = {'a': None}", ("self.d['a'] = x",), id="a key that is there"),
        pytest.param("self.n = 2", ("n = self.n", "n += 1", "x = x * n"), id="a local copy"),
        pytest.param("self.h = [1]", ("self.h = [one * 2.0 for one in self.h]",), id="a list as long as before"),
    ],
)
def test_state_that_no_guard_finds_changed(init: str, lines: tuple[str, ...]) -> None:
    assert said(module(init, *lines)) == []


@pytest.mark.parametrize(
    ("init", "line"),
    [
        pytest.param("self.h = []", "if on: self.h.append(x)", id="an argument that is off"),
        pytest.param("self.h, self.keep = [], False", "if self.keep: self.h.append(x)", id="an attribute that is off"),
    ],
)
def test_what_is_switched_off_unless_asked_for_is_possible(init: str, line: str) -> None:
    assert said(module(init, line)) == [("CL702", POSSIBLE)]


def test_a_method_is_seen_through_its_caller() -> None:
    tick = "    def tick(self):\n        self.n += 1\n"
    assert said(module("self.n = 0", "self.tick()", more=tick)) == [("CL701", CERTAIN)]
    assert said(module("self.n = 0", "self.n = 0", "self.tick()", more=tick)) == []
    assert said(module("self.n = 0", "self.n = 0", "self.tick()", more=tick), roots=("all",)) == []


def test_an_object_that_a_module_holds_keeps_its_state_and_one_that_is_passed_in_may_be_new() -> None:
    cache = "class Cache:\n    def __init__(self): self.n = 0\n    def add(self): self.n += 1\n"
    held = module("self.c = Cache()", "self.c.add()")
    passed = "class M(nn.Module):\n    def forward(self, x, c: Cache):\n        c.add()\n        return x\n"
    inside = "class M(nn.Module):\n    def forward(self, x):\n        c = Cache()\n        c.add()\n        return x\n"
    assert said(cache + held) == [("CL701", CERTAIN)]
    assert said(cache + passed) == [("CL701", POSSIBLE)]
    assert said(cache + inside) == []


GLOBAL = "N = 0\n@torch.compile\ndef f(x):\n    global N\n    N += 1\n    return x * {}\n"


@pytest.mark.parametrize(
    ("used", "version", "sure"),
    [("2", "2.13.0", CERTAIN), ("2", "2.15.0", POSSIBLE), ("N", "2.13.0", CERTAIN), ("N", "2.15.0", CERTAIN)],
)
def test_a_global_counter_is_guarded_in_new_versions_only_where_it_is_used(
    used: str, version: str, sure: Confidence
) -> None:
    assert said(GLOBAL.format(used), ("explicit",), version) == [("CL701", sure)]


def test_variables_of_a_factory_live_on_and_those_of_a_compiled_function_do_not() -> None:
    inner = "    n = 0\n    def g(y):\n        nonlocal n\n        n += 1\n        return y * n\n"
    assert said("def make(decay):\n" + inner + "    return g\n", ("all",)) == [("CL701", CERTAIN)]
    assert said("def f(x: Tensor):\n" + inner + "    return g(x)\n", ("all",)) == []


def test_a_mutable_default_counts_only_where_it_is_used() -> None:
    source = "def f(x: Tensor, seen=[]):\n    seen.append(x)\n    return x\n"
    assert said(source, ("all",)) == [("CL705", CERTAIN)]
    assert said(source + "@torch.compile\ndef g(x: Tensor):\n    return f(x, [])\n", ("explicit",)) == []


def test_the_message_names_the_guard_the_versions_and_the_end() -> None:
    (finding,) = findings(module("self.n = 0", "self.n += 1"))
    assert finding.message == "`self.n` changes on every call"
    assert "`self.n == 0`" in finding.why
    assert "8 versions" in finding.why
    assert "runs uncompiled" in finding.why


@pytest.mark.parametrize(
    ("head", "line", "code"),
    [
        pytest.param("x: Tensor, n: int", "for _ in range(n): x = x + 1", "CL710", id="a number of rounds"),
        pytest.param("x: Tensor, mode: str", "if mode == 'a': x = x + 1", "CL710", id="a text"),
        pytest.param("x: Tensor", "if x.shape[0] > 4: x = x + 1", "CL711", id="a size"),
        pytest.param(
            "x: Tensor, m: Tensor | None = None", "if m is not None: x = x * m", "CL712", id="None or a tensor"
        ),
    ],
)
def test_what_the_caller_decides_is_possible(head: str, line: str, code: str) -> None:
    source = f"@torch.compile\ndef f({head}):\n    {line}\n    return x\n"
    assert said(source, ("explicit",)) == [(code, POSSIBLE)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("if n < 0: raise ValueError('negative')", id="a check that only raises"),
        pytest.param("x = x * n", id="a factor"),
    ],
)
def test_numbers_that_decide_nothing_are_not_spoken_of(lines: str) -> None:
    assert said(f"@torch.compile\ndef f(x: Tensor, n: int):\n    {lines}\n    return x\n", ("explicit",)) == []


def test_the_number_of_a_layer_in_its_forward() -> None:
    source = module("self.layer_idx = 3", "x = x / self.layer_idx")
    assert said(source) == [("CL713", POSSIBLE)]


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        pytest.param(("self.n += 1",), "`self.n` changes on every call", id="always"),
        pytest.param(
            ("if self.training:", "    self.n += 1"), "`self.n` changes on every call in training", id="there"
        ),
        pytest.param(
            ("if on and self.training:", "    self.n += 1"),
            "`self.n` changes on every call in training",
            id="there, and if asked for",
        ),
        pytest.param(("if on:", "    self.n += 1"), "`self.n` changes on every call", id="another test"),
    ],
)
def test_a_counter_that_only_training_moves_is_named_as_such(lines: tuple[str, ...], reported: str) -> None:
    assert {one.message for one in findings(module("self.n = 0", *lines))} == {reported}


def test_a_global_is_named_as_the_source_spells_it_and_guarded_as_dynamo_does() -> None:
    (found,) = findings("N = 0\ndef f(x: Tensor):\n    global N\n    N += 1\n    return x * N\n")
    assert found.message == "`N` changes on every call"
    assert "`G['N'] == 0`" in found.why


@pytest.mark.parametrize(
    ("init", "line", "says"),
    [
        ("self.n = 0", "self.n += 1", "changes on every call"),
        ("self.t = 1.0", "self.t *= 0.9", "changes from call to call"),
        ("self.n = 0", "self.n = (self.n + 1) % 3", "changes during the first calls"),
        ("self.h = []", "self.h.append(x)", "grows on every call"),
        ("self.d = {}", "self.d[x.shape[0]] = x", "gets a new entry"),
        ("self.d = {}", "self.d['a'] = x", "is filled by the first call"),
    ],
)
def test_each_kind_of_change_has_its_own_words(init: str, line: str, says: str) -> None:
    (finding,) = findings(module(init, line))
    assert says in finding.message


def test_only_an_int_that_a_module_counts_is_offered_as_a_buffer() -> None:
    counts, decays = findings(module("self.n = 0", "self.n += 1")), findings(module("self.t = 1.0", "self.t *= 0.9"))
    assert [one.rewrite is not None for one in counts] == [True]
    assert [one.rewrite is not None for one in decays] == [False]
    assert "allow_unspec_int_on_nn_module" in counts[0].help
    assert "allow_unspec_int_on_nn_module" not in decays[0].help


def test_the_setting_for_modules_is_not_offered_for_other_objects() -> None:
    text = """
        class Cache:
            def __init__(self):
                self.count = 0

            def update(self, x):
                self.count += 1
                return x * self.count

        update = torch.compile(Cache().update)
        update(torch.ones(2))
    """
    (one,) = findings(textwrap.dedent(text))
    assert (one.rule.code, "allow_unspec_int_on_nn_module" in one.help) == ("CL701", False)
