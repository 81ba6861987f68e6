"""The file of factories: a function a model, names that read well, and the folders that imports need."""

from __future__ import annotations

from compilelint.session.building.factories import names_for, text_of

ONE = "def net():\n    return 1\n"


def test_names_are_in_snake_case_and_longer_where_they_are_alike() -> None:
    found = names_for(["net:ViT", "a.b:UNetXL", "one:Model", "two:Model", "dir/x-y.py:Model"])
    assert found == ["vi_t", "u_net_xl", "one_model", "two_model", "dir_x_y_model"]


def test_the_file_can_be_imported_from_where_it_stands() -> None:
    text = text_of([ONE, ONE.replace("net", "other")], ["python"])
    assert text.count("def ") == 2
    assert "sys.path.insert(0, str(Path(__file__).parent / 'python'))\n\n\ndef net" in text
    assert "Path('/home') / 'python'" in text_of([ONE], ["python"], "/home")
    assert "sys" not in text_of([ONE], [])
    exec(compile(text_of([ONE], []), "compilelint_targets.py", "exec"), {})
