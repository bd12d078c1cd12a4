//! What leaves a frame.
