"""Deliberate faults: whether the tests of a folder catch a small mistake in the source folder of the same name.

    python -m benchmarks.faults                    # each fault alone, in a copy: caught or missed
    python -m benchmarks.faults interp/calls/calls.py    # those in one file or folder
    python -m benchmarks.faults --round 3          # those that were chosen together
    python -m benchmarks.faults --check            # no tests: every text still occurs exactly once

A fault is a text of one source file and what stands there instead: a guard dropped, a confidence not lowered, a cache
that does not look. Each was chosen by reading the source alone, before the tests were looked at. A fault counts as
caught only where a quick test of `tests/<the same folder>` fails (`-m "not slow and not dynamo"`): a mistake in
`interp/` that a test of the command line happens to meet is not caught where it would be looked for.
The results are in `benchmarks/log/faults.md`.
"""
