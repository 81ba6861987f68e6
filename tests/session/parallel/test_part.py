"""A project in parts: who analyses a part, and how many do, changes nothing."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.host.machine import Machine
from compilelint.host.values import Env
from compilelint.interp.core import summaries
from compilelint.interp.core.frame import Frame
from compilelint.model import Confidence
from compilelint.project import loader as loading
from compilelint.project.classes import FunctionInfo
from compilelint.report.formats import render
from compilelint.session import analyse as analysing
from compilelint.session.commands.lint import lint
from compilelint.session.parallel import in_process, workers
from compilelint.session.parallel import split as dividing
from compilelint.session.parallel.importance import Imports
from compilelint.session.parallel.part import FIRST, Part
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax.source import Source
from compilelint.values import Value

FIXTURES = Path(__file__).parents[3] / "fixtures"

SHARED = """\
import torch


def positive(x: torch.Tensor, scale=None):
    if x.sum() > 0:
        return x
    return -x


def never_called(x: torch.Tensor):
    return torch.nonzero(x)
"""

MODEL = """\
import torch
from torch import nn

from shop.shared.ops import positive


class Model{number}(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print(x)
        return positive(x, {number})
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Four models, each in a folder of its own, and the functions that they share."""
    texts = {"shared/ops.py": SHARED, "shared/__init__.py": "", "__init__.py": ""}
    for number in range(4):
        texts[f"model{number}/__init__.py"] = ""
        texts[f"model{number}/modeling.py"] = MODEL.format(number=number)
    for name, text in texts.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "shop"


def report_of(folder: Path, jobs: int = 1, **more: object) -> str:
    """The JSON report of a lint, with fixes."""
    options = Options((str(folder),), torch_version="2.13", no_cache=True, jobs=jobs)
    return render(lint(replace(options, **more), fixes=True), "json")  # type: ignore[arg-type]


def file(path: str, size: int) -> Linted:
    return Linted(path, path.replace("/", "."), False, size, False, False)


def test_a_small_project_is_one_part() -> None:
    files = [file("/a/x.py", 900), file("/b/y.py", 900)]

    assert dividing.split(files) == [files]


def test_parts_are_of_about_one_size_and_keep_folders_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 1000)
    files = [file(f"/m/{folder}{number}/{name}.py", 100) for folder in "abcd" for number in range(5) for name in "xyz"]

    found = dividing.split(files)

    assert sorted(one.path for part in found for one in part) == sorted(one.path for one in files)
    assert all(750 <= sum(one.size for one in part) <= 1700 for part in found[:-1])
    folders = [{one.path.rpartition("/")[0] for one in part} for part in found]
    assert sum(map(len, folders)) == 20, "no folder is in two parts"


def test_a_large_folder_is_divided_by_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 1000)

    found = dividing.split([file(f"/m/x{number}.py", 900) for number in range(8)])

    assert len(found) >= 4


def test_a_large_project_has_larger_parts_not_ever_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 1000)

    counts = [len(dividing.split([file(f"/m/f{n}/x.py", 100) for n in range(many)])) for many in (200, 1000, 4000)]

    assert max(counts) <= 22


def test_an_edit_moves_no_folder_to_another_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 1000)
    files = [file(f"/m/f{number}/x.py", 100) for number in range(100)]
    before = [[one.path for one in part] for part in dividing.split(files)]

    for edited in range(100):
        longer = [replace(one, size=140) if number == edited else one for number, one in enumerate(files)]
        after = [[one.path for one in part] for part in dividing.split(longer)]
        assert len([part for part in after if part not in before]) <= 3

    assert before == [[one.path for one in part] for part in dividing.split(files)]


ROOTS = [
    pytest.param(("auto",), id="auto"),
    pytest.param(("auto", "shop.shared.*"), id="auto shop.shared.*", marks=pytest.mark.slow),
    pytest.param(("explicit", "all"), id="explicit all"),
]


@pytest.mark.parametrize("roots", ROOTS)
def test_the_number_of_processes_changes_not_a_byte(
    shop: Path, monkeypatch: pytest.MonkeyPatch, roots: tuple[str, ...]
) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)

    alone, two, three = [report_of(shop, jobs, roots=roots) for jobs in (1, 2, 3)]

    assert '"CL101"' in alone
    assert '"edits"' in alone, "the workers make the fixes"
    assert alone == two == three


@pytest.mark.parametrize("roots", ROOTS)
@pytest.mark.parametrize("most", [0, 400])
def test_a_large_project_of_which_not_all_is_kept_has_the_same_report(
    shop: Path, monkeypatch: pytest.MonkeyPatch, roots: tuple[str, ...], most: int
) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    kept = report_of(shop, roots=roots)
    monkeypatch.setattr(in_process, "MOST_KEPT", most)  # of this process: those of `--jobs` read their own

    assert report_of(shop, roots=roots) == kept


@pytest.mark.parametrize("room", [(0, 0), (400, 10_000), (400, 300)])
def test_what_workers_keep_changes_not_a_byte(
    shop: Path, monkeypatch: pytest.MonkeyPatch, room: tuple[int, int]
) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    alone = report_of(shop)
    monkeypatch.setattr(analysing, "LostWorkerError", KeyError)  # so that a lost one is not made good for
    monkeypatch.setattr(analysing, "KEPT_BY_WORKERS", room[0])
    monkeypatch.setattr(analysing, "WORKERS_AT_ONCE", room[1])

    assert report_of(shop, 2) == alone


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The folders of the parts that are read, each time; of those that are not kept there is one at a time."""
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    found: list[tuple[str, ...]] = []
    read = in_process.InProcess._read
    parts: weakref.WeakSet[Part] = weakref.WeakSet()

    def noted(self: in_process.InProcess, number: int) -> Part:
        assert len(parts) == len(self._parts), "the one before is gone when the next is read"
        found.append(tuple(sorted({Path(file.path).parent.name for file in self._files[number]})))
        part = read(self, number)
        parts.add(part)
        return part

    monkeypatch.setattr(in_process.InProcess, "_read", noted)
    return found


@pytest.mark.parametrize("most", [0, 400])
def test_each_part_of_a_large_project_is_read_once(
    shop: Path, monkeypatch: pytest.MonkeyPatch, made: list[tuple[str, ...]], most: int
) -> None:
    monkeypatch.setattr(in_process, "MOST_KEPT", most)
    report_of(shop)

    assert len(made) == len(set(made)) > 3
    (turn,) = [number for number, folders in enumerate(made) if "shared" in folders]
    assert (turn < 2) == (most > 0), "what others import is kept and comes first, else it comes last"


@pytest.mark.parametrize(("at_once", "is_kept"), [(10_000, True), (300, False)])
def test_a_part_that_is_large_leaves_less_room_for_those_that_are_kept(
    shop: Path, monkeypatch: pytest.MonkeyPatch, made: list[tuple[str, ...]], at_once: int, is_kept: bool
) -> None:
    """What is kept and the largest of the others are there at the same time."""
    monkeypatch.setattr(in_process, "MOST_KEPT", 400)
    monkeypatch.setattr(in_process, "MOST_AT_ONCE", at_once)
    report_of(shop)
    (turn,) = [number for number, folders in enumerate(made) if "shared" in folders]
    assert (turn < 2) == is_kept, "what others import comes first if it is kept, else last"


@pytest.mark.parametrize("most", [0, 400])
def test_what_several_parts_import_is_lowered_once(
    shop: Path, monkeypatch: pytest.MonkeyPatch, made: list[tuple[str, ...]], most: int
) -> None:
    """A linted file that others import, and one that is not linted, outlive the part that asked for them first."""
    (shop.parent / "beyond.py").write_text(SHARED, encoding="utf-8")
    for number in range(4):
        modeling = shop / f"model{number}" / "modeling.py"
        text = modeling.read_text(encoding="utf-8")
        text = text.replace("import torch\n", "import torch\nimport beyond\n", 1)
        text = text.replace("positive(x, ", "beyond.positive(positive(x), ")
        modeling.write_text(text, encoding="utf-8")
    kept = report_of(shop)
    assert "beyond.py" in kept
    monkeypatch.setattr(in_process, "MOST_KEPT", most)
    texts: list[str] = []
    lower = loading.load_source

    def noted(source: Source, *given: object) -> object:
        texts.append(source.path)
        return lower(source, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(loading, "load_source", noted)
    made.clear()

    assert report_of(shop) == kept
    assert len(made) > 3
    assert [texts.count(str(one)) for one in (shop.parent / "beyond.py", shop / "shared" / "ops.py")] == [1, 1]


def test_a_part_that_was_asked_ahead_in_vain_is_analysed_again(
    shop: Path, monkeypatch: pytest.MonkeyPatch, made: list[tuple[str, ...]]
) -> None:
    """The shared functions are asked about before any model has reached them."""
    kept = report_of(shop)
    monkeypatch.setattr(in_process, "MOST_KEPT", 0)
    monkeypatch.setattr(Imports, "turns", lambda self, parts: sorted(parts, reverse=True))
    made.clear()

    assert report_of(shop) == kept
    twice = {one for one in made if made.count(one) == 2}
    assert [one for one in twice if "shared" in one]
    assert len(made) == len(set(made)) + len(twice)


def test_a_worker_that_knows_what_others_have_reached_analyses_nothing_again(
    shop: Path, monkeypatch: pytest.MonkeyPatch, made: list[tuple[str, ...]]
) -> None:
    """As above, but for what the processes of other parts have reached by then."""
    ask = in_process.InProcess.ask
    elsewhere: dict[str, bool] = {}

    def informed(self: in_process.InProcess, questions: Sequence[in_process.Question]) -> list[Any]:
        first = [one.method == "start" and one.given[1] == FIRST for one in questions]
        asked = [
            replace(one, elsewhere=dict(elsewhere)) if is_first else one
            for one, is_first in zip(questions, first, strict=True)
        ]
        answers = ask(self, asked)
        for is_first, answer in zip(first, answers, strict=True):
            elsewhere.update(answer if is_first else {})
        return answers

    kept = report_of(shop)
    monkeypatch.setattr(in_process.InProcess, "ask", informed)
    monkeypatch.setattr(in_process, "MOST_KEPT", 0)
    monkeypatch.setattr(Imports, "turns", lambda self, parts: sorted(parts, reverse=True))
    counts = []
    for _ in range(2):  # the first run finds what all reach
        made.clear()
        gc.collect()  # the part that the run before held last
        assert report_of(shop) == kept
        counts.append(len(made) - len(set(made)))

    assert counts == [1, 0]


PIPELINE = """\
import torch


class Pipeline:
    def load(self, path):
        self.weights = torch.load(path)

    def __call__(self, x):
        return decode(torch.relu(x), x)


def decode(x, limit=None):
    if limit is not None and limit.sum() > 0:
        return x
    return x + 1
"""
CALLER = """\
from torch import nn

from shop.model0.pipeline import decode


class Caller(nn.Module):
    def forward(self, x):
        return decode(x)
"""


@pytest.mark.parametrize("most", [0, 400])
@pytest.mark.parametrize("called", [True, False])
def test_a_doubt_that_another_part_takes_back_costs_no_second_analysis(
    shop: Path, monkeypatch: pytest.MonkeyPatch, made: list[tuple[str, ...]], most: int, called: bool
) -> None:
    """What drives models is doubted with all that it calls, but for what a model of a later part calls too."""
    (shop / "model0" / "pipeline.py").write_text(PIPELINE, encoding="utf-8")
    if called:
        (shop / "model3" / "calling.py").write_text(CALLER, encoding="utf-8")
    kept = report_of(shop, min_confidence=Confidence.POSSIBLE)
    monkeypatch.setattr(in_process, "MOST_KEPT", most)
    monkeypatch.setattr(Imports, "turns", lambda self, parts: sorted(parts))
    made.clear()

    assert report_of(shop, min_confidence=Confidence.POSSIBLE) == kept
    assert made.count(("model0",)) == 1
    (found,) = [one for one in json.loads(kept)["findings"] if one["rule"] == "CL101" and "pipeline" in one["path"]]
    assert found["confidence"] == ("likely" if called else "possible")


def test_what_another_part_has_reached_is_no_root_of_its_own(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    report = report_of(shop)

    assert "never_called (unreached)" in report
    assert "positive (unreached)" not in report


@pytest.mark.parametrize("version", ["2.13", ">=2.12,<2.14"])
def test_parts_of_real_programs_find_what_the_whole_finds(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    def reported() -> list[tuple[object, ...]]:
        found = lint(Options((str(FIXTURES),), torch_version=version, no_cache=True)).findings
        return [(one.location, one.rule.code, one.confidence, one.effects, one.torch_versions) for one in found]

    whole = reported()
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 20_000)

    assert len(whole) > 20
    assert reported() == whole


def test_a_worker_that_dies_costs_time_only(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    alone = report_of(shop)
    started: list[object] = []

    def dying() -> object:
        process = launch()
        started.append(process)
        process.kill()
        return process

    launch = workers._started
    monkeypatch.setattr(workers, "_started", dying)

    assert report_of(shop, 2) == alone
    assert len(started) == 2


def test_a_worker_that_dies_over_the_fixes_costs_time_only(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    alone = report_of(shop)
    lost: list[object] = []

    def with_fixes(self: workers.WorkerPool, findings: object, least: object) -> object:
        lost.append(self)
        for process in self._processes:
            process.kill()
            process.wait()
        return make_fixes(self, findings, least)  # type: ignore[arg-type]

    make_fixes = workers.WorkerPool.with_fixes
    monkeypatch.setattr(workers.WorkerPool, "with_fixes", with_fixes)

    assert report_of(shop, 2) == alone
    assert len(lost) == 1


def test_no_process_is_started_for_a_project_of_one_part(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_started", lambda: pytest.fail("a process was started"))

    assert report_of(shop, 2) == report_of(shop)


def test_workers_see_nothing_of_the_folder_they_are_started_in(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    (tmp_path / "random.py").write_text("raise SystemExit(3)", encoding="utf-8")
    (tmp_path / "pickle.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    alone = report_of(shop)
    monkeypatch.setattr(analysing, "LostWorkerError", KeyError)  # so that a lost one is not made good for

    assert report_of(shop, 2) == alone


BEYOND = {
    "lib/tools.py": """\
from functools import wraps

import torch


def logged(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def applied(function, x):
    return function(x)


def signed(x: torch.Tensor, step: int):
    if step > 0:
        return x
    return -x


class Base(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return self.head(x)

    def head(self, x):
        return x
""",
    "nets/net.py": """\
import torch

from shop.lib.tools import Base, applied, logged, signed


@logged
def first(x: torch.Tensor):
    return x + 1


@logged
def second(x: torch.Tensor):
    return x + 2


@logged
def third(x: torch.Tensor):
    print(x)
    return x + 3


class Net(Base):
    def head(self, x: torch.Tensor):
        x = signed(third(second(first(x))), x.sum())
        return applied(lambda y: y.item(), x)
""",
    "other/net.py": """\
import torch

from shop.lib.tools import signed


class Other(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return signed(x, 3)
""",
    "ops/define.py": """\
import torch


@torch.library.custom_op("shop::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.library.custom_op("shop::thrice", mutates_args=())
def thrice(x: torch.Tensor) -> torch.Tensor:
    return x * 3


@torch.library.custom_op("shop::fourfold", mutates_args=())
def fourfold(x: torch.Tensor) -> torch.Tensor:
    return x * 4
""",
    "rules/more.py": """\
import torch

from shop.ops.define import fourfold


@fourfold.register_fake
def _(x):
    return torch.empty_like(x)
""",
    "fakes/fakes.py": """\
import torch


@torch.library.register_fake("shop::twice")
def _(x):
    return torch.empty_like(x)
""",
}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, int]:
    """A program whose findings hang on what lies in other folders; lines by their text."""
    lines: dict[str, int] = {}
    for name, text in {**BEYOND, "__init__.py": "", **{f"{n.split('/')[0]}/__init__.py": "" for n in BEYOND}}.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        lines |= {line.strip(): number for number, line in enumerate(text.split("\n"), 1)}
    return lines


def reported(folder: Path) -> list[tuple[str, int, str]]:
    found = lint(Options((str(folder),), torch_version="2.13", no_cache=True)).findings
    return [(one.location.path.rpartition("/")[2], one.location.span.line, one.rule.code) for one in found]


def test_what_lies_beyond_a_part_is_reported_as_if_it_lay_in_it(
    places: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = reported(tmp_path / "shop")
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 200)

    found = reported(tmp_path / "shop")

    assert found == whole
    assert ("tools.py", places["if step > 0:"], "CL101") in found, "a tensor is passed for a number"
    assert ("net.py", places["print(x)"], "CL201") in found, "the third function of a decorator"
    assert ("net.py", places["return applied(lambda y: y.item(), x)"], "CL102") in found, "called from there"
    fakes = [line for path, line, code in found if path == "define.py" and code == "CL620"]
    assert len(fakes) == 1, "the others have their fakes in other parts"


# --------------------------------------------------------------- what was judged

TWO = """\
import torch
from torch import nn


def planted(x: torch.Tensor):
    return x + 1


class Bad(nn.Module):
    def forward(self, x: torch.Tensor):
        return planted(x)


class Worse(nn.Module):
    def forward(self, x: torch.Tensor):
        return planted(x)


class Good(nn.Module):
    def forward(self, x: torch.Tensor):
        print(x)
        return x

    def measured(self, tokens):
        return tokens.unsqueeze(0).numpy()


def accuracy(tokens):
    return tokens.unsqueeze(0).numpy()
"""


def test_an_error_of_ours_costs_the_roots_that_meet_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two.py").write_text(TWO, encoding="utf-8")
    run_body = summaries._run_body

    def broken(inner: Frame, code: FunctionInfo, names: dict[str, Value]) -> Value:
        if code.node.name == "planted":
            raise AssertionError("planted")
        return run_body(inner, code, names)

    monkeypatch.setattr(summaries, "_run_body", broken)
    report = lint(Options((str(tmp_path),), torch_version="2.13"))
    assert [(one.rule.code, one.location.span.line) for one in report.findings] == [("CL201", 21)]
    defects = [one for one in report.notices if one.kind == "defect"]
    assert [(one.path, one.line) for one in defects] == [
        (f"{tmp_path.as_posix()}/two.py", line) for line in (10, 15, 5)
    ]
    assert "`Bad.forward` was not checked completely: AssertionError" in defects[0].text
    assert [root.name for root in report.roots] == ["Good.forward"]


def test_a_root_says_how_far_it_reaches(shop: Path) -> None:
    report = lint(Options((str(shop),), torch_version="2.13"))
    by_name = {root.name: root for root in report.roots}
    reached = by_name["Model1.forward"]
    assert (reached.functions, reached.files, reached.graphs) == (2, 2, 2)
    assert by_name["Model1.forward"].spec == "shop.model1.modeling:Model1.forward"


@pytest.mark.parametrize("roots", [("auto",), ("explicit",)])
def test_an_entry_that_is_left_is_judged_by_the_roots_that_are_named(tmp_path: Path, roots: tuple[str, ...]) -> None:
    (tmp_path / "two.py").write_text(TWO, encoding="utf-8")
    options = Options((str(tmp_path),), torch_version="2.13", roots=roots)
    left = lint(options).unjudged
    assert "Good.measured" in {one.name for one in left}
    assert "accuracy" not in {one.name for one in left}
    assert ("Good.forward" in {one.name for one in left}) is (roots == ("explicit",))
    again = lint(replace(options, roots=(*roots, *(one.spec for one in left))))
    assert {one.name for one in left} <= {one.name for one in again.roots}
    assert not {one.name for one in left} & {one.name for one in again.unjudged}


def test_parts_agree_on_what_was_judged(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lint(Options((str(shop),), torch_version="2.13"))
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    divided = lint(Options((str(shop),), torch_version="2.13"))
    assert {(one.name, one.location) for one in divided.roots} == {(one.name, one.location) for one in whole.roots}
    assert divided.unjudged == whole.unjudged


def test_an_error_of_ours_in_the_search_for_compile_calls_costs_these_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "two.py").write_text(TWO + "\n\nf = torch.compile(planted)\n", encoding="utf-8")
    options = Options((str(tmp_path),), torch_version="2.13")
    assert "planted" in {root.name for root in lint(options).roots if root.kind == "explicit"}

    def broken(*_: object) -> None:
        raise RecursionError("planted")

    monkeypatch.setattr("compilelint.interp.driver.hosting._run_module", broken)
    report = lint(options)
    assert [one.text.partition(":")[0] for one in report.notices if one.kind == "defect"] == [
        "compile calls were not read completely"
    ]
    assert ("CL201", 21) in {(one.rule.code, one.location.span.line) for one in report.findings}


HOST = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


fast = torch.compile(Net())
for n in (3, 5):
    fast(torch.ones(n, 4))
"""


def test_an_error_of_ours_in_the_run_of_a_program_costs_what_that_program_would_still_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, last in (("first", ""), ("planted", "planted = 1\nfast(torch.ones(3, 4, 5))\n"), ("third", "")):
        (tmp_path / f"{name}.py").write_text(HOST + last, encoding="utf-8")
    bind = Machine.bind

    def broken(self: Machine, env: Env, name: str, value: object) -> None:
        if name == "planted":
            raise KeyError(name)
        bind(self, env, name, value)

    monkeypatch.setattr(Machine, "bind", broken)
    report = lint(Options((str(tmp_path),), torch_version="2.13"))
    found = [(Path(one.location.path).name, one.location.span.line) for one in report.findings]
    assert found == [("first.py", 13), ("planted.py", 13), ("third.py", 13)]
    (defect,) = [one for one in report.notices if one.kind == "defect"]
    assert defect.path is not None
    assert Path(defect.path).name == "planted.py"
    assert defect.text.startswith("the program around its compiled calls was not run completely: KeyError in")
