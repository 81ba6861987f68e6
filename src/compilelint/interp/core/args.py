"""The arguments of one call, as values."""

from __future__ import annotations

from compilelint.values import Value


class Args:
    """The arguments of one call. `star` / `double_star` hold what `*args` / `**kwargs` of unknown length may supply."""

    __slots__ = ("double_star", "keywords", "positional", "star")

    def __init__(
        self,
        positional: list[Value],
        keywords: dict[str, Value] | None = None,
        star: Value | None = None,
        double_star: Value | None = None,
    ) -> None:
        self.positional = positional
        self.keywords = {} if keywords is None else keywords
        self.star = star
        self.double_star = double_star

    def get(self, index: int, name: str = "") -> Value | None:
        """The argument at a position or under a name; None if it is not given."""
        if 0 <= index < len(self.positional):
            return self.positional[index]
        return self.keywords.get(name)

    def all(self) -> list[Value]:
        """Every argument, in order."""
        extra = [v for v in (self.star, self.double_star) if v is not None]
        return [*self.positional, *self.keywords.values(), *extra]
