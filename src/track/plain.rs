//! The plain path: the reference that every other one equals bit for bit, and the fallback on the CPU.

use super::bilinear::Point;
use super::moments::Moments;
use super::solve::System;
use super::walk::Walk;
use super::window::{Area, Template};
use super::{Flow, FlowStart, FlowStatus, REFINE_LEAST, REFINE_REACH, TrackSettings};
use crate::image::GrayImage;

/// Coarsest level of a search with a trusted guess.
const TRUSTED_TOP: usize = 1;

/// Finds each start in the current image. Both pyramids hold the levels of contract C0, finest first, of one size.
///
/// Without any level every point is outside.
pub fn track(
    previous: &[&GrayImage],
    current: &[&GrayImage],
    starts: &[FlowStart],
    settings: &TrackSettings,
) -> Vec<Flow> {
    starts.iter().map(|start| track_one(previous, current, start, settings)).collect()
}

/// Forward, the gates, back again, and the last search.
fn track_one(previous: &[&GrayImage], current: &[&GrayImage], start: &FlowStart, settings: &TrackSettings) -> Flow {
    let guess = difference(start.guess, start.from);
    let forward = search(previous, current, start.from, guess, start.trusted, settings, true);
    let mut flow = Flow {
        position: start.from,
        status: forward.status,
        residual: forward.residual,
        min_eigenvalue: forward.min_eigenvalue,
        backward_error: 0.0,
    };
    if forward.status != FlowStatus::Tracked {
        return flow;
    }
    flow.position = sum(start.from, forward.motion);
    if settings.max_residual < flow.residual {
        flow.status = FlowStatus::Residual;
    } else if let Some(most) = settings.backward_limit() {
        // In darker light a template that was good enough would not be: there and back share one gate.
        let open = TrackSettings { min_eigenvalue: 0.0, ..*settings };
        let back = forward.motion.map(|c| -c);
        let backward = search(current, previous, flow.position, back, true, &open, false);
        let [x, y] = difference(sum(flow.position, backward.motion), start.from);
        let squares = x * x + y * y;
        if backward.status != FlowStatus::Tracked {
            flow.status = FlowStatus::Inconsistent;
        } else {
            flow.backward_error = squares.sqrt();
            if most * most < squares {
                flow.status = FlowStatus::Inconsistent;
            }
        }
    }
    if flow.status == FlowStatus::Tracked
        && let Some(motion) = refine(previous, current, start.from, forward.motion, settings)
    {
        flow.position = sum(start.from, motion);
    }
    flow
}

/// The motion found by the last search, if there is one and it ends near `motion`.
fn refine(
    previous: &[&GrayImage],
    current: &[&GrayImage],
    from: [f32; 2],
    motion: [f32; 2],
    settings: &TrackSettings,
) -> Option<[f32; 2]> {
    let radius = settings.refine_radius()?;
    if motion[0] * motion[0] + motion[1] * motion[1] < REFINE_LEAST * REFINE_LEAST {
        return None;
    }
    let found = search_level(previous.first()?, current.first()?, at_level(from, 0), motion, radius, settings, false);
    let [x, y] = difference(found.motion, motion);
    let near = x * x + y * y <= REFINE_REACH * REFINE_REACH;
    (found.status == FlowStatus::Tracked && near).then_some(found.motion)
}

/// What a search through the levels found.
#[derive(Clone, Copy, Debug)]
struct Search {
    status: FlowStatus,
    /// From the start to what was found, level-0 px.
    motion: [f32; 2],
    residual: f32,
    min_eigenvalue: f32,
}

/// Coarse to fine. A level that fails leaves the motion as it was; the finest one decides. `measures` asks for the
/// residual.
fn search(
    from_levels: &[&GrayImage],
    to_levels: &[&GrayImage],
    from: [f32; 2],
    guess: [f32; 2],
    trusted: bool,
    settings: &TrackSettings,
    measures: bool,
) -> Search {
    let mut search = Search { status: FlowStatus::Outside, motion: guess, residual: 0.0, min_eigenvalue: 0.0 };
    let levels = settings.levels_of(from_levels.len().min(to_levels.len()));
    let levels = if trusted { levels.min(TRUSTED_TOP + 1) } else { levels };
    for (level, (from_image, to_image)) in from_levels.iter().zip(to_levels).enumerate().take(levels).rev() {
        let scale = (1_u32 << level) as f32;
        let motion = search.motion.map(|c| c / scale);
        let (place, measures) = (at_level(from, level), measures && level == 0);
        let found = search_level(from_image, to_image, place, motion, settings.radius(), settings, measures);
        search = Search { motion: found.motion.map(|c| c * scale), ..found };
    }
    search
}

/// A place in pixels of a level. At level 0 too this is f32: next to a power of two the last bit may be rounded away.
fn at_level(place: [f32; 2], level: usize) -> [f32; 2] {
    place.map(|c| (c + 0.5) / (1_u32 << level) as f32 - 0.5)
}

/// Steps at one level until one is short; `motion` in px of the level.
fn search_level(
    from_image: &GrayImage,
    to_image: &GrayImage,
    from: [f32; 2],
    motion: [f32; 2],
    radius: usize,
    settings: &TrackSettings,
    measures: bool,
) -> Search {
    let mut search = Search { status: FlowStatus::Outside, motion, residual: 0.0, min_eigenvalue: 0.0 };
    if !contains(from_image, from) {
        return search;
    }
    let template = Template::new(from_image, &Point::new(from), radius);
    let mut fit = Fit::new(&template, template.area(), settings.illumination);
    search.min_eigenvalue = fit.system.min_eigenvalue();
    if search.min_eigenvalue < settings.min_eigenvalue || !fit.system.is_solvable() {
        search.status = FlowStatus::LowTexture;
        return search;
    }
    let (mut moved, mut seen, mut last, mut walk) = (motion, None, None, Walk::default());
    for _ in 0..settings.max_iter {
        let to = sum(from, moved);
        if !contains(to_image, to) {
            return search;
        }
        let point = Point::new(to);
        let moments = match seen {
            Some((pixel, moments)) if pixel == [point.x, point.y] => moments,
            _ => {
                let area = template.area_with(to_image, &point);
                if area != fit.area {
                    fit = Fit::new(&template, area, settings.illumination);
                    if !fit.system.is_solvable() {
                        return search;
                    }
                }
                Moments::about(&template, to_image, &point, &area, settings.illumination)
            }
        };
        seen = Some(([point.x, point.y], moments));
        let step = fit.system.step(&moments, &point.weights);
        last = Some((point, step.factor));
        let [x, y] = walk.take(&step);
        moved = sum(moved, [x, y]);
        if x * x + y * y <= settings.eps * settings.eps {
            break;
        }
    }
    if contains(to_image, sum(from, moved)) {
        (search.status, search.motion) = (FlowStatus::Tracked, moved);
        if let (true, Some((point, factor))) = (measures, last) {
            search.residual = fit.system.residual(&template.sums_with(to_image, &point, &fit.area), factor);
        }
    }
    search
}

/// The part of a template that counts, and its normal equations.
struct Fit {
    area: Area,
    system: System,
}

impl Fit {
    fn new(template: &Template, area: Area, illumination: bool) -> Self {
        let own = Moments::own(template, &area, illumination).at(&template.point().weights);
        Self { area, system: System::new(template.sums(&area), &own, illumination) }
    }
}

/// Whether a point lies between the centres of the first and the last pixel.
fn contains(image: &GrayImage, [x, y]: [f32; 2]) -> bool {
    0.0 <= x && x <= image.width() as f32 - 1.0 && 0.0 <= y && y <= image.height() as f32 - 1.0
}

fn sum([a, b]: [f32; 2], [c, d]: [f32; 2]) -> [f32; 2] {
    [a + c, b + d]
}

fn difference([a, b]: [f32; 2], [c, d]: [f32; 2]) -> [f32; 2] {
    [a - c, b - d]
}
