"""The rules of TorchFix 0.7 as a pack: deprecated and private names of torch and torchvision, and common mistakes.

    compilelint --rules examples/rule-packs/torchfix_rules.py --select TOR src

Written against the documented behaviour of TorchFix; codes are TorchFix's own. TorchFix is archived; this is what its
checks look like where the engine resolves the names. `python -m benchmarks.torchfix` compares both on TorchFix's cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst
import libcst.helpers

from compilelint.lib import Confidence, Effect, Rule, Safety

COMPILELINT_API = 1

REMOVED = frozenset({"torch.solve", "torch.symeig", "torch.matrix_rank", "torch.lstsq"})
DEPRECATED = {
    **dict.fromkeys(
        """
        torch.qr torch.chain_matmul torch.cholesky torch.lu_solve torch.norm torch.range torch.svd
        torch.triangular_solve torch.lu torch.nn.UpsamplingNearest2d torch.nn.UpsamplingBilinear2d
        torch.testing.assert_allclose torch.nn.utils.weight_norm torch.backends.cuda.sdp_kernel
        torch.cuda.amp.autocast torch.cuda.amp.custom_fwd torch.cuda.amp.custom_bwd torch.cpu.amp.autocast
        """.split(),
        "",
    ),
    "torch.ger": "torch.outer",
    "torch.utils._pytree._register_pytree_node": "torch.utils._pytree.register_pytree_node",
    **{
        f"functorch.{name}": f"torch.func.{name}"
        for name in "vmap grad vjp jvp jacrev jacfwd hessian functionalize".split()
    },
}
_COLLATE = "torch.utils.data._utils.collate"
PRIVATE = {f"{_COLLATE}.default_{name}": f"torch.utils.data.default_{name}" for name in ("collate", "convert")}


RUNS = """
import torch
from torch.utils.checkpoint import checkpoint


def f(x):
    return {}


def inputs():
    return (torch.ones(3, requires_grad=True),)
"""


def last_words(names: Iterator[str] | frozenset[str] | dict[str, str]) -> tuple[str, ...]:
    """What a file must hold to name one of these."""
    return tuple(sorted({name.rpartition(".")[2] for name in names}))


def argument(call: cst.Call, name: str, place: int = -1) -> cst.BaseExpression | None:
    """The argument of a call by name, else by position; None where it is not given."""
    by_place = [one for one in call.args if one.keyword is None]
    found = [one for one in call.args if one.keyword is not None and one.keyword.value == name]
    found += by_place[place : place + 1] if place >= 0 else []
    return found[0].value if found else None


def imported(node: cst.ImportFrom) -> list[str]:
    """The dotted names that a statement imports from a module."""
    if node.module is None or isinstance(node.names, cst.ImportStar):
        return []
    module = libcst.helpers.get_full_name_for_node(node.module)
    return [f"{module}.{alias.evaluated_name}" for alias in node.names]


class TorchRule(Rule):
    """What all of them share: they speak of certain functions, wherever these are called."""

    effect = Effect.SLOW
    beliefs = False

    def called(self, node: cst.BaseExpression) -> str:
        """The function that a call calls; empty for anything else."""
        return self.qualified_name(node.func) if isinstance(node, cst.Call) else ""


class RemovedFunction(TorchRule):
    """A function that torch has removed is called."""

    code, name, summary = "TOR001", "removed-function", "a removed function is called"
    effect = Effect.ERROR
    words = last_words(REMOVED)
    INVALID = ("import torch\n\ntorch.solve(1, 2)  # TOR001",)
    VALID = ("import torch\n\ntorch.linalg.solve(1, 2)",)

    def visit_Call(self, node: cst.Call) -> None:
        if self.called(node) in REMOVED:
            self.report(node, f"`{self.called(node)}` was removed from torch", confidence=Confidence.CERTAIN)


class RequireGrad(TorchRule):
    """`require_grad` is assigned, and nothing reads it: it is spelled `requires_grad`."""

    code, name, summary = "TOR002", "require-grad", "`require_grad` is assigned instead of `requires_grad`"
    effect = Effect.WRONG_RESULT
    words = ("require_grad",)
    fixes = Safety.UNSAFE
    INVALID = ("import torch\n\nx = torch.ones(1)\nx.require_grad = True  # TOR002",)
    VALID = ("import torch\n\nx = torch.ones(1)\nx.requires_grad = True",)

    def visit_Assign(self, node: cst.Assign) -> None:
        target = node.targets[0].target
        if isinstance(target, cst.Attribute) and target.attr.value == "require_grad":
            fixed = node.with_deep_changes(target.attr, value="requires_grad")
            self.report(node, "`require_grad` has no effect", help="write `requires_grad`", fix=fixed)


class ReentrantCheckpoint(TorchRule):
    """`checkpoint` is called without `use_reentrant`, whose default changes."""

    code, name, summary = "TOR003", "checkpoint-default", "`checkpoint` is called without `use_reentrant`"
    words = ("checkpoint",)
    fixes = Safety.UNSAFE
    INVALID = (RUNS.format("checkpoint(torch.sin, x)  # TOR003"),)
    VALID = (RUNS.format("checkpoint(torch.sin, x, use_reentrant=False)"),)

    def visit_Call(self, node: cst.Call) -> None:
        if self.called(node) == "torch.utils.checkpoint.checkpoint" and argument(node, "use_reentrant") is None:
            more = cst.ensure_type(cst.parse_expression("f(use_reentrant=False)"), cst.Call).args
            fix = node.with_changes(args=[*node.args, *more])
            self.report(node, "`use_reentrant` is not given", help="pass `use_reentrant=False`", fix=fix)


class RemovedImport(TorchRule):
    """A function that torch has removed is imported."""

    code, name, summary = "TOR004", "removed-import", "a removed function is imported"
    effect = Effect.ERROR
    words = last_words(REMOVED)
    INVALID = ("from torch import symeig  # TOR004",)
    VALID = ("from torch.linalg import eigh",)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        for name in imported(node):
            if name in REMOVED:
                self.report(node, f"`{name}` was removed from torch", confidence=Confidence.CERTAIN)


class DeprecatedFunction(TorchRule):
    """A function that torch has deprecated is called."""

    code, name, summary = "TOR101", "deprecated-function", "a deprecated function is called"
    words = last_words(DEPRECATED)
    INVALID = (RUNS.format("torch.ger(x, x)  # TOR101"),)
    VALID = (RUNS.format("torch.outer(x, x)"),)

    def visit_Call(self, node: cst.Call) -> None:
        name = self.called(node)
        if name in DEPRECATED:
            instead = DEPRECATED[name]
            self.report(node, f"`{name}` is deprecated", help=f"use `{instead}`" if instead else "")


class UnsafeLoad(TorchRule):
    """`torch.load` without `weights_only` may run what stands in the file."""

    code, name, summary = "TOR102", "unsafe-load", "`torch.load` is called without `weights_only`"
    words = ("load",)
    fixes = Safety.UNSAFE
    INVALID = ('import torch\n\ntorch.load("f.pt")  # TOR102',)
    VALID = ('import torch\n\ntorch.load("f.pt", weights_only=True)',)

    def visit_Call(self, node: cst.Call) -> None:
        if self.called(node) != "torch.load" or argument(node, "weights_only") is not None:
            return
        fix = None
        if argument(node, "pickle_module", 2) is None:
            more = cst.ensure_type(cst.parse_expression("f(weights_only=True)"), cst.Call).args
            fix = node.with_changes(args=[*node.args, *more])
        self.report(node, "`weights_only` is not given", help="pass `weights_only=True`", fix=fix)


class DeprecatedImport(TorchRule):
    """A function that torch has deprecated is imported."""

    code, name, summary = "TOR103", "deprecated-import", "a deprecated function is imported"
    words = last_words(DEPRECATED)
    INVALID = ("from torch import ger  # TOR103",)
    VALID = ("from torch import outer",)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        for name in imported(node):
            if name in DEPRECATED:
                self.report(node, f"`{name}` is deprecated")


class PrivateFunction(TorchRule):
    """A private function of torch is called that has a public name."""

    code, name, summary = "TOR104", "private-function", "a private name of a public function is called"
    words = ("_utils",)
    INVALID = (f"from {_COLLATE} import default_collate\n\ndefault_collate([])  # TOR104",)
    VALID = ("from torch.utils.data import default_collate\n\ndefault_collate([])",)

    def visit_Call(self, node: cst.Call) -> None:
        if (name := self.called(node)) in PRIVATE:
            self.report(node, f"`{name}` is private", help=f"use `{PRIVATE[name]}`")


class PrivateImport(TorchRule):
    """A private function of torch is imported that has a public name."""

    code, name, summary = "TOR105", "private-import", "a private name of a public function is imported"
    words = ("_utils",)
    INVALID = (f"from {_COLLATE} import default_collate  # TOR105",)
    VALID = ("from torch.utils.data import default_collate",)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        for name in imported(node):
            if name in PRIVATE:
                self.report(node, f"`{name}` is private", help=f"import `{PRIVATE[name]}`")


def is_one(node: cst.BaseExpression) -> bool:
    """Whether an expression is the number 1."""
    return isinstance(node, (cst.Integer, cst.Float)) and node.value in ("1", "1.0")


class Log1p(TorchRule):
    """`torch.log(1 + x)` loses what `torch.log1p` keeps for small `x`."""

    code, name, summary = "TOR106", "log-of-one-plus", "`torch.log(1 + x)` is inexact for small `x`"
    words = ("log",)
    INVALID = (RUNS.format("torch.log(1 + x)  # TOR106"),)
    VALID = (RUNS.format("torch.log(2 + x)"), RUNS.format("torch.log1p(x)"))

    def visit_Call(self, node: cst.Call) -> None:
        if self.called(node) != "torch.log" or len(node.args) != 1:
            return
        value = node.args[0].value
        added = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add)
        if added and (is_one(value.left) or is_one(value.right)):
            self.report(node, "`torch.log` of one plus something", help="use `torch.log1p`")


class Expm1(TorchRule):
    """`torch.exp(x) - 1` loses what `torch.special.expm1` keeps for small `x`."""

    code, name, summary = "TOR107", "exp-minus-one", "`torch.exp(x) - 1` is inexact for small `x`"
    words = ("exp",)
    INVALID = ("import torch\n\ny = torch.exp(torch.ones(1)) - 1  # TOR107",)
    VALID = ("import torch\n\ny = torch.exp(torch.ones(1)) - 2",)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        if isinstance(node.operator, cst.Subtract) and is_one(node.right) and self.called(node.left) == "torch.exp":
            self.report(node, "`torch.exp` minus one", help="use `torch.special.expm1`")


class Logsumexp(TorchRule):
    """`torch.log(torch.sum(torch.exp(x), dim))` overflows where `torch.logsumexp` does not."""

    code, name, summary = "TOR108", "log-of-sum-of-exp", "the logarithm of a sum of exponentials may overflow"
    words = ("logsumexp", "log(")
    INVALID = ("import torch\n\ntorch.log(torch.sum(torch.exp(torch.ones(1)), 0))  # TOR108",)
    VALID = ("import torch\n\ntorch.log(torch.sum(torch.exp(torch.ones(1))))",)

    def visit_Call(self, node: cst.Call) -> None:
        inner = node.args[0].value if node.args else node
        if self.called(node) != "torch.log" or not isinstance(inner, cst.Call) or not inner.args:
            return
        dim = argument(inner, "dim", 1)
        named = isinstance(dim, cst.Name) and dim.value == "None"
        if self.called(inner) == "torch.sum" and self.called(inner.args[0].value) == "torch.exp" and dim and not named:
            self.report(node, "a sum of exponentials", help="use `torch.logsumexp`")


_MODEL = re.compile(
    r"torchvision\.models\.(?:[a-z_0-9]+\.)*(?:alexnet|convnext_|deeplabv3_|densenet|efficientnet_|fasterrcnn_|fcn_"
    r"|fcos_|googlenet|inception_v3|keypointrcnn_|lraspp_|maskrcnn_|maxvit_t|mc3_|mnasnet|mobilenet_v[23](?:_|$)|mvit_"
    r"|r2plus1d_|r3d_|raft_|regnet_|resnet|resnext|retinanet_|s3d|shufflenet_v2_|squeezenet1|ssd300_|ssdlite320_|swin"
    r"|vgg[0-9]|vit_|wide_resnet)[a-z_0-9]*$"
)


class PretrainedModel(TorchRule):
    """Models of torchvision take `weights` in the place of `pretrained`."""

    code, name, summary = "TOR201", "pretrained-argument", "a model of torchvision is given `pretrained`"
    words = ("torchvision",)
    INVALID = ("import torchvision\n\ntorchvision.models.resnet50(True)  # TOR201",)
    VALID = ("import torchvision\n\ntorchvision.models.resnet50(weights=None)",)

    def visit_Call(self, node: cst.Call) -> None:
        if not _MODEL.match(self.called(node)):
            return
        given = [
            name for place, name in enumerate(("pretrained", "pretrained_backbone")) if argument(node, name, place)
        ]
        if given:
            self.report(node, f"`{given[-1]}` is deprecated", help="pass `weights`, and `weights_backbone`")


class ToTensor(TorchRule):
    """`v2.ToTensor` is deprecated."""

    code, name, summary = "TOR202", "to-tensor-transform", "the transform `v2.ToTensor` is named"
    words = ("ToTensor",)
    INVALID = ("from torchvision.transforms.v2 import ToTensor  # TOR202",)
    VALID = ("from torchvision.transforms import ToTensor",)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        for name, alias in zip(
            imported(node), () if isinstance(node.names, cst.ImportStar) else node.names, strict=False
        ):
            if name == "torchvision.transforms.v2.ToTensor":
                self.report(alias.name, "`v2.ToTensor` is deprecated", help="use `ToImage` and `ToDtype`")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value == "ToTensor" and self.qualified_name(node) == "torchvision.transforms.v2.ToTensor":
            self.report(node, "`v2.ToTensor` is deprecated", help="use `ToImage` and `ToDtype`")


class SingletonImport(TorchRule):
    """`import torchvision.models as models` says the name twice."""

    code, name, summary = "TOR203", "import-as-itself", "a part of torchvision is imported under its own name"
    words = ("torchvision",)
    fixes = Safety.UNSAFE
    INVALID = ("import torchvision.models as models  # TOR203",)
    VALID = ("from torchvision import models",)

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            name = libcst.helpers.get_full_name_for_node(alias.name) or ""
            part = name.removeprefix("torchvision.")
            if part in ("datasets", "models", "transforms") and part != name and alias.evaluated_alias == part:
                alone = cst.ImportFrom(cst.Name("torchvision"), [cst.ImportAlias(cst.Name(part))])
                fix = alone if len(node.names) == 1 else None
                self.report(node, f"`{part}` is said twice", help=f"`from torchvision import {part}`", fix=fix)


class SynchronousLoader(TorchRule):
    """A `DataLoader` without workers loads while the model waits."""

    code, name, summary = "TOR401", "synchronous-loader", "a `DataLoader` has no workers"
    words = ("DataLoader",)
    INVALID = ("import torch\n\ntorch.utils.data.DataLoader([])  # TOR401",)
    VALID = ("import torch\n\ntorch.utils.data.DataLoader([], num_workers=2)",)

    def visit_Call(self, node: cst.Call) -> None:
        if self.called(node) == "torch.utils.data.DataLoader":
            workers = argument(node, "num_workers", 5)
            if workers is None or (isinstance(workers, cst.Integer) and workers.value == "0"):
                self.report(node, "the loader has no workers", help="pass `num_workers`")


class ZeroedGradient(TorchRule):
    """Gradients that are set to zero cost a kernel each; None costs nothing."""

    code, name, summary = "TOR402", "zeroed-gradient", "gradients are set to zero instead of None"
    words = ("zero_grad",)
    INVALID = ("def f(optimizer):\n    optimizer.zero_grad(set_to_none=False)  # TOR402",)
    VALID = ("def f(optimizer):\n    optimizer.zero_grad()",)

    def visit_Call(self, node: cst.Call) -> None:
        keep = argument(node, "set_to_none", 0)
        asked = isinstance(node.func, cst.Attribute) and node.func.attr.value == "zero_grad"
        if asked and isinstance(keep, cst.Name) and keep.value == "False":
            self.report(node, "gradients are set to zero", help="leave `set_to_none` out")


class ScopedLibrary(TorchRule):
    """A `torch.library.Library` of a test lives as long as the process."""

    code, name, summary = "TOR901", "unscoped-library", "a test makes a `torch.library.Library`"
    words = ("Library",)
    INVALID = ('import torch\n\ntorch.library.Library("a", "DEF")  # TOR901',)
    VALID = ('import torch\n\ntorch.library._scoped_library("a", "DEF")',)

    def visit_Call(self, node: cst.Call) -> None:
        if self.called(node) == "torch.library.Library":
            self.report(node, "the library is never unregistered", help="use `torch.library._scoped_library`")
