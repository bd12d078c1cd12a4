//! Post-processing of detectors: tensors drawn by number, those that are refused among them.

use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Detection, Detections};
use vio_frontend::gpu::detections::{PostprocessError, Postprocessor};

use super::{Extent, Gpu, Report};
use crate::tensors::{Case, Limits};

const MANY: Limits = Limits { anchors: 3000, classes: &[1, 2, 3, 7, 40, 80] };
const FEW: Limits = Limits { anchors: 150, classes: &[1, 7, 40] };

pub fn boxes(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Result<(), String> {
    let (limits, seeds) = if extent.few { (FEW, 24) } else { (MANY, 1000) };
    for seed in 0..seeds {
        let mut case = Case::random(seed, limits);
        if seed % 8 == 7 {
            let (at, value) =
                (seed as usize * 31 % case.values.len(), [f32::INFINITY, f32::NAN][seed as usize / 8 % 2]);
            case = case.with(at, value);
        }
        let expected = match PlainPostprocessor::new(case.plan()).run(&case.tensor(), &case.letterboxes) {
            Ok(found) => bits(found),
            Err(refused) => format!("{refused:?}"),
        };
        let name = format!("seed {seed}");
        let told = |error: &dyn std::fmt::Display| format!("{name}: {error}");
        let mut device =
            Postprocessor::new(&gpu.context, &gpu.kernels, case.plan(), gpu.limit).map_err(|error| told(&error))?;
        report.cases += 1;
        report.frames += 1;
        // A block that has one piece of work only shows no mistake between two of them.
        for (blocks, most) in [("all", u32::MAX), ("1", 1)] {
            device.set_most_blocks(most);
            let found = match device.run(&case.tensor(), &case.letterboxes) {
                Ok(found) => {
                    report.features += found.boxes.len();
                    bits(found)
                }
                Err(PostprocessError::Refused(refused)) => format!("{refused:?}"),
                Err(error) => return Err(told(&error)),
            };
            report.launches += 1;
            if found != expected {
                let at = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
                let rest = |text: &str| text.chars().skip(at).take(40).collect::<String>();
                let (is, not) = (rest(&found), rest(&expected));
                report.differs(format!("{name}, blocks: {blocks}: after {at} characters '{is}', not '{not}'"));
                report.go_on()?;
            }
        }
    }
    Ok(())
}

/// In bits, so that a NaN equals itself.
fn bits(found: &Detections) -> String {
    let numbers = |d: &Detection| ([d.x1, d.y1, d.x2, d.y2, d.score].map(f32::to_bits), d.class, d.anchor);
    format!("{:?} {:?}", found.counts, found.boxes.iter().map(numbers).collect::<Vec<_>>())
}
