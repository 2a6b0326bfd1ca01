"""Whether a URL may be asked for, when its host may be asked, and what an answer's head and packing say."""
