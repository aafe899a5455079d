-- Rows here are written with their game, in one transaction. That a database looks for the game and the entrant of each
-- once more cost a quarter of storing a game in PostgreSQL; a full check looks for what belongs to nothing.
alter table entrant_games rename to entrant_games_before;

create table entrant_games (
    entrant {int} not null,
    seq {int} not null,
    primary key (entrant, seq)
){key_table};

insert into entrant_games (entrant, seq) select entrant, seq from entrant_games_before;
drop table entrant_games_before;
