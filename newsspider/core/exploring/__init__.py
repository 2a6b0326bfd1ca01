"""Where to look for more: what links promise, what pages are worth, and which lists deserve to be watched."""
