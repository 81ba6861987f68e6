"""Layers: the rank and the number of their results, and what is known of their parameters."""

from __future__ import annotations

from tests.support.reveal import check


def test_layers_keep_or_change_the_rank() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(2, 2)
                self.embedding = nn.Embedding(9, 2)
                self.drop = nn.Dropout(0.1)
                self.loss = nn.CrossEntropyLoss()
                self.skip = nn.Identity()
                self.conv = nn.Conv2d(1, 1, 1)

            def forward(self, x: Tensor):
                y = torch.zeros(2, 3)
                reveal_type(self.linear(y))  # tensor float 2-d computed
                reveal_type(self.embedding(y.long()))  # tensor float 3-d computed
                reveal_type(self.drop(y))  # tensor float 2-d computed
                reveal_type(self.loss(y, y))  # tensor float 0-d computed
                reveal_type(self.skip(y > 0))  # tensor bool 2-d computed
                reveal_type(self.conv(x))  # tensor float computed
    """)


def test_layers_with_several_results() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(2, 2)
                self.gru = nn.GRU(2, 2)
                self.attention = nn.MultiheadAttention(2, 2)

            def forward(self, x: Tensor):
                out, (h, c) = self.lstm(x)
                reveal_type(h)  # tensor float input
                out, h = self.gru(x)
                reveal_type(h)  # tensor float input
                out, weights = self.attention(x, x, x)
                reveal_type(weights)  # None | tensor float computed
    """)


def test_layers_are_followed_into_parameters() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(2, 2)

            def forward(self, x: Tensor):
                reveal_type(self.linear.weight)  # tensor float parameter
                reveal_type(self.linear.weight.dtype)  # instance torch.dtype
                reveal_type(x.to(self.linear.weight.dtype))  # tensor computed
                reveal_type(self.linear.in_features)  # ?
    """)


def test_what_a_layer_is_made_of_is_a_number() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, channels, kernel):
                super().__init__()
                self.conv = nn.Conv1d(channels, channels, kernel)
                self.channels = channels

            def forward(self, x):
                reveal_type(self.channels)  # ?
                if self.channels > 2:
                    x = x[: self.channels]
                return self.conv(x)
    """)
