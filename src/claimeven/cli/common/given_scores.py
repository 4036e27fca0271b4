"""Scores that a file gives for its positions, compared with the exact ones."""

from __future__ import annotations

from collections.abc import Sequence

from claimeven.records import GameRecord

Scores = Sequence[int | None]


class GivenScores:
    """Counts of the scores that files give: how many are right, and how many wrong."""

    def __init__(self) -> None:
        self.right = self.wrong = 0

    def agree(self, record: GameRecord, score: int, scores: Scores = ()) -> bool:
        """Count whether the scores that a record gives are these; True if it gives none.

        `scores` are those of the columns, empty if they are not known.
        """
        if not record.scores:
            return True
        is_right = record.score == score
        if scores and len(record.scores) == len(scores) > 1:
            is_right = list(record.scores) == list(scores)
        self.right += is_right
        self.wrong += not is_right
        return is_right

    @property
    def count(self) -> int:
        """How many were compared."""
        return self.right + self.wrong

    def __str__(self) -> str:
        each = "score" if self.count == 1 else "scores"
        return f"{self.count:,} {each} given: {self.right:,} right, {self.wrong:,} wrong"


def given_text(record: GameRecord) -> str:
    """Return the scores of a record as its file writes them."""
    return " ".join("." if score is None else str(score) for score in record.scores)


def given_dict(record: GameRecord, agrees: bool) -> dict[str, object]:
    """Return what JSON says of the scores that a record gives, nothing if it gives none."""
    return {"given": list(record.scores), "agrees": agrees} if record.scores else {}
