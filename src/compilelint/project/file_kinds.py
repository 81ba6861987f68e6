"""What a file is for, by its name and place: tests and benchmarks, whose switches and sweeps are meant."""

from __future__ import annotations


def is_test(path: str) -> bool:
    """Whether a file holds tests: named and placed as test runners look for them."""
    *folders, name = path.split("/")
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py" or "tests" in folders[-2:]


def is_benchmark(path: str) -> bool:
    """Whether a file measures: it, or a folder that it lies in, is named so (`bench_mm.py`, `userbenchmark/`)."""
    *folders, name = path.split("/")
    return (
        name.startswith(("bench_", "benchmark"))
        or name.endswith(("_bench.py", "_benchmark.py"))
        or any(one.endswith(("bench", "benchmark", "benchmarks")) and one != "workbench" for one in folders[-2:])
    )
