//! An image as the sensor gives it: the rendered grey levels, or their exposure with light and noise.

use super::effects::{Effects, Noise};
use super::{START_NS, Synth};
use crate::image::GrayImage;

impl Synth {
    /// Image `k`, of any k: the way through the scene has no end.
    pub fn render(&self, k: usize, image: &mut GrayImage) {
        let [width, height] = self.renderer.size();
        image.resize(width, height);
        if self.effects == Effects::default() {
            let pixels = image.pixels_mut();
            self.look(self.stamp_ns(k), |i, grey| pixels[i] = (grey + 0.5) as u8);
            return;
        }
        let stamp_ns = self.stamp_ns(k);
        let mut sums = vec![0u32; width * height];
        let exposures_ns = self.effects.exposures_ns();
        let number = exposures_ns.len() as i64;
        for offset_ns in exposures_ns {
            self.look(stamp_ns + offset_ns, |i, grey| sums[i] += (256.0 * grey + 0.5) as u32);
        }
        let gain = self.effects.light.gain(stamp_ns - START_NS);
        let mut noise = Noise::new(self.scene.seed, k, self.effects.noise);
        for (row, sums) in image.pixels_mut().chunks_exact_mut(width).zip(sums.chunks_exact(width)) {
            noise.next_row();
            for (pixel, sum) in row.iter_mut().zip(sums) {
                let level = ((i64::from(*sum) / number * gain) >> 16) + noise.next_pixel();
                *pixel = ((level + 128) >> 8).clamp(0, 255) as u8;
            }
        }
    }

    /// What the camera sees at one time.
    fn look(&self, stamp_ns: i64, put: impl FnMut(usize, f32)) {
        let world = self.scene.at(Self::seconds(stamp_ns));
        self.renderer.each(&world, &self.camera_pose(stamp_ns), put);
    }
}
