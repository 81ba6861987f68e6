"""The speed and robustness benchmarks: their arithmetic, what a cold start loads, each hostile input in small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from benchmarks import charts, measuring, peers, robustness, speed, tables
from benchmarks.kept_rows import KeptRows
from benchmarks.measuring import Cost
from benchmarks.reproduce import ROOT, SMALL_CASES, replaced
from benchmarks.tables import Row
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint, unfounded

# ------------------------------------------------------------------- measuring


def test_a_process_costs_what_it_burns() -> None:
    busy = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nb = b'x' * 400_000_000"
    cost = measuring.measured([sys.executable, "-c", busy])
    assert cost.code == 0
    assert 0.29 < cost.cpu < 3
    assert cost.wall >= 0.29
    assert 400 < cost.peak < 700


def test_a_process_that_hangs_is_killed() -> None:
    cost = measuring.measured([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.2)
    assert cost.code == -9
    assert cost.wall < 30


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="exit code 3"):
        measuring.checked([sys.executable, "-c", "raise SystemExit(3)"])


def test_folders_are_drawn_up_to_a_size_and_always_the_same(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"p{number}").mkdir()
        (tmp_path / f"p{number}" / "a.py").write_text("#" * 100_000, encoding="utf-8")
    drawn = measuring.some_folders(list(tmp_path.iterdir()), 0.5)
    assert len(drawn) == 5
    assert drawn == measuring.some_folders(sorted(tmp_path.iterdir(), reverse=True), 0.5)


def test_paces_are_held_against_both_runs_of_libcst() -> None:
    before, after = (tables.Row("libcst", 2.0, Cost(cpu, cpu, 50.0, 0)) for cpu in (1.5, 2.5))
    floor = tables.floor_of(before, after)
    assert floor == 1.0
    whole = tables.Row("all", 10.0, Cost(5.0, 6.0, 70.0, 0), 20.0)
    assert whole.cells(floor) == ["all", "10.0", "5.0", "0.50", "2.00", "0.50", "70"]


def test_repositories_are_held_against_libcst_on_the_same_files(tmp_path: Path) -> None:
    repository = tmp_path / "all" / "net"
    repository.mkdir(parents=True)
    (repository / "net.py").write_text(speed.SMALL_FILE * 20, encoding="utf-8")
    (repository / "old.py").write_text("print 'Python 2'\n", encoding="utf-8")
    [(name, floor, ours)] = speed.repository_rows(tmp_path / "all", tmp_path)
    assert name == "net"
    assert floor.size == ours.size == len(speed.SMALL_FILE) * 20 / 1e6, "the other file is read by no parser"
    rows = [("a", tables.Row("", 2.0, Cost(4.0, 4.0, 9.0, 0)), tables.Row("", 2.0, Cost(2.0, 2.0, 50.0, 0)))]
    rows.append(("b", tables.Row("", 1.0, Cost(1.0, 1.0, 9.0, 0)), tables.Row("", 1.0, Cost(3.0, 3.0, 60.0, 0))))
    assert tables.repositories_table(rows).splitlines()[2:] == [
        "| a | 2.00 | 2.00 | 4.00 | 0.50 | 50 |",
        "| b | 1.00 | 3.00 | 1.00 | 3.00 | 60 |",
        "| all | 3.00 | 5.00 | 5.00 | 1.00 | 60 |",
    ]


def test_growth_separates_linting_from_what_is_imported() -> None:
    """Start-up is no part of what a megabyte costs: it is the same for all."""
    small = tables.Step(2.0, Cost(1.5, 1.5, 50.0, 0), 6.0, Cost(3.5, 3.5, 80.0, 0))
    whole = tables.Step(10.0, Cost(5.5, 5.5, 90.0, 0), 12.0, Cost(6.5, 6.5, 99.0, 0))
    assert tables.growth_table([small, whole], start=0.5).splitlines()[2:] == [
        "| 2.0 | 1.5 | 0.50 | 1.00 | 6.0 | 3.5 | 1.50 | 0.50 | 80 |",
        "| 10.0 | 5.5 | 0.50 | 1.00 | 12.0 | 6.5 | 0.60 | 0.50 | 99 |",
    ]


def test_what_a_lint_reads_is_counted_with_its_imports(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        f"import b\n#{'a' * 50_000}\n\n\ndef run(x):\n    return b.go(x)\n", encoding="utf-8"
    )
    (tmp_path / "b.py").write_text(f"def go(x):\n    return x\n#{'b' * 50_000}\n", encoding="utf-8")
    (tmp_path / "c.py").write_text("#" * 50_000, encoding="utf-8")
    command = [*measuring.lint_command([tmp_path / "a.py"], tmp_path / "report.json"), "--roots", "all"]
    cost, read = measuring.counted(tmp_path, tmp_path, command)
    assert cost.code == 0
    assert 0.1 < read < 0.11


@pytest.mark.slow
def test_a_run_from_the_cache_is_held_against_the_one_that_filled_it(tmp_path: Path) -> None:
    models = tmp_path / "site" / "shop" / "models"
    models.mkdir(parents=True)
    (models / "small.py").write_text(speed.SMALL_FILE * 30, encoding="utf-8")
    cold, warm, [(name, edited)] = speed.warm_costs(tmp_path / "site", "shop/models", tmp_path, 1)
    assert name == "small.py"
    assert warm.cpu < cold.cpu
    assert warm.cpu < edited.cpu, "what was edited is analysed again"
    assert (models / "small.py").read_text(encoding="utf-8") == speed.SMALL_FILE * 30, "a copy was edited"
    table = tables.warm_table(Cost(10.0, 11.0, 50.0, 0), Cost(0.25, 0.3, 30.0, 0), [("a.py", Cost(5.0, 6.0, 40.0, 0))])
    assert table.splitlines()[-2:] == [
        "| again, nothing changed | 0.25 | 0.30 | 2.5% | 30 |",
        "| again, a function added to `a.py` | 5.00 | 6.00 | 50.0% | 40 |",
    ]


@pytest.mark.parametrize("parser", ["ast", "libcst"])
def test_a_listing_is_parsed_by_either_parser(tmp_path: Path, parser: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "listing").write_text(f"{tmp_path / 'a.py'}\n{tmp_path / 'a.py'}", encoding="utf-8")
    assert measuring.parse_all(parser, tmp_path / "listing") == 2


@pytest.mark.parametrize(
    ("page", "blocks"),
    [
        (speed.PAGE, ["machine", "pace", "jobs", "warm", "hook", "repositories", "growth", "small", "hostile"]),
        (speed.SITE_PAGE, ["speed"]),
        (robustness.PAGE, ["machine", "hostile", "packages", "nodes"]),
    ],
    ids=["speed", "site", "robustness"],
)
def test_the_pages_have_the_blocks_that_are_rewritten(page: Path, blocks: list[str]) -> None:
    text = page.read_text(encoding="utf-8")
    for block in blocks:
        assert "| new |" in replaced(text, block, "| new |")


# ----------------------------------------------------------------------- peers


@pytest.fixture
def environments(tmp_path: Path) -> Path:
    """A folder with an environment that holds a `ruff` of the right version, which says what it is asked to."""
    folder = tmp_path / "peers"
    programs = folder / "ruff" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").write_text(f"#!/bin/sh\necho {RUFF.version}\n", encoding="utf-8")
    (programs / "ruff").write_text('#!/bin/sh\ncat "$0.says"\nexit $(cat "$0.code")\n', encoding="utf-8")
    (programs / "ruff.says").write_text(f"x.py:1:1 {RUFF.says} unused\n", encoding="utf-8")
    (programs / "ruff.code").write_text("0", encoding="utf-8")
    for name in ("python", "ruff"):
        (programs / name).chmod(0o755)
    return folder


RUFF = next(peer for peer in peers.PEERS if peer.name == "ruff")
FLAKE8 = next(peer for peer in peers.PEERS if peer.name == "flake8")


def test_a_peer_is_measured_once_it_has_found_something(environments: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n" * 1000, encoding="utf-8")

    rows = speed.peer_rows(environments, [RUFF], [file])

    assert [(row.what, row.size, row.why) for row in rows] == [(RUFF.title, 0.006, "")]
    assert rows[0].cost is not None
    assert rows[0].cost.code == 0


def test_no_peer_is_left_out_in_silence(environments: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n", encoding="utf-8")
    (environments / "ruff" / "bin" / "ruff.says").write_text("", encoding="utf-8")

    rows = speed.peer_rows(environments, [RUFF, FLAKE8], [file])

    assert [row.cost for row in rows] == [None, None]
    assert rows[0].cells(1.0)[:3] == [RUFF.title, "0.0", "does not find what it must: exit code 0"]
    printed = capsys.readouterr().err.splitlines()
    assert printed[0] == f"not measured: {RUFF.title}: does not find what it must: exit code 0"
    assert printed[1].startswith(f"not measured: {FLAKE8.title}: not installed in {environments}")


def test_a_peer_that_fails_has_no_cost(environments: Path, tmp_path: Path) -> None:
    (environments / "ruff" / "bin" / "ruff.code").write_text("7", encoding="utf-8")

    rows = speed.peer_rows(environments, [RUFF], [tmp_path / "a.py"][:0])

    assert (rows[0].cost, rows[0].why) == (None, "exit code 7")


def test_an_interrupted_run_goes_on_behind_what_it_has_measured(tmp_path: Path) -> None:
    def fails() -> Row:
        raise AssertionError("measured again")

    one, none = Row("a", 2.0, Cost(1.0, 2.0, 3.0, 0), 4.0), Row("b", 2.0, None, why="not installed")
    first = KeptRows(tmp_path / "rows.json")
    assert [first.row("a", lambda: one), first.row("b", lambda: none)] == [one, none]
    again = KeptRows(tmp_path / "rows.json")
    assert [again.row("a", fails), again.row("b", lambda: one)] == [one, one]
    assert KeptRows(None).row("a", lambda: none) is none


def test_the_rules_for_semgrep_are_twenty_or_more_with_names_of_their_own() -> None:
    rules = yaml.safe_load(peers.RULES.read_text(encoding="utf-8"))["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) >= 20
    assert all(rule["languages"] == ["python"] for rule in rules)


# ----------------------------------------------------------------------- charts


@pytest.mark.parametrize("palette", [charts.LIGHT, charts.DARK], ids=["light", "dark"])
def test_bars_are_as_long_as_the_logarithm_of_what_they_show(palette: charts.Palette) -> None:
    bars = [charts.Bar("a & b", 0.1), charts.Bar("ours", 1.0, ours=True), charts.Bar("c", 10.0)]
    drawn = ElementTree.fromstring(charts.bars("CPU < all", "s", bars, palette))
    rects = drawn.findall("{*}rect")
    lengths = [float(rect.get("width", "")) for rect in rects]
    assert lengths[2] - lengths[1] == pytest.approx(lengths[1] - lengths[0], abs=0.2)
    assert [rect.get("fill") for rect in rects] == [palette.others, palette.ours, palette.others]
    texts = [text.text for text in drawn.findall("{*}text")]
    assert {"a & b", "0.10", "1.00", "10.00", "CPU < all"} <= set(texts)


def test_lines_begin_at_zero_and_stay_inside() -> None:
    line = charts.Line("alone", [(1.0, 1.0), (45.0, 41.0)])
    drawn = ElementTree.fromstring(charts.lines("growth", "MB", "CPU s", [line], charts.LIGHT))
    places = [(float(one.get("cx", "")), float(one.get("cy", ""))) for one in drawn.findall("{*}circle")]
    assert places[0][0] < places[1][0]
    assert places[0][1] > places[1][1]
    width, height = (float(side) for side in drawn.get("viewBox", "").split()[2:])
    assert all(0 < x < width and 0 < y < height for x, y in places)


def test_the_charts_in_the_repository_are_well_formed() -> None:
    for name in ("speed-light", "speed-dark", "growth-light", "growth-dark"):
        drawn = ElementTree.parse(speed.CHARTS / f"{name}.svg").getroot()
        assert len(drawn.findall("{*}text")) > 10


# ------------------------------------------------------------------ cold start


def loaded_by(*argv: str) -> set[str]:
    """The modules that a command line has imported when it ends."""
    code = (
        "import json, sys\nfrom compilelint.cli import run\n"
        f"run({list(argv)!r})\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("argv", [("--help",), ("--version",)], ids=["help", "version"])
def test_help_loads_neither_the_engine_nor_a_parser(argv: tuple[str, ...]) -> None:
    loaded = loaded_by(*argv)
    assert not loaded & {"torch", "libcst", "rich", "sarif_om", "compilelint.session", "compilelint.interp"}


def test_a_lint_whose_report_shows_no_fixes_loads_no_libcst(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text(speed.SMALL_FILE, encoding="utf-8")
    loaded = loaded_by(
        "check", str(file), "--torch-version", measuring.TORCH, "--output", f"concise:{tmp_path / 'r.txt'}"
    )
    assert "1 finding" in (tmp_path / "r.txt").read_text(encoding="utf-8")
    assert not loaded & {"torch", "numpy", "libcst", "sarif_om", "rich.syntax", "rich.markdown"}


# A finding, and what LibCST has to do with its fix.
NO_FIX = "        if x.sum() > 0:\n            x = x + 1\n        return x\n"
PLAIN_FIX = "        print(x)\n        return x\n"
FIX_BY_TREE = "        print(x)  # so far\n        return x\n"


@pytest.mark.parametrize(
    ("body", "fixed", "loaded"),
    [
        pytest.param(NO_FIX, False, False, id="no fix"),
        pytest.param(PLAIN_FIX, True, False, id="a fix by the text alone"),
        pytest.param(FIX_BY_TREE, True, True, id="a fix around a comment"),
    ],
)
def test_libcst_is_loaded_for_fixes_that_take_a_tree(body: str, fixed: bool, loaded: bool, tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    head = "import torch\n\n\nclass M(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n"
    file.write_text(head + body, encoding="utf-8")
    modules = loaded_by(
        *("check", str(file), "--torch-version", measuring.TORCH, "--no-cache"),
        *("--output", f"json:{tmp_path / 'r.json'}"),
    )
    [finding] = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["findings"]
    assert (finding.get("fix") is not None) is fixed
    assert ("libcst" in modules) is loaded


def test_a_lint_loads_no_torch_and_no_reporter_it_does_not_use(tmp_path: Path) -> None:
    file = tmp_path / "small.py"
    file.write_text(speed.SMALL_FILE, encoding="utf-8")
    loaded = loaded_by(
        *("check", str(file), "--torch-version", measuring.TORCH, "--no-cache"),
        *("--output", f"json:{tmp_path / 'r.json'}"),
    )
    assert len(json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["findings"]) == 1
    assert not loaded & {"torch", "numpy", "libcst", "sarif_om", "rich.syntax", "rich.markdown"}
    assert not loaded & {"tempfile", "random", "shutil"}, "writing a report takes none of these"


def test_a_lint_costs_less_than_parsing_with_libcst_on_real_files(tmp_path: Path) -> None:
    """A smoke test of the ratio, start-up of both included, so that nothing quadratic slips in."""
    files = [file for file in measuring.sources(SMALL_CASES) if file.name != "__init__.py"]
    listing = tmp_path / "listing"
    listing.write_text("\n".join(map(str, files)), encoding="utf-8")
    parse = f"import pathlib, libcst\nfor f in pathlib.Path({str(listing)!r}).read_text().split('\\n'):\n"
    parse += "    libcst.parse_module(pathlib.Path(f).read_text(encoding='utf-8'))"
    floor = measuring.checked([sys.executable, "-c", parse])
    cost = measuring.checked(measuring.lint_command(files, tmp_path / "report.json"))
    assert cost.cpu < 6 * floor.cpu  # dense cases, a break every few lines: 2 to 3 times today


# --------------------------------------------------------------------- hostile


@pytest.mark.parametrize("one", robustness.CASES, ids=lambda one: one.name)
def test_a_hostile_input_in_small_gives_what_it_must(one: robustness.Case, tmp_path: Path) -> None:
    files = one.make(one.small)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = lint(Options(paths=(str(tmp_path),), roots=("all",), torch_version=measuring.TORCH))
    assert list(robustness.wrong(robustness.marks(files), json.loads(render(report, "json")))) == []


def test_what_is_missing_and_what_is_too_much_is_reported() -> None:
    rows = [{"path": "/x/a.py", "line": 2, "rule": "CL101", "effects": ["graph-break"]}]
    marked = robustness.marks({"a.py": "if x > 0:  # CL101\n    pass\n"})
    assert marked == {("a.py", 1, "CL101")}
    assert list(robustness.wrong(marked, {"findings": rows})) == ["missing CL101 at a.py:1", "wrongly CL101 at a.py:2"]


def test_runs_beyond_their_bounds_are_reported() -> None:
    assert list(robustness.over(Cost(1.0, 1.0, 100.0, 0), 5)) == []
    assert list(robustness.over(Cost(9.0, 9.0, 2500.0, -11), 5)) == [
        "exit code -11",
        "9.0 CPU s, budget 5",
        "2500 MB, budget 2000",
    ]


def test_every_package_of_a_folder_is_in_one_chunk(tmp_path: Path) -> None:
    for name, size in (("small", 10), ("large", 12_000_000), ("other", 10)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("#" * size, encoding="utf-8")
    (tmp_path / "single.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "data").mkdir()
    found = dict(robustness.chunks(tmp_path))
    assert {name: [path.name for path in paths] for name, paths in found.items()} == {
        "large": ["large"],
        "other to small": ["other", "single.py", "small"],
    }


@pytest.mark.slow
def test_every_finding_on_the_recorded_cases_stands_on_a_libcst_node() -> None:
    """`lint` does not ask LibCST any more (see `session.unfounded`), so this does, for the whole small corpus."""
    report = lint(Options(paths=(str(SMALL_CASES),), roots=("all",), torch_version=measuring.TORCH))
    assert len(report.findings) > 100
    assert list(unfounded(report.findings)) == []


# What no plain lint needs: packs and their metadata, git, worker processes, secrets, compression, fixes; and what words
# of errors, settings in a file, a cache and calls of `torch.compile` take.
UNUSED = (
    *("importlib.metadata", "email", "zipfile", "socket", "subprocess", "secrets", "tempfile", "shutil", "bz2", "lzma"),
    *("logging", "traceback", "difflib", "tomllib", "hmac", "shlex", "compilelint.survey.survey"),
    *("torch", "numpy", "libcst", "compilelint.fixes", "compilelint.session.pipeline.history"),
    *("rich", "pickle", "random"),  # for colours, which no pipe and no file has; rich brings the two others
)


@pytest.mark.parametrize("output", ["grouped", "json", "github", "junit", "markdown"])
def test_a_plain_lint_loads_nothing_that_it_does_not_use(output: str, tmp_path: Path) -> None:
    file = tmp_path / "clean.py"
    file.write_text("import torch\n\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n")
    loaded = loaded_by("check", str(file), "--torch-version", measuring.TORCH, "--no-cache", "--output", output)
    assert "compilelint.interp" in loaded
    assert sorted(loaded.intersection(UNUSED)) == []
