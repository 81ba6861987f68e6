"""CL833 to CL837 on small programs: what each says, and that the neighbours say nothing."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.events import Compile
from compilelint.model import Confidence, Severity
from compilelint.torchfacts import load
from tests.support.reveal import run
from tests.support.survey_events import NET, codes, found


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("TORCH_LOGS", "`torch._logging.set_logs(recompiles=True, graph_breaks=True)`"),
        ("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "`torch.compiler.config.force_disable_caches = True`"),
        ("TORCH_COMPILE_DISABLE", '`torch.compiler.set_stance("force_eager")`'),
        ("TORCHDYNAMO_SUPPRESS_ERRORS", "`torch._dynamo.config.suppress_errors = ...`"),
        ("TORCHINDUCTOR_MAX_AUTOTUNE", "`torch._inductor.config.max_autotune = ...`"),
        ("TORCHINDUCTOR_AUTOGRAD_CACHE", "`torch._functorch.config.enable_autograd_cache = ...`"),
    ],
)
def test_a_late_variable_is_certain_and_says_what_it_stands_for(name: str, instead: str) -> None:
    (one,) = found(f"import os\nos.environ['{name}'] = '1'\n")
    assert (one.rule.code, one.confidence) == ("CL833", Confidence.CERTAIN)
    assert one.help.endswith(instead)
    assert one.related[0].text == "read here"


@pytest.mark.parametrize(
    "line",
    [
        "torch._inductor.config.force_disable_caches = True",
        "torch.compiler.config.force_disable_caches = True",
        "torch._inductor.config.fx_graph_cache = False",
        "with torch._inductor.config.patch(fx_graph_cache=False): pass",
    ],
)
def test_caches_that_are_off(line: str) -> None:
    assert codes(line) == ["CL834"]


@pytest.mark.parametrize(
    "line",
    [
        "torch._inductor.config.force_disable_caches = False",
        "torch._inductor.config.fx_graph_cache = True",
        "torch._inductor.config.fx_graph_cache = 0",
        "torch._inductor.config.max_autotune = True",
    ],
)
def test_caches_that_are_on(line: str) -> None:
    assert codes(line) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(model):\n    model.generate = torch.compile(model.generate)\n", id="of an unknown model"),
        pytest.param(
            "class G(nn.Module):\n    def generate(self, x):\n"
            "        for _ in range(3): x = self(x)\n        return x\n"
            "g = G()\nfast = torch.compile(g.generate)\n",
            id="of a class that loops over itself",
        ),
    ],
)
def test_a_generation_that_is_compiled(text: str) -> None:
    (one,) = (one for one in found(text) if one.rule.code == "CL835")
    assert one.confidence == Confidence.LIKELY


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NET + "n = Net()\nfast = torch.compile(n.generate)\n", id="one step, no loop"),
        pytest.param("def f(model):\n    model.forward = torch.compile(model.forward)\n", id="the step"),
        pytest.param("import numpy as m\nfast = torch.compile(m.generate)\n", id="a function of a module"),
    ],
)
def test_what_is_no_generation(text: str) -> None:
    assert "CL835" not in codes(text)


def test_compiled_twice_says_which_arguments_are_dropped() -> None:
    nested, in_place = (
        found(text)[0]
        for text in (
            "def f(m):\n    m = torch.compile(torch.compile(m))\n    return m\n",
            NET + "m = Net()\nm.compile()\nm = torch.compile(m)\n",
        )
    )
    assert (nested.rule.code, in_place.rule.code) == ("CL836", "CL836")
    assert nested.why.startswith("The arguments of the first call are ignored")
    assert in_place.why.startswith("The model was compiled in place before")


def test_a_compiled_helper_in_a_compiled_region_says_what_it_loses() -> None:
    helper = "@torch.compile(mode='max-autotune')\ndef h(x): return x.sin()\n"
    (event,) = (e for e in run(helper + "@torch.compile\ndef f(x): return h(x) + 1\n") if isinstance(e, Compile))
    (one,) = rulebook().findings_for(event, load("2.13.0"))
    assert (one.rule.code, one.confidence) == ("CL836", Confidence.CERTAIN)
    assert one.message == '`h` is called in a compiled region, which drops its `mode="max-autotune"`'


def test_a_server_without_a_warm_up_is_a_note() -> None:
    text = "from flask import Flask\napp = Flask(__name__)\nm = torch.compile(Net())\n"
    (one,) = found(NET + text + "@app.route('/')\ndef index(): return m(1)\n")
    assert (one.rule.code, one.severity, one.confidence) == ("CL837", Severity.NOTE, Confidence.POSSIBLE)
    assert one.message == "nothing calls `m` before the requests that `index` serves"
