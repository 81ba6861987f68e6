"""The words without which a file holds nothing for the survey: asked of every file, so that few runs load it."""

from __future__ import annotations

# A file without one of these words holds nothing for the survey; looking for them costs a thousandth of reading it.
_WORDS = (
    "torch.compile",
    "import compile",
    "_dynamo",
    "_inductor",
    "TORCHDYNAMO",
    "TORCHINDUCTOR",
    "TORCH_COMPILE",
    "TORCH_LOGS",
    "TORCH_TRACE",
    "set_stance",
    "move_to_end",
    "popitem",
    "lru_cache",
    "functools.cache",
    "import cache",
    "yield",
)


def worth_surveying(text: str) -> bool:
    """Whether a file holds a word of what the survey is about."""
    if any(word in text for word in _WORDS):
        return True
    return text.count(".compile(") > text.count("re.compile(") + text.count("regex.compile(")


_OF_OPERATORS = (
    "custom_op",
    "triton_op",
    "torch.library",
    "torch.ops",
    "import Library",
    "cpp_extension",
    "CDLL",
    "LoadLibrary",
    "register_fake",
    "register_autograd",
    "register_kernel",
    "impl_abstract",
)


def names_operators(text: str) -> bool:
    """Whether a file holds a word by which operators are registered, or native code is loaded."""
    return any(word in text for word in _OF_OPERATORS)
