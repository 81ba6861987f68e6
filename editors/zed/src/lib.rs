//! Zed starts language servers through extensions alone: this one starts `compilelint server` as found on PATH, in the
//! worktree's own environment, or as `lsp.compilelint.binary` of the settings says.

use zed_extension_api::{
    self as zed, serde_json::Value, settings::LspSettings, Command, LanguageServerId, Result, Worktree,
};

struct Compilelint;

impl zed::Extension for Compilelint {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let named = binary.as_ref().and_then(|one| one.path.clone());
        let command = named
            .or_else(|| worktree.which("compilelint"))
            .ok_or("compilelint is not on PATH: pip install 'compilelint[lsp]'")?;
        let args = binary
            .and_then(|one| one.arguments)
            .unwrap_or_else(|| vec!["server".into()]);
        Ok(Command { command, args, env: worktree.shell_env() })
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?.settings;
        Ok(Some(zed::serde_json::json!({ "compilelint": settings })))
    }
}

zed::register_extension!(Compilelint);
