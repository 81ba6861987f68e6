"""The configuration for Neovim in a real one, without a screen: it opens a file and prints what it shows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.editors.sample import EDITORS, environment, project

PROGRAM = """
package.path = "@FOLDER@/?.lua;" .. package.path
require("compilelint").setup()
vim.cmd("edit @FILE@")
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, one in ipairs(vim.diagnostic.get(0)) do
  print("\\n" .. one.lnum + 1 .. ":" .. one.col + 1 .. " " .. tostring(one.code) .. " " .. one.message)
end
local at = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 6, character = 19 } }
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", at, 30000)
for _, answer in pairs(answers) do
  print("\\nhover: " .. answer.result.contents.value)
end
at.range = { start = { line = 6, character = 11 }, ["end"] = { line = 6, character = 11 } }
at.context = { diagnostics = {} }
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", at, 30000)) do
  for _, action in ipairs(answer.result) do
    print("\\naction: " .. action.title)
  end
end
vim.cmd("qall!")
"""


@pytest.mark.slow
@pytest.mark.needs("nvim", "apt-get install neovim")
def test_neovim_shows_the_finding_the_belief_and_the_actions(tmp_path: Path) -> None:
    file = project(tmp_path)
    program = tmp_path / "program.lua"
    text = PROGRAM.replace("@FOLDER@", str(EDITORS / "neovim")).replace("@FILE@", str(file))
    program.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        ["nvim", "--headless", "--clean", "-c", f"luafile {program}"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    printed = ran.stdout + ran.stderr
    assert "7:12 CL101 `if` depends on the data of `x.sum() > 0`" in printed, printed
    assert "hover: " in printed
    assert "tensor bool 0-d" in printed
    assert "action: Suppress CL101 here, with a reason" in printed


def test_both_configurations_start_the_same_program() -> None:
    for name in ("compilelint.lua", "lsp/compilelint.lua"):
        assert '"compilelint", "server"' in (EDITORS / "neovim" / name).read_text(encoding="utf-8")
