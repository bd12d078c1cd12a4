//! Runs from files: `features.csv` of any tracker, and `lost.csv` beside it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::run::{FrameTracks, LostTrack, Observation, Run};
use crate::frame::StampNs;

/// Why a file is no run of the sequence.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: csv::Error },
    #[error("{}:{line}: {message}", path.display())]
    Row { path: PathBuf, line: u64, message: String },
    #[error("{}: all its lines are of frames after the sequence's last, the first at {stamp_ns}", path.display())]
    After { path: PathBuf, stamp_ns: StampNs },
}

/// The columns that are read; others may stand among them.
#[derive(Deserialize)]
struct Row {
    stamp_ns: StampNs,
    id: u64,
    u: f64,
    v: f64,
    sigma: Option<f64>,
}

#[derive(Deserialize)]
struct LostRow {
    stamp_ns: StampNs,
    id: u64,
    reason: String,
}

/// Reads the columns `stamp_ns, id, u, v` and, if there is one, `sigma` of `path`, as the run of a sequence whose
/// frames have `stamps`; frames without a line have no tracks. A file `lost.csv` beside it says with `stamp_ns, id,
/// reason` which tracks ended, and why. Lines of frames after the last of `stamps` are left out: the sequence was cut.
///
/// Errors: an unreadable file, a missing column, a stamp that is none of the sequence's, no line within it, an id
/// twice in a frame, a position that is not finite, a sigma that is not positive.
pub fn read_run(path: &Path, name: &str, stamps: &[StampNs]) -> Result<Run, RunFileError> {
    let index: HashMap<StampNs, usize> = stamps.iter().enumerate().map(|(k, &stamp)| (stamp, k)).collect();
    let newest = stamps.iter().max().copied().unwrap_or(StampNs::MAX);
    let mut frames: Vec<FrameTracks> =
        stamps.iter().map(|&stamp_ns| FrameTracks { stamp_ns, ..FrameTracks::default() }).collect();
    let frame_of = |stamp_ns: StampNs| -> Result<Option<usize>, String> {
        match index.get(&stamp_ns) {
            Some(&k) => Ok(Some(k)),
            None if stamp_ns > newest => Ok(None),
            None => Err(format!("no frame of the sequence has the stamp {stamp_ns}")),
        }
    };
    let (mut known, mut after) = (HashSet::new(), None);
    rows(path, |row: Row| {
        let Some(k) = frame_of(row.stamp_ns)? else {
            after.get_or_insert(row.stamp_ns);
            return Ok(());
        };
        if !(row.u.is_finite() && row.v.is_finite()) {
            return Err(format!("position {}, {} of track {}", row.u, row.v, row.id));
        }
        if let Some(sigma) = row.sigma.filter(|sigma| !(sigma.is_finite() && *sigma > 0.0)) {
            return Err(format!("sigma {sigma} of track {}", row.id));
        }
        if !known.insert((k, row.id)) {
            return Err(format!("track {} twice in the frame {}", row.id, row.stamp_ns));
        }
        frames[k].observations.push(Observation { id: row.id, position: [row.u, row.v], sigma: row.sigma });
        Ok(())
    })?;
    if let Some(stamp_ns) = after.filter(|_| known.is_empty()) {
        return Err(RunFileError::After { path: path.to_owned(), stamp_ns });
    }
    let lost = path.with_file_name("lost.csv");
    let tells_losses = lost.is_file();
    if tells_losses {
        rows(&lost, |row: LostRow| {
            if let Some(k) = frame_of(row.stamp_ns)? {
                frames[k].lost.push(LostTrack { id: row.id, reason: row.reason });
            }
            Ok(())
        })?;
    }
    Ok(Run { name: name.to_owned(), frames, tells_losses })
}

/// Hands every row to `take`, whose complaints get the line's number.
fn rows<T: serde::de::DeserializeOwned>(
    path: &Path,
    mut take: impl FnMut(T) -> Result<(), String>,
) -> Result<(), RunFileError> {
    let unreadable = |error| RunFileError::Read { path: path.to_owned(), error };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(unreadable)?;
    let headers = reader.headers().map_err(unreadable)?.clone();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(unreadable)? {
        let row = record.deserialize(Some(&headers)).map_err(unreadable)?;
        let line = record.position().map_or(0, csv::Position::line);
        take(row).map_err(|message| RunFileError::Row { path: path.to_owned(), line, message })?;
    }
    Ok(())
}
