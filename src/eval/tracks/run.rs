//! A run of a tracker: what it observed in each frame, and the same track by track.

use std::collections::BTreeMap;

use crate::frame::StampNs;

/// One track in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    pub id: u64,
    /// Column and row, px.
    pub position: [f64; 2],
    /// One standard deviation along each axis, px, where the tracker tells.
    pub sigma: Option<f64>,
}

/// A track that ended for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostTrack {
    pub id: u64,
    pub reason: String,
}

/// What a tracker gave for one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameTracks {
    pub stamp_ns: StampNs,
    pub observations: Vec<Observation>,
    pub lost: Vec<LostTrack>,
}

/// What a tracker gave for all frames of a sequence, those without any track included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub name: String,
    pub frames: Vec<FrameTracks>,
    /// Whether the tracker says why tracks ended.
    pub tells_losses: bool,
}

/// A track in one of its frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Index of the frame.
    pub frame: usize,
    /// px.
    pub position: [f64; 2],
    /// px.
    pub sigma: Option<f64>,
}

/// A track from its birth to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    pub id: u64,
    /// Frames ascending; a gap is one over which the track was lost and found again.
    pub seen: Vec<Seen>,
}

impl Run {
    /// All tracks, ids ascending.
    pub fn histories(&self) -> Vec<History> {
        let mut tracks: BTreeMap<u64, Vec<Seen>> = BTreeMap::new();
        for (frame, tracked) in self.frames.iter().enumerate() {
            for &Observation { id, position, sigma } in &tracked.observations {
                tracks.entry(id).or_default().push(Seen { frame, position, sigma });
            }
        }
        tracks.into_iter().map(|(id, seen)| History { id, seen }).collect()
    }

    /// Why each track ended, where that is told: id, frame and reason.
    pub(super) fn losses(&self) -> impl Iterator<Item = (u64, usize, &str)> {
        let frames = self.frames.iter().enumerate();
        frames.flat_map(|(k, frame)| frame.lost.iter().map(move |lost| (lost.id, k, lost.reason.as_str())))
    }
}

impl History {
    /// The track in that frame.
    pub fn at(&self, frame: usize) -> Option<&Seen> {
        let index = self.seen.binary_search_by_key(&frame, |seen| seen.frame).ok()?;
        self.seen.get(index)
    }

    /// The track in every two frames that are `gap` apart.
    pub fn pairs(&self, gap: usize) -> impl Iterator<Item = (&Seen, &Seen)> {
        self.seen.iter().filter_map(move |from| Some((from, self.at(from.frame + gap)?)))
    }
}
