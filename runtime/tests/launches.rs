//! Launches, the checks before them and the reports after them, on the device that
//! `WARPWISE_DEVICE` names: a GPU if there is one, else the interpreter.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod kernels;

use kernels::{count, deadlock, divide, faulty, flip, greedy, increment, scale, spin, weighed};
use std::sync::atomic::AtomicU32;
use warpwise::{
    __private::{Places, Source, launch},
    Axis, Buffer, Device, Error, LaunchConfig, LaunchMistake, Simulator,
    parameter::Arg,
    stopped::Stopped,
};

/// Returns the device under test.
fn device() -> Device {
    Device::auto().unwrap()
}

fn mistake(result: warpwise::Result<()>) -> LaunchMistake {
    match result {
        Err(Error::Launch { mistake, .. }) => mistake,
        other => panic!("{other:?}"),
    }
}

#[test]
fn inline_ptx_without_a_fallback_is_refused_on_the_interpreter() {
    let expected = "cannot launch `inline`: the inline PTX at src/kernels.rs:13:9 has no fallback, and \
                    cpu (SIMT interpreter) runs none: write `else { .. }` with what it computes";
    for device in [Device::cpu(), Simulator::new().unoptimized().device()] {
        let mut y = device.zeros::<u32>(1).unwrap();
        let config = LaunchConfig::grid(1).block(1);
        let args = &[Arg::write(&mut y)];
        let error = launch(&kernels::INLINE_PTX, &[], &device, config, args).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_launch_changes_a_buffer() {
    let device = device();
    let mut y = device.upload(&(0..1000).collect::<Vec<u32>>()).unwrap();
    increment(&device, LaunchConfig::cover(1000), &mut y).unwrap();
    increment(&device, LaunchConfig::grid(8).block(128), &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), (2..1002).collect::<Vec<u32>>());
    y.copy_from(&[5; 1000]).unwrap();
    increment(&device, LaunchConfig::cover(1000), &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [6; 1000]);
}

#[test]
fn generic_kernels_are_bound_at_launch() {
    let device = device();
    let x = device.upload(&[1.5f64, -2.0]).unwrap();
    let mut y = device.zeros(2).unwrap();
    scale::<f64, 3>(&device, LaunchConfig::cover(2), &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [4.5, -6.0]);
    scale::<f64, 2>(&device, LaunchConfig::cover(2), &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3.0, -4.0]);
    let x = device.upload(&[200u8]).unwrap();
    let mut y = device.zeros(1).unwrap();
    scale::<u8, 2>(&device, LaunchConfig::cover(1), &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [144]);
}

#[test]
fn atomics_take_plain_and_shared_buffers() {
    let device = device();
    let x = device.upload(&[3u8, 1, 3, 3]).unwrap();
    let mut plain = device.zeros::<u32>(4).unwrap();
    count(&device, &x, &mut plain).unwrap();
    assert_eq!(plain.to_vec().unwrap(), [0, 1, 0, 3]);
    let shared: Buffer<AtomicU32> = plain.into_atomic();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| count(&device, &x, &shared).unwrap());
        }
    });
    assert_eq!(shared.to_vec().unwrap(), [0, 5, 0, 15]);
}

#[test]
fn constants_are_read_by_all_launches_and_checked() {
    let device = device();
    let constant = |len: usize| device.constant(&vec![1u32; len][..]);
    let (two, mut y) = (constant(2).unwrap(), device.zeros::<u32>(3).unwrap());
    weighed(&device, &two, &mut y).unwrap();
    weighed(&device, &constant(0).unwrap(), &mut y).unwrap();
    weighed(&device, &two, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [40; 3]);

    let error = weighed(&device, &constant(9).unwrap(), &mut y).unwrap_err().to_string();
    assert!(error.contains("`x` takes at most 8 elements, and the launch passes 9"), "{error}");
    let error = constant((64 << 10) / 4 + 1).unwrap_err();
    assert_eq!(error, Error::ConstantTooLarge { bytes: 65540, limit: 65536 });
    let recorded = device.record_graph(|recorder| weighed(recorder, &two, &mut y));
    assert_eq!(recorded.unwrap_err(), Error::ConstantsInGraph { kernel: "weighed" });
    let other = Device::cpu().constant(&[1u32][..]).unwrap();
    let error = weighed(&device, &other, &mut y).unwrap_err().to_string();
    assert!(error.contains("`x` is a buffer on"), "{error}");
    assert_eq!(y.to_vec().unwrap(), [40; 3]);
}

#[test]
fn bools_are_zero_or_one() {
    let device = device();
    let mut flags = device.upload(&[true, false, true]).unwrap();
    flip(&device, LaunchConfig::cover(3), &mut flags).unwrap();
    assert_eq!(flags.to_vec().unwrap(), [false, true, false]);
    assert_eq!(device.zeros::<bool>(2).unwrap().to_vec().unwrap(), [false; 2]);
}

#[test]
fn empty_buffers_and_grids_are_fine() {
    let device = device();
    let mut y = device.upload::<u32>(&[]).unwrap();
    assert!(y.is_empty());
    increment(&device, LaunchConfig::cover(y.len()), &mut y).unwrap();
    increment(&device, LaunchConfig::grid(1), &mut y).unwrap();
    y.copy_from(&[]).unwrap();
    assert_eq!(y.to_vec().unwrap(), []);
    faulty(&device, LaunchConfig::cover(0), &mut y).unwrap();
    device.synchronize().unwrap();
}

#[test]
fn an_empty_grid_is_checked_all_the_same() {
    let device = device();
    let mut flags = device.zeros(1).unwrap();
    assert_eq!(
        mistake(flip(&device, LaunchConfig::cover(0).block(32), &mut flags)),
        LaunchMistake::BlockMismatch { declared: [64, 1, 1], asked: [32, 1, 1] }
    );
}

#[test]
fn launch_mistakes_say_both_numbers() {
    let device = device();
    let mut y = device.zeros(1).unwrap();
    assert_eq!(
        mistake(increment(&device, LaunchConfig::grid(1).block(1025), &mut y)),
        LaunchMistake::BlockTooLong {
            block: [1025, 1, 1],
            axis: Axis::X,
            found: 1025,
            limit: 1024
        }
    );
    assert_eq!(
        mistake(increment(&device, LaunchConfig::cover(3 << 30), &mut y)),
        LaunchMistake::IndexTooWide { axis: Axis::X, threads: 3 << 30, limit: 1 << 31 }
    );
    let mut flags = device.zeros(1).unwrap();
    flip(&device, LaunchConfig::cover(1).block(64), &mut flags).unwrap();
    assert_eq!(
        mistake(flip(&device, LaunchConfig::cover(1).block((64, 2)), &mut flags)),
        LaunchMistake::BlockMismatch { declared: [64, 1, 1], asked: [64, 2, 1] }
    );
    let error = greedy(&device).unwrap_err().to_string();
    let most = device.info().shared_memory_per_block;
    let expected = "cannot launch `greedy`: a block needs 307200 bytes of shared memory, and";
    assert_eq!(error, format!("{expected} {most} is the most on {device}"));
}

#[test]
fn arguments_of_other_types_are_refused() {
    let device = device();
    let x = device.zeros::<f32>(1).unwrap();
    let config = LaunchConfig::cover(1);
    let error = launch(&kernels::INCREMENT, &[], &device, config, &[Arg::read(&x)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot launch `increment`: it takes `y`: write [u32], and the launch passes `read [f32]`"
    );
    let error = launch(&kernels::INCREMENT, &[], &device, config, &[]).unwrap_err();
    assert!(error.to_string().contains("1 argument"), "{error}");
}

#[test]
fn a_fault_comes_out_of_the_next_wait_once() {
    let device = device();
    let mut y = device.upload(&[1u32, 2, 3]).unwrap();
    let mut other = device.upload(&[9u32; 4]).unwrap();
    faulty(&device, LaunchConfig::grid(2).block(4), &mut y).unwrap();
    divide(&device, 0, &mut other).unwrap();
    let Err(Error::DevicePanic(panic)) = y.to_vec() else { panic!("no fault") };
    assert_eq!(panic.kernel, "faulty");
    assert_eq!(panic.message, "index out of bounds: the len is 3 but the index is 3");
    assert_eq!((panic.file, panic.line, panic.column), ("src/kernels.rs", 13, 9));
    assert_eq!((panic.index, panic.len), (Some(3), Some(3)));
    assert_eq!((panic.block, panic.thread, panic.count), ([0, 0, 0], [3, 0, 0], 5));
    assert_eq!(y.to_vec().unwrap(), [7, 7, 7]);
    assert_eq!(other.to_vec().unwrap(), [9; 4]);
    increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
    device.synchronize().unwrap();
    assert_eq!(y.to_vec().unwrap(), [8, 8, 8]);

    divide(&device, 0, &mut other).unwrap();
    let error = device.synchronize().unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `divide` panicked at src/kernels.rs:12:5: attempt to divide by zero \
         (block (0, 0, 0), thread (0, 0, 0), the first of 4 threads that panicked)"
    );
    device.synchronize().unwrap();
}

#[test]
fn a_dropped_device_keeps_its_fault_to_itself() {
    let device = device();
    let mut y = device.zeros(1).unwrap();
    faulty(&device, LaunchConfig::cover(2), &mut y).unwrap();
    let other = self::device();
    other.synchronize().unwrap();
    let clone = device.clone();
    drop(device);
    assert!(matches!(clone.synchronize(), Err(Error::DevicePanic(_))));
}

#[test]
fn a_step_budget_stops_what_does_not_end() {
    let device = Simulator::new().step_budget(10_000).device();
    let Err(Error::Stopped { kernel, reason, fault: None, .. }) = spin(&device) else {
        panic!("not stopped")
    };
    assert_eq!(kernel, "spin");
    assert!(matches!(*reason, Stopped::StepBudget { steps: 10_000, .. }), "{reason}");
    device.synchronize().unwrap();
}

#[test]
fn a_deadlock_says_who_waits_where() {
    let error = deadlock(&Device::cpu()).unwrap_err().to_string();
    assert!(error.starts_with("`deadlock` did not finish: deadlock in block (0, 0, 0)"), "{error}");
    assert!(
        error.contains("src/kernels.rs:12:5") && error.contains("src/kernels.rs:13:9"),
        "{error}"
    );
}

#[test]
fn impossible_sizes_are_errors() {
    let device = device();
    for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8] {
        let error = device.zeros::<u64>(len).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { size: 8, .. }), "{error}");
    }
    let mut y = device.zeros::<u8>(3).unwrap();
    assert_eq!(
        y.copy_from(&[1, 2]),
        Err(Error::LengthMismatch { source_len: 2, destination_len: 3 })
    );
}

#[test]
fn broken_sources_are_errors() {
    let device = device();
    static BROKEN: Source = kernels::interpreted("broken", "kernel {", Places::NONE);
    let error = launch(&BROKEN, &[], &device, LaunchConfig::cover(1), &[]).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot compile `broken` for {device}")), "{error}");
    let error = launch(&kernels::SCALE, &[], &device, LaunchConfig::cover(1), &[]).unwrap_err();
    assert!(error.to_string().contains("2 generic parameters"), "{error}");
}

#[test]
fn many_threads_launch_at_once() {
    let device = device();
    std::thread::scope(|scope| {
        for n in 1..=8usize {
            let device = &device;
            scope.spawn(move || {
                let mut y = device.zeros::<u32>(100 * n).unwrap();
                for _ in 0..50 {
                    increment(device, LaunchConfig::cover(y.len()), &mut y).unwrap();
                }
                assert_eq!(y.to_vec().unwrap(), vec![50; 100 * n]);
            });
        }
    });
}
