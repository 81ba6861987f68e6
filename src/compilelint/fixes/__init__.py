"""Rewrites: how a finding becomes a change of the source, and what keeps that change honest.

A check names a rewrite and hands over what the engine knows as plain data (`model.Rewrite`: the condition's dtype and
rank, whether it is a tensor on every path). Nothing more happens during a lint. Only where a change is asked for, or a
finding is shown in full, `proposals` computes edits: each rewrite looks at the syntax around the finding, decides
whether it is legal there, and changes the smallest enclosing statement with LibCST (`code`), so that comments and
formatting stay. Guarantees: a rewrite never guesses (what it cannot prove legal it leaves alone), and `Safety.SAFE`
means the same results, exceptions, dtype, device and state for every input, in eager mode and compiled.

Files: `code` cuts statements out; `imports` spells library names; `purity` says what may be computed in vain; a family
of rewrites a file (`guards`, `branches`, `comparisons`, `conditionals`, `returns`, `layers`, `skips`, `reads`,
`followed`, `counters`, `indexing`, `nonzero`, `rows`, `operators`, `hosted`, `contexts`, `places`, `shapes`, `modules`,
`plain`, `trips`; only with proof `chunks`, `regions` with `looks`, `sizes`, `decorated`, `capture`); `tensors` and
`rowwise` say what is a tensor, and what works row by row, where no finding does; `edits` puts fixes together; `write`
puts text on disk. Does not belong here: what is a finding (`checks`), and when fixes are applied (`session.fix`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from compilelint.fixes.branches import chosen_assignments, chosen_expression
from compilelint.fixes.capture import captured_numbers, captured_shapes
from compilelint.fixes.chunks import chunks_at_once
from compilelint.fixes.code import Code
from compilelint.fixes.comparisons import joined_comparison, numbers_first
from compilelint.fixes.conditionals import conditional_layer
from compilelint.fixes.contexts import entered_here
from compilelint.fixes.counters import counted_in_buffer
from compilelint.fixes.decorated import operator_in_a_block
from compilelint.fixes.followed import followed_number
from compilelint.fixes.guards import asserted, checked_in_graph, silenced, unchecked, ungraded, unmarked
from compilelint.fixes.hosted import hosted_function
from compilelint.fixes.indexing import masked_assignment, masked_sum, one_element_index
from compilelint.fixes.layers import chosen_layer, flag_itself, no_shortcut
from compilelint.fixes.modules import built_once, plain_tensor, registered_buffer
from compilelint.fixes.nonzero import counted_hits, first_hit
from compilelint.fixes.operators import custom_operator
from compilelint.fixes.places import beside_peer, kept_as_buffer, made_there
from compilelint.fixes.plain import math_product, no_explicit_break, no_pragma, own_copy
from compilelint.fixes.reads import kept_as_tensor
from compilelint.fixes.regions import operator_of_the_rest
from compilelint.fixes.returns import chosen_return
from compilelint.fixes.rows import all_rows, all_rows_trusted
from compilelint.fixes.shapes import counted_classes, reshaped, told_length
from compilelint.fixes.sizes import checked_sizes
from compilelint.fixes.skips import skipped_rest
from compilelint.fixes.trips import stays_on_device
from compilelint.model import Finding, Fix
from compilelint.program.source import Source
from compilelint.program.stack import run_with_deep_stack

Rewriter = Callable[[Finding, Code], Iterator[Fix]]

# What a check names, and the rewrites that may answer, the one that changes least first.
REWRITES: Mapping[str, tuple[Rewriter, ...]] = {
    "branch": (
        chosen_expression,
        chosen_assignments,
        chosen_return,
        unchecked,
        asserted,
        chosen_layer,
        skipped_rest,
        flag_itself,
        no_shortcut,
        joined_comparison,
        numbers_first,
    ),
    "host-read": (kept_as_tensor, followed_number, checked_in_graph, hosted_function),
    "host-random": (hosted_function,),
    "scalar-index": (one_element_index,),
    "mask": (masked_assignment, masked_sum, all_rows),
    "dynamic-shape": (math_product, first_hit, counted_hits, counted_classes, told_length),
    "host-function": (custom_operator,),
    "output": (silenced,),
    "requires-grad": (unmarked,),
    "requires-grad-asked": (ungraded,),
    "buffer": (registered_buffer,),
    "construction": (built_once, plain_tensor),
    "host-built": (made_there,),
    "host-kept": (kept_as_buffer,),
    "device-literal": (beside_peer,),
    "round-trip": (stays_on_device,),
    "view": (reshaped,),
    "outside-context": (entered_here,),
    "copy": (own_copy,),
    "numpy": (math_product,),
    "explicit-break": (no_explicit_break,),
    "counter": (counted_in_buffer,),
    "unused-pragma": (no_pragma,),
}


# What is only kept with proof, tried after all others.
TO_BE_PROVEN: Mapping[str, tuple[Rewriter, ...]] = {
    "branch": (conditional_layer,),
    "host-read": (chunks_at_once, operator_of_the_rest, checked_sizes, captured_numbers),
    "host-function": (operator_in_a_block,),
    "scalar-index": (captured_numbers,),
    "mask": (all_rows_trusted, operator_of_the_rest, captured_shapes, captured_numbers),
    "dynamic-shape": (operator_of_the_rest, captured_shapes, captured_numbers),
}


def code_of(source: Source) -> Code | None:
    """The file as rewrites see it; None where it does not parse."""
    tree = source.tree()
    return Code(source, tree) if isinstance(tree, ast.Module) else None


def proposals(finding: Finding, code: Code, proven: bool = False) -> tuple[Fix, ...]:
    """Every fix that is legal for a finding, the one that changes least first; empty where there is none.

    `code` is the finding's file, unchanged since it was linted; `proven` says that each fix is run before it is kept.
    The edits of one fix do not overlap.
    """
    if finding.rewrite is None:
        return ()
    name = finding.rewrite.name
    makers = (*REWRITES.get(name, ()), *(TO_BE_PROVEN.get(name, ()) if proven else ()))

    def all_of_them() -> tuple[Fix, ...]:
        return tuple(fix for make in makers for fix in make(finding, code) if fix.edits)

    return run_with_deep_stack(all_of_them)
