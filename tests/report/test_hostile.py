"""Names, lines and comments come from untrusted pull requests: each hostile text goes through every format, and what
comes out is parsed as its reader would.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from compilelint.model import CallSite, Confidence, Edit, Effect, Finding, Fix, Location, Notice, Related, Safety, Span
from compilelint.model.verdict import Outcome, Verdict
from compilelint.project.compile_calls import CompileCall
from compilelint.report.formats import FORMATS, render
from compilelint.report.layout.text import escaped
from compilelint.report.overview.screen import screen_of
from compilelint.report.report import CompileRoot, Report, TorchTarget
from tests.report.samples import BRANCH

HOSTILE = {
    "terminal colours and a terminal link": "\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07x",
    "one-byte control sequence": "\x9b31m\x85\x08\x08",
    "text direction": "\u202eevil\u2066\u200f",
    "workflow command": "::error::pwned",
    "workflow command on its own line": "\n::error file=a.py,line=1::pwned\n",
    "workflow command behind a carriage return": "\r\n::stop-commands::pwned\r",
    "workflow command behind blanks": " \t ::error::pwned",
    "escaped workflow command": "%0A::error::pwned%0D%25",
    "old workflow command": "a ##[add-mask]b",
    "command of another runner": "a ##vso[task.setvariable variable=A]b ##teamcity[x]",
    "properties of a workflow command": "x,line=99:title=pwned",
    "HTML": "<script>alert(1)</script><img src=x onerror=y>",
    "HTML comment": "<!-- --> --> <!",
    "end of CDATA": "]]> <![CDATA[ ]]>",
    "entities": "&lt;&amp;&#60; &evil;",
    "XML attribute": "\" onload='x' <a b=\"",
    "Markdown link": "[click](https://evil.example) ![x](https://evil.example/x.png)",
    "link to a related place": "[see](1) [see](99) \\[x\\](2)",
    "table cells": "a | b || c\n|---|---|",
    "code fence": "```\n# heading\n```",
    "odd backticks": "`one `` two ```` <b>",
    "emphasis": "*b* _i_ ~~s~~ # > - 1. $x$",
    "mentions and addresses": "@someone :smile: #1 www.evil.example https://evil.example a@evil.example",
    "quotes and backslashes": "'\"\\\\ \\n \\u0041 {0} {1}",
    "null": "a\0b",
    "lone surrogate": "a\ud800b",
    "byte that is no UTF-8": "a\udcffb",
    "line separators": "a\u2028b\u2029c\x0bd\x0ce",
    "no characters": "\ufffe\uffff\ufdd0",
    "very long": "x" * 100_000,
    "emoji and accents": "é😀👩\u200d💻ﬀ",
}


def name_of(text: str) -> str:
    """A file's name as like the text as a name can be."""
    return text.replace("/", "%2F") + ".py"


def report_of(text: str, folder: Path) -> Report:
    """A report with the text wherever a linted project can put one."""
    path = f"{folder.as_posix()}/{name_of(text)}"
    place = Location(path, Span(3, 5, 3, 9))
    first = Finding(
        BRANCH,
        f"`{text}` depends on {text}",
        (Effect.GRAPH_BREAK,),
        Confidence.CERTAIN,
        place,
        function=text,
        roots=(text,),
        call_chain=(CallSite(place, text),),
        related=(Related(Location(path, Span(1, 1, 1, 2)), f"{text}, made by `{text}`"),),
        why=f"why {text}",
        help=f"use `{text}` or {text}",
        fix=Fix(Safety.UNSAFE, text, (Edit(Span(3, 5, 3, 9), text),)),
        line_text=text,
        verdict=Verdict(Outcome.CONFIRMED, f"{text} `{text}`", (text,)),
    )
    second = replace(first, location=replace(place, span=Span(4, 1, 5, 2)))
    target = TorchTarget("2.13.0", text)
    notices = (Notice("unresolved", text, path), Notice("compile-call", text, path, 3))
    return Report(
        (first, second),
        1,
        target,
        folder.as_posix(),
        notices=notices,
        suppressed=1,
        hidden=1,
        roots=(CompileRoot(text, place, place, "explicit", text),),
        unjudged=(CompileRoot(text, place, None, "unjudged", text),),
        calls=(CompileCall(place, "torch.compile", (), text),),
        unfolded=True,
    )


# ---------------------------------------------------------- what a reader makes of it


def read_console(text: str, hostile: str, report: Report) -> None:
    plain = text.replace("\n", "")
    bad = [c for c in plain if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or (ord(c) in BIDI)]
    assert not bad
    assert not [line for line in text.split("\n") if line.strip().startswith("::")]
    assert not re.search(r"##\w*\[", text)


def read_grouped(text: str, hostile: str, report: Report) -> None:
    read_console(text, hostile, report)
    assert len(re.findall(r"^ *error\[CL101\] ", text, re.MULTILINE)) == 2


BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F}


def read_concise(text: str, hostile: str, report: Report) -> None:
    read_console(text, hostile, report)
    assert len(text.splitlines()) == len(text.split("\n")) - 1
    assert len([line for line in text.split("\n") if "error[CL101]" in line]) == 2


def read_json(text: str, hostile: str, report: Report) -> None:
    first, _ = json.loads(text)["findings"]
    assert first["message"] == report.findings[0].message
    assert first["path"] == report.findings[0].location.path
    assert first["function"] == hostile
    assert first["fix"]["edits"][0]["text"] == hostile


# A link as SARIF defines it: brackets that are not escaped, then a number.
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]\\]|\\.)*\]\((\d+)\)")


def read_sarif(text: str, hostile: str, report: Report) -> None:
    text.encode("utf-8")
    (run,) = json.loads(text)["runs"]
    first, second = run["results"]
    for result in (first, second):
        text = result["message"]["text"]
        assert text.isprintable() or not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text)
        assert LINK.findall(text) == ["1", "2"]
        assert "](http" not in LINK.sub("", text).replace("\\](", "")
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[A-Za-z0-9\-._~%!$&'()*+,;=:@/]+", uri)
    assert first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] == hostile


def command_of(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as GitHub's runner parses it."""
    trimmed = line.strip()
    head, _, data = trimmed[2:].partition("::")
    name, _, fields = head.partition(" ")
    found = {}
    for field in fields.split(","):
        key, _, value = field.partition("=")
        for escape, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            value = value.replace(escape, sign)
        found[key] = value
    return name, found, data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def read_github(text: str, hostile: str, report: Report) -> None:
    assert len(text.splitlines()) == 5, "no line is added, whatever ends one"
    first, second, last, judged, left = text.splitlines()
    assert last.startswith("compilelint: 2 errors")
    assert judged.startswith("compilelint: checked: 1 compile call found")
    assert left.startswith("compilelint: not checked: 1 function")
    assert not re.search(r"##\w*\[", text)
    for line, span in ((first, (3, 3)), (second, (4, 5))):
        name, fields, data = command_of(line)
        assert name == "error"
        assert fields["file"] == escaped(name_of(hostile))
        assert (int(fields["line"]), int(fields["endLine"])) == span
        assert fields["title"] == "CL101 branch-on-tensor"
        assert ("col" in fields) == (span[0] == span[1]), "GitHub takes columns within one line only"
        assert data.split("\n")[0] == escaped(report.findings[0].message)


def read_gitlab(text: str, hostile: str, report: Report) -> None:
    first, second = json.loads(text)
    assert first["location"]["path"] == escaped(name_of(hostile))
    assert first["description"].startswith(f"CL101: {escaped(report.findings[0].message)}")
    assert first["fingerprint"] != second["fingerprint"]


def read_junit(text: str, hostile: str, report: Report) -> None:
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert (root.get("tests"), root.get("failures")) == ("2", "2")
    cases = root.findall("./testsuite/testcase")
    assert len(cases) == 2
    for case in cases:
        (failure,) = case.findall("failure")
        assert failure.text is not None
        expected = escaped(name_of(hostile)).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
        assert case.get("file") == expected
        assert failure.text.startswith(f"{expected}:")


class _Page(HTMLParser):
    """The tags of a page, and the text of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.links: list[str | None] = []
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(name == "style" or (tag, name) == ("a", "href") for name, _ in attrs), attrs
        self.links += [value for name, value in attrs if name == "href"]
        self.tags.append(tag)
        if tag in ("td", "th"):
            self._in_cell = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read_markdown(text: str, hostile: str, report: Report) -> None:
    page = _Page()
    page.feed(MarkdownIt("commonmark").enable("table").enable("strikethrough").render(text))
    assert set(page.tags) <= {"h2", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "br", "a"}
    assert page.links == []
    assert page.tags.count("table") == 2
    assert page.tags.count("tr") == 2 + 3
    assert page.cells[-7] == escaped(name_of(hostile)) + ":3:5", "the place"
    assert not re.search(r"://|www\.|(?<!&#64;)@", text), "nothing that GitHub would make a link of"


class _Html(HTMLParser):
    """The tags of the HTML report, whose attributes hold nothing but what it makes itself and links to known places."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.places: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= _KNOWN, attrs
        own = re.compile(r"[-\w #:;,.='/()+*]*")
        for name, value in attrs:
            if name == "href":
                assert value is not None
                assert value.startswith("#"), value
            elif name != "content":
                assert own.fullmatch(value or ""), (name, value)
        self.tags.append(tag)
        if tag not in ("meta", "br", "input"):
            self.open.append("place" if tag == "span" and ("class", "place quiet") in attrs else tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() in (tag, "place")

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["place"]:
            self.places.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


_KNOWN = set(
    "class id href lang open tabindex charset http-equiv content name rel type hidden role value checked autocomplete "
    "spellcheck method scope aria-label aria-labelledby data-rule data-severity data-file data-roots data-count "
    "data-root".split()
)


def read_html(text: str, hostile: str, report: Report) -> None:
    text.encode("utf-8")
    page = _Html()
    page.feed(text)
    page.close()
    assert page.open == []
    allowed = (
        "html head meta title style body a header h1 h2 h3 p main section details summary span br div pre dl dt dd"
    )
    controls = "form fieldset legend label input select option button dialog kbd b script"
    tables = "table caption thead tbody tr th td"
    assert {*page.tags} <= {*allowed.split(), *controls.split(), *tables.split(), "code", "ins", "del", *_LISTS}
    assert page.tags.count("script") == 1
    name = escaped(name_of(hostile))
    wanted = [f"{name}:3:5", f"{name}:4:1"]
    assert page.places == [one if len(one) <= 2000 else f"{one[:1999]}…" for one in wanted]
    bad = [c for c in text if (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c != "\n") or ord(c) in BIDI]
    assert not bad


_LISTS = ("ul", "ol", "li", "footer")


READERS: dict[str, Callable[[str, str, Report], None]] = {
    "grouped": read_grouped,
    "full": read_console,
    "concise": read_concise,
    "json": read_json,
    "sarif": read_sarif,
    "github": read_github,
    "gitlab": read_gitlab,
    "junit": read_junit,
    "markdown": read_markdown,
    "html": read_html,
}


def test_every_format_has_a_reader() -> None:
    assert set(READERS) == set(FORMATS)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_stays_text(kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = report_of(HOSTILE[kind], tmp_path)
    text = render(report, name)
    assert text.endswith("\n")
    READERS[name](text, HOSTILE[kind], report)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_stays_text_on_the_first_screen(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = report_of(HOSTILE[kind], tmp_path)
    found = replace(report, roots=tuple(root._replace(unseen=(HOSTILE[kind],)) for root in report.roots))
    text = screen_of(found, color=False, width=None, links=False, more="compilelint check --all")
    assert "CL101" in text
    read_console(text, HOSTILE[kind], report)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_notices_an_injection(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The readers are worth something: text that is let through as it is makes each of them fail."""
    monkeypatch.chdir(tmp_path)
    hostile = HOSTILE["workflow command on its own line"]
    report = report_of(hostile, tmp_path)
    spoiled = {
        "grouped": render(report, name) + "::error::pwned\n",
        "full": render(report, name) + "::error::pwned\n",
        "concise": render(report, name) + "\x1b[31m\n",
        "json": render(report, name).replace("depends on", 'depends"'),
        "sarif": render(report, name).replace("Because: [", "Because: [x](9) ["),
        "github": render(report, name).replace("%0A", "\n"),
        "gitlab": render(report, name).replace("CL101: ", 'CL101: "'),
        "junit": render(report, name).replace("</failure>", "<script/></failur>"),
        "markdown": render(report, name).replace("<code>", "<img src=x><code>"),
        "html": render(report, name).replace("<code>", "<img src=x><code>", 1),
    }[name]
    with pytest.raises((AssertionError, ValueError, ElementTree.ParseError)):
        READERS[name](spoiled, hostile, report)
