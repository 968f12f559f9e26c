"""Study kind: blind rationales with two opt-outs, and reference review. Its rooms are not open yet."""
