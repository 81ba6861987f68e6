"""A run that is killed at any byte goes on with all that was whole, and with nothing that is someone else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fleet.journal import MOST_RUNS, Journal, NoJournalError

SECRET = b"s" * 32
ANSWER = {"observed": {"fate": "ran"}, "output": "line\nline\u2028", "torch_path": "/t"}


def begun(folder: Path, *keys: str) -> str:
    """A run with an answer under each key, and its name."""
    with Journal(folder, SECRET) as journal:
        for key in keys:
            journal.add(key, ANSWER)
        return journal.run


def test_a_resumed_run_has_every_answer(tmp_path: Path) -> None:
    run = begun(tmp_path, "a", "b")
    with Journal(tmp_path, SECRET, run) as journal:
        assert journal.answers == {"a": ANSWER, "b": ANSWER}


def test_a_run_cut_at_any_byte_has_the_whole_lines_and_takes_more(tmp_path: Path) -> None:
    run = begun(tmp_path, "a", "b")
    path = tmp_path / f"{run}.jsonl"
    data = path.read_bytes()
    first = data.index(b"\n") + 1
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        with Journal(tmp_path, SECRET, run) as journal:
            assert set(journal.answers) == ({"a"} if cut >= first - 1 else set())
            journal.add("c", ANSWER)
        with Journal(tmp_path, SECRET, run) as journal:
            assert "c" in journal.answers


def test_lines_of_another_user_are_no_lines(tmp_path: Path) -> None:
    run = begun(tmp_path, "a")
    with Journal(tmp_path, b"t" * 32, run) as journal:
        assert journal.answers == {}


def test_a_line_of_another_run_is_no_line(tmp_path: Path) -> None:
    first, second = begun(tmp_path, "a"), begun(tmp_path)
    (tmp_path / f"{second}.jsonl").write_bytes((tmp_path / f"{first}.jsonl").read_bytes())
    with Journal(tmp_path, SECRET, second) as journal:
        assert journal.answers == {}


def test_two_clients_do_not_write_one_run(tmp_path: Path) -> None:
    with Journal(tmp_path, SECRET) as journal, pytest.raises(NoJournalError, match="another client"):
        Journal(tmp_path, SECRET, journal.run).__enter__()


@pytest.mark.parametrize("run", ["../x", "20260101-000000-beef/../y", "nothing", "20260101-000000-beef"])
def test_a_run_that_is_not_there_is_refused(tmp_path: Path, run: str) -> None:
    with pytest.raises(NoJournalError):
        Journal(tmp_path, SECRET, run).__enter__()


def test_a_link_in_place_of_a_run_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "20260101-000000-beef.jsonl").symlink_to(outside)
    with pytest.raises(NoJournalError):
        Journal(tmp_path / "runs", SECRET, "20260101-000000-beef").__enter__()


def test_the_oldest_runs_go(tmp_path: Path) -> None:
    for number in range(MOST_RUNS + 5):
        (tmp_path / f"20200101-0000{number:02}-beef.jsonl").write_text("")
    run = begun(tmp_path)
    names = sorted(one.stem for one in tmp_path.iterdir())
    assert len(names) == MOST_RUNS
    assert names[-1] == run
