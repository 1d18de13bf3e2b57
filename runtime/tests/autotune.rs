//! Choices of the autotuner: by costs, on the interpreter and on the driver without a GPU, in memory
//! and in folders.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod kernels;
mod process;

use kernels::{divide, increment};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};
use warpwise::{Autotuner, Device, Error, LaunchConfig, Result};

/// Costs of candidates that are costs themselves.
fn own_cost(candidate: &f64) -> Result<f64> {
    Ok(*candidate)
}

fn never<C>(_: &C) -> Result<f64> {
    panic!("the choice is remembered")
}

/// Returns a folder that does not exist.
fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("autotune").join(name);
    if !process::is_child() && folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    folder
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn the_first_of_the_least_costs_is_chosen() {
    let tuner = Autotuner::new();
    assert_eq!(tuner.choose_by("costs", &[3.0, 1.0, 2.0], own_cost), Ok(&1.0));
    let second = |candidate: &(char, f64)| own_cost(&candidate.1);
    let candidates = [('a', 2.0), ('b', 1.0), ('c', 1.0)];
    assert_eq!(tuner.choose_by("ties", &candidates, second), Ok(&('b', 1.0)));
    for nan in [f64::NAN, -f64::NAN] {
        assert_eq!(tuner.choose_by("numbers", &[nan, 5.0, nan], own_cost), Ok(&5.0));
    }
}

#[test]
fn candidates_that_fail_are_left_out() {
    let tuner = Autotuner::new();
    let fail = |number: &usize| Error::NoDevice { ordinal: *number, count: 0 };
    let cost = |number: &usize| match number {
        1 => Ok(1.0),
        _ => Err(fail(number)),
    };
    assert_eq!(tuner.choose_by("some fail", &[0, 1, 2], cost), Ok(&1));
    assert_eq!(tuner.choose_by("all fail", &[0, 2], cost), Err(fail(&2)));
    // A failure is not remembered.
    assert_eq!(tuner.choose_by("all fail", &[0, 2], |_| own_cost(&1.0)), Ok(&0));
}

#[test]
fn no_candidates_are_an_error() {
    let tuner = Autotuner::in_folder(new_folder("no_candidates_are_an_error"));
    let error = Error::NoCandidates { task: "nothing".into() };
    assert_eq!(tuner.choose_by("nothing", &[], own_cost), Err(error.clone()));
    let found = tuner.choose(&Device::cpu(), "nothing", &[], |()| Result::Ok(()));
    assert_eq!(found, Err(error));
}

#[test]
fn a_choice_is_remembered_for_its_task_and_candidates() {
    let tuner = Autotuner::new();
    assert_eq!(tuner.choose_by("task", &[2.0, 1.0], own_cost), Ok(&1.0));
    assert_eq!(tuner.choose_by("task", &[2.0, 1.0], never), Ok(&1.0));
    assert_eq!(tuner.choose_by("task", &[2.0, 1.0, 0.5], own_cost), Ok(&0.5));
    assert_eq!(tuner.choose_by("another task", &[2.0, 1.0], |x| own_cost(&-x)), Ok(&2.0));
    // Texts in which one list of candidates could look like another.
    assert_eq!(tuner.choose_by("texts", &["a\"\n\"b"], |_| own_cost(&0.0)), Ok(&"a\"\n\"b"));
    let last = |text: &&str| own_cost(if *text == "b" { &0.0 } else { &1.0 });
    assert_eq!(tuner.choose_by("texts", &["a", "b"], last), Ok(&"b"));
}

#[test]
fn a_cost_may_use_the_tuner() {
    let tuner = Autotuner::new();
    let outer = tuner.choose_by("outer", &[1.0, 2.0], |_| {
        tuner.choose_by("inner", &[4.0, 3.0], own_cost).copied()
    });
    assert_eq!(outer, Ok(&1.0));
}

#[test]
fn the_interpreter_takes_the_first_candidate_that_runs() {
    let device = Device::cpu();
    let mut y = device.upload(&[0u32; 100]).unwrap();
    let mut runs = Vec::new();
    let tuner = Autotuner::new();
    for _ in 0..2 {
        let chosen = tuner.choose(&device, "increment", &[2048, 64, 32], |block| {
            runs.push(*block);
            increment(&device, LaunchConfig::cover(100).block(*block), &mut y)
        });
        assert_eq!(chosen, Ok(&64));
    }
    // It ran once.
    assert_eq!((runs, y.to_vec().unwrap()), (vec![2048, 64], vec![1; 100]));
}

#[test]
fn a_candidate_that_faults_is_left_out() {
    let device = Device::cpu();
    let mut y = device.upload(&[8u32; 2]).unwrap();
    let chosen = Autotuner::new()
        .choose(&device, "divide", &[0, 2], |divisor| divide(&device, *divisor, &mut y));
    assert_eq!((chosen, y.to_vec().unwrap()), (Ok(&2), vec![4; 2]));
}

#[test]
fn a_fault_of_earlier_work_is_not_that_of_a_candidate() {
    let device = Device::cpu();
    let mut y = device.upload(&[8u32; 2]).unwrap();
    divide(&device, 0, &mut y).unwrap();
    let chosen = Autotuner::new().choose(&device, "nothing", &[1, 2], |_| Result::Ok(()));
    assert!(matches!(chosen, Err(Error::DevicePanic(_))), "{chosen:?}");
}

#[test]
fn a_later_tuner_finds_the_choice_in_the_folder() {
    let folder = new_folder("a_later_tuner_finds_the_choice_in_the_folder").join("new");
    let choose = |cost: fn(&f64) -> Result<f64>| {
        Autotuner::in_folder(&folder).choose_by("kept ä/..", &[2.0, 1.0], cost).copied()
    };
    assert_eq!(choose(own_cost), Ok(1.0));
    assert_eq!(choose(never), Ok(1.0));
    assert_eq!(files(&folder).len(), 1);
}

#[test]
fn a_damaged_choice_is_made_again() {
    let folder = new_folder("a_damaged_choice_is_made_again");
    let choose = |cost: fn(&f64) -> Result<f64>| {
        Autotuner::in_folder(&folder).choose_by("damaged", &[2.0, 1.0], cost).copied()
    };
    assert_eq!(choose(own_cost), Ok(1.0));
    let file = &files(&folder)[0];
    let whole = fs::read(file).unwrap();
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() = b'0';
    for damage in [&[], &whole[..whole.len() - 1], b"\xff\x00 garbage", &changed] {
        fs::write(file, damage).unwrap();
        assert_eq!(choose(own_cost), Ok(1.0));
        assert_eq!(fs::read(file).unwrap(), whole);
    }
    assert_eq!(choose(never), Ok(1.0));
}

#[test]
fn a_folder_that_cannot_be_written_costs_time_only() {
    let file = new_folder("a_folder_that_cannot_be_written_costs_time_only");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&file);
    fs::write(&file, "no folder").unwrap();
    let tuner = Autotuner::in_folder(&file);
    assert_eq!(tuner.choose_by("task", &[2.0, 1.0], own_cost), Ok(&1.0));
    assert_eq!(tuner.choose_by("task", &[2.0, 1.0], never), Ok(&1.0));
    fs::remove_file(file).unwrap();
}

#[test]
fn threads_that_choose_at_the_same_time_agree() {
    let tuner = Autotuner::new();
    // Each thread finds another candidate the fastest.
    let chosen: Vec<usize> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let cost = move |x: &usize| own_cost(if *x == thread { &0.0 } else { &1.0 });
                let tuner = &tuner;
                scope.spawn(move || {
                    *tuner.choose_by("race", &[0, 1, 2, 3, 4, 5, 6, 7], cost).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(chosen.iter().all(|x| *x == chosen[0]), "{chosen:?}");
}

#[test]
fn processes_share_a_folder_at_the_same_time() {
    let name = "processes_share_a_folder_at_the_same_time";
    let folder = new_folder(name);
    let env = [("WARPWISE_CACHE_DIR", folder.to_str().unwrap())];
    let work = || {
        for round in 0..20 {
            let tuner = Autotuner::from_env();
            let candidates = [3.0, 1.0, f64::from(round) + 2.0];
            assert_eq!(tuner.choose_by("shared", &candidates, own_cost), Ok(&1.0));
        }
    };
    if process::is_child() {
        process::run(name, &env, work);
        return;
    }
    thread::scope(|scope| {
        let processes = [(); 8].map(|()| scope.spawn(|| process::run(name, &env, work)));
        processes.into_iter().for_each(|process| assert!(process.join().unwrap().is_some()));
    });
    // No part is left behind, and each entry is whole.
    assert_eq!(files(&folder).len(), 20);
    for round in 0..20 {
        let candidates = [3.0, 1.0, f64::from(round) + 2.0];
        let tuner = Autotuner::in_folder(&folder);
        assert_eq!(tuner.choose_by("shared", &candidates, never), Ok(&1.0));
    }
}

#[cfg(target_os = "linux")]
mod fake_driver;

/// The driver without a GPU measures 0.25 ms each time.
#[cfg(target_os = "linux")]
#[test]
fn a_gpu_measures_every_candidate() {
    fake_driver::in_process("a_gpu_measures_every_candidate", fake_driver::fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let mut runs = Vec::new();
        let tuner = Autotuner::new();
        for _ in 0..2 {
            let chosen = tuner.choose(&device, "increment", &[2048, 64, 32], |block| {
                runs.push(*block);
                increment(&device, LaunchConfig::cover(3).block(*block), &mut y)
            });
            assert_eq!(chosen, Ok(&64));
        }
        // Once the launch that fails, and two runs and five times four of the others.
        let expected = [vec![2048], vec![64; 22], vec![32; 22]].concat();
        assert_eq!(runs, expected);
        assert_eq!(y.to_vec().unwrap(), [44; 3]);
    });
}
