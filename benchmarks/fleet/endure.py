"""Two hundred targets over a Dask cluster of two processes while a worker, a client and some targets are lost.

One worker is killed midway, one target hangs, one grows beyond its memory, one kills its process, and the client is
killed and resumed. Every result must be there once, and the same as on this machine alone. Then what a target costs
beyond that, in CPU seconds, and how much faster two processes are than one, over targets that only compute.

    python -m benchmarks.fleet.endure --output benchmarks/fleet/endured.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.verify.cost import MIDDLES, MODEL

_FAULTS = {
    "Hangs": "while True:\n            time.sleep(0.05)",
    "Grows": "kept = []\n        while True:\n            kept.append(torch.ones(64, 1 << 20))",
    "Kills": "os.kill(os.getpid(), 9)",
}
_BUSY = (
    "z = torch.ones(500, 500)\n        for _ in range(150):\n            z = (z @ z).tanh()\n        y = y + z[0, 0]"
)
_RUN = re.compile(r"run (\d{8}-\d{6}-[0-9a-f]{4})")


def project(folder: Path, count: int, *, faults: bool = True, busy: bool = False) -> None:
    """A project of `count` targets, the faults among them in the middle."""
    folder.mkdir(parents=True, exist_ok=True)
    text, tables = ["import os\nimport time\n\nimport torch\n\n\n"], []
    names = list(_FAULTS) if faults else []
    for number in range(count - len(names)):
        width = 8 + number % 5
        middle = _BUSY.format(width=width) if busy else MIDDLES[number % len(MIDDLES)]
        text.append(MODEL.format(number=number, width=width, middle=middle))
        tables.append(f'[[targets]]\nmodel = "tiny:Tiny{number}"\ninputs = ["2x8"]\ntimeout = 120\nmax-breaks = 1\n')
    for name in names:
        text.append(f"class {name}(torch.nn.Module):\n    def forward(self, x):\n        {_FAULTS[name]}\n\n\n")
        limits = "timeout = 8" if name == "Hangs" else "timeout = 120\nmemory = 400"
        tables.insert(len(tables) // 2, f'[[targets]]\nmodel = "tiny:{name}"\ninputs = ["2x8"]\n{limits}\n')
    (folder / "tiny.py").write_text("".join(text), encoding="utf-8")
    (folder / "compilelint.toml").write_text("\n".join(tables), encoding="utf-8")


def command(report: Path, *words: str) -> list[str]:
    """`verify` over the targets of the current folder."""
    return [sys.executable, "-m", "compilelint", "verify", "--exit-zero", "--output", f"json:{report}", *words]


def results(report: Path) -> list[dict[str, Any]]:
    """What is the same of a target wherever it runs."""
    same = ("target", "fate", "graphs", "breaks", "recompiles", "parity", "calls")
    targets = json.loads(report.read_text(encoding="utf-8"))["targets"]
    return [{name: one.get(name) for name in same} for one in targets]


_QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms"}
"""What the page on many models says to set where a cluster is started."""


@contextmanager
def cluster(folder: Path, processes: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and its workers, each in a process of its own; all ended and waited for."""
    with ExitStack() as started:

        def start(*words: str) -> subprocess.Popen[bytes]:
            log = started.enter_context(open(folder / f"log-{len(list(folder.glob('log-*')))}", "wb"))
            environment = {**os.environ, **_QUIET}
            process = subprocess.Popen(
                [sys.executable, "-m", *words], stdout=log, stderr=log, cwd=folder, env=environment
            )
            started.callback(process.wait)
            started.callback(process.terminate)
            return process

        file = folder / f"scheduler-{time.monotonic_ns()}.json"
        start("distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard",
              "--scheduler-file", str(file))  # fmt: skip
        while not (file.exists() and file.stat().st_size):
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"].removeprefix("tcp://")

        def worker() -> subprocess.Popen[bytes]:
            return start("distributed.cli.dask_worker", f"tcp://{address}", "--no-nanny", "--nthreads", "1",
                         "--no-dashboard", "--memory-limit", "0")  # fmt: skip

        workers = [worker() for _ in range(processes)]
        yield address, workers


def answers(runs: Path, run: str) -> list[str]:
    """The keys in the journal of a run, in the order that they came."""
    lines = (runs / f"{run}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line.partition(" ")[2])[0] for line in lines if line.endswith("]")]


def endured(folder: Path, count: int) -> dict[str, Any]:
    """The run with losses, held against the same targets here."""
    project(folder / "project", count)
    here, there, cache = folder / "here.json", folder / "there.json", folder / "cache"
    subprocess.run(command(here, "-q"), cwd=folder / "project", check=True, capture_output=True)
    with cluster(folder, 2) as (address, workers):
        where = ("--executor", f"dask://{address}", "--cache-dir", str(cache))
        client = subprocess.Popen(command(there, *where), cwd=folder / "project", stderr=subprocess.PIPE, text=True)
        assert client.stderr is not None
        done = 0
        name = ""
        for line in client.stderr:
            found = _RUN.search(line)
            name = found[1] if found else name
            done += " of " in line
            if done == count // 4 and workers[0].poll() is None:
                workers[0].kill()
            if done >= count // 2:
                break
        client.kill()
        client.wait()
        before = answers(cache / "runs", name)
        again = command(there, *where, "--resume", name)
        subprocess.run(again, cwd=folder / "project", capture_output=True, check=True)
    keys = answers(cache / "runs", name)
    alone, together = results(here), results(there)
    return {
        "targets": count,
        "answers when the client was killed": len(before),
        "answers in the end": len(keys),
        "answered twice": len(keys) - len(set(keys)),
        "lost": len({one["target"] for one in alone} - {one["target"] for one in together}),
        "reported twice": len(together) - len({one["target"] for one in together}),
        "other than on this machine": sum(first != second for first, second in zip(alone, together, strict=True)),
        "fates": dict(Counter(one["fate"] for one in together)),
        "faults": {one["target"].partition(":")[2]: one["fate"] for one in together if "Tiny" not in one["target"]},
    }


def cost(folder: Path, count: int) -> dict[str, Any]:
    """CPU seconds of targets here and over a cluster of one process; scheduler, worker and client are all counted."""
    project(folder / "project", count, faults=False)

    def spent(*words: str) -> None:
        asked = command(folder / "report.json", "-q", *words)
        subprocess.run(asked, cwd=folder / "project", check=True, capture_output=True)

    before = _cpu()
    spent()
    alone = _cpu() - before
    before = _cpu()
    with cluster(folder, 1) as (address, _):
        spent("--executor", f"dask://{address}", "--cache-dir", str(folder / "cache"))
    together = _cpu() - before
    before = _cpu()
    with cluster(folder, 1):
        time.sleep(3)
    empty = _cpu() - before
    return {
        "targets": count,
        "CPU seconds here": round(alone, 2),
        "CPU seconds over Dask": round(together, 2),
        "of these, of a cluster that does nothing": round(empty, 2),
        "CPU seconds a target beyond local": round((together - empty - alone) / count, 3),
    }


def scaling(folder: Path, count: int) -> dict[str, Any]:
    """Wall seconds from the first result to the last of targets that only compute, by one process and by two.

    What is before the first (a client that starts) and after the last (the static pass) is the same for both.
    """
    project(folder / "project", count, faults=False, busy=True)
    pace, spent = {}, {}
    for processes in (1, 2):
        before = _cpu()
        with cluster(folder, processes) as (address, _):
            where = ("--executor", f"dask://{address}", "--cache-dir", str(folder / "cache"))
            words = command(folder / "report.json", *where)
            seen = subprocess.Popen(words, cwd=folder / "project", stderr=subprocess.PIPE, text=True)
            assert seen.stderr is not None
            came = [time.monotonic() for line in seen.stderr if " of " in line]
            assert seen.wait() == 0
            warm = 2 * processes  # each process has imported torch by then
            pace[processes] = (came[-1] - came[warm - 1]) / (len(came) - warm)
        spent[processes] = _cpu() - before
    return {"targets": count, **{f"seconds a target by {one}": round(pace[one], 2) for one in pace},
            **{f"CPU seconds of everything by {one}": round(spent[one], 1) for one in spent},
            "ratio": round(pace[1] / pace[2], 2), "load": round(os.getloadavg()[1], 1)}  # fmt: skip


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(argv: Sequence[str] | None = None) -> int:
    """Print what was measured, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", choices=["endured", "cost", "scaling"])
    parser.add_argument("--output")
    options = parser.parse_args(argv)
    found: dict[str, Any] = {"python": platform.python_version(), "cores": os.cpu_count()}
    for name, measure in (("endured", endured), ("cost", cost), ("scaling", scaling)):
        if options.only in (None, name):
            with tempfile.TemporaryDirectory(prefix="compilelint-") as folder:
                found[name] = measure(Path(folder), options.count if name == "endured" else options.count // 5)
            print(json.dumps({name: found[name]}, indent=1), flush=True)
    if options.output:
        Path(options.output).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    whole = found.get("endured", {})
    return int(any(whole.get(name, 0) for name in ("answered twice", "lost", "reported twice",
                                                    "other than on this machine")))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
