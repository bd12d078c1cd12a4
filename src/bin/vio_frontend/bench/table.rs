//! The same over sizes, features and tracks: one line a case.

use std::io::Write;

use super::case::{Bench, Case, Measured};
use super::images;
use super::on_gpu::Memory;

/// Width and height, px.
const SIZES: [[usize; 2]; 4] = [[640, 480], [1280, 720], [1920, 1080], [3840, 2160]];
/// Features wanted, with descriptors, where none are tracked.
const FEATURES: [u32; 5] = [150, 300, 1000, 4600, 20_000];
/// Points tracked there and back where 4600 features are wanted.
const TRACKS: [u32; 4] = [50, 200, 500, 2000];

pub fn measure(bench: &Bench<'_>) -> anyhow::Result<Vec<Measured>> {
    let case = |features, tracks| Case { features, descriptors: true, tracks };
    let mut cases: Vec<Case> = FEATURES.iter().map(|&features| case(features, 0)).collect();
    cases.extend(TRACKS.iter().map(|&tracks| case(4600, tracks)));
    let mut measured = Vec::new();
    for size in SIZES {
        let images = images::load(bench.args, Some(size))?;
        measured.extend(Bench { images: &images, ..*bench }.measure_all(&cases)?);
    }
    Ok(measured)
}

/// p50 of each way, us, and the ratio of those on the GPU to their floors.
pub fn print(cases: &[Measured], out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "\np50, us; in brackets over the floor under it\n\n{:<10}{:>9}{:>7}{:>7}{:>11}{:>17}{:>17}{:>17}",
        "size", "features", "found", "tracks", "plain", "GPU, ordinary", "with threads", "page-locked"
    )?;
    for Measured { case, size: [width, height], features_mean, plain, gpu } in cases {
        let plain = plain.as_ref().map_or(String::new(), |plain| format!("{:.0}", plain.total().p50));
        let ways = gpu.iter().flat_map(|gpu| &gpu.ways);
        let way = |memory, helped| {
            let found = ways.clone().find(|way| way.memory == memory && (way.upload_threads > 0) == helped);
            found.map_or(String::new(), |way| format!("{:.1} ({:.2})", way.figures.total().p50, way.over_floor))
        };
        let [ordinary, page_locked] = [Memory::Ordinary, Memory::PageLocked].map(|memory| way(memory, false));
        let helped = way(Memory::Ordinary, true);
        let Case { features, tracks, .. } = case;
        writeln!(
            out,
            "{:<10}{features:>9}{features_mean:>7.0}{tracks:>7}{plain:>11}{ordinary:>17}{helped:>17}{page_locked:>17}",
            format!("{width}x{height}")
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::on_gpu::{Memory, OnGpu, Way};
    use crate::bench::turns::{Turns, take_turns};
    use vio_frontend::frontend::StageTimes;

    #[test]
    fn a_line_has_the_median_of_each_way_and_the_ratio_to_its_floor() -> anyhow::Result<()> {
        let turns = Turns { frames: 5, warm_up: 0, settle: 0 };
        let us = |us: u64| {
            let total = std::time::Duration::from_micros(us);
            let figures = take_turns(1, turns, 1, |_, _| Ok(StageTimes { stages: Vec::new(), total }))?;
            anyhow::Ok(figures.into_iter().next().unwrap_or_default())
        };
        let gpu = OnGpu {
            equal_frames: 3,
            transfers: String::new(),
            ways: vec![
                Way::new(Memory::Ordinary, 0, us(60)?, us(30)?),
                Way::new(Memory::PageLocked, 0, us(45)?, us(15)?),
                Way::new(Memory::Ordinary, 3, us(50)?, us(30)?),
            ],
            floor_frame: us(20)?,
        };
        let case = Case { features: 300, descriptors: true, tracks: 50 };
        let measured =
            Measured { case, size: [1280, 720], features_mean: 299.6, plain: Some(us(9000)?), gpu: Some(gpu) };
        let without = Measured { plain: None, gpu: None, ..measured.clone() };
        let mut out = Vec::new();
        print(&[measured, without], &mut out)?;
        let text = String::from_utf8(out)?;
        let words: Vec<Vec<&str>> = text.lines().rev().take(2).map(|line| line.split_whitespace().collect()).collect();
        let [without, with] = words.as_slice() else { anyhow::bail!("{text}") };
        assert_eq!(without.as_slice(), ["1280x720", "300", "300", "50"]);
        let [size, features, found, tracks, plain, ordinary, over, helped, over_helped, page_locked, over_locked] =
            with.as_slice()
        else {
            anyhow::bail!("{text}")
        };
        assert_eq!([*size, *features, *found, *tracks], ["1280x720", "300", "300", "50"]);
        assert_eq!([*over, *over_helped, *over_locked], ["(2.00)", "(1.67)", "(3.00)"]);
        for (found, expected) in [(plain, 9000.0), (ordinary, 60.0), (helped, 50.0), (page_locked, 45.0)] {
            let found: f64 = found.parse()?;
            assert!((expected..=expected * 1.01).contains(&found), "{found}");
        }
        Ok(())
    }
}
