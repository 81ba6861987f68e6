"""What Dynamo guards of the process, whatever the code reads: modes and defaults of torch that hold around a call.

Each is a word here, with the functions, managers and attributes that change it; recorded under torch 2.13 by changing
one between two calls. What changes nothing there (seeds, anomaly detection, `cudnn.benchmark`) has no row.
"""

from __future__ import annotations

from compilelint.host.guards import GRAD_MODE, Guard
from compilelint.host.values import External, Lib, Value, Write

_DEFAULTS: dict[str, str | None] = {
    "deterministic algorithms": "False",
    "default dtype": "float32",
    "default device": "None",
    "number of threads": "the default",
    "float32 precision": "highest",
    "autocast mode": "off",
}
_FUNCTIONS = {
    "torch.use_deterministic_algorithms": "deterministic algorithms",
    "torch.set_default_dtype": "default dtype",
    "torch.set_default_device": "default device",
    "torch.set_num_threads": "number of threads",
    "torch.set_float32_matmul_precision": "float32 precision",
}
_ATTRIBUTES = {"torch.backends.cuda.matmul.allow_tf32": "float32 precision"}
_AUTOCAST = frozenset({"torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast"})
_OF_DEVICE = {"torch.cuda.amp.autocast": "cuda", "torch.cpu.amp.autocast": "cpu"}
SETTINGS = frozenset(_DEFAULTS)


class Ambient:
    """The settings of a run as they stand, and who changed each last."""

    def __init__(self) -> None:
        self.values = dict(_DEFAULTS)
        self.writes: dict[str, Write] = {}

    def called(self, name: str, args: list[Value], write: Write) -> None:
        """A function of torch is called that may set one."""
        if name in _FUNCTIONS and args:
            self._put(_FUNCTIONS[name], _text(args[0]), write)

    def assigned(self, name: str, value: Value, write: Write) -> None:
        """A switch of a library is assigned."""
        if name in _ATTRIBUTES:
            text = _text(value)
            self._put(_ATTRIBUTES[name], {"True": "high", "False": "highest"}.get(text or ""), write)

    def entered(self, manager: Value, write: Write) -> None:
        """`with manager`: autocast, or a device as the default one."""
        if not isinstance(manager, Lib):
            return
        if manager.name == "torch.device":
            self._put("default device", _text(manager.args[0]) if manager.args else None, write)
        elif manager.name in _AUTOCAST or manager.name in _OF_DEVICE:
            self._put("autocast mode", _autocast(manager), write)

    def _put(self, setting: str, text: str | None, write: Write) -> None:
        if self.values[setting] != text:
            self.values = {**self.values, setting: text}  # a `with` puts the old ones back
            self.writes[setting] = write

    def guards(self, gradients: bool) -> dict[str, Guard]:
        """What a version asks of all of them; of one that is not known nothing."""
        return {
            GRAD_MODE: Guard("equals", gradients),
            **{name: Guard("ambient", text) for name, text in self.values.items()},
        }


def _autocast(manager: Lib) -> str | None:
    given = dict(zip(("device_type", "dtype", "enabled"), manager.args, strict=False)) | manager.keywords
    if manager.name in _OF_DEVICE:
        given = dict(zip(("enabled", "dtype"), manager.args, strict=False)) | manager.keywords
        given["device_type"] = _OF_DEVICE[manager.name]
    enabled = given.get("enabled", True)
    if enabled is False:
        return "off"
    if enabled is not True:
        return None
    texts = [_text(given.get("device_type")), _text(given.get("dtype", "")) or ""]
    return None if texts[0] is None else "for " + " in ".join(one for one in texts if one)


def _text(value: Value) -> str | None:
    """A setting's value in words; None where it is not known."""
    if isinstance(value, External):
        return value.name.removeprefix("torch.")
    if isinstance(value, Lib) and value.name == "torch.device" and value.args:
        return _text(value.args[0])
    return str(value) if value is None or isinstance(value, (bool, int, str)) else None


__all__ = ["SETTINGS", "Ambient"]
