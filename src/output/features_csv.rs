//! `features.csv`: one line a feature. Equal runs give equal bytes.

use std::io::{self, Write};

use crate::frontend::FrameOutput;

/// The file beside it, where descriptors are wanted: 128 bytes a feature (contract C10), in the order of the lines.
pub const DESCRIPTORS_FILE: &str = "descriptors.bin";

/// The first line. Units: ns; level-0 pixels (u, v); plane z = 1 (x, y) and 1/s (vx, vy), 0 where uncalibrated.
pub const FEATURES_HEADER: &str = "stamp_ns,id,u,v,x,y,vx,vy,age,level,score";

/// Writes the features of consecutive frames.
#[derive(Debug)]
pub struct FeaturesCsv<W: Write> {
    out: W,
}

impl<W: Write> FeaturesCsv<W> {
    /// Writes the header.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "{FEATURES_HEADER}")?;
        Ok(Self { out })
    }

    /// Writes the features of one frame in their published order.
    ///
    /// u and v are the shortest decimals that read back to the same f32. The others have nine decimals: they come from
    /// the camera model, whose last bits may differ between platforms.
    pub fn write(&mut self, frame: &FrameOutput) -> io::Result<()> {
        for point in &frame.points {
            let ([x, y], [vx, vy]) = (point.normalised.unwrap_or_default(), point.velocity);
            writeln!(
                self.out,
                "{},{},{},{},{x:.9},{y:.9},{vx:.9},{vy:.9},{},{},{}",
                frame.stamp_ns,
                point.id,
                point.feature.u,
                point.feature.v,
                point.age,
                point.feature.level,
                point.feature.score
            )?;
        }
        Ok(())
    }

    /// Hands everything to the file, so that a full disk is an error here and not a short file later.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
