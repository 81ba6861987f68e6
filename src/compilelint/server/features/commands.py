"""Commands: the page of a rule, all safe fixes of a text, and the one thing that runs code, `verify`.

`verify` is a process of its own (`compilelint verify`), refused where the client has not said that the workspace is
trusted. It is cancelled by the client's progress bar.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

from lsprotocol import types

from compilelint import checks
from compilelint.report.formats import render
from compilelint.report.overview.screen import Row, blocks
from compilelint.report.report import Report
from compilelint.rulebook import page_of, pages_folder
from compilelint.server.app import CompilelintServer
from compilelint.server.buffers import path_of, uri_of
from compilelint.server.features.actions import EXPLAIN, VERIFY
from compilelint.server.features.code_lens import SHOW
from compilelint.session.own_process import command_of

HTML = "compilelint.htmlReport"
BLOCKS = "compilelint.firstScreen"


def register(server: CompilelintServer) -> None:
    """Carry out what code actions and lenses name."""

    @server.command(EXPLAIN)
    async def explain(code: str) -> dict[str, str] | None:
        return await explained(server, code)

    @server.command(SHOW)
    async def show(root: Any) -> list[dict[str, Any]]:
        return await breaks_of(server, root)

    @server.command(VERIFY)
    async def verify(root: Any) -> dict[str, Any]:
        return await verified(server, root)

    @server.command(HTML)
    async def html(uri: str) -> str | None:
        results = await server.results(path_of(uri))
        report = None if results is None else results.report_of(path_of(uri))
        return None if report is None else await server.in_worker(("html", uri), lambda: render(report, "html"))

    @server.command(BLOCKS)
    async def first_screen(uri: str) -> list[dict[str, Any]]:
        results = await server.results(path_of(uri))
        report = None if results is None else results.report_of(path_of(uri))
        return [] if report is None else await server.in_worker(("blocks", uri), lambda: blocks_of(report))


def blocks_of(report: Report) -> list[dict[str, Any]]:
    """The blocks of the first screen, with places as the protocol has them: lines and columns from 0."""
    return [{"title": title, "rows": [_row(one) for one in rows]} for title, rows in blocks(report)]


def _row(one: Row) -> dict[str, Any]:
    row: dict[str, Any] = {
        "text": one.text.replace("`", ""),
        "details": [line.replace("`", "") for line in one.details],
    }
    if one.place is not None and one.place.cell is None:
        at = {"line": one.place.span.line - 1, "character": one.place.span.column - 1}
        row |= {"uri": uri_of(one.place.path), "position": at}
    return row


async def explained(server: CompilelintServer, code: str) -> dict[str, str] | None:
    """The page of a rule; a client that shows documents is asked to show it."""
    rules = checks.rulebook(server.packs).rules
    rule = next((one for one in rules if one.code == code), None)
    page = None if rule is None else page_of(rule)
    if rule is None or page is None:
        return None
    window = server.client_capabilities.window
    folder = pages_folder()
    file = next(folder.glob(f"{code}*.md"), None) if folder is not None and not rule.pack else None
    if file is not None and window is not None and window.show_document is not None and window.show_document.support:
        params = types.ShowDocumentParams(uri_of(file.as_posix()), external=False, take_focus=False)
        await server.window_show_document_async(params)
    return {"code": rule.code, "name": rule.name, "summary": rule.summary, "page": page.text, "url": rule.address}


async def breaks_of(server: CompilelintServer, root: Any) -> list[dict[str, Any]]:
    """Where the graphs of a root end: URI, range and message of each."""
    path, spec = path_of(root["uri"]), root["spec"]
    results = await server.results(path)
    if results is None:
        return []
    names = {one.name for report in results.reports.values() for one in report.roots if one.spec == spec}
    places = server.places(results)
    found = []
    for report in results.reports.values():
        for one in report.findings:
            if names.intersection(one.roots):
                at = places.location(one.location)
                start = at.range.start
                place = {"line": start.line, "character": start.character}
                found.append({"uri": at.uri, "position": place, "code": one.rule.code, "message": one.message})
    return found


async def verified(server: CompilelintServer, root: Any) -> dict[str, Any]:
    """Run `compilelint verify` on a root: what it printed as JSON, or why it was not run."""
    if not server.trusted:
        text = "compilelint: `verify` runs code of the workspace, and the workspace is not trusted"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))
        return {"ran": False, "reason": "untrusted"}
    path, target = path_of(root["uri"]), target_of(root["spec"])
    state = server.state_of(path)
    folder = state.project.folder if state is not None else path.rpartition("/")[0]
    progress = server.work_done_progress
    token = str(uuid.uuid4())
    window = server.client_capabilities.window
    shows = window is not None and bool(window.work_done_progress)
    if shows:
        await progress.create_async(token)
        begin = types.WorkDoneProgressBegin(f"Verify {target}", cancellable=True, message="TorchDynamo runs it")
        progress.begin(token, begin)
    words = ["verify", f"--path={folder}", "--output", "json", "--exit-zero"]
    command = command_of([*words, *map(str, root.get("arguments", ())), "--", target], ends_with_us=True)
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    if shows:
        progress.tokens[token].add_done_callback(lambda future: _ended(process) if future.cancelled() else None)
    try:
        output, errors = await process.communicate()
    except asyncio.CancelledError:
        _ended(process)
        raise
    finally:
        if shows:
            progress.end(token, types.WorkDoneProgressEnd(message="done"))
    return _outcome(server, target, output, errors.decode("utf-8", "replace").strip())


def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()


def _outcome(server: CompilelintServer, target: str, output: bytes, errors: str) -> dict[str, Any]:
    try:
        report = json.loads(output)
    except ValueError:
        text = f"compilelint verify {target}: {errors.splitlines()[-1] if errors else 'ended'}"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))
        return {"ran": False, "reason": errors or "ended"}
    words = []
    for one in report["targets"]:
        words.append(f"{one['fate']}, graphs {one['graphs']}, breaks {len(one['breaks'])}")
    kind = types.MessageType.Info
    server.window_show_message(types.ShowMessageParams(kind, f"compilelint verify {target}: {'; '.join(words)}"))
    return {"ran": True, "report": report}


def target_of(spec: str) -> str:
    """What `verify` takes for a root: the class of a `forward`, else the function itself."""
    return spec.removesuffix(".forward")
