"""Functions of other libraries that have a ready form as a custom operator: their arguments, and what they give.

Hand-written, since neither torch nor the libraries can be asked what shape a result has: each entry was run as an
operator under torch 2.13.0 (eager mode and compiled, equal results, no break). Wanted are functions of one array, and
plain numbers, whose results have shapes that follow from the shape of the array. Looked for in the sources of
transformers, diffusers, timm and some forty other packages: `linear_sum_assignment` (16 files) is the only function of
SciPy that losses and models call on tensors; the others filter images, fit curves or evaluate results on the host.
"""

from __future__ import annotations

from collections.abc import Mapping

from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One array that a function gives: its name, shape and dtype as expressions of the arguments (`{torch}`: torch)."""

    name: str
    shape: str
    dtype: str


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A function by its public name: the array it is called with, further arguments (name, type in a schema, default),
    and its results. `others` are names that it has in the library's own files."""

    name: str
    array: str
    results: tuple[Result, ...]
    arguments: tuple[tuple[str, str, str], ...] = ()
    others: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    @property
    def module(self) -> str:
        """Where the function is imported from."""
        return self.name.rpartition(".")[0]


_FUNCTIONS = (
    HostFunction(
        "scipy.optimize.linear_sum_assignment",
        "cost",
        (
            Result("rows", "{torch}.sym_min(*cost.shape)", "{torch}.int64"),  # `min` would guard on which is less
            Result("columns", "{torch}.sym_min(*cost.shape)", "{torch}.int64"),
        ),
        (("maximize", "bool", "False"),),
        ("scipy.optimize._lsap.linear_sum_assignment",),
    ),
)

HOST_FUNCTIONS: Mapping[str, HostFunction] = {name: one for one in _FUNCTIONS for name in (one.name, *one.others)}
