"""Wrong rewrites planted on purpose: every one is refused, and the right one beside it is kept."""

from __future__ import annotations

import pytest

from tests.support.planted import Planted, verdicts_of

pytestmark = [pytest.mark.dynamo, pytest.mark.slow, pytest.mark.usefixtures("shared_worker")]

BRANCH = "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y"
CHOSEN = "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y)\nreturn y"

CASES = (
    Planted("the sides swapped", BRANCH, CHOSEN.replace("y + 1, y)", "y, y + 1)"), CHOSEN),
    Planted("another bound", BRANCH.replace("y.sum()", "x.sum()"), CHOSEN.replace("y.sum() > 0", "x.sum() > 0.01")),
    Planted("the bound included", BRANCH.replace("y.sum()", "x.sum()"), CHOSEN.replace("y.sum() > 0", "x.sum() >= 0")),
    Planted(
        "a layer that drops, run always",
        "if torch.rand(()) < 0.1:\n    return x * self.other.weight.sum()\nreturn self.layer(x)",
        "skip = torch.rand(()) < 0.1\nreturn torch.where(skip, x * self.other.weight.sum(), self.layer(x))",
    ),
    Planted(
        "a draw that is rare, left out",
        "if torch.rand(()) < 0.0001:\n    x = x * 0\nreturn self.layer(x)",
        "torch.rand(())\nreturn self.layer(x)",
    ),
    Planted(
        "the draw made once too often",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y * torch.rand(())\nreturn y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y * torch.rand(()), y)\nreturn y",
    ),
    Planted(
        "a division that was guarded",
        "n = mask.sum()\ny = self.layer(x)\nreturn y.sum() * 0.0 if n == 0 else (y * mask).sum() / n",
        "n = mask.sum()\ny = self.layer(x)\nreturn torch.where(n == 0, y.sum() * 0.0, (y * mask).sum() / n)",
        "n = mask.sum()\ny = self.layer(x)\n"
        "return torch.where(n == 0, y.sum() * 0.0, (y * mask).sum() / torch.where(n == 0, 1.0, n))",
        inputs=("2x4", "2x4"),
        parameters="x, mask",
    ),
    Planted(
        "an index that was out of range",
        "hits = (self.times == t).nonzero()\nreturn x + hits[0]",
        "return x + (self.times == t).long().argmax().reshape(1)",
        made="inputs",
        parameters="x, t",
    ),
    Planted(
        "sides of different shapes",
        "if x.sum() > 0:\n    y = x[:, 1:]\nelse:\n    y = x[:, :3]\nreturn y * self.other.weight.sum()",
        "y = torch.where(x.sum() > 0, x[:, 1:], x[:, :3])\nreturn y * self.other.weight.sum()",
    ),
    Planted(
        "a row that is spread over all",
        "y = self.layer(x)\nreturn y + 1 if y.sum() > 0 else y[:1]",
        "y = self.layer(x)\nreturn torch.where(y.sum() > 0, y + 1, y[:1])",
    ),
    Planted(
        "another dtype",
        "y = self.layer(x)\nreturn y if y.sum() > 0 else y.half()",
        "y = self.layer(x)\nreturn torch.where(y.sum() > 0, y, y.half())",
    ),
    Planted(
        "a count on both sides",
        "y = self.layer(x)\nif y.sum() > 0:\n    self.seen += 1\nreturn y",
        "y = self.layer(x)\nself.seen += 1\nreturn y",
        "y = self.layer(x)\nself.seen += (y.sum() > 0).to(self.seen.dtype)\nreturn y",
    ),
    Planted(
        "a number that becomes a tensor",
        "self.index = int(x.argmax().item())\nreturn self.layer(x)",
        "self.index = x.argmax()\nreturn self.layer(x)",
    ),
    Planted(
        "a number that is rounded",
        "y = self.layer(x)\nreturn y * y.sum().item()",
        "y = self.layer(x)\nreturn y * y.detach().sum().half()",
        "y = self.layer(x)\nreturn y * y.detach().sum()",
    ),
    Planted(
        "a gradient that goes on",
        "y = self.layer(x)\nreturn y * y.sum().item()",
        "y = self.layer(x)\nreturn y * y.sum()",
    ),
    Planted(
        "a check that is gone",
        "if (x < -100).any():\n    raise ValueError('too small')\nreturn self.layer(x)",
        "return self.layer(x)",
    ),
    Planted(
        "another exception",
        "if (x < -100).any():\n    raise ValueError('too small')\nreturn self.layer(x)",
        "assert not (x < -100).any(), 'too small'\nreturn self.layer(x)",
    ),
    Planted(
        "a check that no input meets",
        "if (x < -10000000).any() & (x < 1).all():\n    raise ValueError('too small')\nreturn self.layer(x)",
        "return self.layer(x)",
        says="not exercised",
    ),
    Planted(
        "only wrong in evaluation",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y) if self.training else y\nreturn y",
    ),
    Planted(
        "only wrong in training",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y",
        "y = self.layer(x)\nreturn y if self.training else torch.where(y.sum() > 0, y + 1, y)",
        mode="eval",
    ),
    Planted(
        "only wrong for an empty mask",
        "picked = x[x > 0]\ny = self.layer(x)\nreturn y.sum() * (picked.sum() if picked.numel() > 0 else 1.0)",
        "y = self.layer(x)\nreturn y.sum() * torch.where(x > 0, x, 0.0).sum()",
        mode="eval",
    ),
    Planted(
        "NaN where there was a number",
        "y = self.layer(x)\nreturn y.sum() if (x > 0).any() else y.sum() * 0",
        "y = self.layer(x)\nreturn y.sum() * ((x > 0).sum() / (x > 0).sum())",
    ),
    Planted(
        "wrong only compiled",
        BRANCH,
        "y = self.layer(x)\nif torch.compiler.is_compiling():\n    return y\n" + BRANCH.partition("\n")[2],
        "y = self.layer(x)\nif torch.compiler.is_compiling():\n    return torch.where(y.sum() > 0, y + 1, y)\n"
        + BRANCH.partition("\n")[2],
    ),
    Planted(
        "a side that nothing reaches",
        "y = self.layer(x)\nif y.sum() > 1e30:\n    y = y + 1\nreturn y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 1e30, y + 2, y)\nreturn y",
        says="not exercised",
    ),
    Planted(
        "Python's draw replaced by torch's",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y * (1 if random.random() < 2 else 0)\nreturn y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y, y)\nreturn y",
    ),
    Planted(
        "a NaN that a product spreads",
        "y = self.layer(x)\nif mask.sum() > 0:\n    y = y.masked_fill(mask > 0, 0.0)\nreturn y",
        "y = self.layer(x)\nreturn torch.where(mask.sum() > 0, y * (mask <= 0), y)",
        "y = self.layer(x)\nreturn torch.where(mask.sum() > 0, y.masked_fill(mask > 0, 0.0), y)",
        inputs=("2x4", "2x4"),
        parameters="x, mask",
    ),
    Planted(
        "a NaN that becomes a number",
        BRANCH,
        CHOSEN.replace("return y", "return torch.where(y != y, 0.0, y)"),
        CHOSEN,
    ),
    Planted(
        "a NaN moved to another place",
        BRANCH,
        CHOSEN.replace("return y", "return torch.where((y != y).any(), y.flip(0), y)"),
        CHOSEN.replace("return y", "return torch.where(y != y, -y, y)"),  # its sign says nothing: a + b is not b + a
    ),
    Planted(
        "another message of the user's own",
        "y = self.layer(x)\nif x.abs().max() > 100:\n    raise ValueError('too large')\nreturn y",
        "y = self.layer(x)\nif x.abs().max() > 100:\n    raise ValueError('large')\nreturn y",
    ),
    Planted(
        "a plain number that is none or negative",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y[:, :n] if n > 0 else y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y)\nreturn y[:, :n]",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y)\nreturn y[:, :n] if n > 0 else y",
        inputs=("2x4", "py:2"),
        parameters="x, n",
    ),
    Planted(
        "a word that was another",
        "y = self.layer(x)\nif y.sum() > 0:\n    y = y + 1\nreturn y.mean() if how == 'mean' else y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y)\nreturn y",
        "y = self.layer(x)\ny = torch.where(y.sum() > 0, y + 1, y)\nreturn y.mean() if how == 'mean' else y",
        inputs=("2x4", "how=py:'none'"),
        parameters="x, how='none'",
    ),
    Planted(
        "what is done in every call, run while tracing",
        "def count(module):\n    module.index = module.index + 1\n    logger.warning('%d', module.index)\n"
        "count(self)\nreturn self.layer(x) + self.index",
        "@torch.compiler.assume_constant_result\ndef count(module):\n    module.index = module.index + 1\n"
        "    logger.warning('%d', module.index)\ncount(self)\nreturn self.layer(x) + self.index",
    ),
    Planted(
        "an input that is written",
        "y = self.layer(x)\nif x.sum() > 0:\n    y = y + 1\nx.add_(1)\nreturn y",
        "y = self.layer(x)\ny = torch.where(x.sum() > 0, y + 1, y)\nx = x + 1\nreturn y",
        mode="eval",
    ),
)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return verdicts_of(CASES, tmp_path_factory.mktemp("mutations"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_wrong_rewrite_is_refused(case: Planted, verdicts: dict[str, str]) -> None:
    assert case.says in verdicts[f"wrong: {case.name}"]


@pytest.mark.parametrize("case", [one for one in CASES if one.right], ids=lambda case: case.name)
def test_the_right_one_beside_it_is_kept(case: Planted, verdicts: dict[str, str]) -> None:
    assert verdicts[f"right: {case.name}"] == ""
