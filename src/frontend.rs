//! The frame's journey.
