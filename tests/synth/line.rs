//! Simulated sequences named in one line of text.

use vio_frontend::source;
use vio_frontend::source::synth::{Effects, Light, Synth};

use crate::{scene, small};

#[test]
fn a_line_sets_frames_and_effects_over_the_options() {
    let synth = scene("outdoor?light=ramp&blur=2.5ms&noise=1.5&frames=7");
    assert_eq!((synth.name(), synth.frames()), ("outdoor", 7));
    assert_eq!(synth.effects(), &Effects { light: Light::Ramp, blur_ns: 2_500_000, noise: 1.5 });
    assert_eq!(scene("room?blur=500us").effects().blur_ns, 500_000);
    let options = {
        let mut options = small(3);
        options.effects.noise = 2.0;
        options
    };
    let synth = Synth::new("room?light=step", &options).unwrap();
    assert_eq!((synth.frames(), synth.effects().noise, synth.effects().light), (3, 2.0, Light::Step));
    assert_eq!(source::open("synth:room?frames=2&noise=1").unwrap().frames(), 2);
}

#[test]
fn names_of_lights_are_those_that_are_read() {
    for name in Light::NAMES {
        scene(&format!("room?light={name}"));
    }
}

#[test]
fn a_line_reads_back_as_it_was_printed() {
    for line in ["room", "corridor?light=flicker", "outdoor?light=blackout&blur=2.5ms&noise=0.75", "room?blur=0.001ms"]
    {
        assert_eq!(scene(line).line(), line);
    }
    assert_eq!(scene("room?noise=0&blur=500us&frames=3").line(), "room?blur=0.5ms");
}

#[test]
fn what_is_wrong_in_a_line_is_named_with_what_would_be_right() {
    let cases = [
        ("attic", "scene 'attic' is unknown"),
        ("room?nois=3", "option 'nois' is unknown, did you mean 'noise'?; known: frames, light, blur, noise"),
        ("room?", "option '' is unknown; known: frames"),
        ("room?noise=3&", "option '' is unknown"),
        ("room?light=flikker", "option light: 'flikker' is not one of steady, step, ramp, flicker, blackout; did you"),
        ("room?light", "option light: '' is not one of"),
        ("room?blur=8", "option blur: '8' is not an exposure time of 0 to 50ms, such as 8ms or 500us"),
        ("room?blur=80ms", "option blur: '80000us' is not"),
        ("room?blur=-1ms", "option blur: '-1000us' is not"),
        ("room?blur=infms", "option blur: 'infms' is not"),
        ("room?noise=loud", "option noise: 'loud' is not a standard deviation of 0 to 50 grey levels"),
        ("room?noise=99", "option noise: '99' is not"),
        ("room?noise=nan", "option noise: 'NaN' is not"),
        ("room?frames=-1", "option frames: '-1' is not a number of images"),
    ];
    for (line, expected) in cases {
        let error = Synth::new(line, &small(1)).expect_err(line).to_string();
        assert!(error.starts_with(expected), "{line}: {error}");
    }
}
