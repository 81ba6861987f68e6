"""What a finding is called in reports and options."""

from __future__ import annotations

from compilelint.model import Severity


def test_a_severity_is_a_lower_case_word() -> None:
    assert [one.label for one in Severity] == ["note", "warning", "error"]
