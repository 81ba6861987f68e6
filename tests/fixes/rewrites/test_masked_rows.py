"""Rows that are all run: layers that are not known, and layers that draw."""

from __future__ import annotations

from pathlib import Path

from compilelint.fixes import code_of, proposals
from compilelint.model import Finding
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import goldens, options

TEXTS = {case.title: (case.before, case.after) for case in goldens()}


def _masks(path: Path) -> list[tuple[Finding, Source]]:
    source = read_source(str(path))
    assert isinstance(source, Source)
    return [(one, source) for one in lint(options(path)).findings if one.rule.code == "CL120"]


def test_a_layer_without_source_is_offered_for_proof_only(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXTS["a layer without source needs proof"][0], encoding="utf-8")
    for finding, source in _masks(path):
        code = code_of(source)
        assert code is not None
        assert not any("all rows" in fix.title for fix in proposals(finding, code))
        assert any("a layer is not known" in fix.title for fix in proposals(finding, code, proven=True))
    assert _masks(path)


def test_a_layer_that_draws_is_not_even_offered_for_proof(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXTS["dropout draws for the rows that are there"][0], encoding="utf-8")
    assert _masks(path)
    for finding, source in _masks(path):
        code = code_of(source)
        assert code is not None
        assert not any("all rows" in fix.title for fix in proposals(finding, code, proven=True))
