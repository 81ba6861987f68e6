"""Where paths meet: states joined with fakes, no parser and no interpreter."""

from __future__ import annotations

from compilelint.interp.core.state import State, join_states
from compilelint.values import INT, NONE, TRUE, Value
from compilelint.values.words import describe
from tests.support.samples import COUNT, IMAGE, MASK


def met(*states: State | None) -> dict[str, str]:
    """Variables and paths of the joined state, in words."""
    joined = join_states(states)
    assert joined is not None
    return {name: describe(value) for name, value in {**joined.names, **joined.paths}.items()}


def state(skipped: bool = False, **names: Value) -> State:
    return State(names, skipped=skipped)


def test_both_beliefs_are_kept() -> None:
    assert met(state(x=IMAGE), state(x=NONE)) == {"x": "None | tensor float 4-d input"}


def test_a_name_bound_on_one_path_keeps_its_value() -> None:
    """Code that reads it relies on that path: a union with "unbound" would help no reader."""
    assert met(state(x=INT), state(x=INT, y=MASK)) == {"x": "int", "y": "tensor bool 2-d computed"}


def test_a_dead_path_says_nothing() -> None:
    assert met(None, state(x=INT), None) == {"x": "int"}


def test_no_path_at_all_is_no_state() -> None:
    assert join_states([None, None]) is None
    assert join_states([]) is None


def test_a_narrowed_attribute_is_narrowed_only_where_every_path_did_it() -> None:
    both = [State({}, {"self.bias": IMAGE, "out.loss": NONE}), State({}, {"self.bias": NONE})]
    assert met(*both) == {"self.bias": "None | tensor float 4-d input"}


def test_a_frame_is_skipped_only_if_every_path_was() -> None:
    one, other = state(skipped=True), state(skipped=False)
    for states, skipped in (([one, one], True), ([one, other], False), ([one, None], True)):
        joined = join_states(states)
        assert joined is not None
        assert joined.skipped is skipped


def test_a_join_leaves_its_operands_alone() -> None:
    left, right = state(x=INT), state(x=NONE, y=TRUE)
    join_states([left, right])
    assert (describe(left.names["x"]), list(left.names)) == ("int", ["x"])
    assert describe(right.names["x"]) == "None"


def test_a_copy_goes_its_own_way() -> None:
    before = State({"x": INT}, {"self.n": INT}, skipped=True)
    after = before.copy()
    after.bind("x", NONE)
    after.paths["self.n"] = NONE
    assert before.names["x"] is INT
    assert before.paths["self.n"] is INT
    assert after.skipped


def test_binding_a_name_forgets_what_was_known_below_it() -> None:
    here = State({"out": INT}, {"out.loss": COUNT, "out.loss.grad": NONE, "output.loss": MASK})
    here.bind("out", NONE)
    assert list(here.paths) == ["output.loss"]


def test_a_call_that_writes_attributes_makes_them_unknown_on_every_path() -> None:
    here = State({}, {"self.step": INT, "self.model.step": INT, "self.steps": INT})
    here.forget_attributes(["step"])
    assert list(here.paths) == ["self.steps"]


def test_a_fixpoint_is_equal_belief_whatever_the_origin() -> None:
    assert State({"x": IMAGE}).same_as(State({"x": IMAGE.but(origin=None)}))
    assert not State({"x": IMAGE}).same_as(State({"x": IMAGE.but(rank=3)}))
    assert not State({"x": IMAGE}).same_as(State({"x": IMAGE, "y": INT}))
    assert not State({}, {"self.n": INT}).same_as(State({}, {"self.m": INT}))
