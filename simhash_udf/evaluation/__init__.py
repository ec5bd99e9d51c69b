"""Quality of groups on labelled documents: scores, their intervals, and the page that shows them; plain arrays."""
