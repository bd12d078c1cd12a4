//! The programs of `kernels/`: the files that each joins, what NVRTC is told, and the digest that tells whether kept
//! PTX is that of the sources. The rules are those of `kernels/ptx/README.md`.

/// The options that make the bits those of the CPU; the architecture comes after them.
pub const OPTIONS: [&str; 2] = ["--std=c++14", "--fmad=false"];

/// Each program of `kernels/programs.txt` with its files, in the order in which they are joined.
pub fn programs(list: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(':')).map(|(name, files)| (name.trim(), files.split_whitespace().collect()))
}

/// The text that is compiled as one: each file after a line that names it in messages. `read` yields a file's text.
///
/// Errors: those of `read`.
pub fn join<E>(files: &[&str], mut read: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
    files.iter().map(|file| Ok(format!("#line 1 \"{file}\"\n{}", read(file)?))).collect()
}

/// CRC-32 of the options for `compute_<architecture>` and the joined text.
pub fn digest(architecture: u32, text: &str) -> u32 {
    crc32fast::hash(format!("{} --gpu-architecture=compute_{architecture}\n{text}", OPTIONS.join(" ")).as_bytes())
}

/// The digest that the first line of a kept PTX file states; `None` where it states none.
pub fn stated_digest(ptx: &str) -> Option<u32> {
    let line = ptx.lines().next()?.strip_prefix("// CRC-32 of options and sources: ")?;
    u32::from_str_radix(line, 16).ok()
}
