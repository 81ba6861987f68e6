"""What whole runs say, against `golden/runs.txt`: which findings are let through, in what order, with which notices."""

from __future__ import annotations

from tests.support.recorded_runs import REWRITE_THEM, Run, path_of, recorded

CHECK = "check . --no-cache"
EDITED = "import torch\n\n\n@torch.compile\ndef scale(x: torch.Tensor):\n    return x / x.max().item()\n"

RUNS = [
    Run(f"{CHECK} --output json"),
    Run(f"{CHECK} --output json --min-confidence possible --roots all --verbose"),
    Run(f"{CHECK} --output concise --roots explicit --verbose"),
    Run(f"{CHECK} --output concise --roots 'pkg.model:Net.*' --roots pkg.ops:use"),
    Run(f"{CHECK} --output concise --roots 'no.such:thing'"),
    Run(f"{CHECK} --output json --torch-version '>=2.9,<2.14' --select CL1,CL6"),
    Run(f"{CHECK} --output concise --torch-version 2.4 --ignore CL1 --ignore graph-break -v"),
    Run(f"{CHECK} --output concise --select CL101,host-read --extend-select CL9"),
    Run(f"{CHECK} --output concise --follow-imports none --statistics"),
    Run(f"{CHECK} --output concise --follow-imports project pkg/model.py"),
    Run("check pkg/model.py pkg/helper.py --no-cache --output concise --quiet --fail-on error"),
    Run("check pkg/helper.py --no-cache --output concise --fail-on note --exit-zero"),
    Run("check pkg/model.py --no-cache --output concise --isolated --python env"),
    Run("check pkg/model.py --no-cache --output concise", files=(("env/pyvenv.cfg", ""),)),
    Run(
        "check pkg/helper.py --no-cache -v --output concise --isolated --python bare",
        files=(("bare/lib/python3.11/site-packages/a.py", "x = 1\n"), ("requirements.txt", "torch==2.12.1\n")),
    ),
    Run("check skipped --no-cache --output concise"),
    Run("check skipped/left_out.py --no-cache --output concise"),
    Run("check skipped/left_out.py pkg/__init__.py --no-cache --output concise --force-exclude"),
    Run("check skipped/left_out.py --no-cache --output concise --force-exclude"),
    Run("check . --show-files --exclude 'pkg/t*'"),
    Run("check missing.py gone --no-cache"),
    Run("check notes.ipynb --no-cache --output json --unsafe-fixes"),
    Run("check nested --no-cache --output json"),
    # standard input
    Run("check - --no-cache --output concise", given=EDITED),
    Run("check - --no-cache --output json --stdin-filename pkg/helper.py", given=EDITED),
    Run("check --no-cache --output concise --stdin-filename skipped/a.py", given=EDITED),
    Run("check --no-cache --output concise --stdin-filename skipped/a.py --force-exclude", given=EDITED),
    Run("check - --no-cache --fix", given=EDITED),
    # the cache
    Run("check pkg --output json --cache-dir c"),
    Run("&& check pkg --output concise --cache-dir c --min-confidence possible"),
    Run("&& check pkg --output concise --cache-dir c --ignore CL1", files=(("pkg/helper.py", EDITED),)),
    Run("&& check pkg --output concise --cache-dir c --verbose"),
    # baselines
    Run(f"{CHECK} --output concise --baseline known.json --update-baseline"),
    Run(f"&& {CHECK} --output concise --baseline known.json"),
    Run(f"&& {CHECK} --output concise --baseline known.json", files=(("pkg/helper.py", EDITED),)),
    Run(f"&& {CHECK} --output concise --baseline known.json --select CL102"),
    Run("&& check pkg/helper.py --no-cache --output concise --baseline known.json --update-baseline"),
    Run(f"{CHECK} --baseline missing.json"),
    Run(f"{CHECK} --baseline known.json", files=(("known.json", "["),)),
    Run(f"{CHECK} --baseline known.json", files=(("known.json", "[]"),)),
    Run(f"{CHECK} --baseline known.json", files=(("known.json", '{"schema_version": 2, "entries": []}'),)),
    Run(f"{CHECK} --baseline known.json", files=(("known.json", '{"schema_version": 1, "entries": {}}'),)),
    Run(f"{CHECK} --baseline known.json", files=(("known.json", '{"schema_version": 1, "entries": [{"rule": 1}]}'),)),
    Run(f"{CHECK} --update-baseline"),
    Run(f"{CHECK} --baseline known.json --update-baseline --diff-base main"),
    Run(f"{CHECK} --baseline pkg --update-baseline"),
    # what changed
    Run(f"{CHECK} --output concise --diff-base one"),
    Run(f"{CHECK} --output concise --diff-base main", files=(("pkg/helper.py", EDITED), ("pkg/new.py", EDITED))),
    Run(f"{CHECK} --output concise --diff-base HEAD~1 --baseline known.json", files=(("known.json", "{}"),)),
    Run(f"{CHECK} --diff-base nowhere"),
    Run(f"{CHECK} --diff-base HEAD~7"),
    # fixes
    Run(f"{CHECK} --diff"),
    Run(f"{CHECK} --diff --unsafe-fixes"),
    Run("check pkg nested --no-cache --fix --output concise"),
    Run("check pkg/ops.py --no-cache --diff"),
    Run("check pkg/model.py --no-cache --add-ignore='measured' --output concise"),
    Run("&& check pkg/model.py --no-cache --output concise --verbose"),
    Run(f"{CHECK} --output github --timeout 0.000000001"),
    Run("roots ."),
    Run("dev reveal pkg/helper.py", files=(("pkg/helper.py", EDITED.replace("x.max()", "reveal_type(x.max())")),)),
]


def test_runs_are_those_recorded() -> None:
    assert recorded(RUNS) == path_of("session").read_text(encoding="utf-8"), REWRITE_THEM
