//! How the tables of a knock-out lead to each other: which stands where, and how the lines between them run.

use rookery_tournament::Entrant;

/// Where somebody of a table comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A table of the round before.
    Table(usize),
    /// It had no opponent in the round before.
    Rest(Entrant),
}

/// What stands at a place of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    /// A table.
    Table(usize),
    /// Somebody who has no opponent there.
    Rest(Entrant),
    /// Nothing: it keeps the places beside it in line.
    Nobody,
}

/// A place of a round, all as high as each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// What stands there.
    pub(super) holder: Holder,
    /// Whether a line comes in from the round before.
    pub(super) is_fed: bool,
    /// Whether a line goes out to the round after.
    pub(super) goes_out: bool,
    /// Whether the line beside it runs up and down from its middle.
    pub(super) runs: [bool; 2],
}

impl Place {
    fn of(holder: Holder) -> Self {
        Self { holder, is_fed: false, goes_out: false, runs: [false; 2] }
    }
}

/// Where those of each table come from, from who sat at the tables of the round before; `None` if tables were dealt out, so
/// that one leads to several or to none and lines would say nothing.
pub(super) fn sources(before: &[&[Entrant]], tables: &[&[Entrant]]) -> Option<Vec<Vec<Source>>> {
    let leads_to = |from: &[Entrant]| {
        let mut found = (0..tables.len()).filter(|idx| tables[*idx].iter().any(|who| from.contains(who)));
        found.next().filter(|_| found.next().is_none())
    };
    let next = before.iter().map(|from| leads_to(from)).collect::<Option<Vec<usize>>>()?;
    let of = |idx: usize| {
        let rests = tables[idx].iter().filter(|who| !before.iter().any(|from| from.contains(who)));
        let tables = (0..before.len()).filter(|from| next[*from] == idx).map(Source::Table);
        rests.map(|who| Source::Rest(*who)).chain(tables).collect()
    };
    Some((0..tables.len()).map(of).collect())
}

/// The places of all rounds, the first round first. `sources[k]` says where those of round `k + 1` come from.
pub(super) fn places(
    n_last: usize,
    n_tables: &[usize],
    sources: &[Option<Vec<Vec<Source>>>],
) -> Vec<Vec<Place>> {
    let plain = |n: usize| (0..n).map(|idx| Place::of(Holder::Table(idx))).collect::<Vec<_>>();
    let mut columns = vec![plain(n_last)];
    for (n, sources) in n_tables.iter().zip(sources).rev() {
        let after = columns.last_mut().expect("the last round is there");
        let column = match sources {
            Some(sources) => before(after, sources),
            None => plain(*n),
        };
        columns.push(column);
    }
    columns.reverse();
    columns
}

/// The places of a round that leads to these.
fn before(after: &mut [Place], sources: &[Vec<Source>]) -> Vec<Place> {
    let width = sources.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let mut column = vec![];
    for place in after {
        let from: &[Source] = match place.holder {
            Holder::Table(idx) => &sources[idx],
            Holder::Rest(_) | Holder::Nobody => &[],
        };
        place.is_fed = !from.is_empty();
        for idx in 0..width {
            let mut made = Place::of(match from.get(idx) {
                Some(Source::Table(table)) => Holder::Table(*table),
                Some(Source::Rest(who)) => Holder::Rest(*who),
                None => Holder::Nobody,
            });
            made.goes_out = idx < from.len();
            // Lines meet in the middle of the group: whoever stands above it leads down, and lets those further up through.
            let (own, middle, last) = (2 * idx + 1, width, from.len());
            made.runs = [
                own > middle && idx < last || own <= middle && idx > 0 && last > 0,
                own < middle && last > 0 || own >= middle && idx + 1 < last,
            ];
            column.push(made);
        }
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn e(n: u32) -> Entrant {
        Entrant(n)
    }

    #[test]
    fn tables_stand_beside_those_they_lead_to_and_who_rests_keeps_its_place() {
        // Six play: seeds 1 and 2 rest in the first round.
        let first: [&[Entrant]; 2] = [&[e(3), e(4)], &[e(2), e(5)]];
        let second: [&[Entrant]; 2] = [&[e(0), e(3)], &[e(1), e(2)]];
        let last: [&[Entrant]; 1] = [&[e(0), e(1)]];
        let to_second = sources(&first, &second).unwrap();
        assert_eq!(
            to_second,
            [[Source::Rest(e(0)), Source::Table(0)], [Source::Rest(e(1)), Source::Table(1)]]
        );
        let all = places(1, &[2, 2], &[Some(to_second), sources(&second, &last)]);
        let holders: Vec<Vec<Holder>> =
            all.iter().map(|column| column.iter().map(|place| place.holder).collect()).collect();
        assert_eq!(holders[0], [Holder::Rest(e(0)), Holder::Table(0), Holder::Rest(e(1)), Holder::Table(1)]);
        assert_eq!(holders[1..], [vec![Holder::Table(0), Holder::Table(1)], vec![Holder::Table(0)]]);
        let runs: Vec<[bool; 2]> = all[0].iter().map(|place| place.runs).collect();
        assert_eq!(runs, [[false, true], [true, false], [false, true], [true, false]], "down, up, down, up");
        assert!(all[1].iter().all(|place| place.is_fed && place.goes_out));
        assert!(all[2][0].is_fed && !all[2][0].goes_out);
    }

    #[test]
    fn the_middle_of_three_leads_straight_on_and_lets_the_others_meet_there() {
        let sources = vec![vec![Source::Table(2), Source::Table(0), Source::Table(1)]];
        let all = places(1, &[3], &[Some(sources)]);
        let seen: Vec<_> = all[0].iter().map(|place| (place.holder, place.runs)).collect();
        let table = Holder::Table;
        assert_eq!(seen, [(table(2), [false, true]), (table(0), [true, true]), (table(1), [true, false])]);
    }

    #[test]
    fn tables_that_are_dealt_out_again_have_no_lines() {
        let before: [&[Entrant]; 2] = [&[e(0), e(1), e(2)], &[e(3), e(4), e(5)]];
        let tables: [&[Entrant]; 2] = [&[e(0), e(3)], &[e(1), e(4)]];
        assert_eq!(sources(&before, &tables), None);
        let all = places(2, &[2], &[None]);
        assert!(all.iter().flatten().all(|place| !place.is_fed && !place.goes_out));
    }
}
