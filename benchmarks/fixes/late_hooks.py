"""What would change if transformers registered its capturing hooks when a model is built, and not in the first call.

    python -m benchmarks.fixes.late_hooks        # needs torch and transformers 5.23.0

`fixes.md`, "Hooks of the first call in a shared decorator", has what it prints: why no rewrite does it.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import torch
import torch._dynamo
from transformers import BertConfig, BertModel
from transformers.utils.output_capturing import maybe_install_capturing_hooks

IDS = torch.tensor([[1, 2, 3]])


def small() -> Any:
    """A model of two layers, the same each time."""
    torch.manual_seed(0)
    config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    model: Any = BertModel(config)
    return model.eval()


def breaks(model: Any) -> list[int]:
    """The graph breaks of each of three compiled calls that ask for hidden states."""
    torch._dynamo.reset()
    compiled, found = torch.compile(model, backend="eager"), []
    for _ in range(3):
        torch._dynamo.utils.counters.clear()
        compiled(IDS, output_hidden_states=True)
        found.append(sum(torch._dynamo.utils.counters["graph_break"].values()))
    return found


def hidden_states(early: bool) -> int:
    """How many are captured where a layer is replaced between building a model and its first call."""
    model = small()
    if early:
        maybe_install_capturing_hooks(model)
    other = copy.deepcopy(model.encoder.layer[1])
    other._forward_hooks.clear()
    model.encoder.layer[0] = other
    return len(model(IDS, output_hidden_states=True).hidden_states)


def pickled(model: Any) -> str:
    """Whether a model can be pickled, in words."""
    try:
        return f"{len(pickle.dumps(model)) > 0}"
    except (AttributeError, pickle.PicklingError) as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Print the two ways beside each other."""
    early = small()
    maybe_install_capturing_hooks(early)
    hooks = [sum(len(one._forward_hooks) for one in model.modules()) for model in (small(), early)]
    print(f"breaks of three calls: in the first call {breaks(small())}, when built {breaks(early)}")
    print(f"hooks of a model that captures nothing: {hooks[0]}, {hooks[1]}")
    print(f"pickled: {pickled(small())}, {pickled(early)}")
    print(f"hidden states with a layer replaced: {hidden_states(early=False)}, {hidden_states(early=True)}")


if __name__ == "__main__":
    main()
