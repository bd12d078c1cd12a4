//! What the CUDA twins of the stages share with their host: structs, buffer sizes, the sources as they are compiled.

pub mod abi;
pub mod plan;
pub mod sources;
pub mod track_plan;
