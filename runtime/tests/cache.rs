//! The cache of PTX on the disk, with the driver without a GPU. Each case is a process of its own,
//! as those that a cache is for.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail and log loudly")]
mod fake_driver;
mod kernels;
mod process;

use fake_driver::{fake, in_process};
use kernels::{EMBEDDED, MEASURED, increment};
use process::stderr_text;
use std::{
    fs,
    path::{Path, PathBuf},
};
use warpwise::{__private::launch, Device, LaunchConfig, parameter::Arg};

/// Writes what is logged to standard error.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, of: &log::Metadata<'_>) -> bool {
        of.target() == "warpwise::cache"
    }
    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("logged {} {}", record.level(), record.args());
        }
    }
    fn flush(&self) {}
}

/// Launches a kernel twice, with and without coarsened threads, and one more.
fn work() {
    static LOGGER: Logger = Logger;
    log::set_logger(&LOGGER).unwrap();
    log::set_max_level(log::LevelFilter::Debug);
    let device = Device::cuda(0).unwrap();
    let mut y = device.upload(&[1u32, 2, 3]).unwrap();
    increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2, 3, 4]);
    for (blocks, [grid, coarsened_grid]) in [(1, [1, 0]), (1 << 20, [1 << 18, 1 << 20])] {
        let config = LaunchConfig::grid(blocks).block(256);
        launch(&MEASURED, &[], &device, config, &[Arg::write(&mut y)]).unwrap();
        assert_eq!(y.to_vec().unwrap()[..2], [grid, coarsened_grid]);
    }
}

/// Returns an empty folder, whose own folder does not exist.
fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ptx_cache").join(name);
    if !process::is_child() && folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    folder.join("kept")
}

/// Runs `body` in a process with this cache. Returns what was logged, without the names of files;
/// `None` in that process.
fn in_cached_process(name: &str, folder: &Path, body: impl FnOnce()) -> Option<Vec<String>> {
    let env = [("WARPWISE_CACHE_DIR", folder.to_str().unwrap())];
    let said = stderr_text(&in_process(name, fake(), &env, body)?);
    let logged = said.lines().filter_map(|line| line.strip_prefix("logged "));
    let folder = format!("{}/", folder.display());
    Some(logged.map(|line| line.replace(&folder, "")).collect())
}

/// Returns the entries, in the order of their names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn assert_starts(logged: &[String], expected: &[&str]) {
    assert_eq!(logged.len(), expected.len(), "{logged:?}");
    for (line, expected) in logged.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line} instead of {expected}");
    }
}

const KEPT: [&str; 2] = [
    "DEBUG kernel `increment` is kept in increment-",
    "DEBUG kernel `measured` is kept in measured-",
];
const READ: [&str; 2] = [
    "DEBUG kernel `increment` is read from increment-",
    "DEBUG kernel `measured` is read from measured-",
];

#[test]
fn a_second_process_reads_what_the_first_one_compiled() {
    let name = "a_second_process_reads_what_the_first_one_compiled";
    let folder = new_folder(name);
    let Some(first) = in_cached_process(name, &folder, work) else { return };
    assert_starts(&first, &KEPT);
    let made: Vec<_> = entries(&folder).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(made.len(), 2);
    assert_starts(&in_cached_process(name, &folder, work).unwrap(), &READ);
    let read: Vec<_> = entries(&folder).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(made, read);
}

#[test]
fn an_entry_that_is_damaged_is_made_again() {
    let name = "an_entry_that_is_damaged_is_made_again";
    let folder = new_folder(name);
    if in_cached_process(name, &folder, work).is_none() {
        return;
    }
    let paths = entries(&folder);
    let whole: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let damages = [
        Vec::new(),
        whole[0][..whole[0].len() - 1].to_vec(),
        b"\xff\x00 garbage".to_vec(),
        // Another text under the old checksum.
        String::from_utf8_lossy(&whole[0]).replace("add.", "sub.").into_bytes(),
    ];
    for damage in damages {
        fs::write(&paths[0], damage).unwrap();
        let logged = in_cached_process(name, &folder, work).unwrap();
        assert_starts(&logged, &["WARN increment-", KEPT[0], READ[1]]);
        assert!(logged[0].ends_with(".ptx is damaged and made again"), "{}", logged[0]);
        assert_eq!(fs::read(&paths[0]).unwrap(), whole[0]);
    }
    // What is whole and of another kernel is not taken either.
    fs::write(&paths[0], &whole[1]).unwrap();
    let logged = in_cached_process(name, &folder, work).unwrap();
    assert_starts(&logged, &["WARN increment-", KEPT[0], READ[1]]);
}

#[test]
fn a_folder_that_cannot_be_written_costs_time_only() {
    let name = "a_folder_that_cannot_be_written_costs_time_only";
    let file = new_folder(name);
    if !process::is_child() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "no folder").unwrap();
    }
    // Nobody, not even root, writes to the second one.
    for folder in [&*file, Path::new("/proc")] {
        let Some(logged) = in_cached_process(name, folder, work) else { return };
        let failed = |line: &&String| line.starts_with("WARN cannot write increment-");
        assert_eq!(logged.iter().filter(failed).count(), 1, "{logged:?}");
        assert!(logged.iter().all(|line| line.starts_with("WARN cannot ")), "{logged:?}");
    }
}

#[test]
fn entries_that_cannot_be_replaced_are_still_read() {
    let name = "entries_that_cannot_be_replaced_are_still_read";
    let folder = new_folder(name);
    if in_cached_process(name, &folder, work).is_none() {
        return;
    }
    let set_readonly = |path: &Path, readonly| {
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(readonly);
        fs::set_permissions(path, permissions).unwrap();
    };
    let entries = entries(&folder);
    entries.iter().for_each(|entry| set_readonly(entry, true));
    set_readonly(&folder, true);
    let logged = in_cached_process(name, &folder, work).unwrap();
    set_readonly(&folder, false);
    assert_starts(&logged, &READ);
}

#[test]
fn processes_share_a_folder_at_the_same_time() {
    let name = "processes_share_a_folder_at_the_same_time";
    let folder = new_folder(name);
    if process::is_child() {
        in_cached_process(name, &folder, work);
        return;
    }
    std::thread::scope(|scope| {
        let processes = [(); 8].map(|()| scope.spawn(|| in_cached_process(name, &folder, work)));
        for process in processes {
            let logged = process.join().unwrap().unwrap();
            assert_eq!(logged.len(), 2, "{logged:?}");
            assert!(logged.iter().all(|line| line.starts_with("DEBUG ")), "{logged:?}");
        }
    });
    // No part is left behind.
    assert_eq!(entries(&folder).len(), 2);
    assert_starts(&in_cached_process(name, &folder, work).unwrap(), &READ);
}

#[test]
fn kernels_that_a_program_carries_whole_are_not_kept() {
    let name = "kernels_that_a_program_carries_whole_are_not_kept";
    let folder = new_folder(name);
    let logged = in_cached_process(name, &folder, || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let config = LaunchConfig::grid(1).block(256);
        launch(&EMBEDDED, &[], &device, config, &[Arg::write(&mut y)]).unwrap();
    });
    let Some(logged) = logged else { return };
    assert!(logged.is_empty() && !folder.exists(), "{logged:?}");
}
