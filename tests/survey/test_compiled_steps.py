"""Compiled optimizer steps whose rate is a number and changes, and those whose rate costs nothing."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Around
from tests.support.survey_events import events_of

SCHEDULE = "schedule = torch.optim.lr_scheduler.StepLR(opt, 10)"


def rates(*lines: str) -> list[tuple[str, str]]:
    """What is reported of rates in a function of these lines."""
    text = "def main(model):\n" + textwrap.indent("\n".join(lines), "    ")
    return [(event.how, event.detail) for event in events_of(text) if isinstance(event, Around)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("opt = torch.optim.AdamW(model.parameters(), lr=1e-3)", "f = torch.compile(opt.step)", SCHEDULE)),
        pytest.param(
            ("rate = 0.1", "opt = torch.optim.SGD(model.parameters(), rate)", SCHEDULE, "f = torch.compile(opt.step)")
        ),
        pytest.param(("opt = torch.optim.Adam(model.parameters())", SCHEDULE, "f = torch.compile(opt.step)")),
        pytest.param(
            (
                "opt = torch.optim.Adam(model.parameters())",
                "@torch.compile(fullgraph=False)",
                "def update():",
                "    opt.step()",
                "for group in opt.param_groups:",
                "    group['lr'] *= 0.5",
            )
        ),
        pytest.param(
            (
                "opt = torch.optim.Adam(model.parameters())",
                "def update():",
                "    opt.step()",
                "f = torch.compile(update)",
                "opt.param_groups[0]['lr'] = 0.5",
            )
        ),
        pytest.param(
            (
                "args = parser.parse_args()",
                "opt = torch.optim.AdamW(model.parameters(), lr=args.lr * args.world_size, fused=True)",
                SCHEDULE,
                "opt.step = torch.compile(opt.step)",
            ),
            id="an option of the script",
        ),
        pytest.param(
            (
                "import warming",
                "opt = torch.optim.AdamW(model.parameters(), lr=3e-4)",
                "schedule = warming.linear(100, optimizer=opt)",
                "f = torch.compile(opt.step)",
                "schedule.step()",
            ),
            id="a schedule of any library, which makes steps beside it",
        ),
    ],
)
def test_a_rate_that_is_a_number_and_changes(lines: tuple[str, ...]) -> None:
    assert rates(*lines) == [("rate", "opt")]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            ("opt = torch.optim.Adam(p, lr=torch.tensor(0.1))", SCHEDULE, "f = torch.compile(opt.step)"), id="a tensor"
        ),
        pytest.param(("opt = torch.optim.Adam(p, lr=0.1)", "f = torch.compile(opt.step)"), id="nothing changes it"),
        pytest.param(
            ("opt = torch.optim.Adam(p, lr=rates.first)", SCHEDULE, "f = torch.compile(opt.step)"), id="of any name"
        ),
        pytest.param(
            ("opt = torch.optim.Adam(p, lr=self.lr)", SCHEDULE, "f = torch.compile(opt.step)"), id="of an object"
        ),
        pytest.param(("opt = torch.optim.Adam(p, lr=0.1)", SCHEDULE, "f = torch.compile(model)"), id="not compiled"),
        pytest.param(("opt = torch.optim.Adam(p, lr=rate())", SCHEDULE, "f = torch.compile(opt.step)"), id="unknown"),
        pytest.param(("opt = torch.optim.Adam(p, **more)", SCHEDULE, "f = torch.compile(opt.step)"), id="hidden"),
        pytest.param(("opt = Lion(p, lr=0.1)", SCHEDULE, "f = torch.compile(opt.step)"), id="not torch's"),
        pytest.param(
            ("opt = torch.optim.Adam(p, lr=0.1)", "f = torch.compile(opt.step)", "other.param_groups[0]['lr'] = 1"),
            id="the rate of another",
        ),
        pytest.param(
            ("opt = torch.optim.Adam(p, lr=0.1)", "seen = watched(opt)", "f = torch.compile(opt.step)", "seen.show()"),
            id="what is made for it makes no steps",
        ),
    ],
)
def test_rates_that_compile_once_or_are_not_known(lines: tuple[str, ...]) -> None:
    assert rates(*lines) == []
