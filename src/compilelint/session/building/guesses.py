"""What a parameter may be by its name, where nothing of the project says it: small sizes, so that a trial is quick."""

from __future__ import annotations

import re

# The first that matches holds. A value is source text.
_BY_NAME = [
    (re.compile(pattern), value)
    for pattern, value in (
        (r"drop|rate$|prob|p_drop|momentum|alpha|beta|gamma|sigma|noise|ratio|temperature", "0.1"),
        (r"eps(ilon)?$", "1e-05"),
        (r"^(use|is|has|with|do|no)_|bias|bilinear|shared?|sharing|causal|bidirectional|learn|affine|verbose", "False"),
        (r"(^|_)(cuda|gpus?|tpu|distributed|fp16|amp)(_|$)", "False"),
        (r"device", "'cpu'"),
        (r"dtype|norm_layer|act|activation|path|ckpt|checkpoint|pretrained|weights?$|name$", "None"),
        (r"pad(ding)?_(idx|id|token)|_idx$|^idx", "0"),
        (r"class(es)?$|num_labels|n_?out|out(put)?_(dim|size|channels|ch|planes|features)", "10"),
        (
            r"vocab|num_embeddings|n_?tokens?$|(user|item|word|char|token)s?_?num|num_?(letters|items|users|words)",
            "100",
        ),
        (r"heads?$|n_?head", "4"),
        (r"layers?$|depth|n_?blocks?|nblocks|num_stages|n_?stacks?|repeats?", "2"),
        (r"kernel|stride|ksize", "3"),
        (r"padding|dilation|groups", "1"),
        (r"patch", "8"),
        (r"im(age|g)?_?(size|res|shape|dim)|resolution|input_size|height|width$|^[hw]$", "64"),
        (r"(in|img|image|input|n)_?(channels?|chans?|ch|c)$|^channels$|c_in", "3"),
        (r"len(gth)?$|steps?$|seq|frames?|window|context|block_size|max_?pos|n_ctx", "16"),
        (r"dim|hidden|size|feat|embed|nhid|ninp|emsize|model|inner|d_|ff|planes|units|channels|width|latent", "64"),
        (r"^[kn]_|^num_|^n$|^k$", "8"),
    )
]


def guess(parameter: str) -> str:
    """A value for a parameter, as source text."""
    name = parameter.lower()
    return next((value for pattern, value in _BY_NAME if pattern.search(name)), "8")
