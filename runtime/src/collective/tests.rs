//! Collectives over CPU devices, beside what plain Rust computes.
use super::*;
use crate::{Num, bf16, f16};
use std::{sync::mpsc, thread, time::Duration};

/// Runs `body` on `size` ranks, each with a thread and a CPU device, and returns the results.
fn on_ranks<R: Send>(size: usize, body: impl Fn(Communicator) -> R + Sync) -> Vec<R> {
    let devices: Vec<_> = (0..size).map(|_| Device::cpu()).collect();
    thread::scope(|scope| {
        let start = |communicator| scope.spawn(|| body(communicator));
        let threads: Vec<_> = Communicator::all(&devices).unwrap().into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Returns small numbers that differ by rank and index.
fn sample<T: Num>(rank: usize, len: usize) -> Vec<T> {
    (0..len).map(|i| T::from_usize((rank * 5 + i * 3) % 7 + 1)).collect()
}

const OPS: [ReduceOp; 5] =
    [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Min, ReduceOp::Max, ReduceOp::Mean];

/// Combines element `i` of all ranks, in the order of the ranks.
fn expected<T: CollectiveElement + Num>(size: usize, len: usize, op: ReduceOp, i: usize) -> T {
    let mut values = (0..size).map(|rank| sample::<T>(rank, len)[i]);
    let first = values.next().unwrap();
    let combined = values.fold(first, |a, b| match op {
        ReduceOp::Sum | ReduceOp::Mean => a + b,
        ReduceOp::Product => T::from_f64(a.as_f64() * b.as_f64()),
        ReduceOp::Min => {
            if b < a {
                b
            } else {
                a
            }
        }
        ReduceOp::Max => {
            if b > a {
                b
            } else {
                a
            }
        }
    });
    match op {
        ReduceOp::Mean => T::from_f64(combined.as_f64() / size as f64),
        _ => combined,
    }
}

fn every_operation<T: CollectiveElement + Num>() {
    for size in 1..5 {
        let len = 6 * size;
        on_ranks(size, |communicator| {
            let (rank, device) = (communicator.rank(), communicator.device());
            assert_eq!(communicator.size(), size);
            let mine = sample::<T>(rank, len);
            let x = device.upload(&mine).unwrap();
            for op in OPS {
                // The product of many would not be exact, or not fit.
                let len = if op == ReduceOp::Product { 2 * size } else { len };
                let want: Vec<T> = (0..len).map(|i| expected(size, len, op, i)).collect();
                if op == ReduceOp::Product && want.iter().any(|x| x.as_f64() > 100.0) {
                    continue;
                }
                let x = device.upload(&sample::<T>(rank, len)).unwrap();
                let mut y = device.zeros::<T>(len).unwrap();
                communicator.all_reduce(&x, &mut y, op).unwrap();
                assert_eq!(y.to_vec().unwrap(), want);
                let mut part = device.zeros::<T>(len / size).unwrap();
                communicator.reduce_scatter(&x, &mut part, op).unwrap();
                let places = rank * len / size..(rank + 1) * len / size;
                assert_eq!(part.to_vec().unwrap(), want[places]);
                let mut x = x;
                communicator.all_reduce_in_place(&mut x, op).unwrap();
                assert_eq!(x.to_vec().unwrap(), want);
            }
            let mut all = device.zeros::<T>(len * size).unwrap();
            communicator.all_gather(&x, &mut all).unwrap();
            let want: Vec<T> = (0..size).flat_map(|rank| sample::<T>(rank, len)).collect();
            assert_eq!(all.to_vec().unwrap(), want);
            for root in 0..size {
                let mut x = x.try_clone().unwrap();
                communicator.broadcast(&mut x, root).unwrap();
                assert_eq!(x.to_vec().unwrap(), sample::<T>(root, len));
            }
            let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
            if size > 1 {
                let mut y = device.zeros::<T>(len).unwrap();
                communicator.exchange(&x, next, &mut y, last).unwrap();
                assert_eq!(y.to_vec().unwrap(), sample::<T>(last, len));
                match rank {
                    0 => communicator.send(&x, size - 1).unwrap(),
                    _ if rank == size - 1 => {
                        communicator.receive(&mut y, 0).unwrap();
                        assert_eq!(y.to_vec().unwrap(), sample::<T>(0, len));
                    }
                    _ => {}
                }
            }
        });
    }
}

#[test]
fn every_operation_agrees_with_plain_rust_for_every_type() {
    every_operation::<i8>();
    every_operation::<u8>();
    every_operation::<i32>();
    every_operation::<u32>();
    every_operation::<i64>();
    every_operation::<u64>();
    every_operation::<f16>();
    every_operation::<bf16>();
    every_operation::<f32>();
    every_operation::<f64>();
}

#[test]
fn views_and_streams_take_part() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    // Two streams of one device are two ranks that share its memory.
    let communicators = Communicator::all(&[device.clone(), (*stream).clone()]).unwrap();
    let mut all = device.upload(&[1, 2, 3, 4]).unwrap();
    thread::scope(|scope| {
        for (communicator, mut part) in communicators.into_iter().zip(all.chunks_mut(2)) {
            scope.spawn(move || {
                communicator.all_reduce_in_place(&mut part, ReduceOp::Sum).unwrap();
                communicator.all_reduce_in_place(&mut part.slice_mut(1..).unwrap(), ReduceOp::Max)
            });
        }
    });
    assert_eq!(all.to_vec().unwrap(), [4, 6, 4, 6]);
}

#[test]
fn slices_without_elements_are_fine() {
    on_ranks(3, |communicator| {
        let x = communicator.device().zeros::<f32>(0).unwrap();
        let mut y = communicator.device().zeros::<f32>(0).unwrap();
        communicator.all_reduce(&x, &mut y, ReduceOp::Mean).unwrap();
        communicator.all_gather(&x, &mut y).unwrap();
        communicator.reduce_scatter(&x, &mut y, ReduceOp::Sum).unwrap();
        communicator.broadcast(&mut y, 2).unwrap();
        let (rank, device) = (communicator.rank(), communicator.device());
        communicator.exchange(&x, (rank + 1) % 3, &mut y, (rank + 2) % 3).unwrap();
        let mut one = device.upload(&[rank as u32]).unwrap();
        communicator.all_reduce_in_place(&mut one, ReduceOp::Sum).unwrap();
        assert_eq!(one.to_vec().unwrap(), [3]);
    });
}

#[test]
fn mistakes_of_one_rank_are_found_before_it_waits() {
    let devices = [Device::cpu(), Device::cpu()];
    let [first, _second] = &Communicator::all(&devices).unwrap()[..] else { panic!() };
    let x = devices[0].zeros::<f32>(3).unwrap();
    let mut y = devices[0].zeros::<f32>(4).unwrap();
    let other = devices[1].zeros::<f32>(4).unwrap();
    let text = |result: Result<()>| result.unwrap_err().to_string();
    let length = |found, expected| {
        format!("the slice of the result has {found} elements, and {expected} are needed")
    };
    assert_eq!(
        text(first.all_reduce(&x, &mut y, ReduceOp::Sum)),
        format!("cannot run `all_reduce`: {}", length(4, 3))
    );
    assert_eq!(
        text(first.all_gather(&x, &mut y)),
        format!("cannot run `all_gather`: {}", length(4, 6))
    );
    assert_eq!(
        text(first.reduce_scatter(&x, &mut y, ReduceOp::Sum)),
        "cannot run `reduce_scatter`: 3 elements are no whole number of parts for 2 ranks"
    );
    assert_eq!(
        text(first.broadcast(&mut y, 2)),
        "cannot run `broadcast`: there is no rank 2 among 2 (numbered from 0)"
    );
    assert_eq!(
        text(first.send(&x, 0)),
        "cannot run `send`: rank 0 cannot exchange elements with itself"
    );
    assert_eq!(
        text(first.receive(&mut y, 7)),
        "cannot run `receive`: there is no rank 7 among 2 (numbered from 0)"
    );
    assert_eq!(
        text(first.all_reduce(&other, &mut y, ReduceOp::Sum)),
        "cannot run `all_reduce`: a slice is on cpu (SIMT interpreter), and the communicator is on \
         another device, cpu (SIMT interpreter)"
    );
    assert!(matches!(
        Communicator::all(&[]),
        Err(Error::Collective { mistake: CollectiveMistake::Devices, .. })
    ));
}

#[test]
fn different_calls_are_an_error_on_every_rank_and_the_next_call_works() {
    let errors = on_ranks(3, |communicator| {
        let device = communicator.device();
        let mut x = device.zeros::<f32>(3 + communicator.rank() / 2).unwrap();
        let error = communicator.all_reduce_in_place(&mut x, ReduceOp::Sum).unwrap_err();
        let mut one = device.upload(&[1u8]).unwrap();
        communicator.all_reduce_in_place(&mut one, ReduceOp::Sum).unwrap();
        assert_eq!(one.to_vec().unwrap(), [3]);
        error.to_string()
    });
    let expected = "cannot run `all_reduce`: rank 0 calls `all_reduce` of 3 `f32` by Sum, and rank \
                    2 calls `all_reduce` of 4 `f32` by Sum";
    assert_eq!(errors, [expected; 3]);
}

#[test]
fn a_rank_that_panics_is_an_error_on_the_others() {
    let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
    let (send, receive) = mpsc::channel();
    for communicator in Communicator::all(&devices).unwrap() {
        let send = send.clone();
        thread::spawn(move || {
            let rank = communicator.rank();
            let mut x = communicator.device().upload(&[rank as u32]).unwrap();
            for round in 0..3 {
                if round == 2 && rank == 1 {
                    // Unwinds without the message of a panic.
                    std::panic::resume_unwind(Box::new("the rank fails"));
                }
                let reduced = communicator.all_reduce_in_place(&mut x, ReduceOp::Sum);
                send.send((rank, round, reduced)).unwrap();
            }
        });
    }
    drop(send);
    let mut ended = 0;
    while let Ok((rank, round, reduced)) = receive.recv_timeout(Duration::from_secs(60)) {
        ended += 1;
        let gone = Error::Collective {
            call: "all_reduce",
            mistake: CollectiveMistake::PeerGone { rank: 1 },
        };
        assert_eq!(reduced, if round == 2 { Err(gone) } else { Ok(()) }, "rank {rank}");
    }
    assert_eq!(ended, 3 + 2 + 3);
}

#[test]
fn a_process_alone_needs_nothing() {
    let alone = Communicator::all(&[Device::cpu()]).unwrap().remove(0);
    assert_eq!(format!("{alone:?}"), "Communicator(rank 0 of 1 on cpu (SIMT interpreter))");
    let mut x = alone.device().upload(&[1.0f32, 2.0]).unwrap();
    alone.all_reduce_in_place(&mut x, ReduceOp::Mean).unwrap();
    alone.broadcast(&mut x, 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0]);
}

#[test]
fn communicators_go_to_other_threads() {
    fn goes<T: Send>() {}
    goes::<Communicator>();
}

#[cfg(not(feature = "nccl"))]
#[test]
fn without_the_feature_there_is_no_nccl() {
    let text = nccl_version().unwrap_err().to_string();
    assert_eq!(text, "no usable NCCL: `warpwise` is built without its feature `nccl`");
}
