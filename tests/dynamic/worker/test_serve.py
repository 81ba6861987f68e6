"""The first verify of a stranger: what keeps any target from being run is one line, with its cure.

Here torch is a few lines that are found in its place, so that an old, a broken and a driverless one can be tried.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from compilelint.dynamic.no_worker import NoWorkerError, scratch_folder
from compilelint.dynamic.protocol import OLDEST_TORCH, Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target

DRIVERLESS = """\
__version__ = "2.13.0+cu130"


class cuda:
    is_available = staticmethod(lambda: False)

    @staticmethod
    def init():
        raise RuntimeError("Found no NVIDIA driver on your system. Please check that you have one\\nand more")


class version:
    cuda = "13.0"
"""
# By name: the torch that is found, the device, what is said, and the cure.
TORCHES = {
    "missing": (
        "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n",
        "cpu",
        "cannot import torch: No module named 'torch'",
        "install it there: pip install 'compilelint[dynamic]'",
    ),
    "too old": (
        '__version__ = "2.4.1"\n',
        "cpu",
        "has torch 2.4.1, and 2.5 is the oldest that runs targets",
        "upgrade it there: pip install --upgrade 'torch>=2.5'",
    ),
    "broken": (
        'raise OSError("libcudart.so.13: cannot open shared object file")\n',
        "cpu",
        "cannot import torch: OSError: libcudart.so.13: cannot open shared object file",
        "install torch there again: pip install --force-reinstall torch",
    ),
    "without a module of its own": (
        "import a_module_of_torch\n",
        "cpu",
        "cannot import torch: ModuleNotFoundError: No module named 'a_module_of_torch'",
        "install torch there again",
    ),
    "without a driver": (
        DRIVERLESS,
        "cuda",
        "has torch 2.13.0+cu130, which finds no CUDA device: Found no NVIDIA driver on your system",
        "see what nvidia-smi says, install the driver of NVIDIA, or use --device cpu",
    ),
    "without CUDA": (
        DRIVERLESS.replace('"13.0"', "None"),
        "cuda",
        "has torch 2.13.0+cu130, which finds no CUDA device: it is a build without CUDA",
        "install a build with CUDA, or use --device cpu",
    ),
}


@pytest.mark.parametrize("name", TORCHES)
def test_a_torch_that_runs_nothing_is_one_line_with_its_cure(name: str, tmp_path: Path) -> None:
    text, device, what, hint = TORCHES[name]
    (tmp_path / "torch.py").write_text(text, encoding="utf-8")
    with pytest.raises(NoWorkerError) as refused:
        observe([Target("net:One"), Target("net:Two")], Settings(paths=(str(tmp_path),), device=device))
    assert refused.value.what.endswith(f" {what}")
    assert refused.value.hint.startswith(hint)
    assert "\n" not in str(refused.value)


def test_the_oldest_torch_is_the_one_that_the_extra_asks_for() -> None:
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"torch>={".".join(map(str, OLDEST_TORCH))}"' in project


LACKS = {
    "no permission": (PermissionError(13, "Permission denied", "/somewhere/compilelint-1"), "permission denied"),
    "no room": (OSError(28, "No space left on device", "/somewhere/compilelint-1"), "no space left on device"),
    "no folder": (FileNotFoundError(2, "No usable temporary directory found in ['/tmp']"), "no usable temporary"),
}


@pytest.mark.parametrize("name", LACKS)
def test_a_folder_that_cannot_be_made_is_one_line_with_its_cure(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error, words = LACKS[name]

    def refuse(*args: object, **named: object) -> str:
        raise error

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    said = []
    with pytest.raises(NoWorkerError) as refused:
        observe([Target("net:One")], Settings())
    said.append(refused.value)
    with pytest.raises(NoWorkerError) as refused, scratch_folder():
        pass
    said.append(refused.value)
    place = "/somewhere" if error.filename else "any of the usual folders"
    for one in said:
        assert one.what.startswith(f"cannot make a folder for temporary files in {place}: {words}")
        assert one.hint == "make room there, or let TMPDIR name a folder that can be written"
