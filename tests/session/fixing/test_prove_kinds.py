"""More wrong rewrites planted on purpose, of other kinds: what a user would notice weeks later.

Orders, bounds, types, stale caches, things said and things left behind; each is refused, the right one beside it kept.
"""

from __future__ import annotations

import pytest

from tests.support.planted import Planted, verdicts_of

pytestmark = [pytest.mark.dynamo, pytest.mark.slow, pytest.mark.usefixtures("shared_worker")]

HITS = "hits = (x > 0).flatten().nonzero()\nif hits.numel() == 0:\n    return self.layer(x)\n"

PICKED = "y = self.layer(x)\nreturn y * (self.times[i] if i >= 0 else self.seen)"
PICKED_AS = "y = self.layer(x)\nreturn y * torch.where({test}, self.times[{index}].squeeze(0), self.seen)"

SPOKEN = """y = self.layer(x).log_softmax(-1).transpose(0, 1)
labels = labels.clamp(max=3)
mask = labels > 0
targets = {}
return nn.functional.ctc_loss(y, targets, torch.full((x.shape[0],), 6), mask.sum(-1))"""
LOOP = """{indent}for n in x.flatten().tolist():
{indent}    if n > 1e30 and {index}:
{indent}        n = {number}
{indent}    found.append(n)
{indent}found = torch.tensor(found)
"""
REST = """


@torch.library.custom_op("shop::rest", mutates_args=(), schema="(Tensor x, Scalar index) -> Tensor")
def rest(x, index):
    found = []
{}    return found


@rest.register_fake
def _(x, index):
    return torch.empty(x.numel())
"""

RAISED = "if (x.abs() > 100).any():\n    raise ValueError('too large')\nreturn self.layer(x)"
RAISED_AS = f"if torch.compiler.is_compiling():\n    check(x)\nel{RAISED}"
CHECK = """


@torch.library.custom_op("shop::{name}", mutates_args=(), schema="(Tensor x) -> ()")
def check(x):
    if {test}:
        raise {error}('too large')


check.register_effect(torch.library.EffectType.ORDERED)


@check.register_fake
def _(x):
    pass
"""
LOSS = """y = self.layer(x).log_softmax(-1).transpose(0, 1)
lengths, times = torch.full((x.shape[0],), 2), torch.full((x.shape[0],), 6)
labels = labels.clamp(min=1, max=3)
{}return nn.functional.ctc_loss(y, labels, times, lengths)"""
LOSS_AS = LOSS.format("if torch.compiler.is_compiling():\n    return loss(y, labels, times, lengths)\n")
OF_LOSS = """


@torch.library.custom_op("shop::{name}", mutates_args=())
def loss(y: torch.Tensor, labels: torch.Tensor, times: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    return nn.functional.ctc_loss(y, labels, times, lengths)


@loss.register_fake
def _(y, labels, times, lengths):
    return y.new_empty(())


@torch.library.custom_op("shop::{name}_gradient", mutates_args=())
def gradient(
    g: torch.Tensor, y: torch.Tensor, labels: torch.Tensor, times: torch.Tensor, lengths: torch.Tensor
) -> torch.Tensor:
    return torch.func.vjp(lambda y: nn.functional.ctc_loss(y, labels, times, lengths), y)[1](g)[0].contiguous(){much}


@gradient.register_fake
def _(g, y, labels, times, lengths):
    return torch.empty_like(y, memory_format=torch.contiguous_format)


def backward(ctx, g):
    return gradient(g, *ctx.saved_tensors), None, None, None


def setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


loss.register_autograd(backward, setup_context=setup)
"""

CASES = (
    Planted(
        "the last hit for the first",
        HITS + "return self.layer(x) * hits[0].item()",
        HITS + "return self.layer(x) * hits[-1].item()",
    ),
    Planted(
        "all for any",
        "y = self.layer(x)\nif (x > 0).any():\n    y = y + 1\nreturn y",
        "y = self.layer(x)\nreturn torch.where((x > 0).all(), y + 1, y)",
        "y = self.layer(x)\nreturn torch.where((x > 0).any(), y + 1, y)",
    ),
    Planted(
        "NaN that a comparison hides",
        "y = self.layer(x)\nif x.max() > 0.01:\n    y = y.abs()\nreturn y.nan_to_num()",
        "y = self.layer(x)\nreturn torch.where(x.max() <= 0.01, y, y.abs()).nan_to_num()",
    ),
    Planted(
        "a gradient that stops",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y * self.other.weight.sum()\nreturn y",
        "y = self.layer(x)\nreturn torch.where(y.sum() > 0, y * self.other.weight.sum().detach(), y)",
    ),
    Planted(
        "results in another order",
        "y = self.layer(x)\nreturn (y + 1, y) if y.sum() > 0 else (y, y + 1)",
        "y = self.layer(x)\npositive = y.sum() > 0\n"
        "return torch.where(positive, y, y + 1), torch.where(positive, y + 1, y)",
        "y = self.layer(x)\npositive = y.sum() > 0\n"
        "return torch.where(positive, y + 1, y), torch.where(positive, y, y + 1)",
    ),
    Planted(
        "a number returned as a tensor",
        "y = self.layer(x)\nreturn y, x.sum().item()",
        "y = self.layer(x)\nreturn y, x.sum()",
    ),
    Planted(
        "a key that is lost",
        "y = self.layer(x)\nfound = {'y': y}\nif y.sum() > 0:\n    found['positive'] = y\nreturn found",
        "y = self.layer(x)\nreturn {'y': y}",
    ),
    Planted(
        "an early return that returns late",
        "y = self.layer(x)\nif y.sum() > 0:\n    return y + 1\nself.seen += 1\nreturn y",
        "y = self.layer(x)\nself.seen += 1\nreturn torch.where(y.sum() > 0, y + 1, y)",
    ),
    Planted(
        "a loop that goes one too far",
        "y = self.layer(x)\nfor row in x:\n    if row.sum() > 0:\n        break\n    y = y + row.sum()\nreturn y",
        "y = self.layer(x)\ngoing = torch.ones((), dtype=torch.bool)\nfor row in x:\n"
        "    y = torch.where(going, y + row.sum(), y)\n    going = going & ~(row.sum() > 0)\nreturn y",
    ),
    Planted(
        "what is kept from the first call",
        "return self.layer(x) * x.sum().item()",
        "if not hasattr(self, 'total'):\n    self.total = x.detach().sum()\nreturn self.layer(x) * self.total",
    ),
    Planted(
        "a state of another type",
        "self.index = bool(x.sum() > 0)\nreturn self.layer(x)",
        "self.index = x.sum() > 0\nreturn self.layer(x)",
    ),
    Planted(
        "a seed set on the way",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y",
        "y = self.layer(x)\ntorch.manual_seed(1)\nreturn torch.where(y.sum() > 0, y + 1, y)",
    ),
    Planted(
        "sizes that do not add up",
        "return self.layer(torch.cat(x.split(n.tolist())))",
        "return self.layer(x)",
        parameters="x, n",
        made="sizes",
    ),
    Planted(
        "what a mask picks, multiplied instead",
        "y = self.layer(x)\nreturn y[x > 0].mean()",
        "y = self.layer(x)\nreturn (y * (x > 0)).mean()",
    ),
    Planted(
        "the mean of nothing",
        "y = self.layer(x)\nreturn y[x > 0].mean()",
        "y = self.layer(x)\nreturn (y * (x > 0)).sum() / (x > 0).sum().clamp(min=1)",
    ),
    Planted(
        "a number rounded down, not towards zero",
        "return self.layer(x) * int(x.sum().item() * 3)",
        "return self.layer(x) * torch.floor(x.detach().sum() * 3)",
    ),
    Planted(
        "a buffer of another dtype",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y",
        "y = self.layer(x)\nself.seen = self.seen.double()\nreturn torch.where(y.sum() > 0, y + 1, y)",
    ),
    Planted(
        "a global that is filled twice",
        "CALLS.append(1)\ny = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y * len(CALLS)",
        "CALLS.append(1)\nCALLS.append(1)\ny = self.layer(x)\nreturn torch.where(y.sum() > 0, y + 1, y) * len(CALLS)",
    ),
    Planted(
        "a print that is gone",
        "print('positive', bool(x.sum() > 0))\nreturn self.layer(x)",
        "return self.layer(x)",
    ),
    Planted(
        "a warning of the log that is gone",
        "if (x < 0).any():\n    logger.warning('negative')\nreturn self.layer(x)",
        "return self.layer(x)",
        "if not torch.compiler.is_compiling() and (x < 0).any():\n    logger.warning('negative')\nreturn self.layer(x)",
    ),
    Planted(
        "a bound checked on one row only",
        "if (x > 100).any():\n    raise ValueError('too large')\nreturn self.layer(x)",
        "torch._assert_async(~(x[:1] > 100).any())\nreturn self.layer(x)",
    ),
    Planted(
        "a copy where the input was written",
        "if x.sum() > 0:\n    x.mul_(2)\nreturn self.layer(x)",
        "x = torch.where(x.sum() > 0, x * 2, x)\nreturn self.layer(x)",
        mode="eval",
    ),
    Planted(
        "gradients switched off on one side",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = self.other(y)\nreturn y",
        "y = self.layer(x)\nwith torch.no_grad():\n    z = self.other(y)\nreturn torch.where(y.sum() > 0, z, y)",
    ),
    Planted(
        "a check in the graph that refuses more",
        "if torch.compiler.is_compiling():\n    torch._check_tensor_all(x.abs() < 100)\nelse:\n"
        "    torch._check_tensor_all(x.abs() < 100)\nreturn self.layer(x)",
        "if torch.compiler.is_compiling():\n    torch._assert_async(torch.all(x.abs() < 100) & (x.sum() != 0))\nelse:\n"
        "    torch._check_tensor_all(x.abs() < 100)\nreturn self.layer(x)",
        "if torch.compiler.is_compiling():\n    torch._assert_async(torch.all(x.abs() < 100))\nelse:\n"
        "    torch._check_tensor_all(x.abs() < 100)\nreturn self.layer(x)",
    ),
    Planted(
        "a check that is gone where something else asks too",
        "if torch.compiler.is_compiling() or self.index:\n    torch._check_tensor_all(x.abs() < 100)\n"
        "return self.layer(x)",
        "if torch.compiler.is_compiling() or self.index:\n    torch._assert_async(torch.all(x.abs() < 100))\n"
        "return self.layer(x)",
        says="not exercised",
    ),
    Planted(
        "a number that may be none of a tensor",
        PICKED,
        PICKED_AS.format(test="(i >= 0).reshape(())", index="torch.where(i >= 0, i, 0).reshape(1)"),
        PICKED_AS.format(test="torch.as_tensor(i >= 0)", index="torch.where(torch.as_tensor(i >= 0), i, 0).reshape(1)"),
        made="steps",
        parameters="x, i",
    ),
    Planted(
        "an index that is too far below",
        PICKED,
        PICKED_AS.format(test="torch.as_tensor(i >= 0)", index="torch.as_tensor(i).reshape(1)"),
        made="steps",
        parameters="x, i",
    ),
    Planted(
        "what moved into a function and was changed there",
        "found = []\n" + LOOP.format(index="self.index", number=0.0, indent="") + "return found",
        "return rest(x.detach(), self.index)" + REST.format(LOOP.format(index="index", number=1.0, indent="    ")),
        "return rest(x.detach(), self.index)" + REST.format(LOOP.format(index="index", number=0.0, indent="    ")),
        mode="eval",
        says="not exercised",
    ),
    Planted(
        "an operator that raises another error",
        RAISED,
        RAISED_AS + CHECK.format(name="other", test="(x.abs() > 100).any()", error="RuntimeError"),
        RAISED_AS + CHECK.format(name="same", test="(x.abs() > 100).any()", error="ValueError"),
    ),
    Planted(
        "an operator that checks one side",
        RAISED,
        RAISED_AS + CHECK.format(name="one_side", test="(x > 100).any()", error="ValueError"),
    ),
    Planted(
        "a loss as an operator with half of its gradient",
        LOSS.format(""),
        LOSS_AS + OF_LOSS.format(name="half", much=" / 2"),
        LOSS_AS + OF_LOSS.format(name="whole", much=""),
        made="spoken",
        parameters="x, labels",
    ),
    Planted(
        "targets of a row that are not those in front",
        SPOKEN.format("labels.masked_select(mask)"),
        SPOKEN.format("labels.clamp(min=1)"),
        SPOKEN.format("labels.gather(-1, (~mask).sort(dim=-1, stable=True).indices)"),
        made="spoken",
        parameters="x, labels",
    ),
    Planted(
        "a default that no call gives",
        "y = self.layer(x)\nif (y.sum() > 0) & (low < 0.5):\n    y = y + 1\nreturn y",
        "y = self.layer(x)\nreturn torch.where(y.sum() > 0, y + 1, y)",
        "y = self.layer(x)\nreturn torch.where((y.sum() > 0) & (low < 0.5), y + 1, y)",
        parameters="x, low: float = 0.0",
    ),
)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return verdicts_of(CASES, tmp_path_factory.mktemp("kinds"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_wrong_rewrite_is_refused(case: Planted, verdicts: dict[str, str]) -> None:
    assert case.says in verdicts[f"wrong: {case.name}"]


@pytest.mark.parametrize("case", [one for one in CASES if one.right], ids=lambda case: case.name)
def test_the_right_one_beside_it_is_kept(case: Planted, verdicts: dict[str, str]) -> None:
    assert verdicts[f"right: {case.name}"] == ""
