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
        "return int(own) + fewer == int(of)",
        "return True",
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
        "fixes/rewrites/counters.py",
        "if named or (stored and not any(node is one for one in counted)):",
        "if stored and not any(node is one for one in counted):",
        "a counter that `setattr` stores too becomes a buffer",
        round=3,
    ),
    Fault(
        "fixes/rewrites/equivalents.py",
        'if known is None or not known.fact("plain") or call is None',
        "if known is None or call is None",
        "`copy.copy` of any object becomes a call of its `copy`, which it need not have",
        round=3,
    ),
    Fault(
        "fixes/rewrites/factory_devices.py",
        "if not is_pure(device, code):",
        "if False:",
        "a device that is computed with effects is computed before the tensor's numbers",
        round=4,
    ),
    Fault(
        "fixes/rewrites/returns.py",
        "return None if guards_an_index(node.test, yes, no) else (yes, no)",
        "return yes, no",
        "the side that a test keeps from an index beyond the end is computed always",
        round=4,
    ),
    Fault(
        "fixes/rewrites/nonzero.py",
        'method.attr != "item":\n            return None',
        'method.attr != "item":\n            continue',
        "the hits are cut although something else reads them all",
        round=4,
    ),
    Fault(
        "fixes/rewrites/custom_operators.py",
        'function = None if known is None else HOST_FUNCTIONS.get(str(known.fact("function")))',
        'function = HOST_FUNCTIONS.get(str(known.fact("function"))) if known is None else None',
        "no host function becomes an operator",
        round=5,
    ),
    Fault(
        "fixes/rewrites/followed_numbers.py",
        'if tensor.edits or not known.fact("always") or not isinstance(call.func, ast.Attribute):',
        'if (not known.fact("always") or not isinstance(call.func, ast.Attribute)):',
        "a rewrite that needs an import goes ahead without it",
        round=5,
    ),
    Fault(
        "fixes/rewrites/host_functions.py",
        'whole = all(isinstance(one, ast.Name) and one.id == "int" for one in items)',
        "whole = all((isinstance(one, ast.Name)) for one in items)",
        "a list of anything is declared as one of integers",
        round=5,
    ),
    Fault(
        "fixes/engine/imports.py",
        "if isinstance(node, FunctionNode):",
        "if False:",
        "the names of functions around a line do not hide what the file imports",
        round=5,
    ),
    Fault(
        "fixes/rewrites/round_trips.py",
        "if len(uses) != 2 or sum(map(is_store, uses)) != 1:",
        "if sum(map(is_store, uses)) != 1:",
        "a copy on the host that is read elsewhere too is left out",
        round=2,
    ),
)
