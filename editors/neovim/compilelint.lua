-- Neovim 0.7 to 0.10: put this file into `lua/` of your configuration, and `require("compilelint").setup()` into init.lua.
-- From 0.11 on, lsp/compilelint.lua beside it is all that is needed.
local M = {}

local MARKS = { "compilelint.toml", "pyproject.toml", "setup.py", ".git" }
local clients = {} -- by root

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local at = folder
  while true do
    for _, mark in ipairs(MARKS) do
      if vim.loop.fs_stat(at .. "/" .. mark) then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then
      return folder
    end
    at = above
  end
end

--- `options.cmd` starts the server, `options.settings` are those of the section `compilelint`.
function M.setup(options)
  options = options or {}
  local function attach(buffer)
    local file = vim.api.nvim_buf_get_name(buffer)
    if file == "" or vim.bo[buffer].buftype ~= "" then
      return
    end
    local root = root_of(file)
    clients[root] = clients[root]
      or vim.lsp.start_client({
        name = "compilelint",
        cmd = options.cmd or { "compilelint", "server" },
        root_dir = root,
        workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
        settings = { compilelint = options.settings or vim.empty_dict() },
        on_exit = function()
          clients[root] = nil
        end,
      })
    if clients[root] then
      vim.lsp.buf_attach_client(buffer, clients[root])
    end
  end

  vim.api.nvim_create_autocmd("FileType", {
    pattern = "python",
    callback = function(event)
      attach(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == "python" then
      attach(buffer)
    end
  end
end

return M
