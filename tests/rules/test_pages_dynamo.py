"""Every page is true: its Bad really ends a graph on the marked lines and nowhere else, its Good is one graph.

All pages run in this process, one after another; Dynamo is reset before each.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compilelint.checks import rulebook
from compilelint.model import Effect
from compilelint.rulebook import pages
from compilelint.torchfacts import Quirk, Reason, load
from compilelint.torchfacts.reasons import reason_of_words
from tests.rules.pages import Program, program_of, written

pytestmark = pytest.mark.dynamo

RULES = {rule.code: rule for rule in rulebook().rules if rule.effect is not Effect.TOOL}
ALL = {code: program_of(page) for code, page in pages().items() if code in RULES}
PROGRAMS = {code: program for code, program in ALL.items() if not program.measured}
COUNTED = {code: program for code, program in ALL.items() if program.counted}
MEASURED = {
    code: program for code, program in ALL.items() if program.measured and not program.counted and not program.needs_gpu
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Keep the sums of Bad and Good in one order, and let no page leave grad mode or threads changed."""
    import torch

    torch.set_num_threads(1)
    with torch.random.fork_rng(), torch.enable_grad():
        yield


def _module(source: Path) -> Any:
    """A page's file, run again."""
    spec = importlib.util.spec_from_file_location(f"page_{source.parent.name}_{source.stem}", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _function(source: Path) -> Any:
    """`f` of a page's file, else an instance of its `M`, both fresh and made from the same seed."""
    import torch

    module = _module(source)
    if hasattr(module, "f"):
        return module.f
    torch.manual_seed(0)
    return module.M()


def _run_with(program: Program) -> dict[str, Any]:
    """What Run with defines: `args`, and optionally `more` (argument tuples of further calls) and `same_result`."""
    import torch

    torch.manual_seed(1)
    namespace: dict[str, Any] = {}
    exec(compile(program.run, f"<run with of {program.code}>", "exec"), namespace)
    return namespace


def _calls(program: Program, kind: str = "") -> list[tuple[Any, ...]]:
    """All calls; with `kind` ("good_") those that Good needs, where it takes other arguments."""
    defined = _run_with(program)
    first = defined.get(f"{kind}args", defined["args"])
    return [first, *defined.get(f"{kind}more", defined.get("more", []))]


def _eager(function: Callable[..., Any], program: Program) -> list[Any]:
    return [function(*args) for args in _calls(program)]


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_bad_ends_the_graph_on_the_marked_lines_alone_and_for_a_reason_that_its_rule_claims(
    code: str, tmp_path: Path
) -> None:
    import torch

    from tests.rules.recorder import record

    # One reason has other ids in other versions.
    program, rule, facts = PROGRAMS[code], RULES[code], load(torch.__version__)
    reasons = {Reason(name) for name in rule.breaks} or {Reason.HOST_READ}
    verdicts = [verdict for key in facts.all_keys() if (verdict := facts.verdict(key)) is not None]
    ids = {verdict.gb_id for verdict in verdicts if verdict.reason in reasons}
    bad, _ = written(program, tmp_path)
    seen = record(_function(bad), _calls(program), str(bad))
    assert {one.line for one in seen.breaks} == program.marked, seen.breaks or seen.error or "no break at all"
    for line in program.marked:
        here = [one for one in seen.breaks if one.line == line]
        assert any(one.gb in ids or reason_of_words(one.gb_type) in reasons for one in here), here


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_good_is_one_graph(code: str, tmp_path: Path) -> None:
    from tests.rules.recorder import record

    program = PROGRAMS[code]
    _, good = written(program, tmp_path)
    seen = record(_function(good), _calls(program), str(good))
    assert (seen.error, seen.breaks, seen.graphs) == ("", [], 1)


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_good_computes_what_bad_computes(code: str, tmp_path: Path) -> None:
    import torch

    program = PROGRAMS[code]
    bad, good = written(program, tmp_path)
    wanted, got = _eager(_function(bad), program), _eager(_function(good), program)
    if _run_with(program).get("same_result", True):
        assert _flat(torch, got) == _flat(torch, wanted)
    else:
        assert [type(one) for one in got] == [type(one) for one in wanted]


@pytest.mark.parametrize("code", sorted(MEASURED))
def test_a_measured_page_shows_its_effect(code: str, tmp_path: Path) -> None:
    """`measured(page)` gives `bad` for the file of Bad and `good` for that of Good, under real Dynamo.

    A page that names a `quirk` is about the versions of torch that have it: in the others its Bad does what Good does.
    """
    import torch

    program = MEASURED[code]
    defined = _run_with(program)
    fixed = "quirk" in defined and not load(torch.__version__).has(Quirk(defined["quirk"]))
    wanted_of_bad = defined["good"] if fixed else defined["bad"]
    for source, wanted in zip(written(program, tmp_path), (wanted_of_bad, defined["good"]), strict=True):
        torch._dynamo.reset()
        assert defined["measured"](_module(source)) == wanted, source.name


@pytest.mark.parametrize("code", sorted(COUNTED))
def test_a_counted_page_compiles_as_many_versions_as_it_says(code: str, tmp_path: Path) -> None:
    """`versions` counts graphs over all calls; `guard` is what fails first in Bad."""
    from benchmarks.recompiles.record import record

    program = COUNTED[code]
    defined = _run_with(program)
    bad, good = written(program, tmp_path)
    seen = record(_function(bad), _calls(program), f"{bad.parent}/")
    assert (seen.error, seen.graphs) == ("", defined["versions"]["bad"]), seen.recompiles
    assert defined["guard"] in seen.recompiles[0]["guard"]
    kept = record(_function(good), _calls(program, "good_"), f"{good.parent}/")
    assert (kept.error, kept.graphs) == ("", defined["versions"]["good"]), kept.recompiles


@pytest.mark.parametrize("code", sorted(COUNTED))
def test_good_of_a_counted_page_computes_what_bad_computes(code: str, tmp_path: Path) -> None:
    import torch

    program = COUNTED[code]
    bad, good = (_function(source) for source in written(program, tmp_path))
    wanted = [bad(*args) for args in _calls(program)]
    assert _flat(torch, [good(*args) for args in _calls(program, "good_")]) == _flat(torch, wanted)


def _flat(torch: Any, results: Any) -> Any:
    """Results as nested lists of rounded numbers, strings and the like; five digits are what float32 keeps."""
    if isinstance(results, torch.Tensor):
        return [
            str(results.dtype),
            *(float(f"{one:.4g}") for one in torch.view_as_real(results.detach() + 0j).reshape(-1).tolist()),
        ]
    if isinstance(results, (list, tuple)):
        return [_flat(torch, one) for one in results]
    return results
