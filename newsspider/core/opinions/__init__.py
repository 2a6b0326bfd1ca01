"""Opinions: the tendency of a sentence, and the sentences that stand for many."""
