"""What a worker observes becomes the data model: frames of the user, statements, paths of a copy. No torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic.observations import Overlay, run_of, statement_at, top_folder
from compilelint.dynamic.protocol import Job, decode, encode, job_message, target_of
from compilelint.dynamic.targets import Target, input_set

SOURCE = """\
def forward(x):
    y = call(
        x.item(),
    )
    if (
        y
        > 0
    ):
        return y
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    for one in (folder, folder.parent):
        (one / "__init__.py").write_text("")
    (folder / "model.py").write_text(SOURCE)
    return folder / "model.py"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        pytest.param(3, (2, 4, "x.item(),"), id="inside of a call"),
        pytest.param(6, (5, 8, "y"), id="in the head of an if"),
        pytest.param(9, (9, 9, "return y"), id="in its body"),
        pytest.param(99, (99, 99, ""), id="behind the file's end"),
    ],
)
def test_the_statement_around_a_line(package: Path, line: int, wanted: tuple[int, int, str]) -> None:
    assert statement_at(str(package), line) == wanted


def test_the_outermost_package_is_the_users(package: Path) -> None:
    assert top_folder(str(package)) == f"{package.parents[1]}/"


def observed(path: Path, *stack: tuple[str, int, str], **more: Any) -> dict[str, Any]:
    one = {
        "stack": stack,
        "words": "Data-dependent branching",
        "break_id": "GB0170",
        "explanation": "Data-dependent branching\n  Explanation: e",
        "root": (str(path), 1, "forward"),
        "call": 0,
        "times": 1,
        "skips_frame": False,
        "after": "",
    }
    return {"fate": "ran", "place": (str(path), 1, "M"), "breaks": [{**one, **more}], "graphs": 2, "cut": []}


def test_a_break_is_charged_to_the_innermost_frame_of_the_package(package: Path) -> None:
    stack = (
        ("/x/main.py", 1, "run"),
        (str(package), 6, "torch_dynamo_resume_in_forward_at_3"),
        ("/lib/site-packages/other/ops.py", 44, "op"),
        ("/lib/site-packages/torch/nn/modules/module.py", 5, "_call_impl"),
    )
    (found,) = run_of(Target("m:M"), observed(package, *stack), "").breaks
    assert (found.path, found.line, found.first_line, found.function) == (str(package), 6, 5, "forward")
    assert [step.function for step in found.stack] == ["run", "forward", "op"]
    assert found.reason == "branch-on-data"


def test_a_break_in_the_project_is_no_break_of_a_factory_beside_it(package: Path) -> None:
    """A factory in `tests/targets.py` over `src/pkg`; what is installed below the folder stays with its caller."""
    root = package.parents[2]
    factory, installed = f"{root}/tests/targets.py", f"{root}/.venv/lib/site-packages/other.py"
    stack = ((factory, 3, "call"), (str(package), 3, "forward"), (installed, 9, "op"))
    message = {**observed(package, *stack), "place": (factory, 1, "made")}
    alone, of_project = (
        run_of(Target("m:M"), message, "", project=folders).breaks[0] for folders in ((), (str(root),))
    )
    assert (alone.path, of_project.path) == (factory, str(package))


def test_an_environment_below_the_targets_folder_is_not_its_own(package: Path) -> None:
    root = package.parents[2]
    torchs, own = f"{root}/.venv/lib/site-packages/torch/_dynamo/polyfills/__init__.py", f"{root}/net.py"
    stack = ((own, 4, "forward"), (torchs, 505, "new"))
    message = {**observed(package, *stack), "place": (own, 1, "Net")}
    (found,) = run_of(Target("net:Net"), message, "").breaks
    assert (found.path, found.line) == (own, 4)
    (inside,) = run_of(Target("torch:X"), {**message, "place": (torchs, 1, "X")}, "").breaks
    assert (inside.path, inside.line) == (torchs, 505), "a target that is installed there is"


def test_paths_of_a_copy_are_given_as_those_of_the_original(package: Path) -> None:
    root = package.parents[2]
    overlay = Overlay("/original", str(root))
    (found,) = run_of(Target("m:M"), observed(package, (str(package), 3, "forward")), "", overlay).breaks
    assert found.path == "/original/outer/inner/model.py"
    assert overlay.inside_copy("/original/outer") == f"{root}/outer"
    assert overlay.inside_copy("/originals/outer") == "/originals/outer"


def test_what_the_log_does_not_name_and_another_witness_does_is_reported(package: Path) -> None:
    message = {
        **observed(package, (str(package), 3, "forward")),
        "cut": [(str(package), 9)],
        "missing": ["_handle_skip"],
    }
    witnesses = run_of(Target("m:M"), message, "").witnesses
    assert f"a graph ends at {package}:9 that the graph-break log does not name" in witnesses
    assert witnesses[-1].startswith("this torch has no _handle_skip")


def test_a_long_output_keeps_its_ends(package: Path) -> None:
    output = run_of(Target("m:M"), observed(package), "first" + "x" * 50_000 + "last").output
    assert output.startswith("first")
    assert output.endswith("last")
    assert len(output) < 9_000


def test_a_job_survives_the_way_to_the_worker() -> None:
    import ast

    target = Target(
        "m:M",
        (input_set(["2x3", "flag=py:(1, 2)"], "test"),),
        arguments={"width": 8, "names": ["a"]},
        dynamic_dims=(("x", (0,)),),
        regions=("layers",),
        seeds=(0, 1),
    )
    message = decode(encode(job_message(Job(3, target))))
    assert message is not None
    assert target_of(message["target"], ast.literal_eval) == target


@pytest.mark.parametrize("line", ["", "no json", "[1]", '{"observed": 1}', '{"event": 3}'])
def test_a_line_that_is_no_message(line: str) -> None:
    assert decode(line) is None
