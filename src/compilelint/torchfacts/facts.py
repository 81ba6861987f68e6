"""Typed questions about what TorchDynamo does, answered for one torch version. Loads no torch and runs nothing.

Keys of the tables: a dotted name for a call or an attribute read (`torch.where`, `torch.Tensor.item`,
`builtins.print`, `time.time`, `os.environ.__setitem__`); `NAME|FORM` for one form of a call; `set:NAME` for an
attribute write; `with:NAME` and `with-object:NAME` for a context manager built in the `with` line or brought from
outside; `layer:NAME` for calling an instance of a module class (the bare name is its construction);
`syntax:FORM` for a `SyntaxForm`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from compilelint.model.slotted import dataclass
from compilelint.torchfacts import registry, store, torchvision
from compilelint.torchfacts.arrays import leaves_graph
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.fact import Fact, Traits, worst_of
from compilelint.torchfacts.kinds import FAILS, FULL, SKIPS, TRACED, Kinds, kinds_of
from compilelint.torchfacts.names import other_spelling
from compilelint.torchfacts.packages import ENTERED, NOT_ENTERED, OPERATORS, REFERENCES, SKIPPED, TRACED_REFERENCES
from compilelint.torchfacts.refusals import refusals_of
from compilelint.torchfacts.registry import GraphBreakEntry
from compilelint.torchfacts.result_rules import Arguments
from compilelint.torchfacts.result_tables import results_of
from compilelint.torchfacts.results import ResultRule
from compilelint.torchfacts.verdict import OK, Verdict, parse
from compilelint.torchfacts.vocabulary import Quirk, Reason, Returns, SyntaxForm

# What a call returns whose output shape depends on data.
_RESIZABLE = frozenset({Returns.TENSOR, Returns.TENSORS, Returns.UNKNOWN})
_TENSOR_NAMESPACES = (
    ("torch.Tensor.", ""),
    ("torch.ops.aten.", ""),
    ("torch.nn.functional.", ""),
    ("torch.linalg.", "linalg_"),
    ("torch.special.", "special_"),
    ("torch.fft.", "fft_"),
    ("torch.", ""),
)


class TorchFacts:
    """The facts of one torch version.

    `target` is the version that was asked for, `version` the shipped one that answers, `exact` whether the two
    are of one minor release. Answers are shared instances, kept after the first question.
    """

    __slots__ = (
        "_facts",
        "_forms",
        "_kinds",
        "_kinds_hold",
        "_parsed",
        "_refusals",
        "_table",
        "_traits",
        "config",
        "data",
        "exact",
        "results",
        "target",
        "version",
    )

    def __init__(self, target: str, version: str, data: Path = store.DATA) -> None:
        self.target = target
        self.version = version
        self.exact = store.key_of(target)[:2] == store.key_of(version)[:2]
        self.data = data
        self._table = store.table(version, data)
        self._forms: dict[str, list[list[Any]]] = _conditions(data)
        self._traits = _traits(data)
        self._parsed: dict[str, Verdict] = {}
        self._facts: dict[str, Fact | None] = {}
        self._refusals: dict[str, Fact | None] = {}
        self._kinds: Kinds | None = None
        self._kinds_hold: bool | None = None  # whether they were measured in this release
        self.config: Mapping[str, Any] = MappingProxyType(self._table.config)
        self.results = results_of(version, data)

    def callable(self, qualname: str) -> Fact | None:
        """The fact on calling (or, for an attribute, reading) `qualname`; None where nothing is known.

        Asks the table, then the aten tags of the operator behind the name, then the trace rules.
        """
        try:
            return self._facts[qualname]
        except KeyError:
            fact = self._facts[qualname] = self._callable(qualname)
            return fact

    def result(self, name: str, call: Arguments) -> ResultRule | None:
        """How many tensors a call of `name` (`torch.norm`) returns, of which dtype class and rank.

        None where no call of this form was measured.
        """
        return self.results.rule_for(name, call)

    def attribute(self, qualname: str, *, write: bool = False) -> Fact | None:
        """The fact on reading or writing an attribute (`torch.Tensor.requires_grad`)."""
        if not write:
            return self.callable(qualname)
        any_other = self._keyed("set:torch.Tensor.*") if qualname.startswith("torch.Tensor.") else None
        return self._prefixed("set:", qualname) or any_other

    def syntax(self, form: SyntaxForm) -> Fact | None:
        """The fact on a language construct; None where this version was not asked."""
        return self._keyed("syntax:" + form.value)

    def context_manager(self, qualname: str, *, from_outside: bool = False) -> Fact | None:
        """The fact on `with qualname(...)`, or on `with obj` for an object that was made outside the region."""
        return self._prefixed("with-object:" if from_outside else "with:", qualname)

    @property
    def kinds(self) -> Kinds:
        """The measured kinds of objects, read when they are first asked for."""
        if self._kinds is None:
            self._kinds = kinds_of(self.version, self.data)
        return self._kinds

    def on_kind(self, kind: str, operation: str, *, inside: bool | None) -> Fact | None:
        """The fact on an operation (`len`, `.append`) on an object of a kind (`array.array`), made inside or not.

        None where it was not measured in this release, and where it is not known where the object was made and that
        decides. Other releases do not answer: ids of this sort come and go with each.
        """
        kinds = self.kinds
        if self._kinds_hold is None:
            self._kinds_hold = store.key_of(kinds.version)[:2] == store.key_of(self.version)[:2]
        if not self._kinds_hold:
            return None
        asked = (True, False) if inside is None else (inside,)
        found = {kinds.outcome(kind, operation, inside=one) for one in asked}
        outcome = found.pop()
        return None if found or outcome is None else self._of_outcome(outcome)

    def _of_outcome(self, outcome: str) -> Fact | None:
        measured = (self.kinds.version,)
        if outcome == TRACED:
            return _shared(OK, Traits(), assumed=False)
        if outcome == FAILS:
            return self.of_failure(Reason.COMPILE_ERROR, measured=measured)
        gb_id = outcome.removeprefix(SKIPS).removeprefix(FULL)
        entry = self.graph_break(gb_id)
        if entry is None:
            return None
        if outcome.startswith(FULL):
            return _shared(Verdict(full=gb_id), Traits(), assumed=False)
        return self.of_entry(gb_id, entry.reason, measured=measured, skips_frame=outcome.startswith(SKIPS))

    def layer(self, qualname: str) -> Fact | None:
        """The fact on calling an instance of a module class (`torch.nn.LSTM`)."""
        return self._prefixed("layer:", qualname) or self._measured_like(torchvision.TRANSFORMS.get(qualname))

    def graph_break(self, gb_id: str) -> GraphBreakEntry | None:
        """The registry's entry for an id in this version; None before torch 2.8 and for an id it does not have."""
        return registry.entries(self.version, self.data).get(gb_id)

    def refusal(self, key: str) -> Fact | None:
        """The fact that a construct of `refusals.json` (`GB0147|combinations_with_replacement`) ends the graph.

        None where this version traces it or has no such rule. Raises KeyError for a key that the data does not have.
        """
        try:
            return self._refusals[key]
        except KeyError:
            fact = self._refusals[key] = self._refused(key)
            return fact

    def traces(self, key: str) -> bool:
        """Whether this version traces a construct of `refusals.json`, rather than only having no id for it."""
        return not refusals_of(self.data).rows[key].verdict(self.version).breaks

    def _refused(self, key: str) -> Fact | None:
        shipped = refusals_of(self.data)
        verdict = shipped.rows[key].verdict(self.version)
        if not verdict.breaks or (verdict.gb_id and not self._raises(verdict.gb_id)):
            return None
        release = store.key_of(self.version)[:2]
        return _shared(verdict, Traits(), all(store.key_of(one)[:2] != release for one in shipped.measured))

    def _raises(self, gb_id: str) -> bool:
        """Whether this version's source still raises an id."""
        entry = self.graph_break(gb_id)
        return entry is not None and entry.live

    def opaque_operand(self) -> Fact:
        """The fact on an operator between a tensor and an object of the program's own class, dunder methods or not.

        Measured on 2.13 and 2.15: the object cannot become an argument of the graph, and the frame is skipped.
        """
        gb_id = _OPAQUE if self.graph_break(_OPAQUE) is not None else None
        return _shared(Verdict(Reason.OPAQUE_ARGUMENT, gb_id, skips_frame=True), Traits(), assumed=False)

    def of_entry(
        self, gb_id: str, reason: Reason, *, measured: tuple[str, ...], skips_frame: bool = False, raises: bool = False
    ) -> Fact | None:
        """The fact that the break of a registry entry happens; None where this version has no such entry.

        For objects that no name in the tables stands for. `measured` are the releases in which it was run.
        """
        if self.graph_break(gb_id) is None:
            return None
        release = store.key_of(self.version)[:2]
        other = all(store.key_of(version)[:2] != release for version in measured)
        return _shared(Verdict(reason, gb_id, skips_frame, raises), Traits(), assumed=other)

    def of_failure(self, reason: Reason, *, measured: tuple[str, ...]) -> Fact:
        """The fact that compiling fails with an exception where eager Python runs; `measured` as for `of_entry`."""
        release = store.key_of(self.version)[:2]
        other = all(store.key_of(version)[:2] != release for version in measured)
        return _shared(Verdict(reason, raises=True), Traits(), assumed=other)

    @property
    def known_packages(self) -> frozenset[str]:
        """Top-level packages whose functions are facts and not source: Dynamo skips them or has them in the graph."""
        return self.rule("skip_modules") | self.rule("graph_packages")

    def skips_package(self, name: str) -> bool:
        """Whether every function of the third-party package that `name` starts with ends the graph (`tqdm.tqdm`).

        Functions of the standard library, which Dynamo skips file by file, are asked for one by one.
        """
        top = name.partition(".")[0]
        if top in SKIPPED:
            return True
        return top in self.rule("skip_modules") and top not in sys.stdlib_module_names

    def skipped_call(self) -> Fact | None:
        """What is true of every compiled function and every other that Dynamo skips: measured on one of SciPy's."""
        return self._keyed("scipy.optimize.linear_sum_assignment")

    def keeps_out_of(self, name: str) -> bool:
        """Whether a function of torch that no table holds lies in a part that Dynamo does not enter."""
        if name.startswith(REFERENCES):
            return name not in TRACED_REFERENCES
        return name.startswith(NOT_ENTERED) and name.count(".") > 2 and not name.startswith(ENTERED)

    def puts_package_in_graph(self, name: str) -> bool:
        """Whether Dynamo registers the functions of the package that `name` starts with for the graph (`einops`)."""
        return name.partition(".")[0] in self.rule("graph_packages")

    def registers_operators(self, namespace: str) -> bool:
        """Whether torch, or a package that is known for it, registers operators under `torch.ops.<namespace>`."""
        return namespace in OPERATORS

    def rule(self, name: str) -> frozenset[str]:
        """The dotted names of one trace rule; see `rules` for which there are."""
        return self._table.rules.get(name, frozenset())

    def has(self, quirk: Quirk) -> bool:
        """Whether this version has the quirk; where it was not measured, whether the nearest measured one has."""
        return quirk.value in self.rule("quirks")

    @property
    def rules(self) -> tuple[str, ...]:
        """Names of the trace rules that this version's table holds."""
        return tuple(sorted(self._table.rules))

    def all_keys(self) -> tuple[str, ...]:
        """All keys of the table, sorted; see the module's docstring for their form."""
        return tuple(sorted(self._table.verdicts))

    def verdict(self, key: str) -> Verdict | None:
        """The raw verdict of one key; None where the table does not have it."""
        text = self._table.verdicts.get(key)
        return None if text is None else self._parse(text)

    def is_assumed(self, key: str) -> bool:
        """Whether the key's verdict was carried over from another version's table."""
        return self._table.assumes(key)

    def _callable(self, name: str) -> Fact | None:
        fact = self._keyed(name)
        if fact is None and (other := other_spelling(name)) is not None:
            fact = self._keyed(other)
            name = other if fact is None else name
        like = self._measured_like(torchvision.FUNCTIONS.get(name))
        return fact or like or self._from_aten_tags(name) or self._from_trace_rules(name)

    def _prefixed(self, prefix: str, name: str) -> Fact | None:
        fact = self._keyed(prefix + name)
        if fact is None and (other := other_spelling(name)) is not None:
            return self._keyed(prefix + other)
        return fact

    def _keyed(self, key: str) -> Fact | None:
        try:
            return self._facts[key]
        except KeyError:
            fact = self._facts[key] = self._made(key)
            return fact

    def _made(self, key: str) -> Fact | None:
        forms = self._forms.get(key)
        plain = self._single(key, key)
        if forms is None or (plain is None and all(f"{key}|{form}" not in self._table.verdicts for form, _ in forms)):
            return plain
        plain = plain or Fact(OK, self._traits_of(key))
        made = [(condition, self._single(f"{key}|{form}", key) or plain) for form, condition in forms]
        facts = [fact for _, fact in made]
        if all((fact.verdict, fact.traits) == (plain.verdict, plain.traits) for fact in facts):
            return plain
        worst = worst_of([plain, *facts])
        return Fact(plain.verdict, plain.traits, True, plain.assumed, forms=tuple(made), alternative=worst)

    def _single(self, key: str, name: str) -> Fact | None:
        text = self._table.verdicts.get(key)
        if text is None:
            return None
        verdict, traits = self._parse(text), self._traits_of(name)
        if verdict.reason is Reason.DYNAMIC_SHAPE and traits.returns in _RESIZABLE:
            traits = replace(traits, returns=Returns.DYNAMIC_SHAPE)
        return _shared(verdict, traits, self._table.assumes(key))

    def _traits_of(self, name: str) -> Traits:
        return self._traits.of(name.partition("|")[0])

    def _parse(self, text: str) -> Verdict:
        verdict = self._parsed.get(text)
        if verdict is None:
            try:
                verdict = self._parsed[text] = parse(text)
            except (ValueError, KeyError) as error:
                where = str(self.data / f"{self.version}.json")
                raise FactsError(f"unreadable verdict {text!r}: {error}", where, "reinstall compilelint") from error
        return verdict

    def _from_aten_tags(self, name: str) -> Fact | None:
        for prefix, operator_prefix in _TENSOR_NAMESPACES:
            if name.startswith(prefix):
                operator = operator_prefix + name.removeprefix(prefix).partition(".")[0]
                if operator in self.rule("aten_dynamic_shape"):
                    return self._like("torch.nonzero", Returns.DYNAMIC_SHAPE)
                if operator in self.rule("aten_data_dependent"):
                    return self._like("torch.equal", Returns.UNKNOWN)
                return None
        return None

    def _like(self, name: str, returns: Returns) -> Fact | None:
        """The verdict of a measured name that stands for its whole class of operators."""
        text = self._table.verdicts.get(name)
        return None if text is None else _shared(self._parse(text), Traits(returns=returns), assumed=True)

    def _measured_like(self, key: str | None) -> Fact | None:
        """The fact of a name that another key's fact was found to hold for; None without such a key."""
        text = None if key is None else self._table.verdicts.get(key)
        return None if text is None else _shared(self._parse(text), Traits(), assumed=True)

    def _from_trace_rules(self, name: str) -> Fact | None:
        if name in self.rule("constant_fold"):
            return _shared(OK, Traits(returns=Returns.PYTHON_VALUE), assumed=True)
        if name in self.rule("polyfills") or name in self.rule("in_graph"):
            return _shared(OK, self._traits_of(name), assumed=True)
        if leaves_graph(name):
            return self._like("numpy.vectorize", Returns.UNKNOWN)
        return None


_OPAQUE = "GB0055"  # "Failed to convert args/kwargs to proxy"


@functools.lru_cache(maxsize=4096)
def _shared(verdict: Verdict, traits: Traits, assumed: bool) -> Fact:
    return Fact(verdict, traits, assumed=assumed)


@functools.lru_cache(maxsize=4)
def _conditions(data: Path) -> dict[str, list[list[Any]]]:
    content = store.read("conditions.json", data)
    forms: dict[str, list[list[Any]]] = {}
    try:
        for group in content["groups"]:
            forms.update(dict.fromkeys(group["names"], group["forms"]))
    except (KeyError, TypeError) as error:
        where = str(data / "conditions.json")
        raise FactsError(f"conditions.json is damaged: {error!r}", where, "reinstall compilelint") from error
    return forms


@dataclass(frozen=True, slots=True)
class _TraitTable:
    """`traits.json`, unpacked; `of` makes the traits of a name that some table holds."""

    returns: dict[str, Returns]
    flags: tuple[frozenset[str], frozenset[str], frozenset[str]]

    def of(self, name: str) -> Traits:
        """The traits of a measured name."""
        returns = self.returns.get(name, Returns(store.IMPLIED) if store.implied(name) else Returns.UNKNOWN)
        random, view, sync = (name in names for names in self.flags)
        return Traits(returns, random, view, sync)


@functools.lru_cache(maxsize=4)
def _traits(data: Path) -> _TraitTable:
    content = store.read("traits.json", data)
    try:
        returns: dict[str, Returns] = {}
        for value, names in content["returns"].items():
            returns.update(dict.fromkeys(store.unpacked(names), Returns(value)))
        random, view, sync = (frozenset(store.unpacked(content[trait])) for trait in ("random", "view", "sync"))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        where = str(data / "traits.json")
        raise FactsError(f"traits.json is damaged: {error!r}", where, "reinstall compilelint") from error
    return _TraitTable(returns, (random, view, sync))


def available(data: Path = store.DATA) -> tuple[str, ...]:
    """The torch versions that have a table, oldest first."""
    return store.versions(data)


def nearest(version: str, shipped: tuple[str, ...]) -> str:
    """The newest of `shipped` (oldest first) that is not newer than `version`, else the oldest.

    A version of two numbers (`2.9`) means its whole minor release.
    """
    wanted = store.key_of(version)
    below = [candidate for candidate in shipped if store.key_of(candidate)[: len(wanted)] <= wanted]
    return below[-1] if below else shipped[0]


def load(version: str, data: Path = store.DATA) -> TorchFacts:
    """The facts for a torch version, from the nearest shipped table that is not newer, else the oldest one.

    Raises FactsError where `version` is no version or the data is missing or damaged.
    """
    return TorchFacts(version, nearest(version, store.versions(data)), data)
