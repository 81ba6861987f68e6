"""Who is who: modules, imports of all kinds, classes with their MRO. Sources lie in memory; nothing is interpreted."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.project.index import (
    ClassInfo,
    ModuleInfo,
    Program,
    bindings_of,
    canonical,
    dotted_name,
    last_name,
)
from compilelint.syntax import ir
from compilelint.values import ClassRef, External, FunctionRef, Value
from tests.support.reveal import Memory, describe, lowered


def program(**files: str) -> Program:
    """Modules by dotted name with `_` for `.`; a name that ends in `_` is a package."""
    texts = {}
    for name, text in files.items():
        path = name.rstrip("_").replace("_", "/") + ("/__init__.py" if name.endswith("_") else ".py")
        texts[path] = textwrap.dedent(text)
    return Program(Memory(texts), lambda path: True)


def module(source: str, name: str = "app") -> ModuleInfo:
    """One module alone."""
    return ModuleInfo(lowered(textwrap.dedent(source), name=name), linted=True)


def meaning(found: Program, dotted: str, name: str) -> str:
    """What a global name of a module holds, in words."""
    where = found.module(dotted)
    assert where is not None, dotted
    value = found.global_value(where, name)
    return "unbound" if value is None else describe(value)


def cls(found: Program, dotted: str, name: str) -> ClassInfo:
    where = found.module(dotted)
    assert where is not None
    value = found.global_value(where, name)
    assert isinstance(value, ClassRef)
    assert isinstance(value.cls, ClassInfo)
    return value.cls


def order(info: ClassInfo) -> str:
    """The MRO in words."""
    return " ".join(c if isinstance(c, str) else c.node.name for c in info.mro)


# ---------------------------------------------------------------------- imports


@pytest.mark.parametrize(
    ("statement", "name", "what"),
    [
        ("import ops", "ops", "library ops"),
        ("import pkg.sub", "pkg", "library pkg"),
        ("import pkg.sub as s", "s", "library pkg.sub"),
        ("from ops import total", "total", "function total"),
        ("from ops import total as t", "t", "function total"),
        ("from ops import *", "total", "function total"),
        ("from ops import *", "_private", "unbound"),
        ("from pkg import sub", "sub", "library pkg.sub"),
        ("from pkg.sub import Net", "Net", "class Net"),
        ("from pkg import Again", "Again", "class Net"),
        ("from ops import missing", "missing", "?"),
        ("from nowhere import thing", "thing", "library nowhere.thing"),
        ("import numpy as np", "np", "library numpy"),
        ("from torch.nn.modules.linear import Linear", "Linear", "library torch.nn.Linear"),
        ("x = 1", "y", "unbound"),
    ],
)
def test_imports(statement: str, name: str, what: str) -> None:
    found = program(
        app=statement,
        ops="def total(x): ...\ndef _private(x): ...",
        pkg_="from .sub import Net as Again",
        pkg_sub="class Net: ...",
    )
    assert meaning(found, "app", name) == what


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


def test_relative_imports_between_files() -> None:
    found = program(
        pkg_="",
        pkg_ops="def total(x): ...",
        pkg_sub_="from ..ops import total\nfrom . import net",
        pkg_sub_net="from .. import ops\nfrom ..ops import total as t\nfrom . import net",
    )
    assert meaning(found, "pkg.sub", "total") == "function total"
    assert meaning(found, "pkg.sub.net", "ops") == "library pkg.ops"
    assert meaning(found, "pkg.sub.net", "t") == "function total"


def test_the_last_star_that_has_a_name_is_found_through_all_others() -> None:
    found = program(
        app="from one import *\nfrom two import *",
        one="from three import *",
        two="def b(): ...",
        three="def a(): ...",
    )
    assert meaning(found, "app", "a") == "function a"
    assert meaning(found, "app", "b") == "function b"
    assert meaning(found, "app", "c") == "unbound"


def test_circles_come_to_an_end() -> None:
    found = program(
        left="from right import thing\nfrom right import *\nfrom right import real",
        right="from left import thing\nfrom left import *\ndef real(): ...",
    )
    assert meaning(found, "left", "thing") == "?"
    assert meaning(found, "left", "real") == "function real"
    assert meaning(found, "left", "nothing") == "unbound"


def test_a_module_that_imports_itself() -> None:
    found = program(app="import app\nfrom app import f as g\ndef f(): ...")
    assert meaning(found, "app", "g") == "function f"


def test_a_name_bound_in_several_places_may_be_any_of_them() -> None:
    found = program(
        app="""
        try:
            from fast import total
        except ImportError:
            def total(x): ...
        """,
        fast="def total(x): ...",
    )
    assert meaning(found, "app", "total") == "function total | function total"


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


def test_each_module_is_loaded_once_and_a_missing_one_is_remembered() -> None:
    asked: list[str] = []

    class Counting(Memory):
        def load(self, dotted: str) -> ir.Module | None:
            asked.append(dotted)
            return super().load(dotted)

    found = Program(Counting({"app.py": "x = 1"}), lambda path: True)
    for _ in range(3):
        assert found.module("app") is found.module("app")
        assert found.module("gone") is None
    assert asked == ["app", "gone"]
    assert [m.name for m in found.modules()] == ["app"]


def test_only_linted_files_may_carry_findings() -> None:
    found = Program(Memory({"app.py": "", "lib.py": ""}), lambda path: path == "app.py")
    app, lib = found.module("app"), found.module("lib")
    assert app is not None
    assert lib is not None
    assert (app.linted, lib.linted) == (True, False)


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


# ------------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("dotted", "public"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.Linear", "torch.nn.modules.Linear"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.autograd.function.Function", "torch.autograd.Function"),
        ("torch.autograd.grad_mode.no_grad", "torch.no_grad"),
        ("torch._tensor.Tensor", "torch.Tensor"),
        ("torch.nn.functional.relu", "torch.nn.functional.relu"),
        ("numpy.sum", "numpy.sum"),
    ],
)
def test_library_objects_have_one_name(dotted: str, public: str) -> None:
    assert canonical(dotted) == public


@pytest.mark.parametrize(
    ("text", "dotted", "last"),
    [
        ("a", "a", "a"),
        ("a.b.c", "a.b.c", "c"),
        ("a.b.c(1)", "", "c"),
        ("a().b", "", "b"),
        ("a[0].b", "", "b"),
        ("1", "", ""),
    ],
)
def test_names_of_expressions(text: str, dotted: str, last: str) -> None:
    (statement,) = lowered(text + "\n").body
    assert isinstance(statement, ir.ExprStmt)
    assert (dotted_name(statement.value), last_name(statement.value)) == (dotted, last)


# ---------------------------------------------------------------------- classes


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


def test_nested_classes_and_members_by_dotted_name() -> None:
    found = program(app="class A:\n  class B:\n    def f(self): ...\n  limit = 3\n")
    info = found.module("app")
    assert info is not None

    def resolved(text: str) -> Value | None:
        (statement,) = lowered(text + "\n").body
        assert isinstance(statement, ir.ExprStmt)
        return found.resolve(info, statement.value)

    inner, method = resolved("A.B"), resolved("A.B.f")
    assert isinstance(inner, ClassRef)
    assert inner.cls.qualified_name == "app.A.B"
    assert isinstance(method, FunctionRef)
    assert method.code.qualified_name == "app.A.B.f"
    assert resolved("missing.b") is None
    assert resolved("A.missing") is None


def test_a_submodule_is_found_before_a_star_is_searched() -> None:
    found = program(
        app="from pkg import sub", pkg_="from .everything import *", pkg_sub="x = 1", pkg_everything="sub = 1"
    )
    assert meaning(found, "app", "sub") == "library pkg.sub"


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


def test_library_values_are_externals() -> None:
    found = program(app="import torch\n")
    info = found.module("app")
    assert info is not None
    value = found.member("torch.nn.modules.linear", "Linear")
    assert isinstance(value, External)
    assert value.name == "torch.nn.Linear"


def test_a_package_that_imports_its_own_submodule() -> None:
    found = program(pkg_="", pkg_sub_="from . import net", pkg_sub_net="")
    assert meaning(found, "pkg.sub", "net") == "library pkg.sub.net"


def test_a_name_that_is_not_bound_is_looked_for_once_in_modules_that_import_each_other_by_star() -> None:
    count = 60
    star = "from m{} import *\nfrom m{} import *\n"
    texts = {f"m{i}": star.format((i + 1) % count, (i * 7 + 3) % count) for i in range(count)}
    texts[f"m{count - 1}"] += "def last(): ...\n"
    found = program(**texts)
    assert meaning(found, "m0", "nowhere") == "unbound"
    where = found.module("m0")
    assert where is not None
    assert isinstance(found.global_value(where, "last"), FunctionRef)
