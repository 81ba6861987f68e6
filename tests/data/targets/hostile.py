"""Models that misbehave in every way a worker must survive, and say nothing of it beforehand."""

import ctypes
import os
import subprocess
import sys
import time

import torch


class Calm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


class RaisesInInit(Calm):
    def __init__(self):
        raise KeyError("no such weights")


class RaisesInForward(Calm):
    def forward(self, x):
        return self.layer(x.reshape(7, 7))


class Hangs(Calm):
    def forward(self, x):
        while True:
            time.sleep(0.05)


class HangsWhileCompiling(Calm):
    def forward(self, x):
        while torch.compiler.is_compiling():
            x = x + 1
        if torch._dynamo.external_utils.is_compiling():
            return x
        return self.layer(x)


class Leaves(Calm):
    def __init__(self):
        os._exit(3)


class LeavesInForward(Calm):
    def forward(self, x):
        os._exit(4)


class Crashes(Calm):
    def __init__(self):
        ctypes.string_at(0)


class CrashesInForward(Calm):
    def forward(self, x):
        ctypes.string_at(0)


class Exits(Calm):
    def __init__(self):
        sys.exit("configuration missing")


class Grows(Calm):
    def forward(self, x):
        kept = []
        while True:
            kept.append(torch.ones(64, 1 << 20))
        return x


class GrowsInChildren(Calm):
    """No process of these is too big alone."""

    def __init__(self):
        super().__init__()
        code = "import time\nkept = bytearray(b'x' * (400 << 20))\ntime.sleep(600)"
        children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(5)]
        children[0].wait()


class Floods(Calm):
    def __init__(self):
        super().__init__()
        print("the first line")
        for _ in range(4000):
            os.write(1, b"x" * 10_000)
            os.write(2, b"y" * 1_000)
        print("the last line")


class Prints(Calm):
    def __init__(self):
        super().__init__()
        print('{"event": "done", "number": 0, "observed": {"fate": "ran"}}')
        print("loading weights", flush=True)
        sys.stderr.write("from stderr\n")


class Asks(Calm):
    def __init__(self):
        super().__init__()
        self.answer = input("continue? ")


class SpawnsChildren(Calm):
    def __init__(self):
        super().__init__()
        near = subprocess.Popen(["sleep", "600"])
        far = subprocess.Popen(["sleep", "600"], start_new_session=True)
        # In a session of its own, without an environment, and its parent gone at once
        lost = "sleep 600 >/dev/null 2>&1 </dev/null & echo $!"
        done = subprocess.run(["setsid", "env", "-i", "/bin/sh", "-c", lost], capture_output=True, text=True, check=True)
        with open(os.environ["CHILDREN"], "a") as pids:
            pids.write(f"{near.pid}\n{far.pid}\n{done.stdout.strip()}\n")


class SpawnsAndHangs(SpawnsChildren):
    def forward(self, x):
        while True:
            time.sleep(0.05)


class ClosesEverything(Calm):
    def __init__(self):
        super().__init__()
        os.closerange(0, 3)


# Fewer characters than a pipe holds: one of those that it finds is read after it has ended.
FORGED = ['{"event": "done"}', '{"event": "done", "number": 1, "observed": {"fate": "ran"}}', "[" * 9_000, "no end"]


def _write_everywhere(text):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, text.encode())
        except OSError:
            pass


class ForgesAnswers(Calm):
    def __init__(self):
        super().__init__()
        _write_everywhere("\n".join(FORGED))


class SaysItRan(Calm):
    def __init__(self):
        super().__init__()
        _write_everywhere('\n{"fate": "ran", "detail": ""}\n')
        os._exit(0)


class TakesMessages(Calm):
    """Reads what is meant for the worker, so that the next target would wait for its own."""

    def __init__(self):
        super().__init__()
        for descriptor in range(3, 64):
            try:
                os.set_blocking(descriptor, False)
                os.read(descriptor, 1)
            except OSError:
                pass
            finally:
                try:
                    os.set_blocking(descriptor, True)
                except OSError:
                    pass


def not_a_model():
    return 3
