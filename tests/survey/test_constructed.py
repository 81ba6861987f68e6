"""What the scripts of a project make, followed by name through constructors, factories and registries."""

from __future__ import annotations

from textwrap import dedent

import pytest

from compilelint.survey.constructed import Constructed, constructed
from tests.support.reveal import program_of

LAYERS = """
    class Norm(nn.Module):
        def forward(self, x): return x.relu_()

    class Net(nn.Module):
        def __init__(self):
            self.norm = Norm()
        def forward(self, x): return self.norm(x)

    class Old(nn.Module):
        def forward(self, x): return x
"""


def made(files: dict[str, str], exported: bool = False, words: frozenset[str] | None = None) -> Constructed | None:
    _, modules = program_of({path: dedent(text) for path, text in files.items()})
    return constructed([one.ir for one in modules], exported, words)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("from layers import Net\nnet = Net()\n", id="the top level of a script"),
        pytest.param("def main():\n    train(Net())\n\nif __name__ == '__main__':\n    main()\n", id="a main function"),
        pytest.param("NETS = {'net': Net, 'other': int}\n", id="a registry"),
        pytest.param("@NETS.register()\ndef small():\n    return Net()\n", id="a factory that a decorator registers"),
        pytest.param("class Trainer:\n    def fit(self): self.net = Net()\n\nTrainer().fit()\n", id="a trainer"),
        pytest.param("net = build('layers.Net')\n", id="a dotted name as a text"),
    ],
)
def test_a_script_makes_a_model_and_so_its_layers(script: str) -> None:
    found = made({"layers.py": LAYERS, "train.py": script})
    assert found is not None
    assert [found.is_made(one) for one in ("Net", "Norm", "Old")] == [True, True, False]
    assert [found.is_part(one) for one in ("Net", "Norm", "Old")] == [False, True, False]


def test_what_is_no_name_of_the_project_may_be_made_anywhere() -> None:
    found = made({"layers.py": LAYERS, "train.py": "Net()\n"})
    assert found is not None
    assert found.is_made("Elsewhere")


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"layers.py": LAYERS}, id="no script at all"),
        pytest.param({"layers.py": LAYERS, "tests/test_net.py": "Net()\n"}, id="tests alone"),
        pytest.param({"layers.py": LAYERS, "bench_net.py": "Net()\n"}, id="benchmarks alone"),
        pytest.param(
            {"pkg/__init__.py": "__all__ = ['Net']\nfrom pkg.layers import Net\n", "pkg/layers.py": LAYERS},
            id="an import",
        ),
    ],
)
def test_nothing_is_known_where_nothing_runs(files: dict[str, str]) -> None:
    assert made(files) is None


def test_a_package_exports_what_its_init_imports() -> None:
    files = {"pkg/__init__.py": "from pkg.layers import Net\n", "pkg/layers.py": LAYERS}
    found = made(files, exported=True)
    assert found is not None
    assert [found.is_made(one) for one in ("Net", "Norm", "Old")] == [True, True, False]


def test_configurations_name_what_is_made() -> None:
    files = {"layers.py": LAYERS, "train.py": "def main():\n    instantiate(config.model)\n"}
    found = made(files, words=frozenset({"layers", "Old"}))
    assert found is not None
    assert [found.is_made(one) for one in ("Net", "Old")] == [False, True]
    assert made(files, words=None) is None, "its configurations lie elsewhere"


def test_a_decorator_that_says_how_a_function_runs_registers_nothing() -> None:
    other = "@torch.no_grad()\ndef unused():\n    return Old()\n\nNet()\n"
    found = made({"layers.py": LAYERS, "train.py": other})
    assert found is not None
    assert not found.is_made("Old")
