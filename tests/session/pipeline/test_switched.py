"""Which files a capture switch holds for: those that are imported where it is set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.inputs import Linted
from compilelint.session.pipeline.switched import SetIn, switched
from compilelint.torchfacts import Capture

SWITCH = "import torch\ntorch._dynamo.config.capture_scalar_outputs = True\n"
READ = "import torch\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.sum().item()\n"


def held(files: Mapping[str, str], *setting: str) -> set[str]:
    """The paths that the switch holds for, where the files `setting` turn it on."""

    def linted(path: str) -> Linted:
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return Linted(path, name, path.endswith("__init__.py"), 1, True, False)

    found = switched({Capture.SCALAR: SetIn(set(setting), set())}, [*map(linted, files)], lambda file: files[file.path])
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


LOGS = """
import logging
import warnings

import torch
import torch._dynamo
from torch import nn

log = logging.getLogger(__name__)
{setting}


@torch.compile
def f(x: torch.Tensor):
    y = x * 2
    {line}
    return y + 1
"""
ALL = "torch._dynamo.config."


@pytest.mark.parametrize(
    ("setting", "line", "version", "breaks"),
    [
        (f"{ALL}reorderable_logging_functions.add(print)", "print(y)", "2.13", False),
        (f"{ALL}reorderable_logging_functions = {{print, warnings.warn}}", "warnings.warn('slow')", "2.13", False),
        (f"{ALL}reorderable_logging_functions |= set([print])", "print(y)", "2.13", False),
        (f"{ALL}reorderable_logging_functions.add(warnings.warn)", "print(y)", "2.13", True),
        (f"{ALL}reorderable_logging_functions.add(log.info)", "log.info('step')", "2.13", True),
        (f"{ALL}reorderable_logging_functions.add(log.info)", "log.info('step')", "2.15", False),
        (f"{ALL}ignore_logging_functions.update({{logging.Logger.info}})", "log.info('step')", "2.13", False),
        (f"{ALL}ignore_logger_methods.add(log.info)", "log.info('step')", "2.13", False),
        (f"{ALL}ignore_logging_functions.add(log.info)", "log.warning('step')", "2.13", True),
        (f"{ALL}graph_break_on_nn_param_ctor = False", "y = y * nn.Parameter(torch.ones(3))", "2.13", False),
        (f"{ALL}graph_break_on_nn_param_ctor = True", "y = y * nn.Parameter(torch.ones(3))", "2.13", True),
        (f"{ALL}enable_trace_load_build_class = True", "class Box: pass", "2.13", False),
        (f"{ALL}trace_autograd_ops = True", "y = torch.autograd.grad(y.sum(), x)[0]", "2.13", False),
        (f"{ALL}trace_autograd_ops = True", "y.sum().backward()", "2.13", True),
        (f"{ALL}allow_rnn = True", "y = torch.autograd.grad(y.sum(), x)[0]", "2.13", True),
        (f"def main():\n    {ALL}capture_scalar_outputs = True", "y = y * y.sum().item()", "2.13", False),
        ("pass", "y = y * y.sum().item()", "2.13", True),
    ],
)
def test_a_setting_removes_the_breaks_that_torch_removes(
    tmp_path: Path, setting: str, line: str, version: str, breaks: bool
) -> None:
    (tmp_path / "app.py").write_text(LOGS.format(setting=setting, line=line), encoding="utf-8")
    found = lint(Options((str(tmp_path),), torch_version=version)).findings
    assert bool([one for one in found if one.ends_graph]) is breaks


def test_a_setting_in_a_function_holds_for_its_own_file_alone(tmp_path: Path) -> None:
    setting = f"from other import f as g\n\ndef main():\n    {ALL}enable_trace_load_build_class = True"
    (tmp_path / "app.py").write_text(LOGS.format(setting=setting, line="class Box: pass"), encoding="utf-8")
    (tmp_path / "other.py").write_text(LOGS.format(setting="pass", line="class Box: pass"), encoding="utf-8")
    found = lint(Options((str(tmp_path),), torch_version="2.13")).findings
    assert [Path(one.location.path).name for one in found if one.ends_graph] == ["other.py"]
