"""One name over the versions, and what changed between two."""

from __future__ import annotations

from compilelint.torchfacts import Change, available, facts_diff, facts_row, load, store

# What a version does that is not measured yet is not for these tests to say.
LOOKED_AT = [version for version in available() if store.key_of(version) <= (2, 15, 0)]


def test_a_row_has_every_version_and_every_form() -> None:
    rows = {row.key: row for row in facts_row("torch.where")}
    assert set(rows) == {"torch.where", "torch.where|condition-only"}
    verdicts = dict(rows["torch.where|condition-only"].verdicts)
    assert tuple(verdicts) == available()
    newest, old = verdicts["2.15.0"], verdicts["2.9.1"]
    assert newest is not None
    assert old is not None
    assert (newest.breaks_fullgraph, old.breaks_fullgraph) == (False, True)


def test_a_row_finds_writes_contexts_and_layers() -> None:
    assert {row.key for row in facts_row("torch.Tensor.requires_grad")} == {
        "torch.Tensor.requires_grad",
        "set:torch.Tensor.requires_grad",
    }
    assert {row.key for row in facts_row("torch.no_grad")} >= {"with:torch.no_grad", "with-object:torch.no_grad"}
    assert [row.key for row in facts_row("torch.nn.modules.rnn.LSTM")] == ["layer:torch.nn.LSTM"]
    assert facts_row("nothing.of.this.name") == []


def test_a_name_that_came_later_is_missing_before() -> None:
    (row,) = facts_row("torch.linalg.polar")
    assert [version for version, verdict in row.verdicts if verdict is not None and version in LOOKED_AT] == [
        "2.14.1",
        "2.15.0",
    ]


def test_a_carried_over_verdict_is_marked() -> None:
    (row,) = facts_row("math.tan")
    assert row.assumed_in & {*LOOKED_AT} == {*LOOKED_AT} - {"2.5.1", "2.13.0", "2.15.0"}


def test_a_version_that_never_measured_a_name_may_have_a_rule_for_it() -> None:
    (row,) = facts_row("torch.cuda.synchronize")
    verdicts = dict(row.verdicts)
    breaks = {one for one in LOOKED_AT if (verdict := verdicts[one]) is not None and verdict.breaks}
    assert row.by_rule_in & {*LOOKED_AT} == {"2.13.0", "2.14.1", "2.15.0"}, "these put it into the graph"
    assert breaks == {*LOOKED_AT} - row.by_rule_in
    assert row.assumed_in & {*LOOKED_AT} == breaks - {"2.11.0"}, "measured on a device there"


def test_a_version_without_a_verdict_assumes_none() -> None:
    facts = load("2.13.0")
    assert facts.verdict("torch.nothing") is None
    assert not any(facts.is_assumed(key) for key in ("torch.nothing", "torch.cuda.synchronize"))


def test_differences_are_sorted_by_weight() -> None:
    found = facts_diff("2.13.0", "2.15.0")
    order = list(Change)
    weights = [order.index(difference.change) for difference in found]
    assert weights == sorted(weights)
    changes = {difference.key: difference.change for difference in found}
    assert changes["torch.nn.Module.state_dict"] is Change.BREAKS
    assert changes["random.random"] is Change.WORKS
    assert changes["time.time"] is Change.ID
    assert changes["torch.qr"] is Change.GONE
    assert changes["torch.linalg.polar"] is Change.NEW


def test_fullgraph_captures_from_2_10_on() -> None:
    changes = {difference.key: difference.change for difference in facts_diff("2.9.1", "2.10.0")}
    assert changes["torch.Tensor.item"] is Change.WORKS_FULLGRAPH


def test_nothing_changes_within_one_version() -> None:
    assert facts_diff("2.13.0", "2.13.0") == []


def test_an_operation_on_an_object_has_rows_by_where_it_was_made() -> None:
    (row,) = facts_row("array.array.append")
    assert row.key == "array.array.append(), made outside"
    verdicts = dict(row.verdicts)
    assert verdicts["2.5.1"] is None
    measured = verdicts["2.13.0"]
    assert measured is not None
    assert measured.gb_id == "GB0156"
    assert [row.key for row in facts_row("list[tensor].==")] == [
        "list[tensor] ==, made outside",
        "list[tensor] ==, made inside",
    ]
    assert facts_row("array.array.nothing") == []
