//! A rules page to read, with its example boards, on which moves can be tried.
//!
//! A page names the position of a board behind the language of its block of code: ```` ```text p2 1.1/.1./222 ````. Where there is no
//! screen the block is shown as it is written.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::Style;
use rookery_catalog::AnyGame;
use rookery_rules::scene::{Place, Scene};

use crate::app::Hot;
use crate::board::{self, Marks};
use crate::markdown::{self, Block};
use crate::plan::Plan;
use crate::popup::Reply;
use crate::rich::{Accent, Rich, wrap};
use crate::screen::{line, rich_line};
use crate::telling::capital;
use crate::{Look, clean};

/// How many lines a page of a text has, for scrolling; screens differ, so it is a small one.
const PAGE: usize = 10;
/// The most lines that a board on the page takes.
const BOARD: u16 = 14;

/// A page, and how far it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reader {
    parts: Arc<[Part]>,
    scroll: usize,
    /// The board that Enter opens.
    chosen: Option<usize>,
    /// Whether the chosen board is to be brought into view.
    follows: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    /// In Markdown.
    Text(String),
    Board(Box<Example>),
}

/// A board to move on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Example {
    position: String,
    scene: Scene,
    /// What the page says beside it.
    notes: Vec<String>,
}

impl Reader {
    /// The rules of a game, below a text of their own.
    pub(crate) fn new(before: &str, game: Option<&dyn AnyGame>) -> Self {
        let mut parts = vec![Part::Text(before.to_owned())];
        for block in game.iter().flat_map(|game| markdown::blocks(game.rules())) {
            match block {
                Block::Text(text) => parts.push(Part::Text(text.to_owned())),
                Block::Board { position, code, source } => {
                    let scene = game.and_then(|game| game.position(position).ok()).map(|it| it.scene());
                    parts.push(match scene {
                        Some(scene) => Part::Board(Box::new(Example {
                            position: position.to_owned(),
                            scene,
                            notes: code.lines().filter_map(note).map(clean).collect(),
                        })),
                        None => Part::Text(source.to_owned()),
                    });
                }
            }
        }
        Self { parts: parts.into(), scroll: 0, chosen: None, follows: false }
    }

    fn examples(&self) -> impl Iterator<Item = &Example> {
        self.parts.iter().filter_map(|part| match part {
            Part::Board(example) => Some(&**example),
            Part::Text(_) => None,
        })
    }

    /// The position of a board.
    pub(crate) fn position(&self, number: usize) -> Option<&str> {
        self.examples().nth(number).map(|example| example.position.as_str())
    }

    /// What a key does.
    pub(crate) fn key(&mut self, key: KeyCode) -> Reply {
        let n_boards = self.examples().count();
        let scroll = self.scroll;
        self.scroll = match key {
            KeyCode::Up | KeyCode::Char('k') => scroll.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => scroll.saturating_add(1),
            KeyCode::PageUp => scroll.saturating_sub(PAGE),
            KeyCode::PageDown | KeyCode::Char(' ') => scroll.saturating_add(PAGE),
            KeyCode::Home => 0,
            // How many lines there are is known when they are drawn.
            KeyCode::End => usize::MAX,
            KeyCode::Tab | KeyCode::BackTab if n_boards > 0 => {
                let step = if key == KeyCode::Tab { 1 } else { n_boards - 1 };
                let first = if key == KeyCode::Tab { 0 } else { n_boards - 1 };
                self.chosen = Some(self.chosen.map_or(first, |chosen| (chosen + step) % n_boards));
                self.follows = true;
                scroll
            }
            KeyCode::Enter if self.chosen.is_some() => {
                let position = self.chosen.and_then(|chosen| self.position(chosen));
                return position.map_or(Reply::Close, |position| Reply::Try(position.to_owned()));
            }
            KeyCode::Tab | KeyCode::BackTab => scroll,
            _ => return Reply::Close,
        };
        Reply::Stay
    }

    /// Draws as much as there is room for, and says where boards can be clicked at.
    pub(crate) fn draw(&mut self, area: Rect, look: Look, buffer: &mut Buffer) -> Vec<(Rect, Hot)> {
        let text = Rect { height: area.height.saturating_sub(1), ..area };
        let page = Page::new(&self.parts, self.chosen, text, look);
        let last = page.height.saturating_sub(text.height.into());
        if let Some(chosen) = self.chosen.filter(|_| std::mem::take(&mut self.follows)) {
            self.scroll = page.boards.get(chosen).map_or(self.scroll, |(row, _)| row.saturating_sub(1));
        }
        self.scroll = self.scroll.min(last);
        let hot = page.draw(text, self.scroll, buffer);
        let more = if self.scroll < last { "   up, down, space: read on" } else { "" };
        let boards = match (self.chosen, page.boards.is_empty()) {
            (_, true) => "",
            (None, _) => "   Tab: a board to move on",
            (Some(_), _) => "   Enter: move on it   Tab: next board",
        };
        line(buffer, area, area.height.saturating_sub(1), &format!("Esc: back{boards}{more}"), look.soft());
        hot
    }
}

/// What stands beside a board, behind a wide gap.
fn note(line: &str) -> Option<&str> {
    let (board, note) = line.trim_end().rsplit_once("     ")?;
    Some(note.trim()).filter(|note| note.contains(' ') && !board.trim().is_empty())
}

/// A page as wide as the screen.
struct Page {
    pieces: Vec<Piece>,
    height: usize,
    /// The first line of each board, and how many it has.
    boards: Vec<(usize, usize)>,
}

enum Piece {
    Line(Rich, Style),
    /// A line of a drawn board.
    Drawn(Arc<Buffer>, u16),
}

impl Page {
    fn new(parts: &[Part], chosen: Option<usize>, room: Rect, look: Look) -> Self {
        let mut page = Self { pieces: vec![], height: 0, boards: vec![] };
        let width = usize::from(room.width);
        for part in parts {
            if !page.pieces.is_empty() {
                page.push(Rich::default(), Style::default());
            }
            match part {
                Part::Text(text) => {
                    for line in markdown::render(text, width) {
                        page.push(line, Style::default());
                    }
                }
                Part::Board(example) => {
                    let is_chosen = chosen == Some(page.boards.len());
                    page.push_board(example, is_chosen, room, look);
                }
            }
        }
        page.height = page.pieces.len();
        page
    }

    fn push(&mut self, line: Rich, style: Style) {
        self.pieces.push(Piece::Line(line, style));
    }

    fn push_board(&mut self, example: &Example, is_chosen: bool, room: Rect, look: Look) {
        let first = self.pieces.len();
        let status = example.scene.captions.iter().find(|caption| caption.place == Place::Status);
        let status = status.map_or_else(String::new, |caption| format!(": {}", clean(&caption.text)));
        let sign = if is_chosen { "> " } else { "  " };
        let head = format!("{sign}Board {}{status}", self.boards.len() + 1);
        let mut rich = Rich::default();
        rich.push(&head, if is_chosen { Accent::Strong } else { Accent::Plain });
        self.push(rich, if is_chosen { look.loud() } else { look.soft() });
        let high = room.height.saturating_sub(3).min(BOARD);
        let place = Rect { x: 0, y: 0, width: room.width, height: high };
        if let Ok(plan) = Plan::new(&example.scene, place, (0, 0)) {
            let mut drawn = Buffer::empty(place);
            let ground =
                if board::is_slab(&example.scene) { crate::look::SLAB } else { example.scene.ground };
            board::draw(&example.scene, ground, (&plan, plan.area), &Marks::default(), look, &mut drawn);
            look.simplify(&mut drawn);
            let drawn = Arc::new(drawn);
            for row in plan.area.top()..plan.area.bottom() {
                self.pieces.push(Piece::Drawn(Arc::clone(&drawn), row));
            }
        }
        for note in &example.notes {
            for text in wrap(&capital(note), usize::from(room.width).saturating_sub(2)) {
                self.push(Rich::plain(&format!("  {text}")), look.soft());
            }
        }
        self.boards.push((first, self.pieces.len() - first));
    }

    fn draw(&self, area: Rect, scroll: usize, buffer: &mut Buffer) -> Vec<(Rect, Hot)> {
        for (row, piece) in (0..area.height).zip(self.pieces.iter().skip(scroll)) {
            let place = Rect { y: area.y + row, height: 1, ..area };
            match piece {
                Piece::Line(text, style) => {
                    buffer.set_style(place, *style);
                    rich_line(buffer, area, row, text);
                }
                Piece::Drawn(drawn, line) => {
                    for x in 0..area.width.min(drawn.area.width) {
                        buffer[(area.x + x, place.y)] = drawn[(x, *line)].clone();
                    }
                }
            }
        }
        let seen = |(number, &(first, n_lines)): (usize, &(usize, usize))| {
            let top = first.max(scroll) - scroll;
            let bottom = (first + n_lines).saturating_sub(scroll).min(area.height.into());
            let place = Rect { y: area.y + top as u16, height: bottom.saturating_sub(top) as u16, ..area };
            (top < bottom).then_some((place, Hot::Row(number)))
        };
        self.boards.iter().enumerate().filter_map(seen).collect()
    }
}

#[cfg(test)]
mod tests {
    use rookery_catalog::CATALOG;
    use rookery_rules::Status;

    use super::*;

    #[test]
    fn every_rules_page_has_boards_to_move_on() {
        for &game in CATALOG {
            let reader = Reader::new("", Some(game));
            let marked = game.rules().lines().filter(|line| line.starts_with("```text ")).count();
            assert_eq!(reader.examples().count(), marked, "{}: each position can be read", game.name());
            assert!(marked >= 2, "{} has {marked} boards", game.name());
            for example in reader.examples() {
                let position = game.position(&example.position).unwrap();
                assert!(matches!(position.status(), Status::ToMove(_)), "{}", example.position);
            }
        }
    }

    #[test]
    fn what_stands_beside_a_board_is_kept() {
        assert_eq!(note(" 2 . 1 .      player 2 to move: a3-a2"), Some("player 2 to move: a3-a2"));
        assert_eq!(
            note("  2 / 1  \\____/    \\____/       the cell 2.1 is a hole"),
            Some("the cell 2.1 is a hole")
        );
        for nothing in ["      0         1", " 1 1 . 1", "", "         \\____/    \\____/"] {
            assert_eq!(note(nothing), None, "{nothing}");
        }
    }
}
