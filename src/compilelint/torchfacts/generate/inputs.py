"""The inputs of snippets, by the one-letter names they use, and packages that need not be there."""

from __future__ import annotations

import re
from collections.abc import Callable

import torch

PACKAGES = [
    "numpy",
    "scipy",
    "scipy.special",
    "scipy.stats",
    "scipy.optimize",
    "scipy.ndimage",
    "sklearn",
    "sklearn.metrics",
    "einops",
    "einops.layers.torch",
    "tqdm",
    "PIL",
    "PIL.Image",
    "requests",
    "yaml",
    "omegaconf",
    "pydantic",
    "transformers",
    "transformers.modeling_outputs",
    "safetensors",
    "safetensors.torch",
    "rich",
    "sympy",
    "networkx",
    "pandas",
    "cv2",
    "typing_extensions",
    "packaging",
    "packaging.version",
    "regex",
    "attr",
    "loguru",
    "psutil",
    "absl.logging",
    "beartype",
]

# Made in the module once the packages are in; a line that fails leaves its names out.
OF_PACKAGES = (
    "np = numpy",
    "NP = numpy.zeros(3, dtype=numpy.float32)",
    "NPA = numpy.ones((3, 3))",
    "NPU8 = numpy.ones((2, 2, 3), dtype='uint8')",
    "REAR = einops.layers.torch.Rearrange('a b -> b a')",
    "PYD = pydantic.create_model('PYD', a=(int, ...))",
    "HFLOG = transformers.utils.logging.get_logger('x')",
)


def _matrix() -> torch.Tensor:
    return torch.arange(1.0, 7.0).reshape(2, 3) / 7


INPUTS: dict[str, Callable[[], torch.Tensor]] = {
    "x": _matrix,
    "y": lambda: _matrix() + 1,
    "w": lambda: _matrix().requires_grad_(),
    "b": lambda: torch.tensor([[True, False, True], [False, True, False]]),
    "c": lambda: torch.complex(_matrix(), _matrix() + 1),
    "i": lambda: torch.tensor([[0, 1, 0], [1, 0, 1]]),
    "l": lambda: torch.tensor([0, 1, 1]),
    "k": lambda: torch.tensor(3),
    "v": lambda: torch.tensor([1.0, 2.0, 3.0]),
    "sq": lambda: torch.eye(3) * 2 + 0.1,
    "img": lambda: torch.linspace(0, 1, 192).reshape(1, 3, 8, 8),
    "seq": lambda: torch.linspace(0, 1, 24).reshape(1, 3, 8),
    "vol": lambda: torch.linspace(0, 1, 192).reshape(1, 3, 4, 4, 4),
}


def inputs_in(body: str) -> tuple[str, ...]:
    """Names of the inputs that `body` reads; a name that it binds by a loop, lambda or keyword is not one."""
    read = []
    if not re.search(r"^\s*return ", body, re.MULTILINE):
        body = f"x\n{body}"  # such a body is put between two operations on x
    for name in INPUTS:
        if re.search(rf"(?<![\w.'\"]){name}(?![\w=('\"])", body) and not re.search(
            rf"\b(for|lambda|as) (\w+, )*{name}\b", body
        ):
            read.append(name)
    return tuple(read) or ("x",)
