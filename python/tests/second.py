"""Hexapawn and Four in a row once more, from their pages in docs/rules alone: what Python sees is held against this."""

from __future__ import annotations


class Hexapawn:
    """A position from its text; without the removals before play."""

    def __init__(self, text: str) -> None:
        player, board = text.split()
        self.me, self.rows = player[1], board.split("/")
        self.other = "2" if self.me == "1" else "1"

    def winner(self) -> str | None:
        if "1" in self.rows[-1]:
            return "1"
        if "2" in self.rows[0]:
            return "2"
        return None if self.steps() else self.other

    def at(self, row: int, col: int) -> str | None:
        return self.rows[row][col] if 0 <= row < len(self.rows) and 0 <= col < len(self.rows[0]) else None

    def steps(self) -> list[tuple[str, int, int, int, int]]:
        """From the last row to the first and the last column to the first: takes to the right and the left, then the step."""
        found, ahead = [], 1 if self.me == "1" else -1
        for row in reversed(range(len(self.rows))):
            for col in reversed(range(len(self.rows[0]))):
                if self.at(row, col) != self.me:
                    continue
                for sideways, wanted in ((1, self.other), (-1, self.other), (0, ".")):
                    if self.at(row + ahead, col + sideways) == wanted:
                        sign = "x" if sideways else "-"
                        text = f"{'abcdefgh'[col]}{row + 1}{sign}{'abcdefgh'[col + sideways]}{row + ahead + 1}"
                        found.append((text, row, col, row + ahead, col + sideways))
        return found

    def moves(self) -> list[str]:
        return [] if self.winner() else [step[0] for step in self.steps()]

    def after(self, move: str) -> str:
        (_, row, col, to_row, to_col) = next(step for step in self.steps() if step[0] == move)
        cells = [list(each) for each in self.rows]
        cells[row][col], cells[to_row][to_col] = ".", self.me
        return f"p{self.other} {'/'.join(map(''.join, cells))}"


class Four:
    """A position from its text; the rows go from the top."""

    def __init__(self, text: str) -> None:
        player, board, *rest = text.split()
        self.me, self.rows = player[1], board.split("/")
        self.other = "2" if self.me == "1" else "1"
        self.rest = rest
        self.line = int(rest[0].partition("=")[2]) if rest else 4

    def winner(self) -> str | None:
        height, width = len(self.rows), len(self.rows[0])
        for row in range(height):
            for col in range(width):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    cells = [(row + n * down, col + n * right) for n in range(self.line)]
                    if all(0 <= r < height and 0 <= c < width for r, c in cells):
                        owners = {self.rows[r][c] for r, c in cells}
                        if len(owners) == 1 and owners != {"."}:
                            return owners.pop()
        return None

    def moves(self) -> list[str]:
        return [] if self.winner() else ["abcdefgh"[col] for col, cell in enumerate(self.rows[0]) if cell == "."]

    def after(self, move: str) -> str:
        col, cells = "abcdefgh".index(move), [list(each) for each in self.rows]
        row = max(row for row in range(len(cells)) if cells[row][col] == ".")
        cells[row][col] = self.me
        return " ".join([f"p{self.other}", "/".join(map("".join, cells)), *self.rest])
