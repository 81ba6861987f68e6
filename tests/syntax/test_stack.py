"""A stack for deep recursion, on which calls find room."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from compilelint.syntax.stack import in_deep_stack, run_with_deep_stack, with_room


def leaf(number: int) -> int:
    return number


def calls_at_depth(depth: int) -> None:
    """Some hundred calls below so many others."""
    if depth:
        calls_at_depth(depth - 1)
    else:
        for number in range(200):
            leaf(number)


def test_what_a_function_gives_and_raises_comes_through() -> None:
    assert not in_deep_stack()
    assert run_with_deep_stack(in_deep_stack)
    assert run_with_deep_stack(lambda: run_with_deep_stack(in_deep_stack)), "in place"
    assert with_room(in_deep_stack) is False
    with pytest.raises(KeyError, match="gone"):
        run_with_deep_stack(lambda: dict[str, int]()["gone"])


def test_recursion_far_beyond_the_usual_limit_ends_in_an_error_that_can_be_caught() -> None:
    run_with_deep_stack(lambda: calls_at_depth(50_000))
    before = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        run_with_deep_stack(lambda: calls_at_depth(10**9))
    assert sys.getrecursionlimit() == before


def faults_so_far() -> int:
    """Pages that this process has touched for the first time; 0 where the system does not say."""
    if importlib.util.find_spec("resource") is None:
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def test_calls_at_no_depth_map_memory() -> None:
    """Without room in the chunk of the frame around it, each call at the end of one maps another: 200 faults."""

    def faults() -> list[int]:
        found = []
        for depth in range(600):
            before = faults_so_far()
            calls_at_depth(depth)
            found.append(faults_so_far() - before)
        return found

    assert max(run_with_deep_stack(lambda: with_room(faults))) < 100
