"""Deliberate faults in the fixes, in the order in which they were chosen."""

from __future__ import annotations

from benchmarks.faults.fault import Fault

FAULTS: tuple[Fault, ...] = (
    Fault(
        "fixes/rewrites/host_reads.py",
        "(ast.Add, ast.Sub, ast.Mult, ast.Div))\n    if isinstance(node, ast.Call)",
        "(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod))\n    if isinstance(node, ast.Call)",
        "`n.item() % 2` keeps a tensor where a size may be made of it",
        round=1,
    ),
    Fault(
        "fixes/rewrites/attention_chunks.py",
        "if mask is None or not _keeps_order(call, code):",
        "if mask is None:",
        "a causal call gets a mask in place of the order of tokens",
        round=1,
    ),
    Fault(
        "fixes/rewrites/branches.py",
        "if not (is_pure(node.body, code) and is_pure(node.orelse, code) and can_be_chosen",
        "if not (is_pure(node.body, code) and can_be_chosen",
        "the other side of `a if c else b` is computed in vain although it has effects",
        round=1,
    ),
    Fault(
        "fixes/engine/purity.py",
        'if last.endswith("_") or any(keyword.arg in ("out", "inplace") for keyword in call.keywords):',
        'if last.endswith("_"):',
        "a call that writes into `out=` counts as one that changes nothing",
        round=1,
    ),
    Fault(
        "fixes/rewrites/indexing.py",
        'return rank is not None and rank == known.fact("of_rank")',
        "return rank is not None",
        "a mask over rows is taken for one over elements",
        round=1,
    ),
    Fault(
        "fixes/engine/imports.py",
        "if package in taken or package in known or _assigned(code.tree, package):",
        "if package in known or _assigned(code.tree, package):",
        "`import torch` is added although the function uses the name `torch` for something else",
        round=1,
    ),
    Fault(
        "fixes/rewrites/round_trips.py",
        "if len(uses) != 2 or sum(map(is_store, uses)) != 1:",
        "if sum(map(is_store, uses)) != 1:",
        "a copy on the host that is read elsewhere too is left out",
        round=2,
    ),
    Fault(
        "fixes/rewrites/views.py",
        "if len(stores) != 1 or not isinstance(origin, ast.Assign) or function is None:",
        "if not isinstance(origin, ast.Assign) or function is None:",
        "a name that is bound twice is taken for what it was bound to first",
        round=2,
    ),
    Fault(
        "fixes/rewrites/comparisons.py",
        "if not all(isinstance(one, ast.Assign) and is_pure(one.value, code) for one in between):",
        "if False:",
        "a number that a statement in between has changed is tested in the place of the chosen one",
        round=3,
    ),
    Fault(
        "fixes/rewrites/counters.py",
        "if named or (stored and not any(node is one for one in counted)):",
        "if stored and not any(node is one for one in counted):",
        "a counter that `setattr` stores too becomes a buffer",
        round=3,
    ),
    Fault(
        "fixes/rewrites/contexts.py",
        "if spelled is None or not all(isinstance(one, ast.Constant) for one in made.args):",
        "if spelled is None:",
        "a context manager made of what only `__init__` knows is made again where that is not known",
        round=3,
    ),
    Fault(
        "fixes/rewrites/equivalents.py",
        'if known is None or not known.fact("plain") or call is None',
        "if known is None or call is None",
        "`copy.copy` of any object becomes a call of its `copy`, which it need not have",
        round=3,
    ),
)
