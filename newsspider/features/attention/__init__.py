"""Attention over time: how much was written of something, day by day, and by whom.

It builds on events: what made a peak. ``rules`` holds its decisions, without I/O or clock.
"""
