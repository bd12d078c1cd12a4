//! Structs shared with `floor.cu`: the twins of `kernels/floor/abi.cuh`, field by field.

use bytemuck::{Pod, Zeroable};

use crate::gpu::abi::{DevicePointer, abi};

const LAYOUT_HEADER: &str = "\
// The layout that Rust gives the structs of floor/abi.cuh. Made by `VIO_RENEW_GOLDEN=1 cargo test --test abi`.
";

abi! {
    /// The layout of every struct as C++ assertions: the text of `kernels/floor/abi_layout.cuh`.
    fn layout_assertions after LAYOUT_HEADER;

    /// What the host waits for: `frame` is written last.
    pub struct FloorHeader {
        pub frame: u64,
        /// Of all 32-bit words of the source.
        pub sum: u32,
        pub reserved: u32,
    }

    /// The argument of `frame_floor`; what each buffer holds is said in `kernels/floor/abi.cuh`, its size in
    /// [`FloorPlan`](super::FloorPlan).
    pub struct FloorArgs {
        pub source: DevicePointer,
        pub results: DevicePointer,
        pub header: DevicePointer,
        pub state: DevicePointer,
        pub frame: u64,
        pub source_count: u32,
        pub result_count: u32,
        pub barriers: u32,
        pub reserved: u32,
    }
}
