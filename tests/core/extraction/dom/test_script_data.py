"""Data in the scripts of a page is read literally; no script is run."""

from typing import Any

import pytest

from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.dom.script_data import read_literal, script_values
from tests.support.tables import each

LONG = "双减之后的课堂是什么样子" * 4


def values(body: str) -> list[Any]:
    return list(script_values(parse(f"<body>{body}</body>".encode(), "http://www.example.cn/")))


@each(
    ("source", "value"),
    [
        ("{a: 1, 'b': \"x\", c: [true, !1, null,], d: -2.5}", {"a": 1, "b": "x", "c": [True, False, None], "d": -2.5}),
        ("{title: 'It\\'s', u: '\\u4e2d\\x41\\/'}", {"title": "It's", "u": "中A/"}),
        ("[]", []),
        ("{a: void 0, b: name}", {"a": None, "b": None}),
    ],
)
def test_literals_of_javascript_are_read(source: str, value: object) -> None:
    assert read_literal(source)[0] == value


@each("source", ["{a: f(1)}", "{a 1}", "[1 2]", "{", "[" * 100, "{a: function(){}}", "{a: 'x}"])
def test_programs_and_broken_literals_are_refused(source: str) -> None:
    with pytest.raises(ValueError, match="at"):
        read_literal(source)


def test_a_broken_value_hides_no_other() -> None:
    assert values(f"<script>var a = {{f: g(1)}}; var b = [{{t: '{LONG}'}}];</script>") == [[{"t": LONG}]]


def test_a_value_is_yielded_once_and_not_its_parts() -> None:
    assert values(f"<script>x = {{a: {{b: '{LONG}'}}, c: 'y = {{z: 1}}'}}</script>") == [{"a": {"b": LONG}, "c": "y = {z: 1}"}]


def test_parameters_of_a_function_stand_for_the_values_of_its_call() -> None:
    script = f"window.__NUXT__=(function(a,b){{return {{t:a,n:[b,{{u:'{LONG}'}}]}}}}('x',3));"
    assert values(f"<script>{script}</script>") == [{"t": "x", "n": [3, {"u": LONG}]}]


def test_invalid_references_of_a_flat_array_become_none() -> None:
    flat = f'[{{"a":1,"b":99,"c":-1}},"{LONG}"]'
    assert values(f'<script type="application/json" id="__NUXT_DATA__">{flat}</script>') == [{"a": LONG, "b": None, "c": None}]


def test_places_that_many_name_are_built_once() -> None:
    flat = ",".join(f"[{at + 1},{at + 1}]" for at in range(60))
    (value,) = values(f'<script type="application/json" id="__NUXT_DATA__">[{flat},"{LONG}"]</script>')
    assert value[0] is value[1]


def test_a_flat_array_that_refers_to_itself_is_read() -> None:
    (value,) = values(f'<script type="application/json" id="__NUXT_DATA__">[{{"a":0}},"{LONG}"]</script>')
    assert value["a"]["a"]["a"] is not None
