"""Four training scripts in two versions each (`fixtures/scripts`): what an expert would say of them, and no more.

A line that is wrong names the rule in a comment; the version that does it right has none. Each runs under TorchDynamo.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.session.commands.lint import lint

SCRIPTS = Path(__file__).parents[1] / "fixtures" / "scripts"
NAMES = [path.stem for path in sorted(SCRIPTS.glob("*.py"))]


@pytest.mark.parametrize("name", NAMES)
def test_what_an_expert_would_say(name: str) -> None:
    path = SCRIPTS / f"{name}.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = {(number, found[1]) for number, line in enumerate(lines, 1) if (found := re.search(r"# (CL\d+)$", line))}
    said = lint(Options((str(path),), torch_version="2.13", min_confidence=Confidence.POSSIBLE)).findings
    # Notes about the loop are part of it; other notes are hints that a reader has to ask for.
    shown = [one for one in said if one.confidence > Confidence.POSSIBLE or one.rule.code.startswith("CL83")]
    assert {(one.location.span.line, one.rule.code) for one in shown} == wanted
    assert bool(wanted) is name.endswith("_wrong")


@pytest.mark.dynamo
@pytest.mark.parametrize("name", NAMES)
def test_the_scripts_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    compile_for_real = torch.compile

    def compiled(*args: Any, mode: str | None = None, **kwargs: Any) -> Any:
        return compile_for_real(*args, **{**kwargs, "backend": "eager"})

    monkeypatch.setattr(torch, "compile", compiled)
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    with _one_process(tmp_path):
        assert isinstance(script.main(str(tmp_path)), float)


@contextmanager
def _one_process(folder: Path) -> Iterator[None]:
    from torch import distributed

    distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=0, world_size=1)
    try:
        yield
    finally:
        distributed.destroy_process_group()
