"""The style sheet of the HTML report: light and dark by the reader's setting or choice, and on paper.

The rules stand in `templates/page.css`. Colours are named once for each of the two; a test computes that every text
stands out by 4.5 to 1.
"""

from compilelint.report.layout.templating import source

LIGHT = {
    "ground": "#ffffff", "raised": "#f4f5f7", "ink": "#1c2127", "quiet": "#555e68", "rule": "#c3c9d0",
    "link": "#0b57b0", "error": "#a8071a", "warning": "#7a4b00", "note": "#0a5a6b",
    "graph-a": "#cfe3fb", "graph-b": "#d6efd8", "python": "#e4e4e4", "break": "#a8071a", "on-break": "#ffffff",
    "added": "#e0f3e2", "removed": "#fbe3e4",
}  # fmt: skip
DARK = {
    "ground": "#14181d", "raised": "#1e242b", "ink": "#e6e9ed", "quiet": "#a9b3bd", "rule": "#46505b",
    "link": "#8cbcff", "error": "#ff9a9a", "warning": "#f0c070", "note": "#7fd4e6",
    "graph-a": "#1d3f66", "graph-b": "#1f4a2a", "python": "#3a3f45", "break": "#ff9a9a", "on-break": "#2b0006",
    "added": "#17361f", "removed": "#45191d",
}  # fmt: skip


def style() -> str:
    """The whole sheet; the script sets `data-theme` where the reader chose one of the two."""
    light, dark = (" ".join(f"--{name}: {value};" for name, value in one.items()) for one in (LIGHT, DARK))
    asked = f':root[data-theme="dark"] {{ color-scheme: dark; {dark} }}'
    unasked = f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {dark} }} }}"
    chosen = f'@media screen {{ {unasked} {asked} :root[data-theme="light"] {{ color-scheme: light; }} }}'
    return f":root {{ {light} }}\n{source('page.css')}{chosen}\n"
