"""The query parser: the grammar that topic rules and search queries share. Subclasses build the result of each
operator; that of searches (``query_language``) adds fields, the minus, the limits of a query and refusals of its
own."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from newsspider.core.text.characters import fold_text

TOKENS = re.compile(  # parentheses; words, phrases and operators, a minus before a field
    r"""\s*(?:[()（）]|(?:-?[^\W\d_]+[:：])?(?:"[^"]*"|“[^”]*”|＂[^＂]*＂|[^\s()（）"“”＂]+))"""
)
FIELD = re.compile(r"([^\W\d_]+)[:：]")
QUOTES = '"“”＂'
NEAR_OPERATOR = re.compile(r"(O?NEAR)/\d{1,3}")
MISWRITTEN_OPERATOR = re.compile(r"and|or|not|o?near(/.*)?", re.I)
MOST_NESTED = 100
OPERATORS = ("AND", "OR", "NOT")
STAR = "*"
T = TypeVar("T")


class RuleError(ValueError):
    """A rule that cannot be parsed: the position (from 1) and the reason."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(f"at character {at}: {reason}")
        self.at = at
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a rule."""

    text: str
    at: int  # from 1


class DescentParser(Generic[T]):
    """A recursive-descent parser with one method for each level of the grammar. Subclasses build the results."""

    near_names: ClassVar[tuple[str, ...]] = ("NEAR",)
    most_nested: ClassVar[int] = MOST_NESTED

    def __init__(self, tokens: list[Token], end: int) -> None:
        self.tokens = tokens
        self.next = 0
        self.end = end
        self.nested = 0

    @abstractmethod
    def test(self, token: Token) -> T:
        """The result of a word, a phrase or a field."""

    @abstractmethod
    def either(self, sides: list[T]) -> T:
        """The result of OR with at least two sides."""

    @abstractmethod
    def every(self, sides: list[T]) -> T:
        """The result of AND with at least two sides."""

    @abstractmethod
    def without(self, inner: T) -> T:
        """The result of NOT."""

    @abstractmethod
    def is_operand(self, node: T) -> bool:
        """Whether a result can be an operand of NEAR/n."""

    @abstractmethod
    def beside(self, left: T, right: T, operator: Token) -> T:
        """The result of NEAR/n."""

    def whole(self) -> T:
        """The result of all tokens; raises :exc:`RuleError`."""
        result = self.any_of()
        if (extra := self.ahead()) is not None:
            raise RuleError(extra.at, "nothing was opened that this could close")
        return result

    def ahead(self) -> Token | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def take(self, *texts: str) -> Token | None:
        token = self.ahead()
        if token is None or token.text not in texts:
            return None
        self.next += 1
        return token

    def any_of(self) -> T:
        sides = [self.all_of()]
        while self.take("OR"):
            sides.append(self.all_of())
        return sides[0] if len(sides) == 1 else self.either(sides)

    def all_of(self) -> T:
        sides = [self.unless()]
        while self.take("AND") or ((token := self.ahead()) and token.text not in {"OR", ")"}):
            sides.append(self.unless())
        return sides[0] if len(sides) == 1 else self.every(sides)

    def unless(self) -> T:
        if (token := self.take("NOT")) is None:
            return self.near()
        return self.without(self.within(token, self.unless))

    def within(self, token: Token, read: Callable[[], T]) -> T:
        """Parse what follows a token, one level deeper."""
        self.nested += 1
        if self.nested > self.most_nested:
            raise RuleError(token.at, f"is nested more than {self.most_nested} times")
        inner = read()
        self.nested -= 1
        return inner

    def is_near(self, token: Token) -> bool:
        """Whether a token is NEAR/n, or another operator of this kind in ``near_names``."""
        match = NEAR_OPERATOR.fullmatch(token.text)
        return match is not None and match[1] in self.near_names

    def near(self) -> T:
        token = self.ahead()
        result = self.atom()
        while (operator := self.ahead()) and self.is_near(operator):
            self.next += 1
            following = self.ahead()
            other = self.atom()
            for operand, place in ((result, token), (other, following)):
                if not self.is_operand(operand):
                    raise RuleError(
                        place.at if place else self.end, "NEAR/n stands between words or phrases of title or body"
                    )
            result = self.beside(result, other, operator)
        return result

    def atom(self) -> T:
        token = self.ahead()
        if token is None:
            raise RuleError(self.end, "a word is missing at the end")
        self.next += 1
        if token.text == "(":
            inner = self.within(token, self.any_of)
            if self.take(")") is None:
                raise RuleError(token.at, "a parenthesis that nothing closes")
            return inner
        if token.text in {*OPERATORS, ")"} or self.is_near(token):
            raise RuleError(token.at, f"a word is missing before {token.text}")
        return self.test(token)


def tokens_of(rule: str) -> Iterator[Token]:
    """The words, phrases, operators and parentheses of a rule; raises :exc:`RuleError`."""
    at = 0
    rule = rule.rstrip()
    while at < len(rule):
        match = TOKENS.match(rule, at)
        if match is None:
            at += len(rule[at:]) - len(rule[at:].lstrip())
            raise RuleError(
                at + 1, "a quotation mark that stands alone" if rule[at] in QUOTES else "nothing that can be read"
            )
        start = match.end() - len(match.group().lstrip())
        token = rule[start : match.end()]
        yield Token({"（": "(", "）": ")"}.get(token, token), start + 1)
        at = match.end()


def field_of(token: Token) -> tuple[str, str, int]:
    """The field of a token (empty for none), the rest of the token, and the position of the rest."""
    field = FIELD.match(token.text)
    end = field.end() if field else 0
    return fold_text(field[1]) if field else "", token.text[end:], token.at + end
