"""Slices: the definitions that a name needs, from all files of a project, and no others."""

from __future__ import annotations

import ast

import pytest

from compilelint.reproduce.sliced import NotSlicedError, Slicer

PROJECT = {
    "shop": "from shop.net import Net\n",
    "shop.net": "import torch\nfrom torch import nn\nfrom . import layers\nfrom .parts import Gate as G, unused\n"
    "import numpy as np\n\nWIDTH = 8\nOTHER = 9\n\n\ndef helper(x):\n    return layers.twice(x) * WIDTH\n\n\n"
    "class Net(nn.Module):\n    def forward(self, x):\n        return helper(G()(x))\n\n\n"
    "class Unused(nn.Module):\n    pass\n",
    "shop.layers": "SCALE = 2\n\n\ndef twice(x):\n    return x * SCALE\n\n\ndef thrice(x):\n    return x * 3\n",
    "shop.parts": "from torch import nn\nfrom .base import *\n\n\nclass Gate(Base):\n    pass\n\n\nunused = 1\n",
    "shop.base": "from torch import nn\n\n\nclass Base(nn.Module):\n    def forward(self, x):\n        return x\n",
    "shop.one": "from shop.two import f as g\n\n\ndef f(x):\n    return g(x)\n",
    "shop.two": "def f(x):\n    return x\n",
    "shop.loop_a": "from shop.loop_b import b\n\n\ndef a(x):\n    return b(x)\n",
    "shop.loop_b": "import shop.loop_a\n\n\ndef b(x):\n    return shop.loop_a.a(x) if x else x\n",
    "shop.broken": "def f(:\n",
}
PACKAGES = {"shop"}


def sliced(module: str, name: str) -> str:
    slicer = Slicer(PROJECT.get, PACKAGES.__contains__)
    slicer.need(module, name)
    return "\n".join(ast.unparse(ast.fix_missing_locations(one)) for one in slicer.out)


def test_what_is_needed_is_there_before_it_is_needed() -> None:
    text = sliced("shop.net", "Net")
    order = ["class Base", "class Gate", "SCALE = 2", "def twice", "WIDTH = 8", "def helper", "class Net"]
    places = [text.index(one) for one in order if one != "WIDTH = 8"]
    assert all(one in text for one in order)
    assert text.index("class Base") < text.index("class Gate") < text.index("class Net")
    assert len(places) == len(order) - 1


@pytest.mark.parametrize("name", ["Unused", "OTHER", "thrice", "unused", "numpy"])
def test_what_is_not_needed_is_not_there(name: str) -> None:
    assert name not in sliced("shop.net", "Net")


def test_imports_of_other_packages_stay_and_the_projects_own_go() -> None:
    text = sliced("shop.net", "Net")
    assert "from torch import nn" in text
    assert "import layers" not in text
    assert "from ." not in text
    assert "shop" not in text


def test_a_name_by_which_it_is_imported_is_kept() -> None:
    assert "G = Gate" in sliced("shop.net", "Net")


def test_an_attribute_of_the_projects_module_is_the_definition_itself() -> None:
    assert "return twice(x) * WIDTH" in sliced("shop.net", "Net")


def test_a_name_that_a_package_hands_on_is_found() -> None:
    assert "class Net" in sliced("shop", "Net")


def test_modules_that_import_each_other_end() -> None:
    text = sliced("shop.loop_a", "a")
    assert "def a" in text
    assert "return a(x) if x else x" in text


def test_two_definitions_of_one_name_are_refused() -> None:
    with pytest.raises(NotSlicedError, match=r"shop\.\w+ and shop\.\w+ both define f"):
        sliced("shop.one", "f")


@pytest.mark.parametrize("module", ["shop.absent", "shop.broken"])
def test_a_module_that_cannot_be_read_is_refused(module: str) -> None:
    with pytest.raises(NotSlicedError, match="is not in the project"):
        sliced(module, "f")


def test_what_was_cut_out_runs_alone() -> None:
    space: dict[str, object] = {"__name__": "alone"}
    exec(sliced("shop.loop_a", "a"), space)
    function = space["a"]
    assert callable(function)
    assert function(0) == 0
