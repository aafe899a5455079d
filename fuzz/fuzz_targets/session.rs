//! See `rookery_fuzz::session`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rookery_fuzz::session(data));
