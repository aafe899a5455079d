//! Pages: pure functions from plain data to markup. All of them work before any script, and without one.

mod account;
mod bundles;
mod connect;
mod home;
mod machines;
mod markdown;
mod matches;
mod new_game;
mod parts;
mod players;
mod puzzle;
mod replay;
mod rules;
mod shell;
mod tournaments;
mod watch;

pub(crate) use account::{Operator, Settings, operator, settings};
pub(crate) use bundles::{BundlesPage, bundles};
pub(crate) use connect::{Connect, KITS, connect};
pub(crate) use home::{Cup, Home, Past, home, play_form};
pub(crate) use machines::{MachinesPage, machines};
pub(crate) use matches::{Invitations, invitation, is_listed, match_body};
pub(crate) use new_game::{NewGame, Problem, new_game};
pub(crate) use parts::player_path;
pub(crate) use players::{Opponent, PlayedMatch, Player, ladder, player};
pub(crate) use puzzle::{PuzzlePage, puzzle};
pub(crate) use replay::{embedded, record_body, record_page};
pub(crate) use rules::{doc, docs, rules};
pub(crate) use shell::{Look, bare, error, page, sign_in};
pub(crate) use tournaments::{
    Choice, Extent, FORMATS, NewTournament, SIGN_UPS, Seen, Visitor, bot_name, late, new_tournament, opening,
    tournament, tournaments,
};
pub(crate) use watch::{Card, Filter, Running, watch};
