"""One package per task with a score. Each has parse, items, aggregate and report: text in, figures out."""
