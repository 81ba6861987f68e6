"""Values and constructs that `interp/refused_*.py`, `leaving_region` and their like refuse, beside the real Dynamo.

Cuts across files: each program is run twice, by the engine and by the installed torch, which says the same id. The
second of each pair is the same shape without what is refused, and is traced by both.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.reveal import run

HEAD = """
import abc, collections.abc, re, types
import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import Function
"""
NESTED = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]{layout})

    def forward(self, x: Tensor):
        y = x.relu()
        return y, self.rows{use}

f = Model()
"""
QUANTIZED = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = {value}

    def forward(self, x: Tensor):
        return x.relu() * self.weight{use}

f = Model()
"""
GLOBAL = """
class Key:
    pass

KEY = Key()
HELD = {value}

def f(x: Tensor):
    y = x.relu()
    return y * {use}
"""
PROXY = """
CALLS = {{"n": 0}}
OPTIONS = types.MappingProxyType({{"a": 2.0}})

def f(x: Tensor):
    y = x.relu()
    {write}
    return y * OPTIONS["a"]
"""
CONTEXT = """
KEPT = []

class Own(Function):
    @staticmethod
    def forward(ctx, x):
        {statement}
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad

def f(x: Tensor):
    return Own.apply(x.relu()) + 1
"""
RETURNED = """
def f(x: Tensor):
    keep = torch.autograd._unsafe_preserve_version_counter(x)
    return x * 2{also}
"""
PARENT = """
class Triples:
    def __call__(self, x):
        return x * 3

class Parent:
    helper = Triples()

    def plain(self, x):
        return x + 1

class Child(Parent):
    def go(self, x: Tensor):
        y = x.relu()
        try:
            return {use}
        except AttributeError:
            return y

CHILD = Child()

def f(x: Tensor):
    return CHILD.go(x)
"""
ABSTRACT = """
class Open({base}):
    {body}

def f(x: Tensor):
    y = x.relu()
    try:
        Open()
    except TypeError:
        return y
    return y + 1
"""
ALIAS = """
TABLE = {{{key}: 2.0}}

def f(x: Tensor):
    y = x.relu()
    return y * TABLE[{key}]
"""
PATTERN = """
PATTERN = re.compile("a")

class Thing:
    def shown(self, match):
        return "b"

def shown(match):
    return "b"

THING = Thing()

def f(x: Tensor):
    y = x.relu()
    return y * len(PATTERN.sub({given}, "aba"))
"""
CELL = """
def f(x: Tensor):
    y = x.relu()

    def inner():
        return y * factor

    {early}
    try:
        y = inner()
    except NameError:
        y = x
    factor = 2.0
    return y * factor
"""
DIRECT = """
class Own(Function):
    {static}
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad

def f(x: Tensor):
    return Own.forward(None, x.relu())
"""
UNINITIALISED = """
class Bare(nn.Module):
    def __init__(self):
        {statement}

    def forward(self, x):
        return x * 2

BARE = Bare()

def f(x: Tensor):
    return BARE.forward(x.relu())
"""
OUT = """
def f(x: Tensor):
    held = {values}, torch.empty(3, 2, dtype=torch.long)
    torch.topk(x.relu(), 2, out=held)
    return held[0]
"""
JAGGED = ", layout=torch.jagged"
PACKED = "torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)"
REFUSED = (
    (NESTED.format(layout="", use=" + 1"), "GB0016"),
    (QUANTIZED.format(value=PACKED, use=".dequantize()"), "GB0064"),
    (GLOBAL.format(value="np.array(['a', 'b'])", use="len(HELD)"), "GB0185"),
    (GLOBAL.format(value="np.array([1, 2], dtype=object)", use="HELD.shape[0]"), "GB0185"),
    (GLOBAL.format(value="types.MappingProxyType({KEY: 1.0})", use="len(HELD)"), "GB0204"),
    (GLOBAL.format(value="types.MappingProxyType({nn.ReLU: 1.0})", use="len(HELD)"), "GB0204"),
    (GLOBAL.format(value="{KEY: 1}.keys()", use="len(HELD)"), "GB0203"),
    (GLOBAL.format(value="{torch.ones(3)}", use="len(HELD)"), "GB0222"),
    (PROXY.format(write='CALLS["n"] = 1'), "GB0198"),
    (PROXY.format(write="CALLS.update(n=1)"), "GB0198"),
    (CONTEXT.format(statement="KEPT.append(ctx)"), "GB0019"),
    (RETURNED.format(also=", keep"), "GB0209"),
    (PARENT.format(use="super().helper(y)"), "GB0006"),
    (PARENT.format(use='y * getattr(super(), "gain", 2.0)'), "GB0150"),
    (PARENT.format(use="y * super().gain"), "GB0113"),
    (PARENT.format(use="super().gain(y)"), "GB0113"),
    (ABSTRACT.format(base="abc.ABC", body="@abc.abstractmethod\n    def run(self): ..."), "GB2404"),
    (ABSTRACT.format(base="collections.abc.Sequence", body="pass"), "GB2404"),
    (ALIAS.format(key="list[int]"), "GB2861"),
    (PATTERN.format(given="THING.shown"), "GB0299"),
    (PATTERN.format(given="lambda match: str(y)"), "GB0299"),
    (CELL.format(early="pass"), "GB0091"),
    (DIRECT.format(static=""), "GB0140"),
    (UNINITIALISED.format(statement="pass"), "GB0119"),
    (OUT.format(values="torch.empty(2, 3).t()"), "GB0241"),
)
TRACED = (
    NESTED.format(layout=JAGGED, use=""),
    QUANTIZED.format(value="torch.ones(3)", use=".sum()"),
    GLOBAL.format(value="np.array([1.0, 2.0])", use="len(HELD)"),
    GLOBAL.format(value="types.MappingProxyType({'a': 1.0})", use="len(HELD)"),
    GLOBAL.format(value="{'a': 1}.keys()", use="len(HELD)"),
    GLOBAL.format(value="{'a'}", use="len(HELD)"),
    PROXY.format(write="pass"),
    PROXY.format(write='calls = {}\n    calls["n"] = 1'),
    CONTEXT.format(statement="[].append(ctx)"),
    RETURNED.format(also=""),
    PARENT.format(use="super().plain(y)"),
    PARENT.format(use='getattr(super(), "plain")(y)'),
    ABSTRACT.format(base="object", body="def run(self): ..."),
    ABSTRACT.format(base="collections.abc.Sized", body="def __len__(self): return 1"),
    ALIAS.format(key="int"),
    PATTERN.format(given="shown"),
    PATTERN.format(given="lambda match: 'b'"),
    CELL.format(early="factor = 3.0"),
    DIRECT.format(static="@staticmethod"),
    UNINITIALISED.format(statement="super().__init__()"),
    OUT.format(values="torch.empty(3, 2)"),
)


def ids(program: str) -> set[str]:
    """The ids that the engine gives to the graph breaks of a program."""
    outcomes = [event.outcome for event in run(HEAD + program) if event.breaks]
    return {fact.gb_id or "" for fact in outcomes if fact is not None}


@pytest.mark.parametrize(("program", "gb_id"), REFUSED)
def test_refused(program: str, gb_id: str) -> None:
    assert gb_id in ids(program)


@pytest.mark.parametrize("program", TRACED)
def test_traced(program: str) -> None:
    assert ids(program) == set()


def said(program: str) -> str:
    """The id that the installed torch ends the compilation with; empty where it compiles."""
    import torch

    names: dict[str, Any] = {}
    exec(HEAD + program, names)
    torch._dynamo.reset()
    try:
        torch.compile(names["f"], backend="eager", fullgraph=True)(torch.randn(3, 4))
    except RuntimeError as error:
        found = re.search(r"gb(\d{4})", str(error))
        return f"GB{found[1]}" if found else str(error)
    return ""


@pytest.mark.dynamo
@pytest.mark.parametrize(("program", "gb_id"), [*REFUSED, *((one, "") for one in TRACED)])
def test_so_does_the_installed_torch(program: str, gb_id: str) -> None:
    assert said(program) == gb_id
