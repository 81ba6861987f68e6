"""Answers about all examples as a browser's Python gives them: run in a process of its own, as it takes things away.

Gone are threads, the CPU time of a thread, and LibCST's Rust extension, whose place the playground's parser takes.
"""

from __future__ import annotations

import sys
import threading
import time

del time.thread_time

# Only for what decides by it: the rest of the standard library belongs to the real platform.
real, sys.platform = sys.platform, "emscripten"
import compilelint.syntax.stack  # noqa: E402, F401

sys.platform = real


def _no_thread(self: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


threading.Thread.start = _no_thread  # type: ignore[method-assign]

import libcst  # noqa: E402

from playground.python import native  # noqa: E402

libcst.native = native  # type: ignore[attr-defined,unused-ignore]
sys.modules["libcst.native"] = native

from tests.playground.examples import answers_of_examples  # noqa: E402

sys.stdout.write(answers_of_examples())
