"""A torch that does not exist yet is one command: its measurements fold in, and no test has to be touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.torchfacts import available, store
from compilelint.torchfacts.generate import fold
from compilelint.torchfacts.generate.encode import grouped
from compilelint.torchfacts.registry import entries

ROOT = Path(__file__).parents[2]
LATER = "99.0.0"
INSTALL = """
import json, sys
from compilelint.torchfacts.generate import fold, results
from compilelint.torchfacts.result_tables import Results, measured_versions, results_of

measured = json.load(sys.stdin)
print(fold.install(measured))
newest = results_of(measured_versions()[-1])
results.install(Results(measured["torch"], newest.texts, newest.names_of))
"""


def relabelled() -> dict[str, object]:
    """What the newest version showed, in the form that the generator measures, as if another one had shown it."""
    newest = available()[-1]
    table = fold.shipped()[newest]
    own = {key: text for key, text in table.verdicts.items() if key not in table.assumed and key not in table.device}
    return {
        "torch": LATER,
        "python": table.python,
        "verdicts": grouped(own),
        "config": table.config,
        "rules": {name: sorted(names) for name, names in table.rules.items()},
        "traits": fold.shipped_traits()["traits"],
        "registry": {gb_id: [entry.type, entry.live] for gb_id, entry in entries(newest, store.DATA).items()},
        "words": {},
    }


@pytest.mark.slow
def test_the_tests_pass_untouched_with_a_newer_version(tmp_path: Path) -> None:
    for folder in ("src", "tests", "rules", "benchmarks"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), str(tmp_path)])}

    def python(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, input=given, capture_output=True, text=True, check=False
        )

    installed = python("-c", INSTALL, given=json.dumps(relabelled()))
    assert f"{LATER}.json" in installed.stdout, installed.stderr
    done = python(
        *"-m pytest -q -p no:cacheprovider -m".split(),
        "not slow and not dynamo",
        "tests/torchfacts",
        "tests/cli/test_facts.py",
        "tests/checks/test_recompiles.py",
    )
    assert done.returncode == 0, done.stdout[-4000:]
