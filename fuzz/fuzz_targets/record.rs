//! See `rookery_fuzz::record`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rookery_fuzz::record(data));
