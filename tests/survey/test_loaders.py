"""The loader that a training loop takes its batches from, where no name holds it directly."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Around
from tests.support.survey_events import events_of


def uneven(text: str) -> list[str]:
    """The loaders whose last batch may be smaller, in a file that compiles `fast`."""
    text = "from torch.utils.data import DataLoader\n" + textwrap.dedent(text)
    return [one.detail for one in events_of(text) if isinstance(one, Around) and one.how == "uneven"]


def test_an_iterator_that_the_loop_asks_for_the_next_batch() -> None:
    text = """
    def main(model, data):
        fast = torch.compile(model)
        loader = DataLoader(data, batch_size=8)
        batches = iter(loader)
        for step in range(len(loader)):
            batch = next(batches)
            batch = {key: value.cuda() for key, value in batch.items()}
            fast(**batch).loss.backward()
    """
    assert uneven(text) == ["loader"]


@pytest.mark.parametrize(
    ("given", "target"),
    [pytest.param("loader", "loader", id="alone"), pytest.param("loader, test", "loader, _", id="in a tuple")],
)
def test_a_function_that_makes_it(given: str, target: str) -> None:
    text = f"""
    def load(data):
        loader = DataLoader(data, batch_size=8)
        test = DataLoader(data, batch_size=8)
        return {given}

    def main(model, data):
        fast = torch.compile(model)
        {target} = load(data)
        for x in loader:
            fast(x).sum().backward()
    """
    assert uneven(text) == ["loader"]


@pytest.mark.parametrize(
    "made",
    [
        pytest.param("batch = next(iter(loader))", id="the first batch in each round"),
        pytest.param("batches = iter(loader); batch = next(batches)", id="made in each round"),
    ],
)
def test_loops_that_never_see_the_last_batch(made: str) -> None:
    text = f"""
    def main(model, data):
        fast = torch.compile(model)
        loader = DataLoader(data, batch_size=8)
        for step in range(9):
            {made}
            fast(batch).sum().backward()
    """
    assert uneven(text) == []


def test_a_function_that_drops_it_or_not() -> None:
    text = """
    def load(data, train):
        if train:
            return DataLoader(data, batch_size=8, drop_last=True)
        return DataLoader(data, batch_size=8)

    def main(model, data):
        fast = torch.compile(model)
        for x in load(data, True):
            fast(x).sum().backward()
    """
    assert uneven(text) == []


@pytest.mark.parametrize(
    ("data", "size", "said"),
    [
        pytest.param("torch.randn(1024, 8)", "64", False, id="the batch divides the rows"),
        pytest.param("torch.randint(0, 9, (1024, 8))", "64", False, id="rows of whole numbers"),
        pytest.param("torch.zeros((1024, 8))", "64", False, id="a size in a tuple"),
        pytest.param("torch.randn(1000, 8)", "64", True, id="a rest is left"),
        pytest.param("torch.randn(rows, 8)", "64", True, id="rows are not known"),
        pytest.param("torch.randn(1024, 8)", "batch", True, id="the batch is not known"),
        pytest.param("torch.randn(*sizes)", "64", True, id="sizes are unpacked"),
    ],
)
def test_a_dataset_whose_rows_the_text_gives(data: str, size: str, said: bool) -> None:
    text = f"""
    from torch.utils.data import TensorDataset
    def main(model, rows, batch, sizes):
        fast = torch.compile(model)
        data = TensorDataset({data})
        loader = DataLoader(data, batch_size={size})
        for x in loader:
            fast(x).sum().backward()
    """
    assert bool(uneven(text)) is said
