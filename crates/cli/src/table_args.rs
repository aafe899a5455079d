//! Tables that `rookery solve --db` has kept, for those who look them up.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::anyhow;
use rookery_catalog::{Game, Visit, visit};
use rookery_players::{read_table, use_tables};
use rookery_terminal::{clean, quoted};

use crate::data_folder::tables_folder;
use crate::spec::UsageError;

#[derive(Clone, Default, Debug, clap::Args)]
pub(crate) struct TableArgs {
    /// Look up what `rookery solve --db` has kept in this folder; by default in `tables` of your data folder
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
}

impl TableArgs {
    /// Reads the table for positions like this one, if there is one. A folder that was named has to be there, and a table in it
    /// to be sound; one that is merely at hand is left out with a warning.
    pub(crate) fn read(&self, game: &str, position: &str) -> anyhow::Result<()> {
        struct Read<'a>(&'a str);

        impl Visit for Read<'_> {
            type Out = Result<(), String>;
            fn visit<G: Game>(self) -> Self::Out {
                read_table(&G::EXPERTISE, self.0)
            }
        }

        if let Some(folder) = self.db.as_ref().filter(|folder| !folder.is_dir()) {
            let folder = quoted(folder);
            return Err(UsageError(format!(
                "--db {folder}: there is no such folder; `rookery solve {game} --db {folder}` makes one"
            ))
            .into());
        }
        use_tables(&self.db.clone().unwrap_or_else(tables_folder));
        let read = visit(game, Read(position)).expect("the game is in the catalog");
        match read {
            Err(problem) if self.db.is_some() => Err(anyhow!(clean(&problem))),
            Err(problem) => {
                Ok(writeln!(std::io::stderr(), "warning: a table is not used: {}", clean(&problem))?)
            }
            Ok(()) => Ok(()),
        }
    }
}
