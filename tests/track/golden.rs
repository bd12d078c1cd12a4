//! Golden digests of tracks on images from integer arithmetic.
//!
//! Renew with `VIO_RENEW_GOLDEN=1 cargo test --test track golden`; kernels/README.md must then say what changed.

use std::path::Path;

use vio_frontend::track::TrackSettings;

use crate::motion::{Pair, bits, shifted_texture, start};

const FILE: &str = "tests/golden/track.txt";
const HEADER: &str = "\
# Digests of the plain tracker (contract C11): 60 points a frame, of all kinds of tests/track/motion.rs.
# Renew: VIO_RENEW_GOLDEN=1 cargo test --test track golden
# size window light motion (quarters of a pixel): number tracked; CRC-32 of u, v, residual, eigenvalue, backward error
# and status of each ten points
";
const SIZES: [(usize, usize); 6] = [(640, 480), (752, 480), (641, 479), (67, 43), (33, 33), (32, 32)];
const POINTS: usize = 60;

#[test]
fn tracks_match_their_golden_digests() {
    let mut text = HEADER.to_owned();
    for (i, (width, height)) in SIZES.into_iter().enumerate() {
        let motion = (7 + 5 * i, 13 - 2 * i);
        let pair = Pair::new(
            shifted_texture(width, height, i as u32, (64, 64)),
            shifted_texture(width, height, i as u32, (64 - motion.0, 64 - motion.1)),
        );
        let starts: Vec<_> = (0..POINTS).map(|k| start(width, height, k, i as u32)).collect();
        for window in [5, 21, 31] {
            for illumination in [false, true] {
                let settings = TrackSettings { window, illumination, ..TrackSettings::default() };
                let flows = pair.track(&starts, &settings);
                let tracked = flows.iter().filter(|flow| flow.status as u8 == 0).count();
                let light = if illumination { "free" } else { "fixed" };
                text += &format!("{width}x{height} {window} {light} {},{}: {tracked};", motion.0, motion.1);
                for flows in flows.chunks(10) {
                    let bytes: Vec<u8> = flows.iter().flat_map(bits).flat_map(u32::to_le_bytes).collect();
                    text += &format!(" {:08x}", crc32fast::hash(&bytes));
                }
                text += "\n";
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("VIO_RENEW_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (line, golden) in text.lines().zip(golden.lines()) {
        assert_eq!(line, golden, "{FILE}: first difference");
    }
    assert_eq!(text.len(), golden.len(), "{FILE} holds another number of frames");
}
