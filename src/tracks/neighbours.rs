//! Points of an image, looked up by place.

/// Points in square buckets.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// Side of a bucket, px.
    side: f32,
    columns: usize,
    rows: usize,
    buckets: Vec<Vec<(usize, [f32; 2])>>,
}

impl Neighbours {
    /// No points yet, in an image of `size` (width, height); `radius` is the usual one of the questions, px.
    pub fn new([width, height]: [u32; 2], radius: f32) -> Self {
        let side = if radius.is_finite() { radius.max(8.0) } else { f32::MAX };
        let [columns, rows] = [width, height].map(|length| (length as f32 / side) as usize + 1);
        Self { side, columns, rows, buckets: vec![Vec::new(); columns * rows] }
    }

    /// Those of `points`, each under its index.
    pub fn of(size: [u32; 2], radius: f32, points: impl IntoIterator<Item = [f32; 2]>) -> Self {
        let mut neighbours = Self::new(size, radius);
        points.into_iter().enumerate().for_each(|(index, point)| neighbours.insert(index, point));
        neighbours
    }

    /// Adds a point; one outside the image goes to the nearest bucket.
    pub fn insert(&mut self, index: usize, point: [f32; 2]) {
        let [column, row] = self.bucket(point);
        if let Some(bucket) = self.buckets.get_mut(row * self.columns + column) {
            bucket.push((index, point));
        }
    }

    /// Points less than `radius` from `centre`: index and squared distance, px^2.
    pub fn within(&self, centre: [f32; 2], radius: f32) -> impl Iterator<Item = (usize, f32)> {
        let [left, top] = self.bucket(centre.map(|c| c - radius));
        let [right, bottom] = self.bucket(centre.map(|c| c + radius));
        let buckets = (top..=bottom).flat_map(move |row| (left..=right).map(move |column| row * self.columns + column));
        buckets.filter_map(|bucket| self.buckets.get(bucket)).flatten().filter_map(move |&(index, [x, y])| {
            let (dx, dy) = (x - centre[0], y - centre[1]);
            let squared = dx * dx + dy * dy;
            (squared < radius * radius).then_some((index, squared))
        })
    }

    /// Whether there is any point less than `radius` from `centre`.
    pub fn any_within(&self, centre: [f32; 2], radius: f32) -> bool {
        self.within(centre, radius).next().is_some()
    }

    /// Column and row; the conversion saturates.
    fn bucket(&self, [x, y]: [f32; 2]) -> [usize; 2] {
        [((x / self.side) as usize).min(self.columns - 1), ((y / self.side) as usize).min(self.rows - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_search_through_all_points_finds() {
        let points: Vec<[f32; 2]> =
            (0..400).map(|i| [(i * 37 % 331) as f32 * 0.7, (i * 53 % 211) as f32 * 0.9]).collect();
        for bucket_radius in [1.0, 20.0, 1e9, f32::INFINITY] {
            let neighbours = Neighbours::of([232, 190], bucket_radius, points.iter().copied());
            for (radius, centre) in
                [(0.0, [5.0, 5.0]), (15.0, [0.0, 189.0]), (40.0, [-20.0, 60.0]), (500.0, [100.0, 9.0])]
            {
                let mut found: Vec<usize> = neighbours.within(centre, radius).map(|(index, _)| index).collect();
                found.sort_unstable();
                let near = |p: &[f32; 2]| (p[0] - centre[0]).powi(2) + (p[1] - centre[1]).powi(2) < radius * radius;
                let all: Vec<usize> = (0..points.len()).filter(|&i| near(&points[i])).collect();
                assert_eq!(found, all, "radius {radius} about {centre:?}, buckets for {bucket_radius}");
            }
        }
    }
}
