"""The manager's pages for studies: set one up, add clips, open it, hand out its links, pay its people."""

from studies.admin.base import ReadOnlyAdmin
from studies.admin.people import EnrolmentAdmin, TechnicalFaultAdmin
from studies.admin.study import StudyAdmin
from studies.admin.units import StudyUnitAdmin

__all__ = ["EnrolmentAdmin", "ReadOnlyAdmin", "StudyAdmin", "StudyUnitAdmin", "TechnicalFaultAdmin"]
