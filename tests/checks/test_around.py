"""CL830 to CL832 on small programs: what the code around a compiled call pays for, and how sure that is."""

from __future__ import annotations

from compilelint.model import Confidence, Severity
from tests.support.survey_events import found

SCRIPT = """
from torch.utils.data import DataLoader

def train(model, data):
    fast = torch.compile(model, mode="reduce-overhead")
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.StepLR(opt, 10)
    update = torch.compile(opt.step)
    loader = DataLoader(data, batch_size=32)
    for x in loader:
        loss = fast(x).mean()
        loss.backward()
        update()
        total += loss.item()
"""


def test_each_says_where_it_was_compiled_and_what_to_write() -> None:
    about = {one.rule.code: one for one in found(SCRIPT) if one.rule.code.startswith("CL83")}
    assert sorted(about) == ["CL830", "CL831", "CL832"]
    assert about["CL830"].message == "`loss.item()` makes the host wait for `fast` in each iteration"
    assert about["CL831"].message == "the last batch of `loader` brings another size to `fast`"
    assert about["CL832"].message == "a schedule changes the rate of `opt`, which is a number in a compiled step"
    assert all(one.related[0].text == "compiled here" for one in about.values())


def test_a_read_is_a_note_since_no_measurement_showed_that_it_costs() -> None:
    by_code = {one.rule.code: one for one in found(SCRIPT)}
    assert by_code["CL830"].severity is Severity.NOTE
    assert by_code["CL830"].confidence == Confidence.POSSIBLE
    assert by_code["CL831"].severity is Severity.WARNING
