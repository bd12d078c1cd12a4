//! What the CUDA twins of the stages share with their host: structs and buffer sizes.

pub mod abi;
pub mod plan;
