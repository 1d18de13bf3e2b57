//! Lints of generic kernels: findings that the build cannot make are logged when the kernel is
//! bound, and have no other effect.
use std::sync::{Mutex, MutexGuard, Once};
use warpwise::{Device, LaunchConfig, prelude::*};

#[kernel(block = N, warn(gpu_partial_warps))]
fn ones<const N: usize>(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = 1.0;
    }
}

#[kernel(block = N, deny(gpu_partial_warps))]
fn denied<const N: usize>(x: &mut [f32]) {
    x[global_idx_x()] = 1.0;
}

#[kernel(block = N)]
#[allow(gpu_partial_warps)]
fn allowed<const N: usize>(x: &mut [f32]) {
    x[global_idx_x()] = 1.0;
}

/// With 100 threads the expectation is unfulfilled, which is not reported.
#[kernel(block = N)]
#[expect(gpu_partial_warps)]
fn expected<const N: usize>(x: &mut [f32]) {
    x[global_idx_x()] = 1.0;
}

/// The build already reports the finding of this kernel.
#[kernel(block = N)]
#[warn(gpu_barriers_in_divergent_flow)]
#[allow(deprecated, reason = "a warning is a use of a deprecated macro")]
fn said_before<const N: usize>(x: &mut [f32]) {
    if thread_idx_x() < 16 {
        sync_threads();
    }
    x[global_idx_x()] = 1.0;
}

struct Logger;

static RECORDS: Mutex<Vec<(log::Level, Option<u32>, String)>> = Mutex::new(Vec::new());

fn records() -> MutexGuard<'static, Vec<(log::Level, Option<u32>, String)>> {
    static START: Once = Once::new();
    START.call_once(|| {
        log::set_logger(&Logger).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
    });
    RECORDS.lock().unwrap()
}

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target() == "warpwise::lint"
    }
    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        RECORDS.lock().unwrap().push((record.level(), record.line(), text));
    }
    fn flush(&self) {}
}

#[test]
fn what_the_build_cannot_tell_is_logged_once_the_kernel_is_bound() {
    drop(records());
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(200).unwrap();
    let all = LaunchConfig::grid(2);
    for _ in 0..3 {
        ones::<100>::launch(&device, all, &mut x).unwrap();
    }
    assert_eq!(x.to_vec().unwrap(), [1.0; 200]);
    ones::<96>::launch(&device, all, &mut x).unwrap();
    denied::<100>::launch(&device, all, &mut x).unwrap();
    allowed::<100>::launch(&device, all, &mut x).unwrap();
    expected::<100>::launch(&device, all, &mut x).unwrap();
    // Some threads wait at a barrier that others never reach, which the interpreter reports.
    let _ = said_before::<64>::launch(&device, all, &mut x);
    let mut records = std::mem::take(&mut *records());
    // Other tests may log records, too.
    let ours = ["gpu_partial_warps", "gpu_barriers_in_divergent_flow"];
    records.retain(|(.., text)| ours.iter().any(|lint| text.starts_with(lint)));
    let heads: Vec<_> = records
        .iter()
        .map(|(level, line, text)| (*level, line.is_some(), text.split(": ").nth(1).unwrap()))
        .collect();
    let expected = [
        (log::Level::Warn, true, "`ones` with `N = 100`"),
        (log::Level::Error, true, "`denied` with `N = 100`"),
    ];
    assert_eq!(heads, expected, "{records:#?}");
    let text = &records[0].2;
    assert!(text.starts_with("gpu_partial_warps: "), "{text}");
    assert!(text.contains("leave 28 lanes of their last warp idle (tests/"), "{text}");
    assert!(text.contains("bound_lints.rs:7:4); help: "), "{text}");
}
