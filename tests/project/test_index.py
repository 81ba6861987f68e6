"""Names across files: imports of all kinds, re-exports and stars. Sources lie in memory; nothing is interpreted."""

from __future__ import annotations

import pytest

from compilelint.project.index import Program, canonical
from compilelint.syntax import ir
from compilelint.values import ClassRef, External, FunctionRef, Value
from tests.support.programs import meaning, program
from tests.support.reveal import Memory, lowered


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
    ("statement", "name", "what"),
    [
        pytest.param("from net import Net", "Net", "class Net", id="beside the script"),
        pytest.param("import net as n", "n", "library jobs.net", id="as a module"),
        pytest.param("import net", "net", "library jobs.net", id="by its own name"),
        pytest.param("from parts.conv import Conv", "Conv", "class Conv", id="in a folder beside it"),
        pytest.param("from ops import total", "total", "function total", id="what Python finds comes first"),
        pytest.param("from other import thing", "thing", "library other.thing", id="not beside it"),
        pytest.param("import torch", "torch", "library torch", id="a library"),
    ],
)
def test_a_file_of_a_package_may_be_run_as_a_script(statement: str, name: str, what: str) -> None:
    found = program(
        ops="def total(x): ...",
        jobs_="",
        jobs_ops="class Wrong: ...",
        jobs_run=statement,
        jobs_net="class Net: ...",
        jobs_parts_="",
        jobs_parts_conv="class Conv: ...",
    )
    assert meaning(found, "jobs.run", name) == what


def test_what_a_script_imports_sees_the_folders_around_it() -> None:
    found = program(
        jobs_="",
        jobs_net="class Net: ...",
        jobs_parts_="",
        jobs_parts_conv="from net import Net\ndef f():\n    from net import Net",
        jobs_parts_near="class Near: ...",
    )
    assert meaning(found, "jobs.parts.conv", "Net") == "class Net"


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


def test_a_name_that_an_extension_gives_a_package_is_the_packages_own() -> None:
    files = {
        "app.py": "import fast\nfrom fast import solve, missing, _hidden\n",
        "fast/__init__.py": "from fast._kernels import *\nfrom fast._more import *\n",
        "fast/_kernels.so": "",
        "fast/_more.py": "def missing():\n    pass\n",
    }
    analysed = Program(Memory(files), lambda path: path == "app.py")
    app = analysed.module("app")
    assert app is not None
    solve, missing = (analysed.global_value(app, name) for name in ("solve", "missing"))
    assert isinstance(solve, External)
    assert solve.name == "fast.solve"
    assert isinstance(missing, FunctionRef)
    assert not isinstance(analysed.global_value(app, "_hidden"), External)
