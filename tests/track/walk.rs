//! The steps that a search takes of those that its windows offer.

use vio_frontend::track::solve::Step;
use vio_frontend::track::walk::Walk;

/// A window whose template says `motion`, and whose own slopes say `newton`.
fn step(motion: [f32; 2], newton: Option<[f32; 2]>) -> Step {
    Step { motion, newton, factor: 1.0 }
}

/// What is taken of steps of the template's alone.
fn walked<const N: usize>(motions: [[f32; 2]; N]) -> [[f32; 2]; N] {
    let mut walk = Walk::default();
    motions.map(|motion| walk.take(&step(motion, None)))
}

#[test]
fn newtons_step_is_taken_where_it_is_short_and_leads_the_same_way() {
    let template = [0.5, 0.25];
    for (newton, taken) in [
        ([1.0, 0.0], true),
        ([2.0, 0.0], true), // 2 px
        ([2.1, 0.0], false),
        ([1.5, 1.5], false), // longer than 2 px, though neither axis is
        ([-0.5, 1.1], true),
        ([-0.5, 1.0], false), // across
        ([-0.5, -0.25], false),
        ([f32::NAN, 0.0], false),
    ] {
        let motion = Walk::default().take(&step(template, Some(newton)));
        assert_eq!(motion, if taken { newton } else { template }, "{newton:?}");
    }
    assert_eq!(Walk::default().take(&step(template, None)), template);
}

#[test]
fn steps_that_lead_on_get_longer_up_to_two_pixels() {
    let quarter = [0.25, 0.0];
    let lengths = walked([quarter; 7]).map(|[x, _]| x);
    assert_eq!(lengths, [0.25, 0.5, 1.0, 2.0, 0.25, 0.5, 1.0]);
    assert_eq!(walked([[1.5, 0.0]; 3]), [[1.5, 0.0]; 3], "twice as long is too long");
    assert_eq!(walked([[0.25, 0.0], [0.0, 0.25], [0.25, 0.25]]), [[0.25, 0.0], [0.0, 0.25], [0.5, 0.5]]);
}

#[test]
fn newtons_steps_are_never_made_longer_and_end_what_was() {
    let mut walk = Walk::default();
    let (template, newton) = (step([0.25, 0.0], None), step([0.25, 0.0], Some([0.2, 0.0])));
    let taken = [template, template, newton, newton, template].map(|step| walk.take(&step));
    assert_eq!(taken.map(|[x, _]| x), [0.25, 0.5, 0.2, 0.2, 0.5]);
}

#[test]
fn what_turns_back_is_halved_unless_it_is_short_already() {
    assert_eq!(walked([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]), [[1.0, 0.0], [-0.5, 0.0], [0.5, 0.0]]);
    assert_eq!(walked([[1.0, 0.0], [-0.75, 0.5]]), [[1.0, 0.0], [-0.375, 0.25]]);
    // Half as long as the step before, and no longer: it settles by itself.
    assert_eq!(walked([[1.0, 0.0], [-0.5, 0.0]]), [[1.0, 0.0], [-0.5, 0.0]]);
    let mut walk = Walk::default();
    let newton = |x: f32| step([x / 4.0, 0.0], Some([x, 0.0]));
    assert_eq!([newton(1.0), newton(-0.75)].map(|step| walk.take(&step)), [[1.0, 0.0], [-0.375, 0.0]]);
}

#[test]
fn a_turn_ends_the_stretch() {
    // Back by half of what was gone, stretched as it was: no half of that.
    let x = walked([[0.25, 0.0], [0.25, 0.0], [-0.25, 0.0], [-0.25, 0.0], [-0.25, 0.0]]).map(|[x, _]| x);
    assert_eq!(x, [0.25, 0.5, -0.25, -0.5, -1.0]);
}
