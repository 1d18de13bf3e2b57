//! Build script: embeds the pages of `docs/lints`, and the place of the crate `warpwise` if the build
//! is one of a checkout.
//!
//! It writes `pages.rs`: an array of names and texts, sorted by name. `pages` is a link to their
//! folder, which `cargo package` follows, so that the packaged crate contains them as files. Where
//! links are checked out as text, the folder itself is read.
use std::{env, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    let variable = |name: &str| env::var(name).map_err(io::Error::other);
    let folder = variable("CARGO_MANIFEST_DIR")?;
    let folders = ["pages", "../docs/lints"].map(|pages| Path::new(&folder).join(pages));
    let [linked, pages] = folders;
    let pages = if linked.is_dir() { linked } else { pages };
    println!("cargo::rerun-if-changed={}", pages.display());
    let mut paths = fs::read_dir(&pages)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let mut text = String::from("[\n");
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    text.push_str("]\n");
    fs::write(Path::new(&variable("OUT_DIR")?).join("pages.rs"), text)?;

    let runtime = Path::new(&folder).with_file_name("runtime");
    println!("cargo::rerun-if-changed=Cargo.toml");
    if runtime.join("Cargo.toml").is_file() {
        println!("cargo::rustc-env=WARPWISE_RUNTIME={}", runtime.display());
    }
    Ok(())
}
