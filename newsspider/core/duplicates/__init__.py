"""Which texts are reprints of which, and who had them first."""
