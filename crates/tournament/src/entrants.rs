//! Who takes part: a number each, and a name that nobody else has.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// Somebody who takes part, by number: from 0, in the order in which they signed up. A number stays with its entrant
/// for the whole tournament.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entrant(pub u32);

impl Entrant {
    /// All entrants of a tournament of so many.
    ///
    /// ```
    /// use rookery_tournament::Entrant;
    /// assert!(Entrant::all(3).eq([Entrant(0), Entrant(1), Entrant(2)]));
    /// ```
    pub fn all(n_entrants: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        assert!(u32::try_from(n_entrants).is_ok(), "entrants are numbered with 32 bits");
        (0..n_entrants as u32).map(Self)
    }

    /// The number, as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of all entrants. They are unique from the start, so that every table, record and picture can use them.
///
/// ```
/// use rookery_tournament::{Entrant, Entrants};
///
/// let entrants = Entrants::new(["hard", "mine"])?;
/// assert_eq!(entrants.name(Entrant(1)), "mine");
/// assert_eq!(entrants.find("hard"), Some(Entrant(0)));
/// assert_eq!(
///     Entrants::new(["hard", "mine", "hard"]).unwrap_err().to_string(),
///     "entrants 1 and 3 are both called \"hard\"; give every entrant a name of its own",
/// );
/// # Ok::<(), rookery_tournament::NameTaken>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrants {
    names: Vec<String>,
    numbers: BTreeMap<String, Entrant>,
}

impl Entrants {
    /// Entrants with these names, numbered in their order.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Result<Self, NameTaken> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut numbers = BTreeMap::new();
        for (name, second) in names.iter().zip(Entrant::all(names.len())) {
            if let Some(first) = numbers.insert(name.clone(), second) {
                return Err(NameTaken { name: name.clone(), first, second });
            }
        }
        Ok(Self { names, numbers })
    }

    /// How many take part.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether nobody does.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All of them, in order.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Entrant> + ExactSizeIterator + Clone {
        Entrant::all(self.names.len())
    }

    /// What an entrant is called.
    ///
    /// # Panics
    /// If it takes no part here.
    pub fn name(&self, entrant: Entrant) -> &str {
        &self.names[entrant.index()]
    }

    /// Who is called so.
    pub fn find(&self, name: &str) -> Option<Entrant> {
        self.numbers.get(name).copied()
    }
}

/// Two entrants have the same name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameTaken {
    /// The name.
    pub name: String,
    /// Who had it first.
    pub first: Entrant,
    /// Who has it too.
    pub second: Entrant,
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, first, second } = self;
        // People count from 1. A name comes from outside, so it is shown with its control characters escaped.
        let (first, second) = (u64::from(first.0) + 1, u64::from(second.0) + 1);
        write!(
            f,
            "entrants {first} and {second} are both called {name:?}; give every entrant a name of its own"
        )
    }
}

impl Error for NameTaken {}
