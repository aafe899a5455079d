//! A conversation about games of Renpaarden: the menu, the turns of people and computers, the end, and once more.

use std::path::PathBuf;

use rookery_catalog::{PlayerError, PlayerSpec, Renpaarden, game, strategy};
use rookery_games::renpaarden::{Cell, Move, Position};
use rookery_referee::{Cause, SeatSpec, Verdict};
use rookery_rules::text::shell_quoted;
use rookery_rules::{Position as _, Seat, Setup as _};

use super::Mode;
use super::entry::{self, Entry};
use super::game::{Game, House, Terms, numbered};
use super::prompt::{Answer, Command, Stop, Talk, Terminal, shown};
use super::view::{self, both, name};

/// What the menu offers, from weak to strong.
const LEVELS: [&str; 5] = ["random", "homing", "easy", "medium", "hard"];
/// What an empty answer means.
const USUAL_LEVEL: &str = "medium";
/// The cap for computers that would never finish, in hops.
const RANDOM_CAP: u64 = 1000;

/// What the command line has decided already.
#[derive(Debug)]
pub(super) struct Choices {
    pub(super) terms: Terms,
    pub(super) mode: Option<Mode>,
    /// One for all computers, or one each; none to be asked for.
    pub(super) levels: Vec<PlayerSpec>,
    pub(super) record: Option<PathBuf>,
}

/// Talks until the person leaves.
pub(super) fn converse(
    choices: &Choices,
    house: &House<'_>,
    terminal: &mut Terminal<'_>,
) -> anyhow::Result<()> {
    let bye = match (Dialogue { choices, house, terminal }).evening() {
        Ok(()) | Err(Stop::Quit) => "Good bye.",
        Err(Stop::EndOfInput) => "The input has ended. Good bye.",
        Err(Stop::CalledAway) => "Stopped. Good bye.",
        Err(Stop::Failed(error)) => return Err(error),
    };
    Ok(writeln!(terminal.out, "{bye}")?)
}

/// Says how a game that was left can go on.
pub(super) fn say_how_to_go_on(left: Option<PathBuf>, terminal: &mut Terminal<'_>) -> Talk<()> {
    let Some(path) = left else { return Ok(()) };
    let path = shell_quoted(&path.to_string_lossy());
    terminal.say(&format!("The game is not over. This goes on with it:\nrookery play --resume {path}"))
}

struct Dialogue<'a, 'b> {
    choices: &'a Choices,
    house: &'a House<'a>,
    terminal: &'a mut Terminal<'b>,
}

impl<'a> Dialogue<'a, '_> {
    /// Games until nobody wants another one.
    fn evening(&mut self) -> Talk<()> {
        self.terminal.say(view::LOGO)?;
        self.terminal.say("At every question `help` says what can be typed, and `quit` leaves.\n")?;
        for number in 1.. {
            let mode = match self.choices.mode {
                Some(mode) => mode,
                None => match self.menu()? {
                    Some(mode) => mode,
                    None => break,
                },
            };
            let mut game = self.begin(mode, number)?;
            let played = self.play(&mut game);
            // What was played is kept, whyever it ended.
            let left = game.close()?;
            say_how_to_go_on(left, self.terminal)?;
            played?;
            if !self.again()? {
                break;
            }
        }
        Ok(())
    }

    /// The menu; `None` to leave.
    fn menu(&mut self) -> Talk<Option<Mode>> {
        for (idx, mode) in Mode::ALL.iter().enumerate() {
            self.terminal.say(&format!("  {}  {}", idx + 1, mode.title()))?;
        }
        self.terminal.say("  5  Quit")?;
        loop {
            let text = self.ask_text("Your choice (1 to 5)", MENU_HELP)?;
            if text == "5" {
                return Ok(None);
            }
            let mode = text.parse().ok().and_then(|n: usize| Mode::ALL.get(n.checked_sub(1)?));
            if mode.is_some() {
                return Ok(mode.copied());
            }
            let text = shown(&text);
            self.terminal.say(&format!("`{text}` is not in the menu. Type a number from 1 to 5."))?;
        }
    }

    /// Whether another game is wanted.
    fn again(&mut self) -> Talk<bool> {
        loop {
            match self.ask_text("Play again? (y/n)", AGAIN_HELP)?.as_str() {
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.terminal.say("Please answer y or n.")?,
            }
        }
    }

    /// A text that is no command, outside of a game.
    fn ask_text(&mut self, prompt: &str, help: &str) -> Talk<String> {
        loop {
            match self.terminal.ask(prompt)? {
                Answer::Text(text) => return Ok(text),
                Answer::Do(Command::Help) => self.terminal.say(help)?,
                Answer::Do(Command::Rules) => self.terminal.say(view::RULES)?,
                Answer::Do(_) => self.terminal.say("No game goes on now; first answer this.")?,
            }
        }
    }

    fn begin(&mut self, mode: Mode, number: u64) -> Talk<Game<'a>> {
        let mut levels = self.choices.levels.iter().cycle();
        let mut seat_of = |seat: Seat| -> Talk<SeatSpec> {
            if mode.is_person(seat) {
                return Ok(SeatSpec::Human);
            }
            Ok(SeatSpec::BuiltIn(match levels.next() {
                Some(level) => level.clone(),
                None => self.ask_level(seat)?,
            }))
        };
        let seats = [seat_of(Seat::new(0))?, seat_of(Seat::new(1))?];
        let mut terms = self.choices.terms.clone();
        if mode != Mode::PlayerPlayer {
            self.terminal.say(&format!("The computer's chances come from seed {}.", terms.seed.0))?;
        }
        terms.seed = terms.seed.derive(number);
        if seats.iter().all(|seat| seat.to_string() == "random") && terms.max_plies.is_none() {
            terms.max_plies = Some(RANDOM_CAP);
            self.terminal.say(&format!(
                "Two random players practically never finish: the game is drawn after {RANDOM_CAP} hops."
            ))?;
        }
        let record = self.choices.record.as_ref().map(|path| numbered(path, number));
        Game::start(self.house, &terms, seats, record.as_deref(), |_| None)
    }

    fn ask_level(&mut self, seat: Seat) -> Talk<PlayerSpec> {
        let game = game(rookery_games::renpaarden::Setup::GAME)?;
        self.terminal.say(&format!("How strong is the computer, {}?", name(seat).to_lowercase()))?;
        for (idx, level) in LEVELS.iter().enumerate() {
            let info = game.players().into_iter().find(|info| info.name == *level);
            let summary = info.map_or("", |info| info.summary);
            self.terminal.say(&format!("  {}  {level:8} {summary}", idx + 1))?;
        }
        loop {
            let prompt = format!("Level (1 to {}, or Enter for {USUAL_LEVEL})", LEVELS.len());
            let text = self.ask_text(&prompt, LEVEL_HELP)?;
            let by_number = text.parse().ok().and_then(|n: usize| LEVELS.get(n.checked_sub(1)?)).copied();
            let word = if text.is_empty() { USUAL_LEVEL } else { by_number.unwrap_or(&text) };
            let level = word.parse::<PlayerSpec>().map_err(PlayerError::from).and_then(|level| {
                game.check_player(&level)?;
                Ok(level)
            });
            match level {
                Ok(level) => return Ok(level),
                Err(error) => {
                    let text = shown(&text);
                    self.terminal.say(&format!("`{text}` is no level: {error}."))?;
                }
            }
        }
    }

    fn play(&mut self, game: &mut Game<'_>) -> Talk<()> {
        self.show(game)?;
        let mut told = false;
        while let Some(seat) = game.to_move() {
            if let Some(problem) = game.record_problem().filter(|_| !told) {
                self.terminal.say(&format!("Sorry, {problem}. The game goes on without it."))?;
                told = true;
            }
            if game.is_person() {
                self.person(game, seat)?;
            } else {
                self.computer(game, seat)?;
            }
        }
        self.announce(game)
    }

    /// The board, and how far everybody is.
    fn show(&mut self, game: &Game<'_>) -> Talk<()> {
        let position = game.position();
        write!(self.terminal.out, "\n{}", view::board(position))?;
        self.terminal.say(&view::progress(position))?;
        if let (Some(seat), Some(cell)) = (game.to_move(), position.chain()) {
            let (me, other) = (view::letter(seat), view::letter(seat.next(2)));
            let at = both(position, cell);
            self.terminal.say(&format!("On {at} an {me} stands on an {other}, which stays where it is."))?;
        }
        Ok(())
    }

    /// Tells of a hop from this position.
    fn tell(&mut self, position: &Position, seat: Seat, hop: Move) -> Talk<()> {
        let (from, to) = (both(position, hop.from), both(position, hop.to));
        let onto = position.top(hop.to).map(|other| format!(", onto an {}", view::letter(other)));
        self.terminal.say(&format!("{}: {from} to {to}{}", name(seat), onto.unwrap_or_default()))
    }

    /// Plays hops and shows the board after them.
    fn hops(&mut self, game: &mut Game<'_>, seat: Seat, hops: &[Move]) -> Talk<()> {
        for &hop in hops {
            let before = game.position().clone();
            game.hop(hop)?;
            self.tell(&before, seat, hop)?;
        }
        self.show(game)?;
        if game.to_move() == Some(seat) && game.position().chain().is_some() {
            self.terminal.say(&format!("{} has an extra turn: this piece must jump on.", name(seat)))?;
        }
        Ok(())
    }

    /// A whole turn of the computer.
    fn computer(&mut self, game: &mut Game<'_>, seat: Seat) -> Talk<()> {
        let turn = game.position().turn();
        while game.to_move() == Some(seat) && game.position().turn() == turn {
            let (hop, before) = game.watch()?;
            self.tell(&before, seat, hop)?;
        }
        self.show(game)
    }

    /// One answer of a person: hops, or something else.
    fn person(&mut self, game: &mut Game<'_>, seat: Seat) -> Talk<()> {
        if let Some(cell) = game.position().chain() {
            return self.target(game, seat, cell);
        }
        let text = match self.terminal.ask(&format!("{}: X and Y of a piece, or hops", name(seat)))? {
            Answer::Text(text) => text,
            Answer::Do(command) => return self.obey(game, command),
        };
        match entry::read(game.position(), &text) {
            Err(problem) => self.terminal.say(&problem),
            Ok(Entry::Hops(hops)) => self.hops(game, seat, &hops),
            Ok(Entry::Piece(cell)) => self.target(game, seat, cell),
            Ok(Entry::X(x)) => match self.terminal.ask(&format!("X is {x}. Y"))? {
                Answer::Do(command) => self.obey(game, command),
                Answer::Text(y) => {
                    match entry::read_y(&y).and_then(|y| entry::piece_at(game.position(), x.into(), y)) {
                        Ok(cell) => self.target(game, seat, cell),
                        Err(problem) => self.terminal.say(&problem),
                    }
                }
            },
        }
    }

    /// Where the chosen piece goes.
    fn target(&mut self, game: &mut Game<'_>, seat: Seat, from: Cell) -> Talk<()> {
        let list: Vec<Move> = game.position().moves_from(from).collect();
        loop {
            let position = game.position();
            self.terminal.say(&format!("The piece on {} can hop to", both(position, from)))?;
            write!(self.terminal.out, "{}", view::list(position, &list))?;
            let prompt = format!("{}: number of the hop (0 to {})", name(seat), list.len() - 1);
            match self.terminal.ask(&prompt)? {
                Answer::Do(Command::Back) if position.chain().is_none() => return Ok(()),
                Answer::Do(command @ (Command::Undo | Command::Resign)) => return self.obey(game, command),
                Answer::Do(command) => self.obey(game, command)?,
                Answer::Text(text) => match entry::read_target(position, from, &list, &text) {
                    Ok(hops) => return self.hops(game, seat, &hops),
                    Err(problem) => self.terminal.say(&problem)?,
                },
            }
        }
    }

    /// A command in the midst of a game.
    fn obey(&mut self, game: &mut Game<'_>, command: Command) -> Talk<()> {
        match command {
            Command::Help => self.terminal.say(GAME_HELP),
            Command::Rules => self.terminal.say(view::RULES),
            Command::Board => self.show(game),
            Command::Hint => {
                let hops: Vec<String> = hint(game)?.iter().map(ToString::to_string).collect();
                self.terminal.say(&format!("A good turn: {}", hops.join(", ")))
            }
            Command::Back => self.terminal.say("There is nothing to go back to; undo takes a turn back."),
            Command::Undo if game.undo()? => {
                self.terminal.say("Taken back.")?;
                self.show(game)
            }
            Command::Undo => self.terminal.say("There is nothing to take back yet."),
            Command::Resign => game.resign(),
            Command::Quit => Err(Stop::Quit),
        }
    }

    fn announce(&mut self, game: &Game<'_>) -> Talk<()> {
        let verdict = game.verdict().expect("the game is over");
        self.terminal.say(&result(game.position(), verdict))
    }
}

/// What a strong player would do with the rest of the turn.
fn hint(game: &Game<'_>) -> Talk<Vec<Move>> {
    let (mut strong, _) = strategy::<Renpaarden>(&"hard".parse()?)?;
    let mut position = game.position().clone();
    let (seat, turn) = (position.to_move(), position.turn());
    let mut hops = vec![];
    while let Some(me) = position.to_move().filter(|_| position.to_move() == seat && position.turn() == turn)
    {
        let hop = strong.choose(&position, &game.budget(me));
        position.play_unchecked(hop);
        hops.push(hop);
    }
    Ok(hops)
}

/// How a game ended, in a sentence or two.
fn result(position: &Position, verdict: &Verdict) -> String {
    let turns = position.turn();
    let winner = verdict.outcome.as_ref().filter(|outcome| outcome.winners.len() == 1);
    let winner = winner.and_then(|outcome| outcome.winners.iter().next()).map(name);
    let rules = position.setup();
    match (verdict.ending.cause, verdict.ending.seat, winner) {
        (Cause::Resigned, Some(seat), Some(winner)) => format!("{} resigns. {winner} wins!", name(seat)),
        (Cause::MaxTurns, ..) => {
            format!("Drawn: the cap of {} hops is reached. (--max-turns sets another one.)", verdict.plies)
        }
        (_, _, Some(winner)) => {
            format!("{winner} wins after {} turns!", turns + u32::from(position.chain().is_some()))
        }
        _ if turns >= rules.max_turns => format!("Drawn: the game's limit of {turns} turns is reached."),
        _ if position.chain().is_some() => format!("Drawn: a chain has {} hops and no end.", rules.max_chain),
        _ => format!("Drawn after {turns} turns: the same position has come too often."),
    }
}

const MENU_HELP: &str = "\
Type the number of who plays: the first player has the o at the bottom and begins, the second the x at the top.
Words that work at every question: help, rules, quit; within a game also board, hint, undo and resign.";

const AGAIN_HELP: &str = "y: another game; n or quit: leave.";

const LEVEL_HELP: &str = "\
Type a number, or any player of the game by name (`rookery players renpaarden` lists them): mcts:playouts=500";

const GAME_HELP: &str = "\
Choose a piece and then one of its hops, or type hops at once:
  4 7          the piece on X 4, Y 7; also 4,7 or one number after the other
  e2           the same piece by its letter and number
  e2-f4        a hop; e2-f4-d5-b6 is a chain, hop by hop
  e2>b6        a turn that ends on b6, by the shortest chain of hops
Where a list of hops is shown:
  0            a number of the list; also f4, f4-d5-b6 or >b6
  back         choose another piece
At every question:
  board, hint, rules, undo (back to where a person last began a turn), resign, quit";
