//! Structs shared with the kernels: the twins of `kernels/abi.cuh`, field by field.
//!
//! `kernels/abi_layout.cuh` holds an assertion for every size and offset; it is [`layout_assertions`], so that a
//! compiler of the kernels refuses a struct that has drifted, and a test refuses a file that has.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::feature::Feature;

/// Address in the device's memory; 0 is none.
pub type DevicePointer = u64;

const LAYOUT_HEADER: &str = "\
// The layout that Rust gives the structs of abi.cuh. Made by `VIO_RENEW_GOLDEN=1 cargo test --test abi`.

#ifdef __CUDACC_RTC__ // NVRTC before 13 knows no offsetof
#define OFFSET_OF(type, member) __INTADDR__(&(((type*)0)->member))
#else
#define OFFSET_OF(type, member) __builtin_offsetof(type, member)
#endif
";

/// Structs, and a function that is made for them, `$layout`: their layout as C++ assertions after a text.
macro_rules! abi {
    ($(#[$about:meta])* fn $layout:ident after $header:expr; $($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)+ })+) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
            pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }
        )+

        $(#[$about])*
        pub fn $layout() -> String {
            let mut text = String::from($header);
            $(
                text += &$crate::gpu::abi::assertions(
                    stringify!($name),
                    size_of::<$name>(),
                    &[$((stringify!($field), std::mem::offset_of!($name, $field)),)+],
                );
            )+
            text
        }
    };
}
pub(super) use abi;

/// C++ assertions of a struct's size, and of where its fields lie.
pub(super) fn assertions(name: &str, size: usize, fields: &[(&str, usize)]) -> String {
    let mut text = format!("\nstatic_assert(sizeof({name}) == {size}, \"{name} has not {size} bytes\");\n");
    for (field, offset) in fields {
        text +=
            &format!("static_assert(OFFSET_OF({name}, {field}) == {offset}, \"{name}.{field} is not at {offset}\");\n");
    }
    text
}

/// Those of [`Feature`], which the host hands out as the kernel writes it; `class` is a word of C++.
fn feature_assertions() -> String {
    let fields = [
        ("u", offset_of!(Feature, u)),
        ("v", offset_of!(Feature, v)),
        ("half_x", offset_of!(Feature, half_x)),
        ("half_y", offset_of!(Feature, half_y)),
        ("score", offset_of!(Feature, score)),
        ("level", offset_of!(Feature, level)),
        ("corner_class", offset_of!(Feature, class)),
        ("threshold", offset_of!(Feature, threshold)),
    ];
    assertions("Feature", size_of::<Feature>(), &fields)
}

abi! {
    /// The layout of every struct as C++ assertions: the text of `kernels/abi_layout.cuh`.
    fn layout_assertions after LAYOUT_HEADER.to_owned() + &feature_assertions();

    /// What the host waits for: `frame` is written last.
    pub struct DetectHeader {
        pub frame: u64,
        /// Features, and descriptors, written.
        pub count: u32,
        pub offered: u32,
        pub offered_class0: u32,
        pub reserved: u32,
    }

    /// A survivor of C5 in the slot of its tile.
    pub struct CornerSlot {
        pub u: f32,
        pub v: f32,
        pub x: u16,
        pub y: u16,
        pub response: u16,
        pub strength: u8,
        pub reserved: u8,
    }

    /// A candidate of C7.
    pub struct Candidate {
        pub key: u64,
        pub u: f32,
        pub v: f32,
    }

    /// A level of the pyramid and its tiles.
    pub struct Level {
        pub index: u32,
        pub width: i32,
        pub height: i32,
        pub pitch: u32,
        pub offset: u32,
        pub tiles_x: u32,
        pub tiles_x_inverse: u32,
        pub first_tile: u32,
    }

    /// The argument of `detect`; what each buffer holds is said in `kernels/abi.cuh`, its size in
    /// [`DetectPlan`](super::plan::DetectPlan).
    pub struct DetectArgs {
        pub source: DevicePointer,
        pub mask: DevicePointer,
        pub pyramid: DevicePointer,
        pub features: DevicePointer,
        pub descriptors: DevicePointer,
        pub header: DevicePointer,
        pub barrier: DevicePointer,
        pub totals: DevicePointer,
        pub peaks: DevicePointer,
        pub medians: DevicePointer,
        pub thresholds: DevicePointer,
        pub slot_counts: DevicePointer,
        pub slots: DevicePointer,
        pub cell_counts: DevicePointer,
        pub candidates: DevicePointer,
        pub pool_bins: DevicePointer,
        pub bin_starts: DevicePointer,
        pub cell_class0: DevicePointer,
        pub cell_all: DevicePointer,
        pub cell_nexts: DevicePointer,
        pub selected: DevicePointer,
        pub bin_counts: DevicePointer,
        pub bin_members: DevicePointer,
        pub frame: u64,
        pub source_pitch: u32,
        pub source_format: u32,
        pub binomial_passes: u32,
        pub width: u32,
        pub height: u32,
        pub levels: u32,
        pub target: u32,
        pub threshold_min: u32,
        pub threshold_max: u32,
        pub ratio_q8: u32,
        pub gain_q16: u32,
        pub grid_x: u32,
        pub grid_y: u32,
        pub describe: u32,
        pub cell_capacity: u32,
        pub tiles: u32,
        pub level0: Level,
        pub level1: Level,
        pub level2: Level,
    }

    /// A [`FlowStart`](crate::track::FlowStart).
    pub struct TrackStart {
        pub u: f32,
        pub v: f32,
        pub guess_u: f32,
        pub guess_v: f32,
        pub trusted: u32,
        pub reserved: u32,
    }

    /// A [`Flow`](crate::track::Flow); see there for the units.
    pub struct TrackRecord {
        pub u: f32,
        pub v: f32,
        pub residual: f32,
        pub min_eigenvalue: f32,
        pub backward_error: f32,
        pub status: u32,
    }

    /// What the host waits for: `frame` is written last.
    pub struct TrackHeader {
        pub frame: u64,
        /// Records written.
        pub count: u32,
        pub reserved: u32,
    }

    /// The argument of `track`; what each buffer holds is said in `kernels/abi.cuh`, its size in
    /// [`TrackPlan`](super::track_plan::TrackPlan).
    pub struct TrackArgs {
        pub previous: DevicePointer,
        pub current: DevicePointer,
        pub starts: DevicePointer,
        pub flows: DevicePointer,
        pub header: DevicePointer,
        pub arrivals: DevicePointer,
        pub frame: u64,
        pub width: u32,
        pub height: u32,
        pub levels: u32,
        pub count: u32,
        pub radius: u32,
        pub max_iter: u32,
        pub eps: f32,
        pub min_eigenvalue: f32,
        pub max_residual: f32,
        pub max_backward_error: f32,
        pub illumination: u32,
        pub refine_radius: u32,
    }
}
