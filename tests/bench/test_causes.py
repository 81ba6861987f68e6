"""What findings cost in words: why there is no price, and what copies take, as an upper estimate."""

from __future__ import annotations

from dataclasses import replace

from compilelint.bench.advice import advise
from compilelint.bench.causes import of_causes
from compilelint.bench.result import Bench, Cause, Copy
from tests.bench.samples import bench_of, measured

THERE = Copy("cuda to cpu", (("/p/net.py", 7), ("/p/model.py", 20)), 4, 2e-3)
BACK = Copy("cpu to cuda", (("/p/net.py", 7), ("/p/model.py", 20)), 4, 1e-3)


def bench(*causes: Cause, copies: tuple[Copy, ...] = ()) -> Bench:
    eager = replace(measured("eager", 10e-3), copies=copies)
    return replace(bench_of(eager, measured("default", 5e-3)), causes=causes)


def test_what_has_no_price_is_listed_with_the_reason_once() -> None:
    found = bench(
        Cause("CL303", "/p/net.py", 7, 7, "no rewrite is known"),
        Cause("CL206", "/p/net.py", 9, 9, "no rewrite is known"),
        Cause("CL101", "/p/net.py", 3, 4, "with its rewrite, output differs"),
        Cause("CL304", "/p/net.py", 8, 8),
    )
    assert list(of_causes(found)) == [
        "not priced: CL303 at /p/net.py:7, CL206 at /p/net.py:9: no rewrite is known",
        "not priced: CL101 at /p/net.py:3: with its rewrite, output differs",
    ]
    assert "not priced: CL101 at /p/net.py:3: with its rewrite, output differs" in advise(found).reasons


def test_copies_at_a_finding_are_listed_with_their_time_as_an_upper_estimate() -> None:
    lines = list(of_causes(bench(Cause("CL304", "/p/net.py", 7, 7), copies=(THERE, BACK))))
    assert lines == [
        "the copies at /p/net.py:7 (CL304) take 3 ms of an eager call (8 a call, cuda to cpu, cpu to cuda); "
        "this includes the wait for queued work, so it is an upper bound for the copying, "
        "not counting what the host computes in between"
    ]


def test_a_copy_inside_a_library_is_listed_at_the_users_line() -> None:
    (line,) = of_causes(bench(Cause("CL303", "/p/model.py", 19, 21, ""), copies=(THERE,)))
    assert line.startswith("the copies at /p/model.py:19 (CL303) take 2 ms of an eager call (4 a call, cuda to cpu)")


def test_a_copy_where_no_finding_stands_is_listed_if_it_counts() -> None:
    small = replace(THERE, frames=(("/p/other.py", 1),), seconds=1e-6)
    (line,) = of_causes(bench(copies=(THERE, small)))
    assert line.startswith("/p/net.py:7 copies cuda to cpu, and no finding says so: 2 ms of an eager call")


def test_without_findings_and_copies_nothing_is_said() -> None:
    assert list(of_causes(bench())) == []


def test_findings_of_one_line_share_what_is_copied_in_the_statement_of_either() -> None:
    """One of them reaches over several lines, and what is copied there is theirs, once."""
    below = Copy("cuda to cpu", (("/p/net.py", 8),), 1, 5e-3)
    causes = Cause("CL303", "/p/net.py", 7, 7), Cause("CL304", "/p/net.py", 7, 9)
    (line,) = of_causes(bench(*causes, copies=(THERE, below)))
    assert line.startswith(
        "the copies at /p/net.py:7 (CL303, CL304) take 7 ms of an eager call (5 a call, cuda to cpu);"
    )
