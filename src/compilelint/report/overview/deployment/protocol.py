"""How to measure a deployment, as commands: eager baseline, parity, steady state by percentiles, start, memory."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.report.overview.deployment.plan import Purpose, Verdict


def commands(purpose: Purpose, verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    """The commands in their order, for the first of the functions; `SHAPE` stands for its input."""
    first = next((one for one in verdicts if one.spec and "<" not in one.spec), None)
    target = "PKG.MOD:NAME" if first is None else first.spec.removesuffix(".forward")
    if purpose == "edge":
        yield f"compilelint verify {target} --input SHAPE --for export"
        yield f"compilelint bench {target} --input SHAPE --threads 1 --output full"
        return
    train = purpose == "train"
    # Parity first: what gives other results needs no times.
    yield f"compilelint verify {target} --input SHAPE --backend inductor --mode {'train' if train else 'eval'}"
    ways = "default,regional,reduce-overhead" if train else "default,dynamic,reduce-overhead,max-autotune"
    sizes = "--input SHAPE --train" if train else "--case '8@SMALL' --case '1@LARGE'"
    bench = f"compilelint bench {target} {sizes} --device cuda"
    yield f"{bench} --config {ways} --output full --output json:times.json"
    yield f"{bench} --quick --no-prices --soak {1000 if train else 10000}"
    yield f"compilelint report . --for {purpose} --bench times.json"
