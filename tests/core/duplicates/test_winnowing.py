from hypothesis import example, given
from hypothesis import strategies as st

from newsspider.core.duplicates.reprints import fingerprints

LETTERS = st.text(alphabet="教育部公布高考招生政策的一是", max_size=120)
SIZES = st.integers(1, 12)


@given(LETTERS, LETTERS, LETTERS, LETTERS, LETTERS, SIZES, SIZES)
@example("", "", "教育部公布高考招生政策", "", "", 6, 6)
def test_a_common_run_of_w_plus_k_minus_1_letters_shares_a_fingerprint(before, behind, common, front, end, k, w):
    run = (common + "教育部公布高考招生政策是一的" * 2)[: max(len(common), w + k - 1)]
    assert set(fingerprints(before + run + behind, k, w)) & set(fingerprints(front + run + end, k, w))


@given(st.text(max_size=80), SIZES, SIZES)
def test_fingerprints_are_the_least_hashes_of_all_windows_and_nothing_else(text, k, w):
    """Checks the definition window by window: each window on its own has one fingerprint, its smallest hash."""
    whole = fingerprints(text, k, w)
    runs = [text[place : place + w + k - 1] for place in range(max(1, len(text) - w - k + 2))]
    least = [fingerprints(run, k, w) for run in runs]
    assert all(len(window_prints) <= 1 for window_prints in least)
    assert set(whole) == {value for window_prints in least for value in window_prints}


@given(st.text(max_size=60), SIZES, SIZES)
def test_wider_windows_keep_some_of_the_fingerprints_of_narrower_ones(text, k, w):
    assert set(fingerprints(text, k, w + 1)) <= set(fingerprints(text, k, w))


@given(st.text(max_size=60), SIZES, SIZES)
def test_fingerprints_rise_and_fit_into_32_bits(text, k, w):
    prints = fingerprints(text, k, w)
    assert list(prints) == sorted(set(prints))
    assert all(-(2**31) <= value < 2**31 for value in prints)
    assert bool(prints) == (len(text) >= k)


def test_they_are_the_same_on_every_machine():
    assert fingerprints("教育部公布高考招生政策", 6, 8) == (-2093868077,)


def test_two_in_w_plus_one_k_grams_are_kept():
    text = "".join(chr(0x4E00 + (place * place * 7919 + place * 104729) % 20000) for place in range(5000))
    assert 0.9 < len(fingerprints(text, 6, 8)) / (5000 * 2 / 9) < 1.1
