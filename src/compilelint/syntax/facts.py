"""What the text of a function, class or module alone says, read off it once: an editor asks the same nodes again.

A fact stays with its node, over runs where the node does. Guarantee: it depends on nothing but the node. Does not
belong here: what depends on other files, on the torch that is predicted for, or on what was interpreted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from compilelint.syntax import ir

Node = TypeVar("Node", ir.Function, ir.Class, ir.Module)
Found = TypeVar("Found")


def fact(node: Node, read: Callable[[Node], Found]) -> Found:
    """What a function of a module's top level reads off a node. The caller must not change it."""
    try:
        facts = node.facts
    except AttributeError:
        facts = node.facts = {}
    try:
        found: Found = facts[read]
    except KeyError:
        found = facts[read] = read(node)
    return found
