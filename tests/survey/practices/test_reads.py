"""Where the host waits: tests of tensors, masks, waits, copies, reads of each parameter; and what is alike."""

from __future__ import annotations

import pytest

from tests.support.practices import of_kind

_TRAIN = "def train(model, x, table):\n    loss = model(x).sum()\n    loss.backward()\n    {}"
_INFER = "@torch.no_grad()\ndef f(model, xs, table):\n    done = torch.zeros(4)\n    {}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (_INFER.format("while not (done == 0).all():\n        done = model(done)"), "reads"),
        (_INFER.format("for x in xs:\n        if (done > 1).any():\n            break"), "reads"),
        (_INFER.format("for x in xs:\n        if torch.equal(x, done):\n            break"), "reads"),
        (_INFER.format("for x in xs:\n        done[x > 0] -= done.sum()"), "masks"),
        (_INFER.format("for x in xs:\n        kept = done > 0\n        g(done[kept])"), "masks"),
        (_INFER.format("for x in xs:\n        g(done[(done > 0) & ~(done > 2)])"), "masks"),
        (_TRAIN.format("torch.cuda.synchronize()"), "waits"),
        (_TRAIN.format("torch.cuda.empty_cache()"), "waits"),
        (_TRAIN.format("y = torch.from_numpy(table).to(x.device)"), "copies"),
        (_TRAIN.format("y = torch.tensor(table, device=x.device)"), "copies"),
        (_INFER.format("for n in range(9):\n        y = torch.tensor([table[n]], device=done.device)"), "copies"),
    ],
)
def test_the_host_waits(text: str, kind: str) -> None:
    assert {place for _, place in of_kind(kind, text)} <= {"training", "inference"}
    assert of_kind(kind, text)


def test_one_parameter_after_the_other() -> None:
    norms = "for p in model.parameters():\n        g(p.grad.sum().item())"
    finite = "if any(not torch.isfinite(p.grad).all() for p in model.parameters()):\n        return"
    assert of_kind("reads", _TRAIN.format(norms)) == [("each", "training")]
    assert of_kind("reads", _TRAIN.format(finite)) == [("each", "training")]
    assert of_kind("reads", _TRAIN.format("for p in table:\n        g(p.item())")) == [("", "training")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(
            _INFER.format("for x in xs:\n        if (table == 0).all():\n            pass"), "reads", id="array"
        ),
        pytest.param(_INFER.format("for x in xs:\n        y = (done > 1).any()"), "reads", id="kept, and not tested"),
        pytest.param(_INFER.format("if (done > 1).any():\n        return"), "reads", id="once"),
        pytest.param(_INFER.format("for x in xs:\n        done[done > 0] = 4"), "masks", id="a number is filled in"),
        pytest.param(_INFER.format("for x in xs:\n        g(done[1:3])"), "masks", id="a slice"),
        pytest.param(_INFER.format("for x in xs:\n        g(table[x in xs])"), "masks", id="membership"),
        pytest.param(
            _INFER.format("for x in xs:\n        kept = done > 0\n        kept = 3\n        g(done[kept])"),
            "masks",
            id="a mask or a number",
        ),
        pytest.param("def f(xs):\n    for x in xs:\n        torch.cuda.synchronize()", "waits", id="times something"),
        pytest.param(_TRAIN.format("y = torch.tensor(1.0, device=x.device)"), "copies", id="a number"),
        pytest.param(_TRAIN.format("y = torch.from_numpy(table)"), "copies", id="stays on the host"),
        pytest.param(_TRAIN.format("y = torch.from_numpy(next(table)).to(x.device)"), "copies", id="the batch"),
        pytest.param(
            "def f(xs):\n    for x in xs:\n        y = torch.tensor(x).cuda()\n        y.backward()",
            "copies",
            id="what the loop goes over",
        ),
    ],
)
def test_the_host_does_not_wait(text: str, kind: str) -> None:
    assert of_kind(kind, text) == []
