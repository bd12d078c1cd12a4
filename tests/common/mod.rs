//! What several tests share.

use std::path::{Path, PathBuf};

/// The folder of real recordings: `VIO_TEST_DATA`, else `../shared/data` beside the repository. Where it is absent,
/// says that the test is skipped and answers `None`; every test that uses it has a twin without.
pub fn test_data() -> Option<PathBuf> {
    let folder = std::env::var_os("VIO_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no test data at {}", folder.display());
    None
}
