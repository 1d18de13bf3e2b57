//! Communicators of GPUs, with no GPU: without NCCL, with one that is broken, and with one that works
//! (`fake_driver/libnccl.c`) over the driver of `fake_driver/libcuda.c`.
#![cfg(all(target_os = "linux", feature = "nccl"))]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
mod fake_driver;
mod process;

use process::stderr_text;
use std::{net::TcpListener, path::PathBuf, process::Output, thread};
use warpwise::{
    Device, Error,
    collective::{CollectiveMistake, Communicator, ReduceOp, nccl_version},
};

/// Returns a folder with the fake driver and, if `file` is some, an NCCL compiled from it.
fn libraries(name: &str, file: Option<&str>) -> PathBuf {
    let folder = fake_driver::library(name, Some("libcuda.c"), &[]);
    if let Some(file) = file
        && !process::is_child()
    {
        let made = fake_driver::library(&format!("{name}-nccl"), Some(file), &["-ldl"]);
        std::fs::copy(made.join("libcuda.so.1"), folder.join("libnccl.so.2")).unwrap();
    }
    folder
}

/// Runs a test in a process with the fake NCCL; `wrong` says what is wrong with it.
fn with_nccl(name: &str, wrong: &str, cuda: &str, body: impl FnOnce()) -> Option<Output> {
    let folder = libraries(name, Some("libnccl.c"));
    fake_driver::in_process(name, &folder, &[("FAKE_NCCL", wrong), ("FAKE_CUDA", cuda)], body)
}

/// Returns the fake NCCL's report of a process.
fn nccl_report(output: &Output) -> String {
    let said = stderr_text(output);
    let line = said.lines().find(|line| line.starts_with("fake nccl:"));
    line.unwrap_or_else(|| panic!("no report: {said}")).to_owned()
}

fn two_gpus() -> [Device; 2] {
    [Device::cuda(0).unwrap(), Device::cuda(1).unwrap()]
}

#[test]
fn without_nccl_several_gpus_are_an_error_and_one_is_not() {
    let name = "without_nccl_several_gpus_are_an_error_and_one_is_not";
    fake_driver::in_process(name, &libraries(name, None), &[], || {
        let error = Communicator::all(&two_gpus()).unwrap_err();
        let Error::NoNccl { tried } = &error else { panic!("{error}") };
        assert_eq!(tried.len(), 2);
        assert!(
            error.to_string().starts_with("no usable NCCL: libnccl.so.2: cannot open"),
            "{error}"
        );
        assert_eq!(nccl_version().unwrap_err(), error);
        let alone = Communicator::all(&[Device::cuda(1).unwrap()]).unwrap().remove(0);
        let x = alone.device().upload(&[1.0f32, 2.0]).unwrap();
        let mut y = alone.device().zeros::<f32>(2).unwrap();
        alone.all_reduce(&x, &mut y, ReduceOp::Mean).unwrap();
        assert_eq!(y.to_vec().unwrap(), [1.0, 2.0]);
        let mixed = Communicator::all(&[Device::cuda(0).unwrap(), Device::cpu()]).unwrap_err();
        let devices = CollectiveMistake::Devices;
        assert_eq!(mixed, Error::Collective { call: "Communicator::all", mistake: devices });
    });
}

#[test]
fn a_library_that_is_no_nccl_is_an_error() {
    let name = "a_library_that_is_no_nccl_is_an_error";
    fake_driver::in_process(name, &libraries(name, Some("lacking.c")), &[], || {
        let text = nccl_version().unwrap_err().to_string();
        let expected = "`libnccl.so.2` is old or broken: it lacks `ncclGetVersion`";
        assert!(text.contains(expected), "{text}");
    });
}

#[test]
fn an_nccl_that_is_too_old_is_an_error() {
    with_nccl("an_nccl_that_is_too_old_is_an_error", "old", "", || {
        let text = nccl_version().unwrap_err().to_string();
        assert!(text.contains("`libnccl.so.2` is version 2908, and 21000 is needed"), "{text}");
    });
}

#[test]
fn ranks_that_cannot_be_connected_are_an_error() {
    let name = "ranks_that_cannot_be_connected_are_an_error";
    for (wrong, expected) in [
        ("no_init", "`ncclCommInitAll` failed (1): unhandled cuda error: there is no way"),
        ("null_comm", "`ncclCommInitAll` failed (0): a null communicator"),
        ("", "`ncclCommInitAll` failed (4): invalid argument"),
    ] {
        with_nccl(name, wrong, "", || {
            let mut devices = two_gpus();
            // Which one of the cases this process is.
            let wrong = std::env::var("FAKE_NCCL").unwrap();
            if wrong.is_empty() {
                devices[1] = devices[0].clone();
            }
            let text = Communicator::all(&devices).unwrap_err().to_string();
            println!("{text}");
        })
        .into_iter()
        .for_each(|output| {
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(printed.contains(expected), "{printed}");
        });
    }
}

#[test]
fn calls_are_ordered_with_other_streams() {
    let output = with_nccl("calls_are_ordered_with_other_streams", "", "lazy", || {
        assert_eq!(nccl_version().unwrap(), (2, 32, 3));
        thread::scope(|scope| {
            for communicator in Communicator::all(&two_gpus()).unwrap() {
                scope.spawn(move || {
                    let rank = communicator.rank();
                    let other = communicator.device().stream().unwrap();
                    let mut x = other.zeros::<f32>(4).unwrap();
                    let mut y = other.zeros::<f32>(4).unwrap();
                    let mut all = other.zeros::<f32>(8).unwrap();
                    x.fill(1.0).unwrap();
                    communicator.all_reduce(&x, &mut y, ReduceOp::Sum).unwrap();
                    x.fill(5.0).unwrap();
                    communicator.all_gather(&y, &mut all).unwrap();
                    communicator.all_reduce_in_place(&mut x, ReduceOp::Sum).unwrap();
                    assert_eq!(y.to_vec().unwrap(), [2.0; 4]);
                    assert_eq!(all.to_vec().unwrap(), [2.0; 8]);
                    assert_eq!(x.to_vec().unwrap(), [10.0; 4]);
                    all.slice_mut(4..).unwrap().fill(3.0).unwrap();
                    communicator.reduce_scatter(&all, &mut y, ReduceOp::Sum).unwrap();
                    communicator.broadcast(&mut x, 1).unwrap();
                    assert_eq!(y.to_vec().unwrap(), [[4.0; 4], [6.0; 4]][rank]);
                    assert_eq!(x.to_vec().unwrap(), [10.0; 4]);
                    communicator.exchange(&x, 1 - rank, &mut y, 1 - rank).unwrap();
                    match rank {
                        0 => communicator.send(&x, 1).unwrap(),
                        _ => communicator.receive(&mut y, 0).unwrap(),
                    }
                    let mut none = other.zeros::<f32>(0).unwrap();
                    communicator.all_reduce_in_place(&mut none, ReduceOp::Sum).unwrap();
                });
            }
        });
    });
    let Some(output) = output else { return };
    let expected = "fake nccl: comms 2 destroyed 2 aborted 0 groups 4 sends 3 receives 3";
    assert_eq!(nccl_report(&output), expected);
}

#[test]
fn calls_that_differ_are_an_error_before_nccl_sees_them() {
    let name = "calls_that_differ_are_an_error_before_nccl_sees_them";
    let output = with_nccl(name, "", "", || {
        thread::scope(|scope| {
            for communicator in Communicator::all(&two_gpus()).unwrap() {
                scope.spawn(move || {
                    let rank = communicator.rank();
                    let mut x = communicator.device().upload(&vec![1.0f32; 3 + rank]).unwrap();
                    let error =
                        communicator.all_reduce_in_place(&mut x, ReduceOp::Sum).unwrap_err();
                    let Error::Collective { mistake, .. } = error else { panic!("{error}") };
                    assert!(matches!(mistake, CollectiveMistake::Mismatch { .. }), "{mistake}");
                    assert_eq!(x.to_vec().unwrap(), vec![1.0; 3 + rank]);
                    if rank == 0 {
                        return;
                    }
                    let error =
                        communicator.all_reduce_in_place(&mut x, ReduceOp::Sum).unwrap_err();
                    let mistake = CollectiveMistake::PeerGone { rank: 0 };
                    assert_eq!(error, Error::Collective { call: "all_reduce", mistake });
                });
            }
        });
    });
    let Some(output) = output else { return };
    assert!(nccl_report(&output).starts_with("fake nccl: comms 2 destroyed 2 aborted 0"));
}

#[test]
fn a_call_that_fails_has_the_communicator_aborted() {
    let name = "a_call_that_fails_has_the_communicator_aborted";
    let output = with_nccl(name, "no_reduce", "", || {
        thread::scope(|scope| {
            for communicator in Communicator::all(&two_gpus()).unwrap() {
                scope.spawn(move || {
                    let mut x = communicator.device().upload(&[1.0f32]).unwrap();
                    let error =
                        communicator.all_reduce_in_place(&mut x, ReduceOp::Sum).unwrap_err();
                    assert_eq!(error.to_string(), "`ncclAllReduce` failed (3): ?");
                });
            }
        });
    });
    let Some(output) = output else { return };
    assert!(nccl_report(&output).starts_with("fake nccl: comms 2 destroyed 0 aborted 2"));
}

#[test]
fn processes_of_a_launcher_find_each_other() {
    let name = "processes_of_a_launcher_find_each_other";
    let body = || {
        let communicator = Communicator::from_env().unwrap();
        assert_eq!(communicator.size(), 2);
        let device = communicator.device().to_string();
        assert!(device.starts_with(&format!("cuda:{}", communicator.rank())), "{device}");
        let mut x = communicator.device().upload(&[1.0f32]).unwrap();
        communicator.all_reduce_in_place(&mut x, ReduceOp::Sum).unwrap();
        assert_eq!(x.to_vec().unwrap(), [2.0]);
    };
    let folder = libraries(name, Some("libnccl.c"));
    if process::is_child() {
        return body();
    }
    // The port after this one was free just now.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() - 1;
    let port = port.to_string();
    thread::scope(|scope| {
        for rank in ["0", "1"] {
            let (folder, port) = (&folder, &port);
            scope.spawn(move || {
                let env = [
                    ("RANK", rank),
                    ("WORLD_SIZE", "2"),
                    ("LOCAL_RANK", rank),
                    ("LOCAL_WORLD_SIZE", "2"),
                    ("MASTER_PORT", port),
                ];
                let output = fake_driver::in_process(name, folder, &env, || {}).unwrap();
                assert!(nccl_report(&output).starts_with("fake nccl: comms 1 destroyed 1"));
            });
        }
    });
}
