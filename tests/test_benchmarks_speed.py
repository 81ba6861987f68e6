"""The speed and robustness benchmarks: their arithmetic, what a cold start loads, each hostile input in small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import robustness, speed
from benchmarks.reproduce import ROOT, SMALL_CASES, replaced
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session import lint, unfounded

# ------------------------------------------------------------------- measuring


def test_a_process_costs_what_it_burns() -> None:
    busy = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nb = b'x' * 400_000_000"
    cost = speed.measured([sys.executable, "-c", busy])
    assert cost.code == 0
    assert 0.29 < cost.cpu < 3
    assert cost.wall >= 0.29
    assert 400 < cost.peak < 700


def test_a_process_that_hangs_is_killed() -> None:
    cost = speed.measured([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.2)
    assert cost.code == -9
    assert cost.wall < 30


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="exit code 3"):
        speed.checked([sys.executable, "-c", "raise SystemExit(3)"])


def test_folders_are_drawn_up_to_a_size_and_always_the_same(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"p{number}").mkdir()
        (tmp_path / f"p{number}" / "a.py").write_text("#" * 100_000, encoding="utf-8")
    drawn = speed.some_folders(list(tmp_path.iterdir()), 0.5)
    assert len(drawn) == 5
    assert drawn == speed.some_folders(sorted(tmp_path.iterdir(), reverse=True), 0.5)


def test_paces_are_held_against_both_runs_of_libcst() -> None:
    before, after = (speed.Row("libcst", 2.0, speed.Cost(cpu, cpu, 50.0, 0)) for cpu in (1.5, 2.5))
    floor = speed.floor_of(before, after)
    assert floor == 1.0
    whole = speed.Row("all", 10.0, speed.Cost(5.0, 6.0, 70.0, 0), 20.0)
    assert whole.cells(floor) == ["all", "10.0", "5.0", "0.50", "2.00", "0.50", "70"]
    part = speed.Row("part", 2.0, speed.Cost(1.5, 1.5, 50.0, 0), 4.0)
    assert speed.growth_table([part, whole]).splitlines()[2:] == [
        "| 2.0 | 4.0 | 1.5 | 0.75 | 0.38 | 1.50 | 50 |",
        "| 10.0 | 20.0 | 5.0 | 0.50 | 0.25 | 1.00 | 70 |",
    ]


def test_what_a_lint_reads_is_counted_with_its_imports(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        f"import b\n#{'a' * 50_000}\n\n\ndef run(x):\n    return b.go(x)\n", encoding="utf-8"
    )
    (tmp_path / "b.py").write_text(f"def go(x):\n    return x\n#{'b' * 50_000}\n", encoding="utf-8")
    (tmp_path / "c.py").write_text("#" * 50_000, encoding="utf-8")
    command = [*speed.lint_command([tmp_path / "a.py"], tmp_path / "report.json"), "--roots", "all"]
    cost, read = speed.counted(tmp_path, tmp_path, command)
    assert cost.code == 0
    assert 0.1 < read < 0.11


def test_a_run_from_the_cache_is_held_against_the_one_that_filled_it(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "small.py").write_text(speed.SMALL_FILE * 300, encoding="utf-8")
    cold, warm = speed.warm_costs(tmp_path / "models", tmp_path)
    assert warm.cpu < cold.cpu
    table = speed.warm_table(speed.Cost(10.0, 11.0, 50.0, 0), speed.Cost(0.25, 0.3, 30.0, 0))
    assert table.splitlines()[-1] == "| again, nothing changed | 0.25 | 0.30 | 2.5% | 30 |"


@pytest.mark.parametrize("parser", ["ast", "libcst"])
def test_a_listing_is_parsed_by_either_parser(tmp_path: Path, parser: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "listing").write_text(f"{tmp_path / 'a.py'}\n{tmp_path / 'a.py'}", encoding="utf-8")
    assert speed.parse_all(parser, tmp_path / "listing") == 2


@pytest.mark.parametrize(
    ("page", "blocks"),
    [
        (speed.PAGE, ["machine", "pace", "jobs", "warm", "growth", "small"]),
        (robustness.PAGE, ["machine", "hostile", "packages", "nodes"]),
    ],
    ids=["speed", "robustness"],
)
def test_the_pages_have_the_blocks_that_are_rewritten(page: Path, blocks: list[str]) -> None:
    text = page.read_text(encoding="utf-8")
    for block in blocks:
        assert "| new |" in replaced(text, block, "| new |")


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
    loaded = loaded_by("check", str(file), "--torch-version", speed.TORCH, "--output", f"concise:{tmp_path / 'r.txt'}")
    assert "1 finding" in (tmp_path / "r.txt").read_text(encoding="utf-8")
    assert not loaded & {"torch", "numpy", "libcst", "sarif_om", "rich.syntax", "rich.markdown"}


def test_a_lint_loads_no_torch_and_no_reporter_it_does_not_use(tmp_path: Path) -> None:
    """JSON holds the edits of fixes, which LibCST makes: it may be loaded."""
    file = tmp_path / "small.py"
    file.write_text(speed.SMALL_FILE, encoding="utf-8")
    loaded = loaded_by("check", str(file), "--torch-version", speed.TORCH, "--output", f"json:{tmp_path / 'r.json'}")
    assert len(json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["findings"]) == 1
    assert not loaded & {"torch", "numpy", "sarif_om", "rich.syntax", "rich.markdown"}


def test_a_lint_costs_less_than_parsing_with_libcst_on_real_files(tmp_path: Path) -> None:
    """A smoke test of the ratio, start-up of both included, so that nothing quadratic slips in."""
    files = [file for file in speed.sources(SMALL_CASES) if file.name != "__init__.py"]
    listing = tmp_path / "listing"
    listing.write_text("\n".join(map(str, files)), encoding="utf-8")
    parse = f"import pathlib, libcst\nfor f in pathlib.Path({str(listing)!r}).read_text().split('\\n'):\n"
    parse += "    libcst.parse_module(pathlib.Path(f).read_text(encoding='utf-8'))"
    floor = speed.checked([sys.executable, "-c", parse])
    cost = speed.checked(speed.lint_command(files, tmp_path / "report.json"))
    assert cost.cpu < 6 * floor.cpu  # dense cases, a break every few lines: 2 to 3 times today


# --------------------------------------------------------------------- hostile


@pytest.mark.parametrize("one", robustness.CASES, ids=lambda one: one.name)
def test_a_hostile_input_in_small_gives_what_it_must(one: robustness.Case, tmp_path: Path) -> None:
    files = one.make(one.small)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = lint(Options(paths=(str(tmp_path),), roots=("all",), torch_version=speed.TORCH))
    assert list(robustness.wrong(robustness.marks(files), json.loads(render(report, "json")))) == []


def test_what_is_missing_and_what_is_too_much_is_told() -> None:
    rows = [{"path": "/x/a.py", "line": 2, "rule": "CL101", "effects": ["graph-break"]}]
    marked = robustness.marks({"a.py": "if x > 0:  # CL101\n    pass\n"})
    assert marked == {("a.py", 1, "CL101")}
    assert list(robustness.wrong(marked, {"findings": rows})) == ["missing CL101 at a.py:1", "wrongly CL101 at a.py:2"]


def test_runs_beyond_their_bounds_are_told() -> None:
    assert list(robustness.over(speed.Cost(1.0, 1.0, 100.0, 0), 5)) == []
    assert list(robustness.over(speed.Cost(9.0, 9.0, 2500.0, -11), 5)) == [
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
    report = lint(Options(paths=(str(SMALL_CASES),), roots=("all",), torch_version=speed.TORCH))
    assert len(report.findings) > 100
    assert list(unfounded(report.findings)) == []
