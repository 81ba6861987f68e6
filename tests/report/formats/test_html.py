"""The HTML report: what it says, and what a real browser and a reader who cannot see it make of it."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import (
    Fate,
    LimitHit,
    ObservedBreak,
    Parity,
    Recompile,
    SkippedFrame,
    Span,
    Step,
    TargetRun,
    site,
)
from compilelint.report.formats import render
from compilelint.report.layout.style import DARK, LIGHT, style
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from tests.report.samples import sample

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        print(y.shape)

        return y * 2


class Looping(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            print(x.shape)
        return x
"""


def ran(path: str) -> TargetRun:
    stack = (Step(path, 8, "forward"),)
    end = ObservedBreak(path, 8, 8, 8, "forward", "print(y.shape)", "GB0059", "r", "no <print>", "", stack, stack[0], 0)
    return TargetRun(
        "app:Net",
        Fate.RAN,
        torch="2.13.0",
        inputs=("2x8:float32",),
        inputs_from="as asked for",
        calls=2,
        graphs=2,
        ops=(1, 1),
        compile_seconds=0.5,
        breaks=(end,),
        skipped=(SkippedFrame(path, 6, "Net.forward", "no ops\nmore"),),
        recompiles=(Recompile(path, 6, "Net.forward", 1, ("L['x'].size()[0] == 2",), "inputs"),),
        limits=(LimitHit(path, 6, "Net.forward", "limit of 8"),),
        parity=Parity(2, 4),
        traced=((path, (7, 8, 10)),),
    )


@pytest.fixture
def report(tmp_path: Path) -> Report:
    path = tmp_path / "app.py"
    path.write_text(PROGRAM, encoding="utf-8")
    found = lint(Options((str(path),), torch_version="2.13"))
    return replace(found, targets=(ran(path.as_posix()), TargetRun("app:Gone", Fate.IMPORT_ERROR, "no module")))


class Reader(HTMLParser):
    """What a program that reads the page aloud would rely on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.words.setdefault(self.open[-1], []).append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def strips(text: str) -> list[list[str]]:
    """The strips of a page, each stretch as its words."""
    lists = re.findall(r'<ol class="strip">(.*?)</ol>', text, re.DOTALL)
    return [
        [" ".join(re.sub("<[^>]+>", " ", one).split()) for one in re.findall("<li.*?</li>", each)] for each in lists
    ]


def test_a_strip_shows_what_is_captured_where_it_ends_and_what_is_left_to_python(report: Report) -> None:
    observed, expected, skipped = strips(render(report, "html"))
    assert observed == ["part 1 line 7", "line 8 ends the graph: no &lt;print&gt;", "part 2 line 10"]
    assert [one.split(":")[0] for one in expected] == ["part 1 lines 6 to 7", "line 8 ends the graph", "part 2 line 10"]
    assert [one.split(":")[0] for one in skipped] == [
        "Python lines 14 to 15",
        "line 16 ends the graph",
        "Python line 17",
    ]


def test_a_target_has_its_row_and_its_recompiles(report: Report) -> None:
    text = render(report, "html")
    row = re.search(r'<th scope="row">app:Net</th>(.*?)</tr>', text)
    assert row is not None
    cells = [re.sub("<[^>]+>", "", one) for one in re.findall("<td>(.*?)</td>", row[1])]
    assert cells == ["2", "1", "1, then eager", "yes", "0.5 s", "missed"]
    assert "import-error: no module" in text
    assert "<code>L[&#39;x&#39;].size()[0] == 2</code>" in text
    assert "Runs uncompiled: <code>Net.forward</code>: limit of 8" in text


def test_a_static_report_has_no_empty_places_for_what_was_not_run(tmp_path: Path) -> None:
    text = render(sample(tmp_path), "html")
    assert "Readiness" not in text
    assert "What ran" not in text
    assert "<ins>+ " in text
    assert "<del>- " in text


def test_nothing_is_fetched_and_nothing_runs_but_the_script_of_the_page(report: Report) -> None:
    text = render(report, "html")
    reader = read(text)
    tags = [tag for tag, _ in reader.tags]
    assert not {"link", "img", "iframe", "object", "embed", "base"} & {*tags}
    assert tags.count("script") == tags.count("style") == 1
    assert not [a for _, attrs in reader.tags for a in attrs if a.startswith("on") or a in ("src", "style", "action")]
    assert "url(" not in style()
    assert "@import" not in style()
    policy = next(attrs["content"] for _, attrs in reader.tags if attrs.get("http-equiv")) or ""
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_links_lead_to_findings_rules_and_break_ids(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SITE", "https://lint.test/")
    reader = read(render(report, "html"))
    ids = {attrs["id"] for _, attrs in reader.tags if "id" in attrs}
    links = [attrs["href"] or "" for tag, attrs in reader.tags if tag == "a"]
    inside = {one.removeprefix("#") for one in links if one.startswith("#")}
    assert inside <= ids
    assert any(one.startswith("finding-") for one in inside)
    assert {one for one in links if not one.startswith("#")} >= {site.rule_page("CL201"), site.break_page("GB0059")}
    assert all(one.startswith(site.SITE) for one in links if not one.startswith("#"))


def test_without_a_site_rules_are_named_by_the_command_that_prints_them(report: Report) -> None:
    text = render(report, "html")
    assert "<dt>docs</dt><dd><code>compilelint rule CL201</code>, <code>GB0059</code></dd>" in text
    assert not [attrs for tag, attrs in read(text).tags if tag == "a" and not (attrs["href"] or "").startswith("#")]


def test_places_lead_to_their_lines_where_the_checkout_is_known(report: Report, tmp_path: Path) -> None:
    (tmp_path / ".git" / "refs").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text(f"{'a1' * 20}\n")
    (tmp_path / ".git" / "config").write_text('[remote "origin"]\n\turl = https://me:pw@github.com/a/b.git\n')
    text = render(replace(report, base=tmp_path.as_posix()), "html")
    assert f'href="https://github.com/a/b/blob/{"a1" * 20}/app.py#L8"' in text
    assert "me:pw" not in text


def test_like_findings_of_a_function_are_one_card(tmp_path: Path) -> None:
    found = sample(tmp_path)
    first = found.findings[1]
    many = tuple(replace(first, location=replace(first.location, span=Span(line, 1, line, 2))) for line in range(1, 31))
    text = render(replace(found, findings=many), "html")
    assert text.count('<details id="finding-') == 1
    assert "and 29 more like it" in text
    assert "and 9 more</dd>" in text


def test_the_page_has_a_size_whatever_is_found(tmp_path: Path) -> None:
    found = sample(tmp_path)
    first = found.findings[1]
    many = tuple(
        replace(
            first,
            function=f"f{number}",
            roots=tuple(f"R{root}.forward" for root in range(300)),
            location=replace(first.location, path=f"{tmp_path.as_posix()}/m{number}.py"),
        )
        for number in range(3000)
    )
    text = render(replace(found, findings=many), "html")
    assert text.count('<details id="finding-') == 500
    assert "2500 more findings, the least severe, not shown." in text
    assert len(text) < 2_000_000


def test_jinja_is_loaded_for_this_format_alone() -> None:
    code = "import sys, compilelint.cli, compilelint.report.formats.grouped; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_reader_who_cannot_see_it_finds_the_way(report: Report) -> None:
    reader = read(render(report, "html"))
    tags = [tag for tag, _ in reader.tags]
    assert [tags.count(one) for one in ("main", "header", "footer", "h1", "title")] == [1] * 5
    assert tags.count("caption") == tags.count("table") == 3
    assert dict(reader.tags)["html"] == {"lang": "en"}
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    heads = [attrs for tag, attrs in reader.tags if tag == "th"]
    assert {attrs.get("scope") for attrs in heads} == {"col", "row"}
    ids = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert tags.count("details") == tags.count("summary") == len(report.findings) + 2, "tables of rules and files, too"


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colors", [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *(
            (ink, ground)
            for ink in ("ink", "quiet", "error", "warning", "note", "link")
            for ground in ("ground", "raised")
        ),
        *(("ink", ground) for ground in ("graph-a", "graph-b", "python", "added", "removed")),
        ("on-break", "break"),
    ],
)
def test_every_text_stands_out(colors: dict[str, str], ink: str, ground: str) -> None:
    low, high = sorted((luminance(colors[ink]), luminance(colors[ground])))
    assert (high + 0.05) / (low + 0.05) >= 4.5
