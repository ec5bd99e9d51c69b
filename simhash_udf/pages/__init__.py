"""Pages of HTML that need nothing but themselves: one style sheet, one frame, one way to show a figure."""
