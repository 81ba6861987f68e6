"""What the commands beside `check` print, and how each refuses, against `golden/runs.txt`."""

from __future__ import annotations

from tests.support.recorded_runs import REWRITE_THEM, Run, path_of, recorded

COMMANDS = "check roots fix verify bench score rule config init facts cache completion dev".split()

RUNS = [
    Run("--help"),
    *(Run(f"{name} --help") for name in COMMANDS),
    Run("chek"),
    Run("--no-such-option"),
    Run("roots ."),
    Run("roots pkg/helper.py --roots all"),
    Run("score .", files=(("pyproject.toml", ""),)),
    Run("rule CL710"),
    Run("rule gb0170"),
    Run("rule branch-on"),
    Run("rule CL777"),
    Run("rule --list"),
    Run("config pkg"),
    Run("init"),
    Run("init", files=(("pyproject.toml", '[project]\nname = "p"\n'),)),
    Run("&& init"),
    Run("init missing"),
    Run("init --python env"),
    Run("init --allow-writes"),
    Run("facts"),
    Run("facts show torch.Tensor.item"),
    Run("facts show item"),
    Run("facts show torch.Tensor.itm"),
    Run("facts show F.relu --output json"),
    Run("facts diff 2.12 2.13 pkg"),
    Run("facts diff 2.12 9.9 pkg"),
    Run("cache info --cache-dir c"),
    Run("cache clean --cache-dir c"),
    Run("completion bash"),
    Run("completion tcsh"),
    Run("verify", files=(("pyproject.toml", ""),)),
    Run("verify nothing", files=(("pyproject.toml", ""),)),
    Run("verify pkg.model"),
    Run("verify pkg.model:Net --input 2y3"),
    Run("verify pkg.model:Net --input 2x3 --dynamic-dims a"),
    Run("verify pkg.model:Net --input 2x3 --set nothing"),
    Run("verify pkg.model:Net --input 2x3 --python missing"),
    Run("verify pkg.model:Net --input 2x3 --max-breaks -1"),
    Run("bench pkg.model:Net --input 2x3 --seconds 0"),
    Run("prove pkg.model:Net --input 2x3"),
    Run("dev reveal pkg/missing.py"),
    Run("check --add-ignore --fix pkg"),
    Run("check --diff --fix pkg"),
    Run("check --update-baseline pkg"),
    Run("check - pkg"),
    Run("check --stdin-filename a.py pkg"),
    Run("check pkg --jobs 0"),
    Run("check pkg/model.py --no-cache --output github --fail-on note"),
    Run("check pkg/model.py --no-cache --output full --color never"),
]


def test_runs_are_those_recorded() -> None:
    assert recorded(RUNS) == path_of("cli").read_text(encoding="utf-8"), REWRITE_THEM
