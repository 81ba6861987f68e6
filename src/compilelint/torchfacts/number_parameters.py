"""Parameters of torch's operations that take a number and nothing else.

Handed a 0-d tensor, torch's argument parser reads its number, which a traced tensor does not have: the graph ends
(measured on torch 2.13 for every operation below). The lists are the part of torch's operator schemas that people pass
computed values to; a test asks the installed torch whether the schemas still say so.
"""

from __future__ import annotations

NUMBER_NAMES = frozenset(
    """
    alpha beta eps lambd threshold fill_value negative_slope min_val max_val delta offset diagonal k decimals maxnorm
    nan posinf neginf num_samples chunks label_smoothing dropout_p momentum margin num_groups
    shifts
    """.split()
)
"""Names that mean a number in whatever operation has them (schemas that begin with `_` aside)."""

NUMBER_POSITIONS = {
    "full_like": (1,),
    "new_full": (2,),
    "roll": (1,),
    "topk": (1,),
    "kthvalue": (1,),
    "chunk": (1,),
    "select": (1, 2),
    "tril": (1,),
    "triu": (1,),
    "diagonal": (1,),
    "unfold": (1, 2, 3),
    "multinomial": (1,),
    "leaky_relu": (1,),
    "elu": (1,),
    "softplus": (1, 2),
    "hardtanh": (1, 2),
    "dropout": (1,),
    "layer_norm": (4,),
    "renorm": (1, 2, 3),
    "uniform_": (1, 2),
    "normal_": (1, 2),
    "cumsum": (1,),
    "cumprod": (1,),
    "unsqueeze": (1,),
    "flip": (1,),
}
"""Where operations take a number by position, the tensor itself counted as 0 in functions and methods alike."""


def takes_number(operation: str, where: int | str) -> bool:
    """Whether the argument of `operation` (bare name) at a position or of a name can only be a number.

    `clamp` is distinguished by the caller: it takes two numbers or two tensors, but no mixture.
    """
    if isinstance(where, str):
        return where in NUMBER_NAMES
    return where in NUMBER_POSITIONS.get(operation, ())
