//! The same bits on every machine.

use crate::{image, scenes, small};
use vio_frontend::source::synth::Synth;

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The digests were made by this test on x86-64, the same with and without optimisation and with `target-cpu=native`.
/// New ones: let `cargo test --test synth bits` fail and copy what it prints on the left.
#[test]
fn images_and_imu_have_the_same_bits_everywhere() {
    let expected = [
        ("room", [11822942835291481080, 6766914121148953462], 5520245698714756),
        ("corridor", [4198472288428042297, 8835424889902303035], 11788524496808934919),
        ("outdoor", [4190545057979301837, 14593926583420071010], 14861432544408891719),
        ("low_texture", [15998316194657125007, 10877793892026591184], 1304512356518842599),
        ("moving_objects", [15647964724950391721, 16020009546906815979], 3365579391716776387),
        ("fast_rotation", [2285425466366309305, 18373569501096465219], 14155717108685916186),
    ];
    let found: Vec<_> = scenes()
        .iter()
        .map(|synth| {
            let images = [0, 137].map(|k| digest(image(synth, k).pixels()));
            let imu: Vec<u8> = (0..400)
                .map(|j| synth.imu(j))
                .flat_map(|sample| sample.gyro.into_iter().chain(sample.accel.expect("an accelerometer")))
                .flat_map(f64::to_le_bytes)
                .collect();
            (synth.name(), images, digest(&imu))
        })
        .collect();
    assert_eq!(found, expected);
}

/// Three small images for each effect; made as the others.
#[test]
fn effects_have_the_same_bits_everywhere() {
    let expected: [(&str, u64); 8] = [
        ("room?light=step", 10507759043282959364),
        ("room?light=ramp", 16509475231182318636),
        ("room?light=flicker", 8981186850720067599),
        ("room?light=blackout", 5246462721468455101),
        ("room?blur=8ms", 254829264331164819),
        ("room?noise=3", 3043466405828848064),
        ("moving_objects?blur=12ms&noise=1.5", 4925266792703084952),
        ("fast_rotation?light=flicker&blur=5ms&noise=2", 16910040497225201990),
    ];
    let found = expected.map(|(line, _)| {
        let synth = Synth::new(line, &small(24)).unwrap();
        let bytes: Vec<u8> = [0, 7, 22].into_iter().flat_map(|k| image(&synth, k).pixels().to_vec()).collect();
        (line, digest(&bytes))
    });
    assert_eq!(found, expected);
}
