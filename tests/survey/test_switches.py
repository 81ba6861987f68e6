"""`survey.switches`: switches of torch, and variables that are set after torch has read them."""

from __future__ import annotations

import pytest

from compilelint.events import Setting
from compilelint.project.index import Program
from compilelint.project.loader import load_source
from compilelint.survey.survey import survey
from compilelint.syntax.source import source_from_bytes
from compilelint.syntax.unreadable import Unreadable
from tests.support.survey_events import _Nothing


def switches(text: str, path: str = "/p/train.py") -> list[Setting]:
    """The switches of a file without a prelude."""
    source = source_from_bytes(path, text.encode())
    assert not isinstance(source, Unreadable)
    lowered = load_source(source, "train", False)
    assert not isinstance(lowered, Unreadable)
    program = Program(_Nothing(), lambda path: True)
    return [one for one in survey(program, [program.add(lowered)]) if isinstance(one, Setting)]


LOGS = 'os.environ["TORCH_LOGS"] = "recompiles"\n'
AUTOTUNE = 'os.environ["TORCHINDUCTOR_MAX_AUTOTUNE"] = "1"\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("import os\nimport torch\n" + LOGS, 2, id="below the import"),
        pytest.param("import os\nfrom torch import nn\n" + LOGS, 2, id="below an import from it"),
        pytest.param("import os\nimport torchvision\n" + LOGS, 2, id="below a package that imports torch"),
        pytest.param("import os, torch\nos.environ.setdefault('TORCH_LOGS', '+dynamo')\n", 1, id="as a default"),
        pytest.param("import os, torch\ndef f():\n    " + LOGS, 1, id="in a function"),
        pytest.param("import os\ndef f():\n    import torch\n    " + LOGS, 3, id="imported in the same function"),
        pytest.param("import os\nimport torch._dynamo\n" + AUTOTUNE, 2, id="read with Dynamo"),
        pytest.param("import os\nfrom torch._inductor import config\n" + AUTOTUNE, 2, id="read with Inductor"),
        pytest.param("import os, torch\nf = torch.compile(g)\n" + AUTOTUNE, 2, id="below the first compile call"),
        pytest.param(
            "import os, torch\n@torch.compile\ndef f(x): return x\ndef main():\n    " + AUTOTUNE,
            2,
            id="below a decorator",
        ),
    ],
)
def test_a_variable_that_torch_has_read(text: str, line: int) -> None:
    (one,) = switches(text)
    assert one.read is not None
    assert one.read.span.line == line


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import os\n" + LOGS + "import torch\n", id="above the import"),
        pytest.param("import os\ntry:\n    import torch\nexcept ImportError: pass\n" + LOGS, id="may not be imported"),
        pytest.param("import os\ndef f():\n    import torch\n" + LOGS, id="imported in another function"),
        pytest.param("import os\nimport torch\n" + AUTOTUNE, id="Inductor is not loaded yet"),
        pytest.param("import os, torch\ndef g(m): return torch.compile(m)\n" + AUTOTUNE, id="compiled later"),
        pytest.param("import os, torch, subprocess\n" + LOGS, id="for another process"),
        pytest.param("import os, torch\nos.environ['TORCHINDUCTOR_CACHE_DIR'] = 'x'\n", id="read each time"),
        pytest.param("import os, torch\nprint(os.environ['TORCH_LOGS'])\n", id="only read"),
        pytest.param("import os\nfrom .torch import nn\n" + LOGS, id="another torch"),
    ],
)
def test_a_variable_that_comes_in_time_or_is_none_of_torchs(text: str) -> None:
    assert [one for one in switches(text) if one.read is not None] == []


@pytest.mark.parametrize(
    ("path", "trial"),
    [
        ("/p/train.py", False),
        ("/p/test_train.py", True),
        ("/p/tests/train.py", True),
        ("/p/benchmarks/moe/run.py", True),
        ("/p/bench_mm.py", True),
        ("/p/userbenchmark/run.py", True),
        ("/p/workbench/run.py", False),
    ],
)
def test_tests_and_benchmarks_are_trials(path: str, trial: bool) -> None:
    (one,) = switches("import torch\ntorch._dynamo.config.recompile_limit = 64\n", path)
    assert one.trial is trial


@pytest.mark.parametrize(
    ("text", "passing"),
    [
        pytest.param('torch.compiler.set_stance("force_eager")\n', False, id="for good"),
        pytest.param('with torch.compiler.set_stance("force_eager"): pass\n', True, id="in a block"),
        pytest.param('@torch.compiler.set_stance("force_eager")\ndef f(): pass\n', True, id="in a function"),
        pytest.param("with torch._dynamo.config.patch(disable=True): pass\n", True, id="patched in a block"),
    ],
)
def test_a_switch_that_is_thrown_back(text: str, passing: bool) -> None:
    (one,) = switches("import torch\n" + text)
    assert one.passing is passing


def test_a_file_that_compiles_each_size_by_itself() -> None:
    text = "import torch\ntorch._dynamo.config.recompile_limit = 64\n"
    assert [one.each_size for one in switches(text)] == [False]
    assert [one.each_size for one in switches(text + "f = torch.compile(g, dynamic=False)\n")] == [False]
    own = text + "f = torch.compile(flex_attention, dynamic=False)\n"
    assert [one.each_size for one in switches(own)] == [False]  # of that name, and not torch's
    text += "from torch.nn.attention.flex_attention import flex_attention as kernel\n"
    text += "f = torch.compile(kernel, dynamic=False)\n"
    assert [one.each_size for one in switches(text)] == [True]


def test_settings_of_inductor_are_switches() -> None:
    (one,) = switches("import torch\ntorch._inductor.config.force_disable_caches = True\n")
    assert one.name == "torch._inductor.config.force_disable_caches"
