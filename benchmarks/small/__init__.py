"""Small programs of the kinds that people write, compiled and called by themselves, with what torch did with each.

`general.txt` was written without the rules at hand, over the statements, classes and library calls of training code;
`builtins.txt` is Python's builtins over containers, iterators and objects, written after the first misses of the former
and read whole. `SET-VERSION.jsonl` says what was recorded (`record`).
"""
