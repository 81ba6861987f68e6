"""The static pass is safe on an untrusted pull request: it reads, and nothing else.

The command line runs in a process of its own under `sys.addaudithook`. What it lints, and the environment it looks
imports up in, try everything to get a line of theirs executed; each line that ran would leave a mark on the disk, and
the hook sees imports, executed code, files opened for writing, processes and sockets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import compilelint

# Runs in the linting process. It reports to a file descriptor opened before the hook is set.
WATCHER = r"""
import sys
sys.path[:] = [entry for entry in sys.path if entry]  # as the installed script has it: no current folder
import json, os, runpy

report, hostile, sys.argv = sys.argv[1], sys.argv[2].split(os.pathsep), ["compilelint", *sys.argv[3:]]
channel = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
forbidden = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.fork", "pty.",
             "socket.", "urllib.", "http.", "ftplib.", "smtplib.", "os.remove", "os.rename", "os.rmdir", "os.mkdir",
             "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.putenv", "shutil.",
             "tempfile.", "ctypes.", "winreg.", "code.__new__", "pickle.", "marshal.loads.hostile")
names = ("torch", "evil", "victim", "setup", "conftest", "numpy")


def inside(path):
    return isinstance(path, str) and any(path == top or path.startswith(top + os.sep) for top in hostile)


def emit(*words):
    os.write(channel, (json.dumps([str(word)[:200] for word in words]) + "\n").encode())


def hook(event, args):
    if event == "exec":
        if inside(getattr(args[0], "co_filename", "")):
            emit(event, args[0].co_filename)
    elif event == "compile":
        # Parsing to a tree raises this event too, with the name "<unknown>"; only code objects carry a file's name.
        if inside(args[1]):
            emit(event, args[1])
    elif event == "import":
        if args[0].split(".")[0] in (*names, "usercustomize") or inside(args[1]):
            emit(event, args[0], args[1])
        if args[0] == "sitecustomize":
            emit(event, args[0])
    elif event == "open":
        path, mode, flags = args
        if isinstance(flags, int) and flags & writing and path != os.devnull:
            emit(event, path, mode, flags)
    elif event.startswith(forbidden):
        emit(event, *args[:2])


def leave(code):
    raise SystemExit(code)


os._exit = leave  # the command line ends without clean-up; we still have to report what it did
sys.addaudithook(hook)
try:
    runpy.run_module("compilelint", run_name="__main__", alter_sys=True)
except SystemExit as stop:
    code = stop.code
else:
    code = 0
emit("ended", code)
emit("modules", *[name for name in names if name in sys.modules])
emit("path", *[entry for entry in sys.path if inside(entry)])
"""

# Every hostile file begins with this: had a line of it run, `mark` would exist.
MARK = "open({mark!r}, 'a').write(__name__)\n"

LINTED = {
    "victim/__init__.py": "from . import nested\nfrom evil import *\nimport evil.deep.module\n__path__.append('..')\n",
    "victim/nested.py": "import os\nos.system('touch ' + {mark!r})\n__import__('subprocess').run(['touch', 'x'])\n",
    "victim/model.py": (
        "import torch\nfrom torch import nn\nimport evil.base\nfrom evil.base import Base, helper, SIZE\n"
        "from victim.nested import *\nfrom . import plugin\n\n"
        "class Meta(type):\n    def __new__(cls, *a): raise SystemExit(7)\n\n"
        "@evil.base.decorate(open({mark!r}, 'a'))\n"
        "class Net(Base, nn.Module, metaclass=Meta):\n"
        "    def __init__(self):\n        super().__init__()\n        self.size = SIZE[eval('0')]\n"
        "    @property\n    def __class__(self): raise SystemExit(8)\n"
        "    def forward(self, x: \"open({mark!r})\" = exec('raise SystemExit')):\n"
        "        if x.sum() > helper(x):\n            return x.tolist()\n        return f'{{x.item()}}'\n"
    ),
    "victim/plugin.py": "import sys\nsys.modules['torch'] = None\nsys.exit(9)\n",
    "victim/codec.py": "# -*- coding: evil_codec -*-\nx = 1\n",
    "victim/loop.py": "while True: pass\nimport victim.loop\nclass A(A): pass\nX = [X] * 10 ** 12\n",
    "victim/big.py": "X = 'a' * 10 ** 15\nY = 9 ** 9 ** 9 ** 9\nZ = (1 << 10 ** 12) % 7\n",
    "victim/deep.py": "x = " + "-" * 5000 + "1\ny = " + " + ".join(["1"] * 20_000) + "\n",
    "setup.py": "import setuptools\nsetuptools.setup()\n",
    "conftest.py": "raise SystemExit(10)\n",
    "sitecustomize.py": "raise SystemExit(11)\n",
    "usercustomize.py": "raise SystemExit(12)\n",
    "compilelint.py": "raise SystemExit(13)\n",
    "libcst.py": "raise SystemExit(14)\n",
    "ast.py": "raise SystemExit(15)\n",
}
INSTALLED = {
    "evil/__init__.py": "import sys\nsys.exit(16)\n",
    "evil/base.py": (
        "from torch import nn\n\nSIZE = (64,)\n\n"
        "class Base(nn.Module):\n    def __getattr__(self, name): raise SystemExit(17)\n\n"
        "def helper(x):\n    return x.max().item()\n\ndef decorate(f):\n    return lambda c: c\n"
    ),
    "evil/deep/__init__.py": "raise SystemExit(18)\n",
    "evil/deep/module.py": "raise SystemExit(19)\n",
    "torch/__init__.py": "raise SystemExit(20)\n",
    "torch/nn/__init__.py": "raise SystemExit(21)\n",
    "sitecustomize.py": "raise SystemExit(22)\n",
    "encodings/evil_codec.py": "raise SystemExit(23)\n",
    "evil_codec.py": "raise SystemExit(24)\n",
    "__editable___evil_1_0_finder.py": "MAPPING = dict([('evil', exec('raise SystemExit'))])\n",
}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A project, and an environment around it, whose every line leaves the file `mark` when it runs."""
    mark = str(tmp_path / "mark")
    site = tmp_path / f"env/lib/python3.{sys.version_info.minor}/site-packages"
    for folder, files in ((tmp_path / "project", LINTED), (site, INSTALLED)):
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            first = "" if name.endswith("codec.py") else MARK
            path.write_text((first + text).format(mark=mark))
    (site / "a_evil.pth").write_text(f"import os; open({mark!r}, 'a')\nimport\tsitecustomize\n{tmp_path}/project\n")
    (site / "torch-2.13.0.dist-info").mkdir()
    (tmp_path / "env/pyvenv.cfg").write_text(f"home = {os.path.dirname(sys.executable)}\n")
    python = tmp_path / "env/bin/python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\ntouch {mark}\n")
    python.chmod(0o755)
    os.mkfifo(tmp_path / "project/victim/pipe.py")
    return tmp_path


def watched(hostile: Path, *arguments: str, timeout: int = 120) -> tuple[list[list[str]], dict[str, list[str]]]:
    """Run the command line under the hook; what it did that it must not, and how it ended."""
    report = hostile / "report.jsonl"
    tops = os.pathsep.join(str(hostile / name) for name in ("project", "env"))
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONSTARTUP")}
    environment.update(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(Path(compilelint.__file__).parents[1]))
    done = subprocess.run(
        [sys.executable, "-c", WATCHER, str(report), tops, *arguments],
        cwd=hostile / "project",
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    lines: list[list[Any]] = [json.loads(line) for line in report.read_text().splitlines()]
    ending = {line[0]: line[1:] for line in lines if line[0] in ("ended", "modules", "path")}
    assert "ended" in ending, f"the linting process did not end by itself: {done.returncode}\n{done.stderr[-3000:]}"
    assert ending["ended"] in (["0"], ["1"]), f"{ending}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return [line for line in lines if line[0] not in ending], {**ending, "stdout": [done.stdout]}


@pytest.mark.parametrize("follow", ["environment", "project"])
def test_nothing_of_the_linted_code_runs(hostile: Path, follow: str) -> None:
    python = ["--python", str(hostile / "env")] if follow == "environment" else []
    deeds, ending = watched(hostile, "check", ".", "--no-cache", "--exit-zero", "--output", "json", *python)
    assert deeds == []
    assert ending["modules"] == []
    assert ending["path"] == []
    report = json.loads(ending["stdout"][0])
    places = {(finding["rule"], finding["path"].rpartition("/")[2]) for finding in report["findings"]}
    assert any(rule.startswith("CL1") and name == "model.py" for rule, name in places), "the hostile code was analysed"
    assert any(rule.startswith("CL9") and name == "codec.py" for rule, name in places)
    assert not (hostile / "mark").exists()


def test_a_named_interpreter_is_not_started(hostile: Path) -> None:
    deeds, _ = watched(hostile, "check", "victim", "--no-cache", "--exit-zero", "--python", "../env/bin/python")
    assert deeds == []
    assert not (hostile / "mark").exists()


def test_site_packages_are_linted_without_being_entered(hostile: Path) -> None:
    site = f"../env/lib/python3.{sys.version_info.minor}/site-packages"
    deeds, ending = watched(hostile, "check", site, "--no-cache", "--exit-zero", "--python", site)
    assert deeds == []
    assert ending["modules"] == []
    assert not (hostile / "mark").exists()


def test_the_watcher_sees_what_it_must(hostile: Path) -> None:
    """The hook is worth its name: a process that does import the victim is caught in several ways."""
    stand_in = hostile / "stand_in"
    stand_in.mkdir()
    (stand_in / "compilelint.py").write_text("import sys\nsys.path.insert(0, '.')\nimport victim.plugin\n")
    watcher = WATCHER.replace(
        "sys.addaudithook(hook)", f"sys.path.insert(0, {str(stand_in)!r})\nsys.addaudithook(hook)"
    )
    report = hostile / "report.jsonl"
    tops = os.pathsep.join(str(hostile / name) for name in ("project", "env"))
    subprocess.run(
        [sys.executable, "-c", watcher, str(report), tops],
        cwd=hostile / "project",
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    events = {json.loads(line)[0] for line in report.read_text().splitlines()}
    assert {"import", "exec", "open", "os.system"} <= events
    assert (hostile / "mark").exists()
