"""Every page with a fix: its Bad, fixed, is one graph under the real Dynamo and computes what it computed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compilelint.checks import rulebook
from compilelint.model import Effect
from compilelint.rulebook import pages
from tests.fixes.goldens import fixed, goldens
from tests.rules.pages import Program, program_of

CODES = [rule.code for rule in rulebook().rules if rule.effect is not Effect.TOOL]
WITH_FIX = [code for code in CODES if "Fix" in pages()[code].sections]
# Their Bad shows another way to break than the one that has a rewrite; goldens show that one.
SHOWN_BY_GOLDENS = {"CL120", "CL206", "CL601", "CL616", "CL690", "CL808", "CL812"}
SHOWN_WITH_PROOF = {"CL602", "CL605"}  # their only rewrite needs one: `golden/proven/tracing.md`


@cache
def _fixed(code: str) -> tuple[str, str, bool]:
    """Bad before and after, and whether the page's own rule was fixed_it."""
    import tempfile

    before = program_of(pages()[code]).bad
    with tempfile.TemporaryDirectory() as folder:
        after, result = fixed(before, Path(folder))
    return before, after, bool(result.applied[code])


@pytest.mark.parametrize("code", CODES)
def test_a_page_names_a_fix_exactly_where_there_is_one(code: str) -> None:
    _, _, fixed_it = _fixed(code)
    named = "Fix" in pages()[code].sections
    assert named == (fixed_it or code in SHOWN_BY_GOLDENS | SHOWN_WITH_PROOF)


def test_a_rule_states_its_safety_as_its_page_does() -> None:
    for rule in rulebook().rules:
        section = pages()[rule.code].sections.get("Fix", "")
        assert (section.partition(".")[0].lower() or None) == (rule.fix and rule.fix.value), rule.code


@pytest.mark.parametrize("code", WITH_FIX)
def test_a_section_begins_with_its_safety(code: str) -> None:
    section = pages()[code].sections["Fix"]
    assert section.startswith(("Safe. ", "Unsafe. "))
    assert section.startswith("Safe. ") or "hanges: " in section


def test_what_pages_do_not_show_goldens_do(tmp_path: Path) -> None:
    seen: set[str] = set()
    for case in goldens():
        if case.after is not None:
            _, result = fixed(case.before, tmp_path)
            seen |= set(result.applied)
    assert seen >= SHOWN_BY_GOLDENS


SHOWN = [code for code in WITH_FIX if code not in SHOWN_BY_GOLDENS | SHOWN_WITH_PROOF]
RUN = [code for code in SHOWN if not program_of(pages()[code]).measured]
MEASURED = [code for code in SHOWN if program_of(pages()[code]).measured]
COUNTED = [code for code in MEASURED if program_of(pages()[code]).counted]


@pytest.fixture
def _as_it_was() -> Iterator[None]:
    """What a fixed file sets in torch's configuration is undone."""
    import torch

    torch.set_num_threads(1)
    with torch._dynamo.config.patch(capture_scalar_outputs=False, capture_dynamic_output_shape_ops=False):
        yield


@pytest.mark.dynamo
@pytest.mark.usefixtures("_as_it_was")
@pytest.mark.parametrize("code", RUN)
def test_a_fixed_page_is_one_graph_and_computes_the_same(code: str, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    program = program_of(pages()[code])
    before, after, _ = _fixed(code)
    wanted = [_function(before, tmp_path / "before.py")(*args) for args in _calls(program)]
    got = [_function(after, tmp_path / "after.py")(*args) for args in _calls(program)]
    seen = record(_function(after, tmp_path / "after.py"), _calls(program), str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    compiled = torch.compile(_function(after, tmp_path / "after.py"), backend="eager")
    ran = [compiled(*args) for args in _calls(program)]
    torch.testing.assert_close(got, wanted)
    torch.testing.assert_close(ran, wanted)


@pytest.mark.dynamo
@pytest.mark.parametrize("code", [code for code in MEASURED if code not in COUNTED])
def test_a_fixed_page_measures_as_its_good_does(code: str, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(0)
    program = program_of(pages()[code])
    defined: dict[str, Any] = {}
    exec(compile(program.run, f"<run with of {code}>", "exec"), defined)
    before, after, _ = _fixed(code)
    torch._dynamo.reset()
    assert defined["measured"](_module(before, tmp_path / "before.py")) == defined["bad"]
    torch._dynamo.reset()
    assert defined["measured"](_module(after, tmp_path / "after.py")) == defined["good"]


@pytest.mark.dynamo
@pytest.mark.parametrize("code", COUNTED)
def test_a_fixed_page_compiles_as_many_versions_as_its_good_does(code: str, tmp_path: Path) -> None:
    import torch

    from benchmarks.recompiles.record import record

    program = program_of(pages()[code])
    defined: dict[str, Any] = {}
    exec(compile(program.run, f"<run with of {code}>", "exec"), defined)
    before, after, _ = _fixed(code)
    graphs = {}
    for name, text in (("bad", before), ("good", after)):
        path = tmp_path / f"{name}.py"
        seen = record(_function(text, path), _calls(program), str(path))
        assert seen.error == ""
        graphs[name] = seen.graphs
    assert graphs == defined["versions"]
    eager, fixed_one = _function(before, tmp_path / "before.py"), _function(after, tmp_path / "after.py")
    torch.testing.assert_close(
        [fixed_one(*args) for args in _calls(program)], [eager(*args) for args in _calls(program)]
    )


def _function(text: str, path: Path) -> Any:
    import torch

    module = _module(text, path)
    torch.manual_seed(0)
    return module.f if hasattr(module, "f") else module.M()


def _module(text: str, path: Path) -> Any:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"fixed_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _calls(program: Program) -> list[tuple[Any, ...]]:
    import torch

    torch.manual_seed(1)
    names: dict[str, Any] = {}
    exec(compile(program.run, f"<run with of {program.code}>", "exec"), names)
    return [names["args"], *names.get("more", [])]
