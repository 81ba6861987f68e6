"""Code actions: each fix with its safety in the title, all safe fixes at once, a suppression, the page, a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from compilelint.fixes.engine.edits import Placed, rewritten, rewritten_files
from compilelint.model import Finding, Fix, Safety
from compilelint.report.report import CompileRoot
from compilelint.server.app import CompilelintServer
from compilelint.server.buffers import Buffer, uri_of
from compilelint.server.diagnostics import diagnostic
from compilelint.server.features.publishing import related
from compilelint.server.projects import Results
from compilelint.session.fixing.propose import with_fixes
from compilelint.syntax.add_ignore import with_ignores
from compilelint.syntax.source import Source, read_source, source_from_bytes, standing_in

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.compilelint"
EXPLAIN, VERIFY = "compilelint.explain", "compilelint.verify"
REASON = "reason"

_SAFETY = {Safety.SAFE: "safe", Safety.UNSAFE: "unsafe: may change results"}


def register(server: CompilelintServer) -> None:
    """Offer actions for what was found in a range."""
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll, FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        buffer = server.buffers.get(params.text_document.uri)
        if buffer is None or not buffer.path or buffer.cell_of:
            return []
        results = await server.results(buffer.path)
        buffer = server.buffers.get(params.text_document.uri)
        source = results.texts.get(buffer.path) if results is not None and buffer is not None else None
        if results is None or buffer is None or source is None or buffer.path in server.broken:
            return []
        only = params.context.only
        found: list[types.CodeAction] = []
        if _wanted(types.CodeActionKind.QuickFix.value, only):
            lines = server.buffers.encoding
            first = lines.place(source.lines, params.range.start)
            last = lines.place(source.lines, params.range.end)
            here = [one for one in results.findings(buffer.path) if _touches(one, first, last)]
            fixed = await fixes_of(server, results, here)
            found += _quick(server, results, buffer, source, fixed)
        if _wanted(FIX_ALL, only):
            action = await _fix_all(server, results, buffer, source)
            if action is not None:
                found.append(action)
        return found


async def fixes_of(server: CompilelintServer, results: Results, findings: Sequence[Finding]) -> list[Finding]:
    """The findings with their fixes, made of the texts that were linted."""
    if not any(one.rewrite is not None for one in findings):
        return list(findings)

    def job() -> list[Finding]:
        with standing_in(results.texts):
            return list(with_fixes(findings))

    return await server.in_worker(("fixes", id(results), len(findings)), job)


def _quick(
    server: CompilelintServer, results: Results, buffer: Buffer, source: Source, findings: Sequence[Finding]
) -> Iterator[types.CodeAction]:
    places = server.places(results)
    for one in findings:
        about = [diagnostic(one, places, related(server))]
        edit = None if one.fix is None else _edit_of(server, results, buffer, source, one.fix)
        if one.fix is not None and edit is not None:
            yield types.CodeAction(
                title=f"{one.fix.title} ({_SAFETY[one.fix.safety]})",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=about,
                is_preferred=one.fix.safety is Safety.SAFE or None,
                edit=edit,
            )
    for one in findings:
        about = [diagnostic(one, places, related(server))]
        suppression = _suppression(server, buffer, source, one)
        if suppression is not None:
            title = f"Suppress {one.rule.code} here, with a reason"
            yield types.CodeAction(title, types.CodeActionKind.QuickFix, about, edit=suppression)
        title = f"Explain {one.rule.code} ({one.rule.name})"
        yield types.CodeAction(
            title,
            types.CodeActionKind.QuickFix,
            about,
            command=types.Command(title, EXPLAIN, arguments=[one.rule.code]),
        )
    for root in _roots(results, findings):
        title = f"Verify {root.name} under TorchDynamo (runs your code)"
        command = types.Command(title, VERIFY, arguments=[{"uri": buffer.uri, "spec": root.spec}])
        yield types.CodeAction(title, types.CodeActionKind.QuickFix, command=command)


def _edit_of(
    server: CompilelintServer, results: Results, buffer: Buffer, source: Source, fix: Fix
) -> types.WorkspaceEdit | None:
    """A fix as one edit of the workspace, in all files that it changes; None where one of them cannot be read."""
    placed = Placed(source.path, fix)
    sources: dict[str, Source] = {source.path: source}
    for path in placed.files():
        read = source if path == source.path else results.texts.get(path) or read_source(path)
        if isinstance(read, Source):
            sources[path] = read
    texts = rewritten_files([placed], sources).texts
    opened = {one.path: one for one in server.buffers.files()}
    edits = [
        edit_to(server, opened.get(path) or Buffer(uri_of(path), path, None, ""), sources[path], text)
        if path != source.path
        else edit_to(server, buffer, source, text)
        for path, text in texts.items()
    ]
    if not edits:
        return None
    changes = {uri: found for one in edits for uri, found in (one.changes or {}).items()}
    documents = [found for one in edits for found in one.document_changes or ()]
    return types.WorkspaceEdit(changes=changes or None, document_changes=documents or None)


async def _fix_all(
    server: CompilelintServer, results: Results, buffer: Buffer, source: Source
) -> types.CodeAction | None:
    """All safe fixes of a file that fit together; None where there is none."""
    findings = await fixes_of(server, results, results.findings(buffer.path))
    safe = [one.fix for one in findings if one.fix is not None and one.fix.safety is Safety.SAFE]
    made = rewritten(source, safe)
    if not made.applied or not isinstance(source.with_text(made.text).tree(), type(source.tree())):
        return None
    count = len(made.applied)
    title = f"Fix all: {count} safe fix{'es' if count > 1 else ''}"
    return types.CodeAction(title, FIX_ALL, edit=edit_to(server, buffer, source, made.text))


def _suppression(
    server: CompilelintServer, buffer: Buffer, source: Source, finding: Finding
) -> types.WorkspaceEdit | None:
    """The comment that silences a finding; None where a comment has no place."""
    data = source.text.encode("utf-8", "surrogatepass")
    wanted = {finding.location.span.line: [finding.rule.code]}
    written, lost = with_ignores(source.path, data, wanted, REASON)
    made = source_from_bytes(source.path, written)
    if lost or not isinstance(made, Source) or made.text == source.text:
        return None
    return edit_to(server, buffer, source, made.text)


def _roots(results: Results, findings: Sequence[Finding]) -> Iterator[CompileRoot]:
    """The roots that reach some findings and can be named to `verify`, each once."""
    names = {name for one in findings for name in one.roots}
    known: set[str] = set()
    for report in results.reports.values():
        for root in report.roots:
            if root.name in names and root.spec and root.spec not in known:
                known.add(root.spec)
                yield root


def edit_to(server: CompilelintServer, buffer: Buffer, source: Source, text: str) -> types.WorkspaceEdit:
    """What makes a text another: the lines that differ, and no others, with the line ends of the open text."""
    before, after = source.lines, text.split("\n")
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    last = len(before) - tail
    new = after[head : len(after) - tail]
    newline = source.newline or "\n"
    encoding = server.buffers.encoding
    if last < len(before):  # whole lines, up to the beginning of the first that stays
        range_ = types.Range(types.Position(head, 0), types.Position(last, 0))
        inserted = "".join(line + newline for line in new)
    elif head > 0 and not new:
        start = encoding.position(before, head, len(before[head - 1]) + 1)
        range_, inserted = types.Range(start, encoding.position(before, last, len(before[-1]) + 1)), ""
    else:
        end = encoding.position(before, len(before), len(before[-1]) + 1)
        start = types.Position(head, 0) if head < len(before) else end
        inserted = newline.join(new) if head < len(before) else newline + newline.join(new)
        range_ = types.Range(start, end)
    edit = types.TextEdit(range_, inserted)
    can = server.client_capabilities.workspace
    if can is not None and can.workspace_edit is not None and can.workspace_edit.document_changes:
        document = types.OptionalVersionedTextDocumentIdentifier(buffer.uri, buffer.version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [edit])])
    return types.WorkspaceEdit(changes={buffer.uri: [edit]})


def _touches(finding: Finding, first: tuple[int, int], last: tuple[int, int]) -> bool:
    span = finding.location.span
    return (span.line, span.column) <= last and first <= (span.end_line, span.end_column)


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether an action of a kind is asked for; `source.fixAll` asks for all below it, and nothing for fixes alone."""
    if only is None:
        return True
    words = [one.value if isinstance(one, types.CodeActionKind) else one for one in only]
    return any(kind == word or kind.startswith(f"{word}.") for word in words)
