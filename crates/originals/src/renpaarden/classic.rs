//! The dialogue of the original program: the same questions in the same order, the same lists and boards, answers as
//! Prolog terms. Recorded dialogues of it replay. Where the original dies, at the end of input and at terms that are no
//! numbers, this one leaves or asks again.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};

use rookery_games::renpaarden::{Cell, Move, Position};
use rookery_live::Guest;
use rookery_referee::{SeatSpec, Strategist};
use rookery_rules::{Position as _, Seat, below};
use rookery_search::{Budget, Strategy};

use super::Mode;
use super::dialogue::say_how_to_go_on;
use super::game::{Game, House, Terms, numbered};
use super::prompt::{Stop, Talk, Terminal};
use super::terms::{Term, read_term};
use super::view::{LOGO, letter};

/// Talks until the person leaves.
pub(super) fn converse(
    terms: &Terms,
    record: Option<&Path>,
    house: &House<'_>,
    terminal: &mut Terminal<'_>,
) -> anyhow::Result<()> {
    let mut classic = Classic { terms, record, house, terminal };
    match classic.evening() {
        Ok(()) | Err(Stop::Quit) => Ok(()),
        Err(Stop::CalledAway) => Ok(writeln!(terminal.out, "\nthe game stops here")?),
        Err(Stop::EndOfInput) => Ok(writeln!(terminal.out, "end of input, the game stops here")?),
        Err(Stop::Failed(error)) => Err(error),
    }
}

struct Classic<'a, 'b> {
    terms: &'a Terms,
    record: Option<&'a Path>,
    house: &'a House<'a>,
    terminal: &'a mut Terminal<'b>,
}

impl Classic<'_, '_> {
    fn evening(&mut self) -> Talk<()> {
        for number in 1.. {
            let mode = self.menu()?;
            let mut terms = self.terms.clone();
            terms.seed = terms.seed.derive(number);
            let record = self.record.map(|path| numbered(path, number));
            let seat = |seat: u8| -> Talk<SeatSpec> {
                Ok(if mode.is_person(Seat::new(seat)) { SeatSpec::Human } else { "random".parse()? })
            };
            let (sender, lists) = mpsc::channel();
            let computer = |_: &SeatSpec| Some(Guest::own(Strategist::inline(Computer(sender.clone()))));
            let seats = [seat(0)?, seat(1)?];
            let mut game = Game::start(self.house, &terms, seats, record.as_deref(), computer)?;
            let played = self.play(&mut game, &lists);
            let left = game.close()?;
            say_how_to_go_on(left, self.terminal)?;
            played?;
            if !self.play_again()? {
                break;
            }
        }
        Ok(())
    }

    fn menu(&mut self) -> Talk<Mode> {
        self.terminal.say(LOGO)?;
        for (idx, mode) in Mode::ALL.iter().enumerate() {
            self.terminal.say(&format!("{}. {}", idx + 1, mode.title()))?;
        }
        loop {
            self.terminal.say("choose a game mode: (1 - 4)")?;
            match self.read()? {
                Term::Integer(n @ 1..=4) => return Ok(Mode::ALL[n as usize - 1]),
                _ => self.terminal.say("input error")?,
            }
        }
    }

    /// The next answer.
    fn read(&mut self) -> Talk<Term> {
        self.terminal.out.flush()?;
        match read_term(self.terminal.input)? {
            None => Err(Stop::EndOfInput),
            // What Prolog itself takes for the end.
            Some(Term::Atom(atom)) if ["end_of_file", "halt"].contains(&atom.as_str()) => {
                Err(Stop::EndOfInput)
            }
            Some(term) => Ok(term),
        }
    }

    fn play(&mut self, game: &mut Game<'_>, lists: &Receiver<String>) -> Talk<()> {
        self.terminal.say("player 1: o\nplayer 2: x")?;
        self.board(game.position())?;
        while let Some(seat) = game.to_move() {
            self.terminal.say(&format!("\n.-----------.\n|  player {} |\n -----------", seat.index() + 1))?;
            let before = game.position().clone();
            let hop = if game.is_person() {
                let hop = self.person(&before)?;
                game.hop(hop)?;
                hop
            } else {
                let (hop, _) = game.watch()?;
                // One for each piece that it tried: the last is the one that moved.
                while let Ok(list) = lists.recv() {
                    self.terminal.say(&list)?;
                    if list != list_of(&[], &before) {
                        break;
                    }
                }
                hop
            };
            let ((x, y), (to_x, to_y)) = (before.x_y(hop.from), before.x_y(hop.to));
            self.terminal.say(&format!("\nmoved piece in position {x}:{y} to position {to_x}:{to_y}\n\n"))?;
            self.board(game.position())?;
        }
        let outcome = game.verdict().and_then(|verdict| verdict.outcome.as_ref());
        let winners: Vec<Seat> = outcome.map(|outcome| outcome.winners.iter().collect()).unwrap_or_default();
        match winners[..] {
            [winner] => self.terminal.say(&format!("player {} wins!", winner.index() + 1)),
            // The original would go on for ever.
            _ => self.terminal.say("nobody wins: the game has become too long"),
        }
    }

    fn board(&mut self, position: &Position) -> Talk<()> {
        let out = &mut *self.terminal.out;
        let (width, height) = (position.setup().width, position.setup().height);
        write!(out, "\n\n")?;
        for y in 0..height {
            write!(out, " {} | {y} | ", if y == height / 2 { 'Y' } else { ' ' })?;
            for x in 0..width {
                let top = position.cell_at(x, y).and_then(|cell| position.top(cell));
                write!(out, " {} ", top.map_or('_', letter))?;
            }
            writeln!(out)?;
        }
        let rule = "-".repeat(usize::from(width) * 3 + 1);
        write!(out, "        {rule}\n         ")?;
        for x in 0..width {
            write!(out, " {x} ")?;
        }
        Ok(write!(out, "\n        {rule}\n                      X\n\n")?)
    }

    /// Asks a person until there is a hop.
    fn person(&mut self, position: &Position) -> Talk<Move> {
        loop {
            let piece = match position.chain() {
                Some(cell) => Some(cell),
                None => self.piece(position)?,
            };
            let Some(cell) = piece else { continue };
            let hops: Vec<Move> = position.moves_from(cell).collect();
            self.terminal.say(&list_of(&hops, position))?;
            if hops.is_empty() {
                self.terminal.say("no possible move from that cell")?;
                continue;
            }
            if let Some(hop) = self.index(&hops)? {
                return Ok(hop);
            }
        }
    }

    /// A piece of the player to move, by X and Y; `None` if it was something else, and the player was told.
    fn piece(&mut self, position: &Position) -> Talk<Option<Cell>> {
        self.terminal.say("choose X and Y to play: (0 - 8)")?;
        let coordinate = |term| match term {
            Term::Integer(number) => u8::try_from(number).ok(),
            _ => None,
        };
        let (x, y) = (coordinate(self.read()?), coordinate(self.read()?));
        let cell = x.zip(y).and_then(|(x, y)| position.cell_at(x, y));
        let own = cell.filter(|&cell| position.top(cell) == position.to_move());
        if cell.is_none() {
            self.terminal.say("input error")?;
        } else if own.is_none() {
            self.terminal.say("invalid cell, not your piece")?;
        }
        Ok(own)
    }

    /// One of the hops by its index. An index one above the last is not refused but has no hop either, as in the
    /// original: the question comes again without a word.
    fn index(&mut self, hops: &[Move]) -> Talk<Option<Move>> {
        self.terminal.say("choose index of move to use:")?;
        let index = match self.read()? {
            Term::Integer(index) => usize::try_from(index).ok().filter(|&index| index <= hops.len()),
            _ => None,
        };
        match index {
            None => {
                self.terminal.say("invalid index")?;
                Ok(None)
            }
            Some(index) => Ok(hops.get(index).copied()),
        }
    }

    /// The answer is typed behind the question, as in the original.
    fn play_again(&mut self) -> Talk<bool> {
        loop {
            write!(self.terminal.out, "want to play again? (y/n)")?;
            match self.read() {
                Ok(Term::Atom(atom)) if atom == "y" => return Ok(true),
                Ok(Term::Atom(atom)) if atom == "n" => return Ok(false),
                Ok(_) => self.terminal.say("input error")?,
                Err(stop) => {
                    self.terminal.say("")?;
                    return Err(stop);
                }
            }
        }
    }
}

/// Where a piece can hop, as the original lists it.
fn list_of(hops: &[Move], position: &Position) -> String {
    let targets = hops.iter().map(|hop| {
        let (x, y) = position.x_y(hop.to);
        format!("({x},{y})")
    });
    format!("Valid moves: [{}]", targets.collect::<Vec<_>>().join(","))
}

/// The original's computer: any of the own pieces, again until one can move, then any of its hops. It lists the hops of
/// each piece that it tries.
struct Computer(Sender<String>);

impl Strategy<Position> for Computer {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let seat = position.to_move().expect("whoever is asked is to move");
        let mut rng = budget.seed.rng();
        let pieces: Vec<Cell> = match position.chain() {
            Some(cell) => vec![cell],
            None => position.pieces(seat).collect(),
        };
        loop {
            let piece = pieces[below(&mut rng, pieces.len() as u32) as usize];
            let hops: Vec<Move> = position.moves_from(piece).collect();
            // Whoever showed it may have left.
            let _ = self.0.send(list_of(&hops, position));
            if !hops.is_empty() {
                return hops[below(&mut rng, hops.len() as u32) as usize];
            }
        }
    }
}
