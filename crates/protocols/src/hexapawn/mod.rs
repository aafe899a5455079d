//! Hexapawn: ports, Oz records, elimination.
