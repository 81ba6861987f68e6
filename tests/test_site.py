"""The site: its generated parts are up to date, and it builds offline without a warning, every link of it checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.checks import rulebook
from compilelint.fixes.engine.registry import of_rule
from docs.tooling import generate, hooks, rewrites

ROOT = Path(__file__).parent.parent


def test_the_tables_are_those_of_the_code() -> None:
    assert generate.main(["--check"]) == 0, f"run `{generate.COMMAND}`"


def test_a_table_out_of_date_is_noticed() -> None:
    page = "<!-- keys:begin -->\nold\n<!-- keys:end -->\n"
    assert "| `select` |" in generate.with_parts(page, {"keys": generate.keys_table})


def test_every_rule_has_a_page_with_its_sections_and_without_what_feeds_tests() -> None:
    made = dict(generate.generated_pages())
    for rule in rulebook().rules:
        text = made[f"rules/{rule.code}.md"]
        assert text.startswith(f"# {rule.code} {rule.name}\n")
        assert "\n## What it finds\n" in text
        assert "## Run with" not in text


def test_a_rule_page_shows_what_its_rewrites_assume_and_change_with_code_before_and_after() -> None:
    text = dict(generate.generated_pages())["rules/CL401.md"]
    rewrites = text.split("\n## Rewrites\n", 1)[1].split("\n## ", 1)[0]
    assert "### `x.view(...)` becomes `x.reshape(...)` { #reshaped }" in rewrites
    assert re.search(r"^\* \*\*Assumes:\*\* `x` is known to be permuted", rewrites, re.MULTILINE)
    assert re.search(r"^\* \*\*Changes:\*\* Where the view raised there is a copy,", rewrites, re.MULTILINE)
    before, after = re.findall(r"^```python\n(.*?)^```", rewrites, re.MULTILINE | re.DOTALL)
    assert ".view(" in before
    assert after == before.replace(".view(", ".reshape(")


def test_nearly_every_rewrite_is_shown_by_a_golden() -> None:
    named = {one.function.__name__ for rule in rulebook().rules for one in of_rule(rule.code)}
    # Two are switches and one `torch.cond`, which no golden makes; the last needs a call that leads to a helper, mostly
    # in another file (`tests/fixes/rewrites/test_lengths_from_callers.py`). What is stored always needs shapes that
    # only a run knows (`tests/fixes/rewrites/test_stores.py`), and so does an outline (`test_outlines.py` beside it).
    assert named - set(rewrites.pairs()) == {
        "captured_numbers",
        "captured_shapes",
        "conditional_layer",
        "outlined",
        "repeats_of_known_length",
        "stored_always",
    }


def test_break_ids_of_a_rule_have_the_versions_that_raise_them() -> None:
    text = dict(generate.generated_pages())["rules/CL101.md"]
    assert "| [GB0170](../break-ids.md#gb0170) | Data-dependent branching | 2.9 to 2.15 |" in text


def test_break_ids_are_found_by_number_and_by_text_and_lead_to_rules() -> None:
    text = dict(generate.generated_pages())["break-ids.md"]
    entry = text.split("{ #gb0170 }", 1)
    assert entry[0].endswith("## GB0170 Data-dependent branching ")
    assert "[CL101 branch-on-tensor](rules/CL101.md)" in entry[1].split("\n## ", 1)[0]


def test_texts_of_torch_are_no_markup() -> None:
    assert generate._plain("a *b* <i>[x](y)") == r"a \*b\* &lt;i&gt;\[x\](y)"


@pytest.mark.parametrize(
    ("repository", "becomes"),
    [
        pytest.param("https://g.test/r", "[it](https://g.test/r/blob/main/benchmarks/speed.md)", id="its address"),
        pytest.param("", "it", id="no address: named, not linked"),
    ],
)
def test_links_to_files_of_the_repository_follow_its_address(repository: str, becomes: str) -> None:
    text = "[it](../../benchmarks/speed.md), [this site](../speed.md#cpu), [elsewhere](https://pytorch.org/x)"
    expected = text.replace("[it](../../benchmarks/speed.md)", becomes)
    assert hooks.links_out(text, "contributing/rules.md", repository) == expected


@pytest.mark.slow
def test_the_site_builds_offline_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "http_proxy": "http://0:9",
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    for page in ("index.html", "rules/CL101/index.html", "break-ids/index.html"):
        assert (tmp_path / "site" / page).is_file()
    fetched = re.findall(r'(?:src|href)="(https?://[^"]+)"', (tmp_path / "site" / "index.html").read_text("utf-8"))
    assert [one for one in fetched if not one.startswith("https://squidfunk.github.io")] == []
