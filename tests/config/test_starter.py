"""The first configuration of a project, word for word below its keys."""

from __future__ import annotations

import pytest

from compilelint.config.starter import Row, starter

HEAD = "# What `compilelint verify` runs under the real TorchDynamo. `max-breaks` is the budget of each.\n"


def targets(*rows: Row, more: int = 0) -> str:
    return starter(rows, more).partition(HEAD)[2].strip("\n")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        pytest.param(
            Row("a.b:Net", inputs=("2x3",)),
            '[[targets]]\nmodel = "a.b:Net"\ninputs = ["2x3"]\nmax-breaks = 0',
            id="it ran",
        ),
        pytest.param(
            Row("a:Net", inputs=("2x3", "x=4"), breaks=2),
            '[[targets]]\nmodel = "a:Net"\ninputs = ["2x3", "x=4"]\nmax-breaks = 0  # 2 today',
            id="it ran and broke",
        ),
        pytest.param(
            Row("a:Net", inputs=("2x3",), guessed_from="`self.head`, a Linear"),
            '[[targets]]\nmodel = "a:Net"\ninputs = ["2x3"]  # guessed from `self.head`, a Linear, not run yet',
            id="inputs guessed",
        ),
        pytest.param(
            Row("a:Net", names=("x", "mask")),
            "# Not run yet. Write what it is called with, and uncomment it.\n"
            '# [[targets]]\n# model = "a:Net"\n# inputs = ["x=2x8", "mask=2x8"]',
            id="arguments by name",
        ),
        pytest.param(
            Row("a:Net", note="ValueError: x\n\x1b[31mis  bad."),
            "# Not run yet: ValueError: x [31mis bad. Write what it is called with, and uncomment it.\n"
            '# [[targets]]\n# model = "a:Net"\n# inputs = ["2x8"]',
            id="a reason on one line",
        ),
        pytest.param(
            Row("a:Net", required=("width", "größe")),
            "# Its constructor needs width, größe. Not run yet. Write what it is built from and called with, and\n"
            "# uncomment it. A function that returns it will do, too.\n"
            '# [[targets]]\n# model = "a:Net"\n# arguments = { width = 8, "größe" = 8 }\n# inputs = ["2x8"]',
            id="built from something",
        ),
    ],
)
def test_a_target_is_written_as_far_as_it_is_known(row: Row, text: str) -> None:
    assert targets(row) == text


def test_without_a_model_an_example_stands_there() -> None:
    assert targets() == (
        "# Not run yet. Write what it is called with, and uncomment it.\n"
        '# [[targets]]\n# model = "pkg.mod:Model"\n# inputs = ["x=2x8"]'
    )


def test_models_that_are_not_written_are_counted() -> None:
    ran = Row("a:Net", inputs=("2",))
    assert targets(ran, more=3).endswith("max-breaks = 0\n\n# Models found that are not written here: 3.")
    assert "not written" not in targets(ran)


def test_a_reason_is_cut() -> None:
    assert targets(Row("a:Net", note="x" * 300)).count("x") == 200 + len("2x8") - 2
