"""Work of the exports app that a worker does."""

from celery import shared_task

from exports.services import freeze_job_run


@shared_task
def freeze_run(job_id: int) -> None:
    """Run a freeze job: one more door to `freeze_job_run`."""
    freeze_job_run(job_id=job_id)
