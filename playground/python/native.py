"""What LibCST's Rust extension `libcst.native` gives, by LibCST's own parser in Python, which no longer is its default.

There is no WebAssembly build of the extension in a registry of packages, so the build puts this file in its place. The
trees are the same, node by node; the grammar ends with Python 3.8: `match`, `except*` or a type parameter is refused
as wrong syntax.
"""

from __future__ import annotations

from typing import Any

from libcst._parser.detect_config import detect_config
from libcst._parser.grammar import get_grammar
from libcst._parser.python_parser import PythonCSTParser
from libcst._parser.types.config import PartialParserConfig

GRAMMAR = "3.8"


def parse_module(source: str, encoding: str = "utf-8") -> Any:
    """The module of a whole text."""
    module = _parsed("file_input", source, True, PartialParserConfig(python_version=GRAMMAR, encoding=encoding))
    return module.with_changes(body=tuple(module.body), header=tuple(module.header), footer=tuple(module.footer))


def parse_statement(source: str) -> Any:
    """One statement."""
    return _parsed("stmt_input", source, True, PartialParserConfig(python_version=GRAMMAR))


def parse_expression(source: str) -> Any:
    """One expression."""
    return _parsed("expression_input", source, False, PartialParserConfig(python_version=GRAMMAR))


def _parsed(entry: str, source: str, ends_with_newline: bool, wanted: PartialParserConfig) -> Any:
    found = detect_config(
        source,
        partial=wanted,
        detect_trailing_newline=ends_with_newline,
        detect_default_newline=entry == "file_input",
    )
    config: Any = found.config
    parser = PythonCSTParser(
        tokens=found.tokens,
        config=config,
        pgen_grammar=get_grammar(config.version, config.future_imports),
        start_nonterminal=entry,
    )
    return parser.parse()
