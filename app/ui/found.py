"""What can be found from anywhere: a thing to go to or to do, and how well it answers what was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


def initials(text: str) -> str:
    """First letters of Hangul syllables ("메모리" gives "ㅁㅁㄹ"), so that a few consonants find a word."""
    return "".join(_INITIALS[(ord(c) - 0xAC00) // 588] if "가" <= c <= "힣" else c for c in text)


@frozen
class Found:
    """One thing to go to or do. `act` is called when it is chosen."""

    kind: str
    title: str
    act: Callable[[], None]
    detail: str = ""
    words: str = ""

    def score(self, parts: Sequence[str]) -> int | None:
        """Smaller is better; None when a part is not in it."""
        title = self.title.casefold()
        text = f"{title} {self.detail} {self.words}".casefold()
        first = initials(self.title)
        total = 0
        for part in parts:
            if title.startswith(part):
                continue
            if part in title:
                total += 1
            elif part in first:
                total += 2
            elif part in text:
                total += 3
            else:
                return None
        return total
