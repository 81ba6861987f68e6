"""What is remembered of a part of a project, and each thing that makes it void: files, names, words, the run itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from compilelint.cache import Store
from compilelint.project.loader import Loader
from compilelint.session.incremental.run_cache import RunCache
from compilelint.syntax.source import Readings, digest_of

KEY: list[object] = ["part", "a"]
CONTENT: list[Any] = ["what it came to"]


class Names:
    """Stands in for the loader: what dotted names mean, and which files the run has read."""

    def __init__(self) -> None:
        self.readings = Readings()
        self.means = {"pkg.a": "a.py", "pkg.b": ""}

    def meaning(self, name: str, as_package: bool) -> list[object]:
        """As the loader says it: whether a package was asked for, and the file."""
        return [as_package, self.means.get(name, "")]


@pytest.fixture
def loader() -> Names:
    return Names()


@pytest.fixture
def cache(tmp_path: Path, loader: Names) -> RunCache:
    """A cache with the readings of its own loader; nothing was kept yet."""
    return RunCache(Store(tmp_path / "cache", b"s" * 32), ["request"], [], [], cast(Loader, loader))


READS = {"a.py": ["hash", {".f": ["unit", [[1, 2]]]}]}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Two files, `a` that was read whole and `b` in which words were looked for in vain; their paths by name."""
    for name, text in (("a", "x = 1\n"), ("b", "y = 2\n")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return {name: str(tmp_path / f"{name}.py") for name in ("a", "b")}


def keep(cache: RunCache, files: dict[str, str], linted: dict[str, str]) -> None:
    """Remember a part that has read `a` and missed `late` and `f` in `b`."""
    lacking = {files["b"]: (digest_of(files["b"]), ["late", "soon"])}
    asked = {"pkg.a": False, "pkg.b": True}
    cache.keep_part(KEY, {files["a"]: digest_of(files["a"])}, lacking, asked, linted, CONTENT, READS)


def test_a_part_is_taken_where_all_is_as_it_was(cache: RunCache, files: dict[str, str]) -> None:
    keep(cache, files, {"pkg.a": files["a"]})
    found = cache.part(KEY, {"pkg.a": files["a"]})
    assert found is not None
    assert (found.read, found.content) == ({files["a"]: digest_of(files["a"])}, CONTENT)
    assert found.changed == {}
    assert found.lacking == {files["b"]: (digest_of(files["b"]), ["late", "soon"])}


def test_another_key_is_another_entry(cache: RunCache, files: dict[str, str]) -> None:
    keep(cache, files, {})
    assert cache.part(["part", "b"], {}) is None


def test_a_file_that_was_read_has_changed(cache: RunCache, files: dict[str, str]) -> None:
    keep(cache, files, {})
    Path(files["a"]).write_text("x = 2\n", encoding="utf-8")
    assert cache.part(KEY, {}) is None


def test_a_linted_file_that_was_read_has_changed(cache: RunCache, files: dict[str, str]) -> None:
    """Whether what was read of it still says the same is for others to find out."""
    linted = {"pkg.a": files["a"]}
    keep(cache, files, linted)
    before = digest_of(files["a"])
    Path(files["a"]).write_text("x = 2\n", encoding="utf-8")
    found = cache.part(KEY, linted)
    assert found is not None
    assert (found.read[files["a"]], found.changed) == (before, {files["a"]: digest_of(files["a"])})
    assert cache.reads(KEY) == READS
    Path(files["a"]).unlink()
    assert cache.part(KEY, linted) is None


def test_what_this_run_has_read_of_a_file_counts(cache: RunCache, files: dict[str, str], loader: Names) -> None:
    keep(cache, files, {})
    loader.readings.digests[files["a"]] = "another text"
    assert cache.part(KEY, {}) is None


@pytest.mark.parametrize("name", ["pkg.a", "pkg.b"])
def test_a_name_means_another_file(cache: RunCache, files: dict[str, str], loader: Names, name: str) -> None:
    keep(cache, files, {})
    loader.means[name] = "elsewhere.py"
    assert cache.part(KEY, {}) is None


def test_a_linted_file_has_taken_a_name(cache: RunCache, files: dict[str, str]) -> None:
    keep(cache, files, {})
    assert cache.part(KEY, {"pkg.b": "/elsewhere/b.py"}) is None


def test_a_file_that_was_merely_read_is_linted_now(cache: RunCache, files: dict[str, str]) -> None:
    """Findings may lie in it from now on."""
    keep(cache, files, {})
    assert cache.part(KEY, {"unasked": files["a"]}) is None


def test_a_file_that_was_linted_is_merely_read_now(cache: RunCache, files: dict[str, str]) -> None:
    keep(cache, files, {"unasked": files["a"]})
    assert cache.part(KEY, {"unasked": files["a"]}) is not None
    assert cache.part(KEY, {}) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("y = 3\n", id="holds no word"),
        pytest.param("def f(late):\n    soon = late\n", id="binds them in a function alone"),
    ],
)
def test_a_file_that_lacks_the_words_still_may_change(cache: RunCache, files: dict[str, str], text: str) -> None:
    keep(cache, files, {})
    Path(files["b"]).write_text(text, encoding="utf-8")
    found = cache.part(KEY, {})
    assert found is not None
    assert found.lacking[files["b"]] == (digest_of(files["b"]), ["late", "soon"])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("late = 1\n", id="holds the first word"),
        pytest.param("soon = 1\n", id="holds the second"),
        pytest.param("from more import *\n", id="takes all names of another module"),
        pytest.param("late = (\n", id="cannot be read"),
        pytest.param(None, id="is gone"),
    ],
)
def test_a_file_that_lacked_the_words_may_have_them_now(
    cache: RunCache, files: dict[str, str], text: str | None
) -> None:
    keep(cache, files, {})
    if text is None:
        Path(files["b"]).unlink()
    else:
        Path(files["b"]).write_text(text, encoding="utf-8")
    assert cache.part(KEY, {}) is None


def test_readings_that_are_no_single_state_of_the_disk_are_not_kept(
    cache: RunCache, files: dict[str, str], loader: Names
) -> None:
    loader.readings.torn = True
    keep(cache, files, {})
    cache.keep_fixes({"a.py": ["stamp", []]})
    loader.readings.torn = False
    assert cache.part(KEY, {}) is None
    assert cache.fixes() == {}


def test_fixes_come_back_as_they_were_kept(cache: RunCache) -> None:
    assert cache.fixes() == {}
    cache.keep_fixes({"a.py": ["stamp", []]})
    assert cache.fixes() == {"a.py": ["stamp", []]}


def test_without_a_store_nothing_is_remembered(files: dict[str, str], loader: Names) -> None:
    cache = RunCache(None, ["request"], [], [], cast(Loader, loader))
    assert cache.is_off
    keep(cache, files, {})
    cache.keep_fixes({"a.py": []})
    assert (cache.part(KEY, {}), cache.fixes()) == (None, {})


def test_the_request_is_part_of_every_key(tmp_path: Path, files: dict[str, str], loader: Names) -> None:
    store = Store(tmp_path / "cache", b"s" * 32)
    one, other = (RunCache(store, [asked], [], [], cast(Loader, loader)) for asked in ("one", "other"))
    keep(one, files, {})
    one.keep_fixes({"a.py": []})
    assert one.part(KEY, {}) is not None
    assert (other.part(KEY, {}), other.fixes()) == (None, {})
