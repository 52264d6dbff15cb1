"""Every question of the walk, declared once: path in the document, choices, limits, where it is asked.

The window, the command line's validation, the flips and the next best question all read this one list.
"""

from engine.questions.registry import QUESTIONS, question, questions_of, validate
from engine.questions.types import Kind, Question, Step

__all__ = ["QUESTIONS", "Kind", "Question", "Step", "question", "questions_of", "validate"]
