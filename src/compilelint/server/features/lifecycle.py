"""The beginning and the end: what the client can, what it sets, which files it watches for us."""

from __future__ import annotations

from lsprotocol import types

from compilelint.server.app import CompilelintServer, folders_of, started
from compilelint.server.buffers import uri_of
from compilelint.server.settings import SECTION, settings_of

_WATCHED = (
    "**/*.{py,ipynb}",
    "**/{pyproject,compilelint}.toml",
    "**/requirements.txt",
    "**/.gitignore",
    "**/pyvenv.cfg",
)


def register(server: CompilelintServer) -> None:
    """Take part in the protocol's life cycle."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        started(server, params)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        server.say(f"compilelint {server.version}: folders {', '.join(server.folders) or 'none'}")
        await _watch(server)
        await pull_settings(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        if not await pull_settings(server):
            pushed = params.settings.get(SECTION) if isinstance(params.settings, dict) else None
            if pushed is not None:
                server.settings = {"": settings_of(pushed)}
                _complain(server)
                server.reset()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = set(folders_of([one.uri for one in params.event.removed]))
        new = [one for one in folders_of([one.uri for one in params.event.added]) if one not in server.folders]
        server.folders = [one for one in server.folders if one not in gone] + new
        if not await pull_settings(server):
            server.reset()

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.worker.end()

    @server.feature("compilelint/trust")
    def trust(params: object) -> None:
        """The user has said that the workspace is trusted."""
        server.trusted = True


async def pull_settings(server: CompilelintServer) -> bool:
    """Ask the client for the settings of every folder, where it can be asked; whether it could."""
    can = server.client_capabilities.workspace
    if can is None or not can.configuration:
        return False
    scopes = ["", *server.folders]
    items = [types.ConfigurationItem(scope_uri=uri_of(one) if one else None, section=SECTION) for one in scopes]
    values = await server.workspace_configuration_async(types.ConfigurationParams(items))
    found = {scope: settings_of(value) for scope, value in zip(scopes, values, strict=False) if value is not None}
    if found and found != server.settings:
        server.settings = {**({"": server.settings[""]} if "" in server.settings else {}), **found}
        _complain(server)
        server.reset()
    return True


def _complain(server: CompilelintServer) -> None:
    unknown = dict.fromkeys(word for one in server.settings.values() for word in one.unknown)
    if unknown:
        text = f"compilelint: settings without effect: {', '.join(unknown)}"
        server.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))


async def _watch(server: CompilelintServer) -> None:
    """Have the client say when files come, go and change."""
    can = server.client_capabilities.workspace
    watched = can.did_change_watched_files if can is not None else None
    wanted = []
    if watched is not None and watched.dynamic_registration:
        watchers = [types.FileSystemWatcher(glob_pattern=one) for one in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if can is not None and can.did_change_configuration and can.did_change_configuration.dynamic_registration:
        options_of = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        wanted.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options_of))
    if wanted:
        await server.client_register_capability_async(types.RegistrationParams(wanted))
