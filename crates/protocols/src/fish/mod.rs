//! Fish: remote calls, tournaments, test harnesses.
