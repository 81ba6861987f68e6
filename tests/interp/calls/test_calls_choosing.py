"""`interp.calls`: a small function that is given a function answers for each caller, however many call it."""

from __future__ import annotations

from tests.support.reveal import check

LOOK_UP = """
        def looked_up(how: str, default):
            if how == "plain":
                return default
            raise KeyError(how)
"""
LONG = """
        def looked_up(how: str, default):
            if how == "plain":
                return default
            how = how.strip()
            how = how.lower()
            how = how.removeprefix("a")
            how = how.removeprefix("b")
            how = how.removeprefix("c")
            how = how.removeprefix("d")
            raise KeyError(how)
"""


def model(number: int, expected: str) -> str:
    return f"""
        def own_{number}(x):
            return {number}

        class Model{number}(nn.Module):
            def forward(self, x: Tensor):
                reveal_type(looked_up("plain", own_{number})(x))  # {expected}
                return x
"""


def test_what_is_looked_up_for_the_twentieth_model_is_its_own_default() -> None:
    check(LOOK_UP + "".join(model(n, str(n)) for n in range(20)))


def test_a_long_one_has_one_answer_for_all_callers_after_a_few() -> None:
    kept = "".join(model(n, str(n)) for n in range(8))
    check(LONG + kept + model(8, "?"))
