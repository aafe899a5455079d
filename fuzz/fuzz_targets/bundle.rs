//! See `rookery_fuzz::bundle`.
#![no_main]

use std::fs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let room = std::env::temp_dir().join(format!("rookery-fuzz-{}", std::process::id()));
    fs::create_dir_all(&room).expect("the system's folder takes another one");
    rookery_fuzz::bundle(data, &room);
});
