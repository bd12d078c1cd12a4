//! This front end under evaluation.

use super::run::{FrameTracks, LostTrack, Observation, Run};
use crate::frame::Frame;
use crate::frontend::{FrameOutput, Frontend};
use crate::source::{Event, Source};

/// The tracks of `frontend` on the first `frames` frames of `source`, samples and images in the order of their events;
/// a frame that is refused or unreadable has none. `progress` is called after each frame.
pub fn run_frontend(mut frontend: Frontend, source: &mut dyn Source, frames: usize, mut progress: impl FnMut()) -> Run {
    let mut run = Run { name: "vio_frontend".to_owned(), frames: Vec::new(), tells_losses: true };
    while run.frames.len() < frames
        && let Some(event) = source.next_event()
    {
        let tracked = match event {
            Event::Imu(sample) => {
                frontend.add_imu(sample);
                continue;
            }
            Event::Unreadable { stamp_ns, message } => {
                tracing::warn!("frame {stamp_ns}: {message}");
                FrameTracks { stamp_ns, ..FrameTracks::default() }
            }
            Event::Image { stamp_ns, image } => {
                let output = image.checked_view().and_then(|image| frontend.process(&Frame { stamp_ns, image }));
                output.map_or_else(
                    |refusal| {
                        tracing::warn!("frame {stamp_ns}: {refusal}");
                        FrameTracks { stamp_ns, ..FrameTracks::default() }
                    },
                    |output| tracks(&output),
                )
            }
        };
        run.frames.push(tracked);
        progress();
    }
    run
}

fn tracks(output: &FrameOutput) -> FrameTracks {
    let observed = output.points.iter().map(|point| Observation {
        id: point.id,
        position: [f64::from(point.feature.u), f64::from(point.feature.v)],
        sigma: Some(f64::from(point.sigma)),
    });
    let lost = output.lost.iter().map(|lost| LostTrack { id: lost.id, reason: lost.reason.name().to_owned() });
    FrameTracks { stamp_ns: output.stamp_ns, observations: observed.collect(), lost: lost.collect() }
}
