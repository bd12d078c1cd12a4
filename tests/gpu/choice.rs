//! Which compiled form a device gets, over compilers and devices from the TX2 on.

use vio_frontend::gpu::choice::{Abilities, Choice, Reason, Target, options};
use vio_frontend::gpu::image::ImageKind::{Cubin, Ptx};

fn choose(nvrtc: (u32, u32), architectures: &[u32], driver: (u32, u32), architecture: u32) -> Choice {
    let cubins = nvrtc >= (11, 1);
    let compiler = Abilities { version: nvrtc, architectures: architectures.to_vec(), cubins };
    Choice::new(&compiler, Target { architecture, driver })
}

#[test]
fn ptx_where_the_driver_is_as_new_a_cubin_within_a_major_version_else_what_is_kept() {
    let compile = |kind, architecture| Choice::Compile { kind, architecture };
    let (eleven, twelve, thirteen) = (&[62, 72, 87, 90][..], &[62, 72, 87, 90, 120][..], &[75, 87, 90][..]);
    // The TX2's own compiler, which does not list what it knows.
    assert_eq!(choose((10, 2), &[], (10, 2), 62), compile(Ptx, 62));
    assert_eq!(choose((11, 8), eleven, (12, 2), 87), compile(Ptx, 87));
    assert_eq!(choose((12, 9), twelve, (12, 9), 87), compile(Ptx, 87));
    assert_eq!(choose((12, 9), twelve, (12, 2), 87), compile(Cubin, 87));
    assert_eq!(choose((11, 8), eleven, (11, 4), 72), compile(Cubin, 72));
    // A device newer than the compiler: the PTX of the nearest older one.
    assert_eq!(choose((11, 8), eleven, (12, 9), 120), compile(Ptx, 90));
    let too_new = |compiler, driver| Choice::Kept { reason: Reason::TooNew { compiler, driver } };
    assert_eq!(choose((11, 8), eleven, (10, 2), 62), too_new((11, 8), (10, 2)));
    assert_eq!(choose((13, 0), thirteen, (12, 2), 87), too_new((13, 0), (12, 2)));
    assert_eq!(choose((11, 0), &[], (10, 2), 62), too_new((11, 0), (10, 2)));
    let unknown = |compiler, architecture| Choice::Kept { reason: Reason::NoArchitecture { compiler, architecture } };
    assert_eq!(choose((13, 5), thirteen, (13, 5), 62), unknown((13, 5), 62));
    assert_eq!(choose((12, 9), twelve, (12, 2), 89), unknown((12, 9), 89));
}

#[test]
fn the_compiler_is_told_what_keeps_the_bits_and_for_which_device() {
    assert_eq!(options(Ptx, 62), ["--std=c++14", "--fmad=false", "--gpu-architecture=compute_62"]);
    assert_eq!(options(Cubin, 87), ["--std=c++14", "--fmad=false", "--gpu-architecture=sm_87"]);
}
