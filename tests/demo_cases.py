# The demo is on the import path only while it runs.
# mypy: disable-error-code="import-not-found"
"""The calls by which the demo in `fixtures/demo` is recorded: what is compiled, and with which arguments.

Stands outside the demo, because the demo is linted and this is not part of it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"


class Case(NamedTuple):
    """What to compile and the argument tuples to call it with, one after another."""

    name: str
    function: Callable[..., Any]
    calls: list[tuple[Any, ...]]


@contextmanager
def demo_importable() -> Iterator[None]:
    """Put the demo on the import path while the block runs."""
    sys.path.insert(0, str(DEMO))
    try:
        yield
    finally:
        sys.path.remove(str(DEMO))


def cases() -> Iterator[Case]:
    """Every case, made afresh and seeded when it is asked for; `demo_importable` must be in force. Needs torch."""
    import torch

    random.seed(0)
    makers = (
        *(_vision, _pooling, _text, _ops, _losses, _metrics, _model, _train, _serve, _cache, _sampling),
        *(_streaming, _distill),
    )
    for make in makers:
        torch.manual_seed(0)
        yield from make(torch)


def _vision(torch: Any) -> Iterator[Case]:
    from captioner.config import CaptionerConfig
    from captioner.vision.attention import Attention
    from captioner.vision.encoder import Block, StochasticDepth, VisionEncoder
    from captioner.vision.patches import PatchEmbedding

    images, features = torch.rand(2, 3, 16, 16), torch.randn(2, 4, 16)
    yield Case("patches", PatchEmbedding(16, 4, 16), [(images,), (images * 255,)])
    yield Case("attention", Attention(16, 2), [(features,), (features, torch.ones(2, 4, dtype=torch.bool))])
    yield Case("attention-report", Attention(16, 2, report=True), [(features,)])
    yield Case("encoder", VisionEncoder(CaptionerConfig()), [(images,)])
    yield Case("stochastic-depth", StochasticDepth(Block(CaptionerConfig()), 0.5).train(), [(features,)])


def _pooling(torch: Any) -> Iterator[Case]:
    from captioner.vision.pooling import RegionPooling, kept_patches, patch_positions, pooled, whitened

    features, scores = torch.randn(2, 4, 16), torch.randn(2, 4)
    regions = torch.tensor([[0, 1, 1, 2], [0, 0, 1, 2]])
    yield Case("pooled", pooled, [(features, scores > 0)])
    yield Case("kept-patches", kept_patches, [(features, scores, 0.0)])
    yield Case("patch-positions", patch_positions, [(scores,)])
    yield Case("region-pooling", RegionPooling(16, 3), [(features, regions)])
    yield Case("whitened", whitened, [(features,)])
    yield Case("region-pooling-open", RegionPooling(16), [(features, regions)])


def _text(torch: Any) -> Iterator[Case]:
    from captioner.config import CaptionerConfig
    from captioner.text.decoder import Reranker, Router, TextDecoder
    from captioner.text.embedding import PackedEmbedding, TokenEmbedding

    config, ids = CaptionerConfig(), torch.tensor([[2, 3, 4], [2, 5, 0]])
    yield Case("token-embedding", TokenEmbedding(32, 16, 8), [(ids,)])
    yield Case("packed-embedding", PackedEmbedding(32, 16, 8), [(ids.flatten(), torch.tensor([4, 2]))])
    yield Case("decoder", TextDecoder(config), [(ids, torch.randn(2, 4, 16))])
    yield Case("reranker", Reranker(config), [(ids,)])
    yield Case("router", Router(config), [(torch.randn(2, 3, 16),)])


def _ops(torch: Any) -> Iterator[Case]:
    from captioner.ops import calibrated, damped, energy, quantized

    x = torch.randn(4, requires_grad=True)
    yield Case("quantized", quantized, [(x,)])
    yield Case("damped", damped, [(x,)])
    yield Case("energy", energy, [(x,)])
    yield Case("calibrated", calibrated, [(x,)])


def _losses(torch: Any) -> Iterator[Case]:
    from captioner.losses import caption_loss, contrastive_loss, matching_loss, penalized, smoothed_loss

    logits, labels = torch.randn(2, 3, 32), torch.tensor([[2, 3, 0], [4, 0, 0]])
    pairs = torch.randn(4, 16), torch.randn(4, 16)
    yield Case("caption-loss", caption_loss, [(logits, labels)])
    yield Case("smoothed-loss", smoothed_loss, [(logits, labels)])
    yield Case("matching-loss", matching_loss, [(torch.randn(4, 4), torch.eye(4))])
    yield Case("contrastive-loss", contrastive_loss, [(*pairs, torch.tensor(1.0))])
    yield Case("penalized", penalized, [(torch.tensor(1.0), torch.rand(4))])


def _metrics(torch: Any) -> Iterator[Case]:
    from captioner import metrics

    labels = torch.tensor([[2, 3, 0], [4, 0, 0]])
    yield Case("accuracy", metrics.accuracy, [(torch.randn(2, 3, 32), labels)])
    yield Case("perplexity", metrics.perplexity, [(torch.tensor(2.0),)])
    yield Case("repeated", metrics.repeated, [(labels,)])
    yield Case("same-caption", metrics.same_caption, [(labels, labels.clone())])
    yield Case("timed-norm", metrics.timed_norm, [(torch.randn(4),)])
    yield Case("histogram", metrics.histogram, [(torch.rand(8),)])


def _model(torch: Any) -> Iterator[Case]:
    from captioner.config import CaptionerConfig
    from captioner.model import Captioner, FeatureProjector, LazyAdapter

    images, ids = torch.rand(2, 3, 16, 16), torch.tensor([[2, 3, 4], [2, 5, 0]])
    yield Case("captioner", Captioner(CaptionerConfig()), [(images, ids, ids)])
    yield Case("projector", FeatureProjector(16), [(torch.randn(2, 4, 16),), (torch.randn(4, 16),)])
    yield Case("lazy-adapter", LazyAdapter(), [(torch.randn(2, 4, 16),)])


def _train(torch: Any) -> Iterator[Case]:
    from captioner.config import CaptionerConfig
    from captioner.model import Captioner
    from captioner.train import clipped, gradient_penalty, schedule, train_step

    model = Captioner(CaptionerConfig())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images, ids = torch.rand(2, 3, 16, 16), torch.tensor([[2, 3, 4], [2, 5, 0]])
    critic = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 16 * 16, 1))
    yield Case("train-step", train_step, [(model, optimizer, images, ids)])
    yield Case("clipped", clipped, [([torch.randn(4), torch.randn(2)],)])
    yield Case("gradient-penalty", gradient_penalty, [(critic, images.clone())])
    yield Case("schedule", schedule, [(torch.tensor(5.0), torch.tensor(10.0))])


def _serve(torch: Any) -> Iterator[Case]:
    from captioner import serve
    from captioner.config import CaptionerConfig
    from captioner.model import Captioner

    model = Captioner(CaptionerConfig()).eval()
    tokens, lengths = torch.tensor([[2, 3, 4], [2, 5, 0]]), torch.tensor([3, 2])
    yield Case("generate", serve.generate, [(model, torch.rand(2, 3, 16, 16))])
    yield Case("last-words", serve.last_words, [(tokens, lengths)])
    yield Case("trimmed", serve.trimmed, [(tokens, lengths)])
    yield Case("temperature", serve.temperature_sampled, [(torch.randn(2, 8), 0.7), (torch.randn(2, 8), 0.0)])
    yield Case("respond", serve.respond, [('{"scale": 2}', torch.randn(4))])
    yield Case("with-cache", serve.with_cache, [(torch.randn(4), {})])
    yield Case("described", serve.described, [(tokens,)])


def _cache(torch: Any) -> Iterator[Case]:
    from captioner import cache

    yield Case("feature-cache", cache.FeatureCache(16), [(torch.randn(2, 4, 16),)])
    yield Case("stored", cache.stored, [(torch.randn(4), "no-such-file")])
    yield Case("neighbours", cache.neighbours, [(torch.eye(4), torch.randn(4, 2))])
    yield Case("window", cache.window, [(torch.randn(4, 2), 1)])


def _sampling(torch: Any) -> Iterator[Case]:
    from captioner import sampling

    tokens, scores = torch.tensor([[2, 3, 4], [2, 5, 0]]), torch.randn(2, 3)
    yield Case("padded-to-bucket", sampling.padded_to_bucket, [(tokens,)])
    yield Case("best-beams", sampling.best_beams, [(scores, torch.randint(0, 9, (2, 3, 4)), 2)])
    yield Case("ordered", sampling.ordered, [([tokens[0], tokens[1]],)])
    yield Case("has-end", sampling.has_end, [(tokens[0], 4)])
    yield Case("jittered", sampling.jittered, [(torch.randn(3, 2), 0.1)])
    yield Case("with-prompt", sampling.with_prompt, [({"scale": 1.0}, scores)])
    yield Case("interpolated", sampling.interpolated, [(scores, scores + 1), (scores[0], scores[1])])
    yield Case("reranked", sampling.reranked, [(scores, scores)])


def _streaming(torch: Any) -> Iterator[Case]:
    from captioner.text import streaming

    words, features = torch.tensor([[2, 3, 4], [2, 5, 0]]), torch.randn(2, 4, 16)
    yield Case("rotary-positions", streaming.RotaryPositions(16), [(features,)])
    yield Case("streaming-attention", streaming.StreamingAttention(16), [(torch.randn(1, 1, 16),)])
    yield Case("balanced-router", streaming.BalancedRouter(16).train(), [(features,)])
    yield Case("remembered", streaming.remembered, [(torch.randn(4),)])
    yield Case("numbered", streaming.numbered, [(words,)])


def _distill(torch: Any) -> Iterator[Case]:
    from captioner import distill
    from captioner.config import CaptionerConfig
    from captioner.vision.encoder import Block

    features = torch.randn(2, 4, 16)
    losses = [torch.rand(3), torch.rand(3)]
    yield Case("teacher", distill.Teacher(Block(CaptionerConfig())), [(features,)])
    yield Case("student", distill.Student(16), [(features, torch.randn(2, 4, 16))])
    yield Case("retrieved", distill.retrieved, [(torch.randn(2, 16), torch.randn(8, 16), 3)])
    yield Case("reported", distill.reported, [(losses, torch.ones(2))])
    yield Case("collated", distill.collated, [([features[0], features[1]],)])
    yield Case("frozen", distill.frozen, [(features, torch.nn.Linear(16, 4))])
