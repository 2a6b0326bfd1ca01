import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from newsspider.core.text.ngrams import ZERO_BYTE, Table, body_buckets, buckets_in_order, headline_buckets

BITS = 20


@given(st.text())
def test_any_text_has_grams_that_have_buckets(text):
    for buckets in (headline_buckets(text, 8), body_buckets(text, 8)):
        assert all(0 <= bucket < 256 for bucket in buckets.tolist())
        assert buckets.tolist() == sorted(set(buckets.tolist()))


@given(st.text(alphabet="高考教育ab", min_size=1, max_size=20))
def test_a_body_is_its_characters_and_pairs_of_neighbours(text):
    pieces = [*text, *(text[at : at + 2] for at in range(len(text) - 1))]
    assert set(body_buckets(text, BITS).tolist()) == {bucket for piece in pieces for bucket in body_buckets(piece, BITS).tolist()}


def test_a_headline_knows_its_edges_and_triples_and_a_body_does_not():
    assert set(headline_buckets("高考", BITS).tolist()) > set(body_buckets("高考", BITS).tolist())
    assert set(body_buckets("考高考", BITS).tolist()) == set(body_buckets("高考高", BITS).tolist())
    assert set(headline_buckets("考高考", BITS).tolist()) != set(headline_buckets("高考高", BITS).tolist())


def test_in_order_the_grams_stand_where_they_stand_in_the_text():
    buckets = buckets_in_order("高考 教育", BITS).tolist()
    edge, high, _, blank = buckets[:4]
    assert len(buckets) == 7 + 6 + 5
    assert edge == buckets[6]
    assert buckets_in_order("高", BITS).tolist()[1] == high
    assert buckets_in_order(" 考  教\n", BITS).tolist()[2] == blank
    assert sorted(set(buckets)) == headline_buckets("高考 教育", BITS).tolist()


def test_form_case_and_script_do_not_matter():
    assert headline_buckets("ＧＲＥ", BITS).tolist() == headline_buckets("gre", BITS).tolist()
    assert body_buckets("鄉村", BITS).tolist() == body_buckets("乡村", BITS).tolist()
    assert body_buckets("考研", BITS).tolist() != body_buckets("考验", BITS).tolist()


def test_a_table_sums_its_columns_over_the_buckets():
    rows = bytearray([ZERO_BYTE, 0] * 256)
    (high,) = body_buckets("高", 8).tolist()
    rows[2 * high] = 255
    rows[2 * high + 1] = 7
    table = Table(bytes(rows), columns=2, bits=8)
    for count in (0, 1, 1000, 70_000):  # of many the sums are beyond what four bytes of a float hold
        assert table.sums(np.full(count, high)) == [255 * count, 7 * count]
    assert table.cells(np.full(1, high), 1).tolist() == [7]
