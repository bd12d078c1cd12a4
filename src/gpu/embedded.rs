//! What this program carries of `kernels/`: the sources, and the PTX that is kept for machines without NVRTC.

macro_rules! embedded {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../kernels/", $name)))),+]
    };
}

/// `kernels/programs.txt`.
pub const PROGRAMS: &str = include_str!("../../kernels/programs.txt");

/// Every file that [`PROGRAMS`] names, with its text.
const FILES: &[(&str, &str)] = embedded! {
    "abi.cuh"
    "abi_layout.cuh"
    "common.cuh"
    "detect.cu"
    "detect/corners.cuh"
    "detect/describe.cuh"
    "detect/gradients.cuh"
    "detect/halves.cuh"
    "detect/key.cuh"
    "detect/levels.cuh"
    "detect/load.cuh"
    "detect/merge.cuh"
    "detect/place.cuh"
    "detect/pool.cuh"
    "detect/pyramid.cuh"
    "detect/select.cuh"
    "detect/shares.cuh"
    "detect/suppress.cuh"
    "detect/threshold.cuh"
    "detect/tile.cuh"
    "detect/water.cuh"
    "detections.cu"
    "detections/abi.cuh"
    "detections/abi_layout.cuh"
    "detections/decode.cuh"
    "detections/overlap.cuh"
    "detections/sweep.cuh"
    "detections/values.cuh"
    "floor.cu"
    "floor/abi.cuh"
    "floor/abi_layout.cuh"
    "grid.cuh"
    "track.cu"
    "track/patch.cuh"
    "track/run.cuh"
    "track/search.cuh"
    "track/solve.cuh"
    "track/sums.cuh"
    "track/walk.cuh"
    "track/window.cuh"
};

/// Kept PTX by program: made by NVRTC 10.2 for compute_61, and so for every device from the TX2 (6.2) on.
const PTX: &[(&str, &str)] = &[
    ("detect", include_str!("../../kernels/ptx/detect.ptx")),
    ("track", include_str!("../../kernels/ptx/track.ptx")),
    ("floor", include_str!("../../kernels/ptx/floor.ptx")),
    ("detections", include_str!("../../kernels/ptx/detections.ptx")),
];

/// Architecture of the kept PTX.
pub const PTX_ARCHITECTURE: u32 = 61;

/// The text of a file of `kernels/`.
pub fn file(name: &str) -> Option<&'static str> {
    find(FILES, name)
}

/// The kept PTX of a program.
pub fn ptx(program: &str) -> Option<&'static str> {
    find(PTX, program)
}

fn find(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}
