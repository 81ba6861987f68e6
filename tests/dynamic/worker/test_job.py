"""The settings under which a target runs."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.dynamo


@pytest.mark.parametrize("recorded", [False, True])
def test_inductor_draws_as_eager_does_but_for_cuda_graphs(recorded: bool) -> None:
    from torch._inductor import config

    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.worker.job import configured

    before = config.fallback_random
    try:
        with configured(Settings(backend="inductor", cuda_graphs=recorded)):
            assert config.fallback_random is not recorded
    finally:
        config.fallback_random = before
