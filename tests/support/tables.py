"""A table of cases that one test goes through: of a thousand tests that take a microsecond each, pytest makes ten seconds."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import Signature, signature
from typing import Any

Test = Callable[..., None]


def each(names: str | Sequence[str], rows: Iterable[Any], *, ids: object = None) -> Callable[[Test], Test]:
    """Use it as ``pytest.mark.parametrize``, where no case needs a fixture of its own. Every case runs; each that fails is shown."""
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = [(row,) if names == keys[0] else tuple(row) for row in rows]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def every(**others: Any) -> None:
            errors = []
            for case in cases:
                try:
                    test(**dict(zip(keys, case, strict=True)), **others)
                except Exception as error:
                    error.add_note(f"in the case {case!r}")
                    errors.append(error)
            assert cases
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(cases)} cases", errors)

        left = [parameter for name, parameter in signature(test).parameters.items() if name not in keys]
        every.__signature__ = Signature(left)  # type: ignore[attr-defined]  # what pytest takes for fixtures
        return every

    return decorate
