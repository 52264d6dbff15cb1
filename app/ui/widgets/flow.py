"""A layout that sets its items in lines and breaks where the width ends."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """Left to right, then the next line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        shown = [i for i in self._items if not i.isEmpty()]
        width = sum(i.sizeHint().width() for i in shown) + self.spacing() * max(0, len(shown) - 1)
        height = max((i.sizeHint().height() for i in shown), default=0)
        return QSize(width + margins.left() + margins.right(), height + margins.top() + margins.bottom())

    def minimumSize(self) -> QSize:
        margins = self.contentsMargins()
        widest = max((i.minimumSize().width() for i in self._items if not i.isEmpty()), default=0)
        tallest = max((i.minimumSize().height() for i in self._items if not i.isEmpty()), default=0)
        return QSize(widest + margins.left() + margins.right(), tallest + margins.top() + margins.bottom())

    def _place(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        left, top = rect.left() + margins.left(), rect.top() + margins.top()
        right = rect.right() - margins.right()
        x, y, line = left, top, 0
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            if x > left and x + hint.width() > right + 1:
                x, y, line = left, y + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(x, y, min(hint.width(), max(0, right - left + 1)), hint.height()))
            x += hint.width() + self.spacing()
            line = max(line, hint.height())
        return y + line + margins.bottom() - rect.top()
