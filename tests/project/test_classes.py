"""Classes with their MRO, members and fields, and what bodies bind. Sources lie in memory; nothing is interpreted."""

from __future__ import annotations

import pytest

from compilelint.project.classes import ClassInfo, ModuleInfo, bindings_of
from compilelint.syntax import ir
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.values import FunctionRef
from tests.support.programs import cls, module, order, program
from tests.support.reveal import lowered


@pytest.mark.parametrize(
    ("package", "level", "text", "dotted"),
    [
        (False, 0, "a.b", "a.b"),
        (False, 1, "", "pkg.sub"),
        (False, 1, "ops", "pkg.sub.ops"),
        (False, 2, "ops", "pkg.ops"),
        (False, 3, "ops", "ops"),
        (False, 9, "ops", "ops"),
        (True, 1, "", "pkg.sub.net"),
        (True, 1, "ops", "pkg.sub.net.ops"),
        (True, 2, "", "pkg.sub"),
    ],
)
def test_relative_imports_count_from_the_module_or_package(package: bool, level: int, text: str, dotted: str) -> None:
    path = "pkg/sub/net/__init__.py" if package else "pkg/sub/net.py"
    info = ModuleInfo(lowered("", path, "pkg.sub.net"), linted=True)
    assert info.absolute(text, level) == dotted


def test_blocks_bind_for_their_module_and_functions_do_not() -> None:
    info = module("""
        if a:
            b = 1
        elif c:
            d = 2
        else:
            e = 3
        for f in g:
            h = 4
        while i:
            j = 5
        try:
            k = 6
        except X as l:
            m = 7
        else:
            n = 8
        finally:
            o = 9
        with p as (q, r):
            s = 10
        match t:
            case 1:
                u = 11
        def function(v):
            w = 12
        class Class:
            x = 13
        y, (z, *rest) = 14
    """)
    assert set(info.bindings) == set("bdefhjkmnoqrsuyz") - {"e"} | {"e", "rest", "function", "Class"}


def test_unpacked_names_remember_their_place() -> None:
    found = bindings_of(lowered("a, (b, *c) = value\n").body, module(""))
    assert {name: getattr(bound[0], "path", None) for name, bound in found.items()} == {
        "a": (0,),
        "b": (1, 0),
        "c": (1, 1),
    }


def test_functions_and_classes_are_one_object_a_definition() -> None:
    found = program(app="def f(): ...\nclass A:\n  def m(self): ...")
    info = found.module("app")
    assert info is not None
    one, two = found.global_value(info, "f"), found.global_value(info, "f")
    assert isinstance(one, FunctionRef)
    assert isinstance(two, FunctionRef)
    assert one.code is two.code
    assert cls(found, "app", "A").method("m") is cls(found, "app", "A").own("m")
    assert cls(found, "app", "A").qualified_name == "app.A"
    assert repr(cls(found, "app", "A").method("m")) == "<function app.A.m>"


def test_mro_is_that_of_python() -> None:
    found = program(
        app="""
        class O: ...
        class A(O): ...
        class B(O): ...
        class C(A, B): ...
        class D(B): ...
        class E(C, D): ...
        """
    )
    assert order(cls(found, "app", "C")) == "C A B O"
    assert order(cls(found, "app", "E")) == "E C A D B O"


def test_mro_across_files_ends_in_library_names() -> None:
    found = program(
        app="from base import Base\nimport mixin\nclass Net(mixin.Mixin, Base): ...",
        base="import torch.nn as nn\nclass Base(nn.Module): ...",
        mixin="from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Mixin(Generic[T]): ...",
    )
    net = cls(found, "app", "Net")
    assert order(net) == "Net Mixin typing.Generic Base torch.nn.Module"
    assert net.external_bases == ("typing.Generic", "torch.nn.Module")
    assert net.is_module


def test_bases_that_contradict_each_other_are_taken_depth_first() -> None:
    found = program(app="class A: ...\nclass B(A): ...\nclass C(A, B): ...\nclass D(B, A): ...")
    assert order(cls(found, "app", "C")) == "C A B"
    assert order(cls(found, "app", "D")) == "D B A"


def test_a_class_that_is_its_own_base_ends() -> None:
    found = program(left="from right import B\nclass A(B): ...", right="from left import A\nclass B(A): ...")
    assert order(cls(found, "left", "A")).startswith("A B")
    assert order(cls(program(app="class A(A): ..."), "app", "A")).startswith("A")


def test_the_far_end_of_a_long_chain_counts_as_outside_the_program() -> None:
    found = program(
        app="import torch.nn as nn\nclass C0(nn.Module):\n    def first(self): ...\n"
        + "".join(f"class C{i}(C{i - 1}):\n    def m{i}(self): ...\n" for i in range(1, 900))
    )
    last = run_with_deep_stack(lambda: cls(found, "app", "C899"))
    assert run_with_deep_stack(lambda: len(last.mro)) == 402
    assert last.external_bases == ("unfollowed.bases", "torch.nn.Module")
    assert last.method("m500") is not None
    assert last.method("m499") is last.method("first") is None
    assert cls(found, "app", "C300").external_bases == ("torch.nn.Module",)


def test_members_are_found_by_mro_and_the_last_definition_wins() -> None:
    found = program(
        app="""
        class Base:
            def step(self): return 1
            def only(self): return 2
            size = 3

        class Net(Base):
            def step(self): return 4
            def step(self): return 5
        """
    )
    net = cls(found, "app", "Net")
    step, only = net.method("step"), net.method("only")
    assert step is not None
    assert only is not None
    (last,) = step.node.body
    assert isinstance(last, ir.Return)
    assert isinstance(last.value, ir.Const)
    assert last.value.value == 5
    assert only.owner is cls(found, "app", "Base")
    assert net.own("only") is None
    assert net.find("size") is not None
    assert net.find("missing") is None
    assert net.method("size") is None


def test_super_goes_on_behind_the_class_it_stands_in() -> None:
    found = program(app="class A: ...\nclass Mixin: ...\nclass B(A): ...\nclass Net(Mixin, B): ...\nclass Other: ...")
    net = cls(found, "app", "Net")
    after = [c.node.name for c in net.after(cls(found, "app", "Mixin")) if isinstance(c, ClassInfo)]
    assert after == ["B", "A"]
    assert list(net.after(cls(found, "app", "Other"))) == []


@pytest.mark.parametrize(
    ("bases", "is_module", "is_function"),
    [
        ("nn.Module", True, False),
        ("torch.nn.Linear", True, False),
        ("torch.nn.modules.module.Module", True, False),
        ("nn.Parameter", False, False),
        ("torch.autograd.Function", False, True),
        ("torch.autograd.function.Function", False, True),
        ("object", False, False),
        ("nowhere.Base", False, False),
        ("", False, False),
    ],
)
def test_what_a_class_is_by_its_bases(bases: str, is_module: bool, is_function: bool) -> None:
    found = program(app=f"import nowhere, torch\nfrom torch import nn\nclass A({bases}): ...\nclass B(A): ...")
    for name in ("A", "B"):
        info = cls(found, "app", name)
        assert (info.is_module, info.is_autograd_function) == (is_module, is_function)


def test_records_and_their_fields_in_order() -> None:
    found = program(
        app="""
        import dataclasses
        from dataclasses import dataclass
        from typing import NamedTuple

        @dataclass
        class Base:
            a: int
            b: int = 1

        @dataclasses.dataclass(frozen=True)
        class Sub(Base):
            c: int = 2
            a: str = ""
            d = 3

        class Pair(NamedTuple):
            left: int
            right: int

        class Plain:
            a: int
        """
    )
    assert cls(found, "app", "Sub").fields() == ["a", "b", "c"]
    assert cls(found, "app", "Pair").fields() == ["left", "right"]
    assert [cls(found, "app", name).is_record for name in ("Base", "Sub", "Pair", "Plain")] == [True, True, True, False]


def test_where_attributes_are_stored() -> None:
    info = cls(
        program(
            app="""
            class Net:
                def __init__(self):
                    self.a = 1
                def reset(this):
                    this.a = this.b = 2
                def other(self, net):
                    net.c = 3
            """
        ),
        "app",
        "Net",
    )
    stored = {name: [m.node.name for m in methods] for name, methods in info.stored_in.items()}
    assert stored == {"a": ["__init__", "reset"], "b": ["reset"]}


def test_decorators_are_known_by_their_last_name() -> None:
    info = cls(
        program(
            app="""
            import functools

            class A:
                @functools.cached_property
                def f(self): ...
                @a.b(1)
                def g(self): ...
            """
        ),
        "app",
        "A",
    )
    f, g = info.own("f"), info.own("g")
    assert f is not None
    assert g is not None
    assert f.decorated("cached_property")
    assert g.decorated("x", "b")
    assert not g.decorated("a")
