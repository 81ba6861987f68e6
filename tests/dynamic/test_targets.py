"""Targets and inputs: what is written in a table or on the command line, and what is said of what cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from compilelint.dynamic.targets import (
    Input,
    InputSet,
    Target,
    TargetError,
    input_set,
    parse_input,
    target_from,
    target_of,
    varied,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("2x3x224x224", Input("", (2, 3, 224, 224)), id="a shape"),
        pytest.param("2:int64", Input("", (2,), "int64"), id="one dimension"),
        pytest.param("ids=2x128:int64", Input("ids", (2, 128), "int64"), id="a name"),
        pytest.param("ids=2x128:int64<1000", Input("ids", (2, 128), "int64", 1000), id="a range"),
        pytest.param("scalar:float64", Input("", (), "float64"), id="no dimension"),
        pytest.param("use_cache=py:False", Input("use_cache", value=False), id="a Python value"),
        pytest.param("size=py:(2, 3)", Input("size", value=(2, 3)), id="a tuple"),
    ],
)
def test_an_input_is_read_and_written(text: str, wanted: Input) -> None:
    found = parse_input(text, "--input")
    assert found == wanted
    assert found.text() == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("2x3:int65", "unknown dtype 'int65' in '2x3:int65'"),
        ("two", "'two' is not an input"),
        ("x=", "'x=' is not an input"),
        ("py:open('x')", "is not a Python literal"),
        ("", "'' is not an input"),
    ],
)
def test_a_bad_input_is_named(text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_input(text, "--input")
    assert complaint in caught.value.what
    assert caught.value.where == "--input"
    assert caught.value.hint


@pytest.mark.parametrize("text", ["pkg.mod:make", "tests/targets.py:make"])
def test_a_function_makes_the_inputs(text: str) -> None:
    assert input_set([text], "--input") == InputSet(function=text)


def test_positional_inputs_come_before_named_ones() -> None:
    with pytest.raises(TargetError, match="'2x3' comes after a named input"):
        input_set(["mask=2x3", "2x3"], "--input")


def test_a_table_in_full() -> None:
    table = {
        "name": "ranker",
        "model": "shop.models:Ranker",
        "arguments": {"width": 8},
        "inputs": {"items": "2x16:int64", "scale": 0.5},
        "dynamic-dims": {"items": [1]},
        "max-breaks": 2,
        "max-recompiles": 1,
        "mode": "train",
        "regions": ["layers"],
        "timeout": 30,
        "memory": 2048,
        "seeds": [0, 1],
    }
    assert target_from(table, "targets") == Target(
        "shop.models:Ranker",
        (InputSet((Input("items", (2, 16), "int64"), Input("scale", value=0.5))),),
        "ranker",
        {"width": 8},
        (("items", (1,)),),
        2,
        1,
        "train",
        ("layers",),
        30.0,
        2048,
        (0, 1),
    )


@pytest.mark.parametrize(
    ("inputs", "count"),
    [
        pytest.param("2x3", 1, id="one text"),
        pytest.param(["2x3", "4:int64"], 1, id="two arguments"),
        pytest.param([["2x3"], ["5x3"]], 2, id="two calls"),
        pytest.param([{"x": "2x3"}, {"x": "5x3"}], 2, id="two calls by name"),
        pytest.param("pkg.mod:make", 1, id="a function"),
    ],
)
def test_inputs_are_sets_of_arguments(inputs: Any, count: int) -> None:
    target = target_from({"model": "m:M", "inputs": inputs}, "targets")
    assert len(target.inputs) == count


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({}, "no `model`"),
        ({"model": "pkg.mod"}, "'pkg.mod' does not name an object"),
        ({"model": "m:M", "input": "2x3"}, "unknown key 'input'"),
        ({"model": "m:M", "mode": "test"}, "unknown mode 'test'"),
        ({"model": "m:M", "max-breaks": -1}, "`max-breaks` is -1"),
        ({"model": "m:M", "timeout": 0}, "`timeout` is 0"),
        ({"model": "m:M", "memory": "4G"}, "`memory` is '4G'"),
        ({"model": "m:M", "inputs": 3}, "3 are not inputs"),
        ({"model": "m:M", "dynamic-dims": "0"}, "`dynamic-dims` is '0'"),
        ({"model": "m:M", "regions": "layers"}, "`regions` is not a list of strings"),
        ({"model": "m:M", "seeds": []}, "`seeds` is not a list of integers"),
        ({"model": "m:M", "arguments": 3}, "`arguments` is not a table"),
    ],
)
def test_a_bad_table_is_named(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        target_from(table, "targets number 1")
    assert complaint in caught.value.what
    assert caught.value.where.startswith("targets number 1")


@pytest.mark.parametrize("word", ["Model", "pkg.mod:", ":Model", "pkg mod:Model", "pkg.mod:Model()"])
def test_a_word_that_names_no_object(word: str) -> None:
    with pytest.raises(TargetError, match="does not name an object"):
        target_of(word, "compilelint verify")


def test_equal_sizes_grow_alike_and_patches_by_whole_patches() -> None:
    inputs = input_set(["2x3x224x224", "mask=2x7:bool", "flag=py:True"], "--input")
    grown = varied(inputs, [("", (0, -1))])
    assert [one.text() for one in grown.inputs] == ["3x3x224x256", "mask=3x8:bool", "flag=py:True"]


def test_only_named_inputs_grow() -> None:
    grown = varied(input_set(["a=2x4", "b=2x4"], "--input"), [("b", (1,))])
    assert [one.text() for one in grown.inputs] == ["a=2x4", "b=2x5"]
