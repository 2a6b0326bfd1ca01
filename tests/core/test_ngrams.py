from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.ngrams import MIDDLE, Table, body_grams, bucket, headline_grams, letters


@given(st.text())
def test_any_text_has_grams_that_have_buckets(text):
    for gram in [*headline_grams(text), *body_grams(text)]:
        assert 0 <= bucket(gram, 8) < 256


@given(st.text(alphabet="高考教育ab", max_size=20))
def test_body_grams_are_all_pairs_of_neighbours(text):
    assert {letters(gram) for gram in body_grams(text)} == {text[at : at + 2] for at in range(len(text) - 1)}


def test_form_case_and_script_do_not_matter():
    assert bucket("ＧＲＥ", 20) == bucket("gre", 20)
    assert bucket("鄉村", 20) == bucket("乡村", 20)


def test_a_table_sums_its_columns_over_the_grams():
    rows = bytearray([MIDDLE, 0] * 256)
    rows[2 * bucket("高", 8)] = 255
    rows[2 * bucket("高", 8) + 1] = 7
    table = Table(bytes(rows), columns=2, bits=8)
    many = ["高"] * 1000
    assert table.sums(many) == [255 * 1000, 7 * 1000]
    assert table.sums(many) == [255 * 1000, 7 * 1000]  # from those met before, too
    assert table.sums([]) == [0, 0]
