//! Greedy suppression, one box after the other.

/// Corners of a box in the network's input, px, and its area.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    pub x1: f32,
    pub y1: f32,
    pub x2: f32,
    pub y2: f32,
    area: f32,
}

impl Corners {
    /// Of a box about its centre.
    pub fn new([x, y, w, h]: [f32; 4]) -> Self {
        let (half_w, half_h) = (w * 0.5, h * 0.5);
        let (x1, y1, x2, y2) = (x - half_w, y - half_h, x + half_w, y + half_h);
        Self { x1, y1, x2, y2, area: (x2 - x1) * (y2 - y1) }
    }

    /// Whether intersection over union is greater than `threshold`.
    pub fn overlaps(&self, other: &Self, threshold: f32) -> bool {
        let greater = |a: f32, b: f32| if a < b { b } else { a };
        let less = |a: f32, b: f32| if a < b { a } else { b };
        let width = less(self.x2, other.x2) - greater(self.x1, other.x1);
        let height = less(self.y2, other.y2) - greater(self.y1, other.y1);
        if !(width > 0.0 && height > 0.0) {
            return false;
        }
        let both = width * height;
        // Above 0 unless `both` underflows to 0.
        both > 0.0 && both / ((self.area + other.area) - both) > threshold
    }
}

const NONE: u32 = u32::MAX;

/// Kept boxes, chained by class so that a box meets those of its own class alone.
#[derive(Debug, Default)]
pub(super) struct Kept {
    boxes: Vec<(Corners, u32)>,
    last_of_class: Vec<u32>,
}

impl Kept {
    /// Forgets all boxes. `groups`: number of classes that suppress apart.
    pub fn clear(&mut self, groups: usize) {
        self.boxes.clear();
        self.last_of_class.clear();
        self.last_of_class.resize(groups, NONE);
    }

    /// Keeps the next box of the order unless one of its group that was kept before overlaps it.
    pub fn offer(&mut self, corners: Corners, group: u32, threshold: f32) -> bool {
        let Some(last) = self.last_of_class.get_mut(group as usize) else { return false };
        let mut at = *last;
        while let Some((kept, before)) = self.boxes.get(at as usize) {
            if kept.overlaps(&corners, threshold) {
                return false;
            }
            at = *before;
        }
        self.boxes.push((corners, *last));
        *last = self.boxes.len() as u32 - 1;
        true
    }

    pub fn len(&self) -> usize {
        self.boxes.len()
    }
}
