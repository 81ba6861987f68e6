"""Every case of every rule of the pack is as it says."""

import subprocess
import sys


def test_cases() -> None:
    """None differs from what it says."""
    command = [sys.executable, "-m", "compilelint", "dev", "test-rules", "TEAM001"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
