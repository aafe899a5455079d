//! Places at the table: [`Seat`], one value a seat ([`BySeat`]), a set of seats ([`Seats`]).

use std::fmt;
use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;

/// The most seats a game may have.
pub const MAX_SEATS: usize = 8;

/// A place at the table, numbered from 0 in turn order. What people call it is the game's to say
/// ([`Setup::seat_label`](crate::Setup::seat_label)), so it has no text of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this index.
    ///
    /// # Panics
    /// If `index` is not below [`MAX_SEATS`].
    ///
    /// ```
    /// use rookery_rules::Seat;
    /// assert_eq!(Seat::new(1).index(), 1);
    /// ```
    #[inline]
    pub const fn new(index: u8) -> Self {
        assert!((index as usize) < MAX_SEATS, "a seat's index is below MAX_SEATS");
        Self(index)
    }

    /// The index, from 0.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All seats of a table with `n_seats` places, in turn order.
    pub fn all(n_seats: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        assert!(n_seats <= MAX_SEATS, "a table has at most MAX_SEATS places");
        (0..n_seats as u8).map(Self)
    }

    /// `player 1` and so on, with the first seat counted as `first`: for the texts of a game itself. Everybody else asks
    /// [`Setup::seat_label`](crate::Setup::seat_label).
    ///
    /// ```
    /// use rookery_rules::Seat;
    /// assert_eq!(Seat::new(1).counted_from(1).to_string(), "player 2");
    /// ```
    pub const fn counted_from(self, first: usize) -> Counted {
        Counted { number: self.0 as usize + first }
    }

    /// The seat that follows this one around a table with `n_seats` places.
    #[inline]
    #[must_use]
    pub const fn next(self, n_seats: usize) -> Self {
        let next = self.0 + 1;
        if next as usize >= n_seats { Self(0) } else { Self(next) }
    }
}

/// A seat in the texts of a game that counts its players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    number: usize,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.number)
    }
}

/// One value for each seat of a table, indexed by [`Seat`].
///
/// ```
/// use rookery_rules::{BySeat, Seat};
/// let mut fish: BySeat<u32> = BySeat::filled(2, 0);
/// fish[Seat::new(1)] += 3;
/// assert_eq!(fish.as_slice(), [0, 3]);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BySeat<T>(ArrayVec<T, MAX_SEATS>);

impl<T> BySeat<T> {
    /// The value `make(seat)` for each of `n_seats` seats.
    pub fn new(n_seats: usize, make: impl FnMut(Seat) -> T) -> Self {
        Self(Seat::all(n_seats).map(make).collect())
    }

    /// The same value for each of `n_seats` seats.
    pub fn filled(n_seats: usize, value: T) -> Self
    where
        T: Clone,
    {
        Self::new(n_seats, |_| value.clone())
    }

    /// How many seats there are.
    pub fn n_seats(&self) -> usize {
        self.0.len()
    }

    /// The values in turn order.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Seats and their values, in turn order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> + ExactSizeIterator {
        Seat::all(self.0.len()).zip(&self.0)
    }

    /// Seats and their values, in turn order, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Seat, &mut T)> + ExactSizeIterator {
        Seat::all(self.0.len()).zip(&mut self.0)
    }

    /// `change` applied to each value.
    pub fn map<U>(&self, mut change: impl FnMut(Seat, &T) -> U) -> BySeat<U> {
        BySeat(self.iter().map(|(seat, value)| change(seat, value)).collect())
    }
}

impl<T> FromIterator<T> for BySeat<T> {
    /// # Panics
    /// If there are more than [`MAX_SEATS`] values.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

/// A set of seats.
///
/// ```
/// use rookery_rules::{Seat, Seats};
/// let mut playing = Seats::all(3);
/// playing.take_out(Seat::new(1));
/// assert_eq!(playing.iter().map(Seat::index).collect::<Vec<_>>(), [0, 2]);
/// assert_eq!(playing.after(Seat::new(0)), Some(Seat::new(2)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seats(u8);

impl Seats {
    /// No seat.
    pub const NONE: Self = Self(0);

    /// Every seat of a table with `n_seats` places.
    #[inline]
    pub const fn all(n_seats: usize) -> Self {
        assert!(n_seats <= MAX_SEATS, "a table has at most MAX_SEATS places");
        Self(((1u16 << n_seats) - 1) as u8)
    }

    /// Just this seat.
    #[inline]
    pub const fn only(seat: Seat) -> Self {
        Self(1 << seat.0)
    }

    /// Whether the seat belongs to the set.
    #[inline]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.0 & 1 == 1
    }

    /// Puts a seat in.
    #[inline]
    pub const fn put_in(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// Takes a seat out.
    #[inline]
    pub const fn take_out(&mut self, seat: Seat) {
        self.0 &= !(1 << seat.0);
    }

    /// How many seats there are in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats in turn order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::all(MAX_SEATS).filter(move |&seat| self.contains(seat))
    }

    /// The first seat of the set that follows `seat` in turn order, around the table; `seat` itself only if it
    /// is the last one left. `None` if the set is empty.
    #[inline]
    pub const fn after(self, seat: Seat) -> Option<Seat> {
        if self.0 == 0 {
            return None;
        }
        let later = self.0 as u32 & !((2u32 << seat.0) - 1);
        let pick = if later == 0 { self.0 as u32 } else { later };
        Some(Seat(pick.trailing_zeros() as u8))
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut set = Self::NONE;
        for seat in seats {
            set.put_in(seat);
        }
        set
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_goes_around_the_table() {
        let seats: Seats = [Seat::new(1), Seat::new(4)].into_iter().collect();
        assert_eq!(seats.after(Seat::new(0)), Some(Seat::new(1)));
        assert_eq!(seats.after(Seat::new(1)), Some(Seat::new(4)));
        assert_eq!(seats.after(Seat::new(4)), Some(Seat::new(1)));
        assert_eq!(seats.after(Seat::new(7)), Some(Seat::new(1)));
        assert_eq!(Seats::only(Seat::new(7)).after(Seat::new(7)), Some(Seat::new(7)));
        assert_eq!(Seats::NONE.after(Seat::new(3)), None);
    }

    #[test]
    fn all_seats_up_to_the_limit() {
        assert_eq!(Seats::all(0), Seats::NONE);
        assert_eq!(Seats::all(MAX_SEATS).len(), MAX_SEATS);
    }
}
