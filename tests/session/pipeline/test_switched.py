"""Which files a capture switch holds for: those that are imported where it is set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.inputs import Linted
from compilelint.session.pipeline.switched import switched
from compilelint.torchfacts import Capture

SWITCH = "import torch\ntorch._dynamo.config.capture_scalar_outputs = True\n"
READ = "import torch\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.sum().item()\n"


def held(files: Mapping[str, str], *setting: str) -> set[str]:
    """The paths that the switch holds for, where the files `setting` turn it on."""

    def linted(path: str) -> Linted:
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return Linted(path, name, path.endswith("__init__.py"), 1, True, False)

    found = switched({Capture.SCALAR: set(setting)}, [*map(linted, files)], lambda file: files[file.path])
    return set(found[Capture.SCALAR])


@pytest.mark.parametrize(
    "importing",
    [
        "import model",
        "import os, model",
        "from model import Net",
        "def main():\n    from model import (\n        Net,\n    )",
        "if True:\n    import model as m",
    ],
)
def test_a_script_switches_for_what_it_imports(importing: str) -> None:
    files = {"train.py": importing, "model.py": "import layers", "layers.py": "", "other.py": "import torch"}

    assert held(files, "train.py") == {"train.py", "model.py", "layers.py"}


def test_a_module_switches_for_what_is_imported_together_with_it() -> None:
    files = {"setup_torch.py": "", "train.py": "import setup_torch\nimport model", "model.py": "", "demo.py": ""}

    assert held(files, "setup_torch.py") == {"setup_torch.py", "train.py", "model.py"}


def test_a_package_switches_for_its_modules_and_its_users() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/nn/__init__.py": "from . import layers",
        "pkg/nn/layers.py": "from ..data import load",
        "pkg/data.py": "",
        "use.py": "from pkg.nn import layers\nimport helper",
        "helper.py": "",
        "apart.py": "import torch",
    }

    assert held(files, "pkg/__init__.py") == {*files} - {"apart.py"}


@pytest.mark.parametrize("path", ["tests/test_model.py", "benchmarks/bench_model.py"])
def test_tests_and_benchmarks_switch_for_themselves(path: str) -> None:
    assert held({path: "import model", "model.py": ""}, path) == {path}


def test_a_script_beside_another_is_found_in_a_folder() -> None:
    files = {"examples/train.py": "import model", "examples/model.py": "", "examples/other.py": ""}

    assert held(files, "examples/train.py") == {"examples/train.py", "examples/model.py"}


@pytest.mark.parametrize(("importing", "reported"), [("import torch", ["net.py"]), ("import net", [])])
def test_a_read_is_reported_where_the_switch_is_off(tmp_path: Path, importing: str, reported: list[str]) -> None:
    (tmp_path / "train.py").write_text(SWITCH + importing + "\n")
    (tmp_path / "net.py").write_text(READ)

    report = lint(Options((str(tmp_path),), torch_version="2.13"))

    assert [Path(one.location.path).name for one in report.findings if one.rule.code == "CL102"] == reported
