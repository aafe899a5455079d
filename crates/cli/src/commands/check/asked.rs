//! The turns of a recorded game, to be asked again.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rookery_arena::bots::check::Meddling;
use rookery_bots::Greeting;
use rookery_catalog::AnyPosition;
use rookery_live::{Guest, Story, Turn};
use rookery_referee::{Conduct, MatchSpec, SeatEntry, SeatSpec, Start, TimeControl};
use rookery_rules::Seat;
use rookery_wire::Lent;
use serde::Serialize;
use serde_json::Value;

use super::script::{Script, Scripted};
use super::steps::{Checker, Outcome, Seen};
use crate::spec::UsageError;
use crate::story::story;

/// A recorded game, and the seats whose turns are asked again.
pub(super) struct Recorded {
    story: Story,
    seats: Vec<usize>,
}

/// One turn that was asked again.
#[derive(Serialize)]
pub(super) struct Asked {
    /// The move of the match, from 1.
    ply: usize,
    recorded: String,
    /// What the bot would play now.
    answer: String,
    ms: f64,
}

impl Recorded {
    /// Reads a record. Without a seat, those of programs are asked, or all if there was none.
    pub(super) fn read(path: &Path, seat: Option<usize>) -> anyhow::Result<Self> {
        let story = story(path)?;
        let entries = &story.spec.seats;
        if let Some(seat) = seat
            && seat > entries.len()
        {
            return Err(UsageError(format!("--seat {seat}: the record has {} seats", entries.len())).into());
        }
        let is_program = |entry: &SeatEntry| !matches!(entry.player, SeatSpec::BuiltIn(_) | SeatSpec::Human);
        let programs: Vec<usize> = (0..entries.len()).filter(|&idx| is_program(&entries[idx])).collect();
        let seats = match seat {
            Some(seat) => vec![seat - 1],
            None if programs.is_empty() => (0..entries.len()).collect(),
            None => programs,
        };
        Ok(Self { story, seats })
    }

    pub(super) fn seats(&self) -> impl Iterator<Item = usize> {
        self.seats.iter().copied()
    }

    /// The name of the player of a seat.
    pub(super) fn name(&self, seat: usize) -> &str {
        &self.story.spec.seats[seat].name
    }

    /// The recorded match with the bot on a seat, from the beginning or from a later move on. The seed is that of the
    /// record, so that a bot which uses the seed it is given answers as it did.
    fn agree(&self, seat: usize, from: usize, time: Duration) -> MatchSpec {
        let mut agreed = MatchSpec::clone(&self.story.spec);
        for (idx, entry) in agreed.seats.iter_mut().enumerate() {
            let player = if idx == seat { "cmd:bot" } else { "cmd:record" };
            entry.player = player.parse().expect("well formed");
        }
        if from > 0 {
            let before = self.story.turns().nth(from).map(|turn| turn.before.text());
            agreed.start = Some(Start { opening: None, position: before, moves: vec![] });
        }
        agreed.time = TimeControl::PerMove(time);
        agreed.conduct = Conduct::removing().with_retries(0);
        agreed
    }
}

impl Checker<'_> {
    /// Asks all turns of a seat on one connection: the game is played again, with the recorded moves of the others, until
    /// the bot plays something else, and then anew from its next turn on.
    pub(super) async fn ask_again(&self, recorded: &Recorded, seat: usize) -> Outcome {
        let turns: Vec<Turn<'_>> = recorded.story.turns().collect();
        let script = turns.iter().map(|turn| (turn.before.text(), turn.mv.to_owned()));
        let script: Script = Arc::new(script.collect());
        let is_its = |idx: &usize| turns[*idx].seat == Seat::new(seat as u8);
        let mut bot = self.start(Meddling::default()).await?;
        let (mut asked, mut from, mut has_played) = (vec![], 0, false);
        while let Some(next) = (from..turns.len()).find(is_its) {
            if has_played {
                bot = self.again(bot).await?;
            }
            has_played = true;
            // The first game begins where the record does; a later one where it has something to ask.
            let begin = if asked.is_empty() { 0 } else { next };
            let agreed = recorded.agree(seat, begin, self.time);
            let others = |_: &SeatSpec| {
                let link = Lent::new(Box::new(Scripted::new(&script))).0;
                Guest::Bot(link, Arc::new(Greeting::default()))
            };
            let known = asked.len();
            bot = self.play_match(bot, agreed, seat, &others).await?.0;
            for (question, answer, time) in bot.heard.take_turns() {
                let Some(idx) = question["ply"].as_u64().map(|ply| begin + ply as usize) else { break };
                let Some(turn) = turns.get(idx).filter(|_| is_its(&idx)) else { break };
                if question["position"].as_str().is_some_and(|text| text != turn.before.text()) {
                    break;
                }
                let answer =
                    chosen(&question, &answer, turn.before).unwrap_or_else(|| "it resigns".to_owned());
                let as_recorded = answer == turn.mv;
                let ms = time.as_secs_f64() * 1e3;
                asked.push(Asked { ply: idx + 1, recorded: turn.mv.to_owned(), answer, ms });
                from = idx + 1;
                if !as_recorded {
                    break;
                }
            }
            // A turn that cannot be reached is left out.
            if asked.len() == known {
                from = next + 1;
            }
        }
        self.quit(bot).await;
        Ok(Seen { text: summary(&asked), asked })
    }
}

/// The move that an answer chose, by its text or by its place among the legal ones, as the game writes it.
fn chosen(question: &Value, answer: &Value, before: &dyn AnyPosition) -> Option<String> {
    let text = match answer["index"].as_u64() {
        Some(place) => question["legal"].get(usize::try_from(place).ok()?)?,
        None => &answer["move"],
    };
    let text = text.as_str()?;
    before.read_move(text).ok()
}

/// The most turns that are told one by one.
const TOLD: usize = 5;

fn summary(asked: &[Asked]) -> String {
    if asked.is_empty() {
        return "it had no turn".to_owned();
    }
    let others: Vec<&Asked> = asked.iter().filter(|turn| turn.answer != turn.recorded).collect();
    let longest = asked.iter().map(|turn| turn.ms).fold(0.0, f64::max);
    let same = asked.len() - others.len();
    let text = format!("{} turns, {same} answered as recorded, {longest:.1} ms at the most", asked.len());
    let told = others.iter().take(TOLD);
    let told: Vec<String> =
        told.map(|Asked { ply, recorded, answer, .. }| format!("{answer} for {recorded} at {ply}")).collect();
    let more = match others.len() {
        0..=TOLD => String::new(),
        n => format!(" and {} more", n - TOLD),
    };
    if told.is_empty() { text } else { format!("{text}; now other: {}{more}", told.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_choice_is_read_by_text_and_by_place() {
        let before = rookery_catalog::game("hexapawn").unwrap().position("p1 111/.../222").unwrap();
        let question = json!({ "type": "turn", "legal": ["c1-c2", "b1-b2"] });
        for (answer, expected) in [
            (json!({ "move": "a1-a2" }), Some("a1-a2")),
            (json!({ "index": 1 }), Some("b1-b2")),
            (json!({ "index": 2 }), None),
            (json!({ "move": "a1-a9" }), None),
            (json!({ "type": "resign" }), None),
        ] {
            assert_eq!(chosen(&question, &answer, &*before).as_deref(), expected, "{answer}");
        }
    }
}
