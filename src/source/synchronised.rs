//! A source whose images wait for the IMU samples that cover them.

use std::collections::VecDeque;

use super::{Event, Source};
use crate::camera::{CamImu, Camera};
use crate::frame::StampNs;

/// Hands each image out after the IMU samples up to it, as far as these come within a wait on the recorded clock: what
/// the parameters `td` and `imu_wait_ms` mean for a recording.
pub struct Synchronised {
    source: Box<dyn Source>,
    td_ns: StampNs,
    wait_ns: StampNs,
    /// Frames that wait, in the order of the source.
    held: VecDeque<Event>,
    newest_imu_ns: Option<StampNs>,
    /// Greatest stamp of any event.
    now_ns: StampNs,
    ended: bool,
}

impl Synchronised {
    /// An image stamped t waits for samples up to t + `td_s`, at most `wait_s` longer than those should take, s.
    pub fn new(source: Box<dyn Source>, td_s: f64, wait_s: f64) -> Self {
        let [td_ns, wait_ns] = [td_s, wait_s].map(|s| (s * 1e9) as StampNs);
        let (held, newest_imu_ns, now_ns, ended) = (VecDeque::new(), None, StampNs::MIN, false);
        Self { source, td_ns, wait_ns, held, newest_imu_ns, now_ns, ended }
    }

    fn is_due(&self, stamp_ns: StampNs) -> bool {
        let covered_at = stamp_ns.saturating_add(self.td_ns);
        self.ended
            || self.newest_imu_ns.is_some_and(|newest| newest >= covered_at)
            || self.now_ns.saturating_sub(covered_at) >= self.wait_ns
    }
}

impl std::fmt::Debug for Synchronised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Synchronised").field("held", &self.held.len()).finish_non_exhaustive()
    }
}

impl Source for Synchronised {
    fn frames(&self) -> usize {
        self.source.frames()
    }

    fn camera(&self) -> Option<&Camera> {
        self.source.camera()
    }

    fn cam_imu(&self) -> Option<CamImu> {
        self.source.cam_imu()
    }

    fn next_event(&mut self) -> Option<Event> {
        loop {
            if self.held.front().and_then(frame_stamp).is_some_and(|stamp_ns| self.is_due(stamp_ns)) {
                return self.held.pop_front();
            }
            match self.source.next_event() {
                Some(Event::Imu(sample)) => {
                    // A stamp that went back by much is that of a recording that starts anew.
                    self.newest_imu_ns = Some(sample.stamp_ns);
                    self.now_ns = self.now_ns.max(sample.stamp_ns);
                    return Some(Event::Imu(sample));
                }
                Some(frame) => {
                    self.now_ns = frame_stamp(&frame).unwrap_or(self.now_ns);
                    self.held.push_back(frame);
                }
                None if self.ended => return None,
                None => self.ended = true,
            }
        }
    }
}

fn frame_stamp(event: &Event) -> Option<StampNs> {
    match event {
        Event::Image { stamp_ns, .. } | Event::Unreadable { stamp_ns, .. } => Some(*stamp_ns),
        Event::Imu(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::ImuSample;
    use crate::image::GrayImage;

    struct Script(VecDeque<Event>);

    impl Source for Script {
        fn frames(&self) -> usize {
            self.0.iter().filter(|event| frame_stamp(event).is_some()).count()
        }
        fn camera(&self) -> Option<&Camera> {
            None
        }
        fn next_event(&mut self) -> Option<Event> {
            self.0.pop_front()
        }
    }

    /// Names of events, 'i' for images, 'g' for samples of the gyroscope, with their stamps in ms.
    fn order(script: &[(char, i64)], td_s: f64, wait_s: f64) -> Vec<(char, i64)> {
        let event = |&(kind, ms): &(char, i64)| match kind {
            'i' => Event::Image { stamp_ns: ms * 1_000_000, image: GrayImage::default() },
            _ => Event::Imu(ImuSample { stamp_ns: ms * 1_000_000, gyro: [0.0; 3], accel: None }),
        };
        let mut source = Synchronised::new(Box::new(Script(script.iter().map(event).collect())), td_s, wait_s);
        let name = |event: Event| match event {
            Event::Imu(sample) => ('g', sample.stamp_ns / 1_000_000),
            frame => ('i', frame_stamp(&frame).unwrap_or(-1) / 1_000_000),
        };
        std::iter::from_fn(|| source.next_event()).map(name).collect()
    }

    #[test]
    fn an_image_comes_after_the_sample_that_covers_it() {
        let script = [('g', 0), ('i', 1), ('g', 5), ('i', 8), ('g', 10), ('g', 15)];
        assert_eq!(order(&script, 0.0, 1.0), [('g', 0), ('g', 5), ('i', 1), ('g', 10), ('i', 8), ('g', 15)]);
        assert_eq!(order(&script, 0.006, 1.0), [('g', 0), ('g', 5), ('g', 10), ('i', 1), ('g', 15), ('i', 8)]);
        assert_eq!(order(&script, -0.008, 1.0), script);
    }

    #[test]
    fn no_image_waits_longer_than_allowed_and_none_is_lost() {
        assert_eq!(order(&[('i', 1), ('i', 51), ('i', 101)], 0.0, 0.05), [('i', 1), ('i', 51), ('i', 101)]);
        let late = [('g', 0), ('i', 1), ('i', 31), ('g', 2), ('g', 40)];
        assert_eq!(order(&late, 0.0, 0.02), [('g', 0), ('i', 1), ('g', 2), ('g', 40), ('i', 31)]);
        let looped = [('g', 5000), ('i', 5000), ('i', 100), ('g', 101), ('i', 150), ('g', 151)];
        assert_eq!(order(&looped, 0.0, 0.02).iter().filter(|(kind, _)| *kind == 'i').count(), 3);
    }
}
