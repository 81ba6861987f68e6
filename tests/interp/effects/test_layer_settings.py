"""Settings of torch's layers that a call changes (run on 2.13 and 2.15: `benchmarks/recompiles/fresh`)."""

from __future__ import annotations

import pytest

from tests.support.state_changes import changes


@pytest.mark.parametrize(
    ("made", "body", "found"),
    [
        pytest.param(
            "nn.Dropout(0.1)",
            "y = self.layer(x); self.layer.p = min(0.5, self.layer.p + 0.1)",
            [("self.layer.p", "settles")],
            id="annealed",
        ),
        pytest.param(
            "nn.BatchNorm1d(4)",
            "y = self.layer(x); self.layer.momentum = 0.01",
            [("self.layer.momentum", "flips")],
            id="another than torch takes",
        ),
        pytest.param(
            "nn.BatchNorm1d(4, momentum=0.01)",
            "y = self.layer(x); self.layer.momentum = 0.01",
            [],
            id="what the constructor was given",
        ),
        pytest.param(
            "nn.Dropout(0.1)", "self.layer.p = 0.3; y = self.layer(x)", [], id="set before the layer is called"
        ),
        pytest.param("nn.Dropout(0.1)", "self.layer.p = 0.3", [], id="never called"),
        pytest.param("nn.Dropout(0.1)", "y = self.layer(x); self.layer.name = 'late'", [], id="no setting of torch"),
    ],
)
def test_settings_of_layers(made: str, body: str, found: list[tuple[str, str]]) -> None:
    assert changes(f"self.layer = {made}", body) == found
