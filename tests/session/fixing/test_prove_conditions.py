"""Wrong rewrites planted on purpose that no call shows, since users change models and do much with results.

Gradients, dtypes, devices, strides, sizes, hooks, subclasses, weights that change, optional objects, memory that is
shared, objects of the standard library; each is refused, and the right one beside it kept.
"""

from __future__ import annotations

import pytest

from tests.support.planted import Planted, verdicts_of

pytestmark = [pytest.mark.dynamo, pytest.mark.slow, pytest.mark.usefixtures("shared_worker")]

BRANCH = "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\n"
CHOSEN = "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y)\n"


def planted(name: str, old: str, wrong: str, right: str = "", below: str = "", **more: object) -> Planted:
    """A case in which a break is removed too, so that only what stands behind it can be wrong."""
    under = f"\n\n\n{below}" if below else ""
    texts = BRANCH + old + under, CHOSEN + wrong + under, CHOSEN + right + under if right else ""
    return Planted(name, *texts, **more)  # type: ignore[arg-type]


CASES = (
    planted(
        "a layer's weights used without the layer",
        "return y + self.other(x)",
        "return y + nn.functional.linear(x, self.other.weight, self.other.bias)",
    ),
    planted(
        "a layer's weights used without the layer, in a file that asks for threads",
        "return y + self.other(x)",
        "return y + nn.functional.linear(x, self.other.weight, self.other.bias)",
        right="return self.other(x) + y",
        below="torch.set_num_threads(2)",
    ),
    planted(
        "gradients of what is no loss",
        "return {'loss': y.sum(), 'logits': y}",
        "return {'loss': y.sum(), 'logits': y.detach()}",
    ),
    planted(
        "a buffer that is saved no longer",
        "if 'late' not in self._buffers:\n    self.register_buffer('late', torch.ones(4))\nreturn y + self.late",
        "if 'late' not in self._buffers:\n    self.register_buffer('late', torch.ones(4), persistent=False)\n"
        "return y + self.late",
    ),
    planted("a batch that is cut", "return y", "return y[:4]"),
    planted("a dimension counted from the front", "return y.sum(-1)", "return y.sum(1)"),
    planted(
        "whole numbers that overflow",
        "return y + (ids * 1000).sum()",
        "return y + (ids.int() * 1000).sum()",
        inputs=("2x4", "2x4:int64"),
        parameters="x, ids",
        mode="eval",
    ),
    planted(
        "a single in between", "return y * x.sum()", "return y * x.sum().float()", "return y * x.sum(dtype=x.dtype)"
    ),
    planted("a constant of another dtype", "return y * x.new_tensor([2.0])", "return y * torch.tensor([2.0])"),
    planted(
        "a cache by shape",
        "return y + self.times.sum()",
        "return y + KEPT.setdefault(x.shape, self.times.sum())",
        below="KEPT = {}",
        mode="eval",
    ),
    planted(
        "an object that counts calls",
        "self.meter(1)\nreturn y",
        "return y",
        below="class Meter:\n    seen = 0\n    def __call__(self, n):\n        self.seen += n\n\nModel.meter = Meter()",
        mode="eval",
    ),
    planted(
        "a text that is written no longer",
        "NOTES.write('called')\nreturn y",
        "return y",
        below="import io\nNOTES = io.StringIO()",
        mode="eval",
    ),
    planted(
        "a warning that is gone", "warnings.warn('old')\nreturn y", "return y", below="import warnings", mode="eval"
    ),
    planted(
        "a table on the host and an index elsewhere",
        "return y + TABLE[i]",
        "return y + TABLE[torch.as_tensor(i).reshape(1)].squeeze(0)",
        "return y + TABLE[torch.as_tensor(i, device=TABLE.device).reshape(1)].squeeze(0)",
        below="TABLE = torch.arange(4.0)",
        made="steps",
        parameters="x, i",
        mode="eval",
    ),
    planted("a result brought to the host", "return y", "return y.to('cpu')", "return y.to(x.device)", mode="eval"),
    planted("a state that is copied", "return y, self.times", "return y, self.times.clone()", mode="eval"),
    planted(
        "an optional dtype",
        "return y if dtype is None else y.to(dtype)",
        "return y",
        parameters="x, dtype=None",
        mode="eval",
    ),
    planted(
        "a number of the class",
        "return y * self.scale",
        "return y * 2.0",
        below="Model.scale = 2.0",
        mode="eval",
    ),
    planted(
        "a static method that subclasses replace",
        "return self.act(y)",
        "return torch.relu(y)",
        below="Model.act = staticmethod(lambda y: torch.relu(y))",
    ),
    planted(
        "a tensor that others hold, replaced",
        "self.times.data.add_(1)\nreturn y",
        "self.times = self.times + 1\nreturn y",
    ),
    planted(
        "a sum over processes that is gone",
        "if dist.is_initialized():\n    dist.all_reduce(y.detach())\nreturn y",
        "return y",
        below="import torch.distributed as dist",
        mode="eval",
    ),
    planted(
        "a cast that only mixed precision needs",
        "return y + w.to(y.dtype)",
        "return y + w",
        inputs=("2x4", "4"),
        parameters="x, w",
        mode="eval",
    ),
    planted(
        "random numbers of another device",
        "return y + torch.rand(4, device=x.device)",
        "return y + torch.rand(4).to(x.device)",
        "noise = torch.rand(4, device=x.device)\nreturn y + noise",
    ),
    planted(
        "a loss that cannot be trained on once layers are frozen",
        "return y.sum() + torch.zeros((), requires_grad=True)",
        "return y.sum() + torch.zeros(())",
    ),
    Planted(
        "a public function that is gone", f"{BRANCH}return y\n\n\ndef scaled(y):\n    return y * 2", f"{CHOSEN}return y"
    ),
    planted(
        "a second derivative of a norm",
        "return y * y.norm()",
        "return y * Norm.apply(y)",
        below="""class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y):
        ctx.save_for_backward(y)
        return y.norm()

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return (g * y / y.norm()).detach()""",
    ),
    planted(
        "weights that begin with other numbers",
        "return y * self.more",
        "return y * self.more",
        "return y * self.more",
        built=(
            "self.more = nn.Parameter(torch.rand(4))",
            "self.more = nn.Parameter(torch.rand(4) + 0.5)",
            "self.more = nn.Parameter(torch.empty(4).uniform_())",
        ),
    ),
    planted(
        "a gradient at zero",
        "return y * x.norm(dim=-1, keepdim=True)",
        "return y * x.pow(2).sum(-1, keepdim=True).sqrt()",
        "return x.norm(dim=-1, keepdim=True) * y",
    ),
    planted(
        "a gradient of equal numbers", "return y * x.max(-1, keepdim=True)[0]", "return y * x.amax(-1, keepdim=True)"
    ),
    planted(
        "a rounded half", "return y.mul(2).round()", "return torch.floor(y.mul(2) + 0.5)", "return (y + y).round()"
    ),
    planted(
        "a missing key, where the batch is empty",
        "return y + {'a': 1}['a' if x.shape[0] else 'b']",
        "return y + {'a': 1}.get('a' if x.shape[0] else 'b', 0)",
        "return {'a': 1}['a' if x.shape[0] else 'b'] + y",
    ),
    planted(
        "what torch refuses, where the batch is empty",
        "return y + x[0]",
        "return y + x[-1]",
        "return y + x[:1].sum(0)",
    ),
    planted(
        "what cannot be pickled",
        "return y + 1",
        "return self.add(y)",
        "return self.add(y)",
        below="def add_one(y):\n    return y + 1",
        built=("", "self.add = lambda y: y + 1", "self.add = add_one"),
        says="no pickles any more",
    ),
    planted(
        "a list of the module's own",
        "CALLS.append(y.detach())\nreturn list(CALLS)",
        "CALLS.append(y.detach())\nreturn CALLS",
        "CALLS.append(y.detach())\nreturn [*CALLS]",
    ),
    planted(
        "the list that was given",
        "more.append(y)\nreturn more",
        "more.append(y)\nreturn more[:]",
        "more += [y]\nreturn more",
        made="listed",
        parameters="x, more",
    ),
    planted("the tensor that was given", "return y, x", "return y, x.view_as(x)", "return (y, x)"),
    planted(
        "a buffer written where it was replaced", "self.times = self.times + 1\nreturn y", "self.times += 1\nreturn y"
    ),
)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return verdicts_of(CASES, tmp_path_factory.mktemp("conditions"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_wrong_rewrite_is_refused(case: Planted, verdicts: dict[str, str]) -> None:
    assert case.says in verdicts[f"wrong: {case.name}"]


@pytest.mark.parametrize("case", [one for one in CASES if one.right], ids=lambda case: case.name)
def test_the_right_one_beside_it_is_kept(case: Planted, verdicts: dict[str, str]) -> None:
    assert verdicts[f"right: {case.name}"] == ""
