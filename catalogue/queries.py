

def clip_ids_with_moments() -> list[str]:
    """Every clip that has something to judge, in code-point order."""
    return sorted(Moment.objects.values_list("clip__clip_id", flat=True).distinct().order_by())
