"""`syntax.lean_libcst`: the node classes of LibCST are those that its own import makes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

# Says of every class of LibCST's what can be seen of it, before its first node is made and after.
_SEEN = """
import dataclasses, inspect, json, sys
LOAD
import libcst
from libcst import matchers

def classes():
    for name, module in sorted(sys.modules.items()):
        if name.startswith("libcst"):
            for one in vars(module).values():
                if isinstance(one, type) and one.__module__ == name and dataclasses.is_dataclass(one):
                    yield one

def fields(one):
    return [(f.name, str(f.type), f.init, f.repr, f.compare) for f in dataclasses.fields(one)]

def signature(one):
    parameters = inspect.signature(one.__init__).parameters.values()
    return [(p.name, str(p.kind), p.default is p.empty) for p in parameters]

def refusal(act):
    try:
        act()
    except Exception as error:
        return [type(error).__name__, str(error)]

text = "@d\\nasync def f(a: int = 1, *b, c=2, **d) -> x:\\n  'é'; return [i async for i in (yield)], {**a}, x[1:2]\\n"
text += "class C(a, b=c):\\n  x: int = 1 # c\\n  if not x and y: pass\\n  elif z < 3: del x\\n  else: raise E from e\\n"
text += "with a as b, c: assert x, y\\nmatch x:\\n  case [1, *_] | {'a': 1} | C(d=2) if z: pass\\n"
text += "try: import a.b as c\\nexcept E as e: x += lambda y, /: -y\\nfinally: global g\\n"
text += "for i in f'{a!r:>{w}}' 'b': print(1j, 2.0, (x := 3), *a)\\nwhile 1: break\\n"
module = libcst.parse_module(text)
nodes = []
class Walk(libcst.CSTVisitor):
    def on_visit(self, node):
        nodes.append(node)
        return True
module.visit(Walk())
name = libcst.Name("a", lpar=[libcst.LeftParen()], rpar=[libcst.RightParen()])
said = {
    "classes": {f"{one.__module__}.{one.__qualname__}": [fields(one), list(one.__match_args__), str(one.__mro__)]
                for one in classes()},
    "frozen": {one.__qualname__: str(one.__dataclass_params__) for one in classes()},
    "nodes": [repr(module), module.deep_clone().code == text, len({type(one) for one in nodes}) > 100],
    "equal": [name == name, name == libcst.Name("a"), name.deep_equals(name.deep_clone())],
    "changed": [name.with_changes(value="b").value, dataclasses.replace(name, value="c").value],
    "signatures": {type(one).__name__: signature(type(one)) for one in nodes},
    "refused": [
        refusal(lambda: setattr(name, "value", 1)), refusal(lambda: delattr(name, "value")),
        refusal(lambda: libcst.Name()), refusal(lambda: libcst.Name(value="")),
        refusal(lambda: libcst.Name("a", other=1)),
    ],
    "matched": matchers.matches(name, matchers.Name("a")),
}
print(json.dumps(said))
"""


def seen(load: str) -> dict[str, Any]:
    code = _SEEN.replace("LOAD", load)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


LEAN = "from compilelint.syntax.lean_libcst import load_libcst\nload_libcst()"


def test_nodes_are_what_they_are_when_libcst_loads_itself() -> None:
    own, lean = seen(""), seen(LEAN)
    assert len(own["classes"]) > 180
    for about, what in own.items():
        assert lean[about] == what, about


@pytest.mark.parametrize(
    ("load", "made"), [(LEAN, False), ("import libcst\n" + LEAN, True)], ids=["lean", "loaded before"]
)
def test_methods_are_compiled_for_classes_with_nodes_only(load: str, made: bool) -> None:
    code = f"{load}\nimport libcst\nprint('first' not in libcst.TryStar.__init__.__qualname__)\n"
    code += "import dataclasses\nprint(dataclasses.dataclass.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(made), "dataclasses"]
