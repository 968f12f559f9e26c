"""Study kind: rubric grading of anonymised explanations. Its rooms are not open yet."""
