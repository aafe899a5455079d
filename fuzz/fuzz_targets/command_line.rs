//! See `rookery_fuzz::command_line`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rookery_fuzz::command_line(data));
