"""The configuration for Emacs in a real one, in batch mode: eglot starts the server, flymake has the finding."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.editors.sample import EDITORS, environment, project

PROGRAM = """
(package-initialize)
(add-to-list 'load-path "{folder}")
(require 'compilelint)
(require 'flymake)
(setq eglot-sync-connect 60 eglot-connect-timeout 60)
(find-file "{file}")
(call-interactively #'eglot)
(flymake-mode 1)
(let ((until (+ (float-time) 60)))
  (while (and (< (float-time) until) (null (flymake-diagnostics)))
    (accept-process-output nil 0.1)))
(dolist (one (flymake-diagnostics))
  (princ (format "%d: %s\\n" (line-number-at-pos (flymake-diagnostic-beg one)) (flymake-diagnostic-text one))))
(kill-emacs 0)
"""


@pytest.mark.slow
@pytest.mark.needs("emacs", "apt-get install emacs-nox elpa-eglot")
def test_eglot_shows_the_finding(tmp_path: Path) -> None:
    file = project(tmp_path)
    program = tmp_path / "program.el"
    program.write_text(PROGRAM.format(folder=EDITORS / "emacs", file=file), encoding="utf-8")
    ran = subprocess.run(
        ["emacs", "--batch", "-l", str(program)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert "7: compilelint [CL101]: `if` depends on the data of `x.sum() > 0`" in ran.stdout, ran.stdout + ran.stderr
