"""The page of a run, ``report.html``: what was removed and why, and groups to look at with their texts."""
