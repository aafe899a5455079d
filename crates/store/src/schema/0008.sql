-- What is neither chained, as games are, nor hashed, as records are, gets a seal: a hash over all values of the row, written with
-- it. So a row is found that is not what was written, whatever the database says of it. Rows that are there are sealed as they
-- are found. And where the chain of games ends is kept apart from it, so that its end cannot be cut off.
-- A store may have games beside pairings that wait for them, as an import once left them.
update pairings set state = 'done' where state <> 'done' and exists (select 1 from games where games.tournament = pairings.tournament
    and games.pairing = pairings.id and games.attempt = pairings.attempt);
alter table holder add column seal {int};
alter table entrants add column seal {int};
alter table versions add column seal {int};
alter table bundles add column seal {int};
alter table tournaments add column seal {int};
alter table tournament_entrants add column seal {int};
alter table rounds add column seal {int};
alter table pairings add column seal {int};
alter table logs add column seal {int};
alter table changes add column seal {int};
alter table tournament_runs add column seal {int};
alter table ratings add column seal {int};
alter table people add column seal {int};
alter table tokens add column seal {int};
alter table audit add column seal {int};
alter table measures add column seal {int};
alter table settings add column seal {int};
alter table jobs add column seal {int};
alter table attempts add column seal {int};

create table chain_end (
    id {int} primary key,
    seq {int} not null,
    chain {blob} not null
){table};
