-- Neovim 0.11 and newer: put this file into `lsp/` of your configuration, and `vim.lsp.enable("compilelint")` into init.lua.
return {
  cmd = { "compilelint", "server" },
  filetypes = { "python" },
  root_markers = { "compilelint.toml", "pyproject.toml", "setup.py", ".git" },
  settings = { compilelint = {} },
}
