//! Post-processing of detectors on a device: memory, the launch, results. The bits are those of
//! [`PlainPostprocessor`](crate::detections::plain::PlainPostprocessor) (`kernels/DETECTIONS.md`).

pub mod abi;
pub mod plan;
