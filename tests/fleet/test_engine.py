"""What `--executor` may name, and what is said of what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fleet.engine import NoEngineError, opened


def test_a_factory_is_called_and_its_executor_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pools.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\nmade = []\n"
        "def threads():\n    made.append(ThreadPoolExecutor(1))\n    return made[-1]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import pools  # type: ignore[import-not-found]

    with opened("pools:threads") as engine:
        assert engine.submit(len, "four").result() == 4
        engine.renew()
        assert engine.submit(len, "four").result() == 4
    assert len(pools.made) == 2
    for one in pools.made:
        with pytest.raises(RuntimeError, match="shutdown"):
            one.submit(len, "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("ray", "is not an executor", id="a word that is none"),
        pytest.param("nowhere_at_all:make", "cannot be made", id="no such module"),
        pytest.param("os:getcwd", "returned str", id="a function of something else"),
        pytest.param("os:nothing", "cannot be made", id="no such function"),
    ],
)
def test_what_is_no_executor_is_refused(name: str, words: str) -> None:
    with pytest.raises(NoEngineError, match=words), opened(name):
        pass


def test_resources_are_dasks() -> None:
    with pytest.raises(NoEngineError, match="knows no resources"), opened(f"{__name__}:none", 1, {"GPU": 1.0}):
        pass
