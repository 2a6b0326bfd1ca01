"""Opinions: the sentences that criticise, and those that say something by themselves."""
