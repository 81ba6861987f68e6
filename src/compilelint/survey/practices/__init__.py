"""What the code around its models does that decides how to deploy them.

Facts for the report on a deployment, and no findings: each is what a line says, with nothing evaluated. Does not belong
here: what is wrong around a compiled call (`around`, `lifetimes`).
"""

from compilelint.survey.practices.of_files import practices
from compilelint.survey.practices.practice import UNKNOWN, Practice, PracticeKind

__all__ = ["UNKNOWN", "Practice", "PracticeKind", "practices"]
