"""What is said of CUDA graphs where no script makes the model, in layers of others, and in a project's own captures."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from compilelint.config import Options
from compilelint.events import DynamoConfig
from compilelint.model import Confidence
from compilelint.session.commands.lint import lint

MODEL = """
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.tensor(2.0)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.scale

    class Other(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1
"""
TRAIN = """
    from model import {0}

    def main():
        net = {0}().cuda()

    if __name__ == "__main__":
        main()
"""


def said(folder: Path, files: dict[str, str], paths: tuple[str, ...] = (".",)) -> dict[str, Confidence]:
    """What is said of CUDA graphs, by rule."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text))
    report = lint(
        Options(
            tuple(str(folder / one) for one in paths),
            dynamo=DynamoConfig(mode="reduce-overhead"),
            min_confidence=Confidence.POSSIBLE,
        )
    )
    return {one.rule.code: one.confidence for one in report.findings if one.rule.code.startswith("CL82")}


def test_a_model_that_a_script_makes_is_worth_saying(tmp_path: Path) -> None:
    found = said(tmp_path, {"setup.cfg": "", "model.py": MODEL, "train.py": TRAIN.format("Scale")})
    assert found["CL823"] >= Confidence.LIKELY


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="another model is made"),
        pytest.param({"tests/test_model.py": "from model import Scale\nScale()\n"}, id="and a test makes it"),
    ],
)
def test_a_model_that_no_script_makes_is_possible(tmp_path: Path, more: dict[str, str]) -> None:
    found = said(tmp_path, {"setup.cfg": "", "model.py": MODEL, "train.py": TRAIN.format("Other"), **more})
    assert found == {"CL823": Confidence.POSSIBLE}


def test_a_configuration_names_what_is_made(tmp_path: Path) -> None:
    train = "from hydra.utils import instantiate\nimport model\n\ndef main(given):\n    return instantiate(given)\n"
    files = {"setup.cfg": "", "model.py": MODEL, "train.py": train, "conf/net.yaml": "_target_: model.Scale\n"}
    assert said(tmp_path, files)["CL823"] >= Confidence.LIKELY


@pytest.mark.parametrize("paths", [("pkg",), ("pkg/model.py", "pkg/other.py")], ids=["a folder", "files"])
def test_a_part_of_a_project_may_have_its_scripts_elsewhere(tmp_path: Path, paths: tuple[str, ...]) -> None:
    files = {"setup.cfg": "", "pkg/model.py": MODEL, "pkg/other.py": "from pkg.model import Other\nOther()\n"}
    assert said(tmp_path, files, paths)["CL823"] >= Confidence.LIKELY


LAYER = """
    import torch
    from torch import nn

    class Clear(nn.Module):
        def forward(self, {0}) -> torch.Tensor:
            {1}
            return x + 1

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.clear = nn.Linear(4, 4), Clear()

        def forward(self, x, cache):
            return self.clear(self.first(x), cache)

    Net()
"""


@pytest.mark.parametrize(
    ("params", "line", "least"),
    [
        pytest.param("x: torch.Tensor", "x.relu_()", Confidence.POSSIBLE, id="what the layer before computed"),
        pytest.param("x", "x.relu_()", Confidence.POSSIBLE, id="the same without an annotation"),
        pytest.param(
            "x: torch.Tensor, cache: torch.Tensor", "cache.add_(x)", Confidence.CERTAIN, id="a cache of the whole model"
        ),
    ],
)
def test_a_layer_may_write_what_the_one_before_made(tmp_path: Path, params: str, line: str, least: Confidence) -> None:
    found = said(tmp_path, {"setup.cfg": "", "net.py": LAYER.format(params, line)})
    assert found == {"CL820": least}


CHUNKS = """
    import torch
    from torch import nn

    class Step(nn.Module):
        def forward(self, x: torch.Tensor, kept: list[torch.Tensor]) -> torch.Tensor:
            kept[0] = torch.tanh(x + kept[0])
            return kept[0]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.step, self.kept = None, [None]
            self.step = Step()

        def forward(self, x):
            kept = [torch.tanh(x)]
            return self.step(x, {0})

    Net()
"""


@pytest.mark.parametrize(
    ("passed", "least"),
    [
        pytest.param("kept", Confidence.POSSIBLE, id="a list of one call"),
        pytest.param("self.kept", Confidence.LIKELY, id="a list of the model, for the next chunk"),
    ],
)
def test_a_layer_may_fill_a_list_of_one_call(tmp_path: Path, passed: str, least: Confidence) -> None:
    found = said(tmp_path, {"setup.cfg": "", "net.py": CHUNKS.format(passed)})
    assert found["CL825"] == least


def test_what_an_inner_function_is_given_unseen_is_possible(tmp_path: Path) -> None:
    text = """
        import torch
        from torch import nn

        def add(z: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return z.add_(x)

        class Net(nn.Module):
            def forward(self, x: torch.Tensor, more) -> torch.Tensor:
                return add(more.rest, 1)

        Net()
    """
    assert said(tmp_path, {"setup.cfg": "", "net.py": text}) == {"CL820": Confidence.POSSIBLE}


def test_a_capture_of_its_own_is_no_part_of_another(tmp_path: Path) -> None:
    text = """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.graph, self.result = None, None

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                if self.result is None:
                    self.result = torch.tanh(x)
                    {0}
                return self.result + x

        Net()
    """
    kept = said(tmp_path / "kept", {"setup.cfg": "", "net.py": text.format("pass")})
    captured = said(
        tmp_path / "captured", {"setup.cfg": "", "net.py": text.format("self.graph = torch.cuda.CUDAGraph()")}
    )
    assert kept["CL825"] >= Confidence.LIKELY
    assert captured["CL825"] == Confidence.POSSIBLE
