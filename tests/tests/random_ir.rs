//! Random kernels in every transformation that must preserve their meaning.
use std::collections::BTreeSet;
use warpwise_compiler::{
    back::ptx,
    id::Id,
    ir::{
        AtomicOp, BarrierOp, BinaryOp, CacheOp, CompareOp, GridDependencyOp, InstId, Kernel,
        MatchOp, MmaOp, MulAddForm, Order, ReduceOp, Scope, ShuffleOp, TernaryOp, UnaryOp, VoteOp,
    },
    optimize::optimize_and_coarsen,
    verify::verify,
};
use warpwise_tests::random_ir::{random_kernel, seeds};

#[test]
fn they_are_well_formed_and_their_text_reads_back() {
    for seed in seeds(500) {
        let random = random_kernel(seed);
        for kernel in [&random.open, &random.kernel] {
            let text = kernel.to_string();
            if let Err(errors) = verify(kernel) {
                panic!("seed {seed}: {errors}\n{text}");
            }
            assert_eq!(text.parse::<Kernel>().as_ref(), Ok(kernel), "seed {seed}\n{text}");
        }
    }
}

#[test]
fn they_compile() {
    for seed in seeds(500) {
        let kernel = random_kernel(seed).kernel;
        let optimized = optimize_and_coarsen(kernel.clone());
        for optimized in optimized.iter() {
            if let Err(errors) = verify(optimized) {
                panic!("seed {seed}: {errors}\nfrom {kernel}to {optimized}");
            }
        }
        for kernel in std::iter::once(&kernel).chain(optimized.iter()) {
            ptx::emit(kernel, ptx::oldest(kernel)).unwrap();
        }
    }
}

/// Exchanges two instructions' operations, types or operands, as a wrong pass might.
fn damage(kernel: &mut Kernel, mut random: u64) {
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    let len = kernel.insts.len();
    for _ in 0..3 {
        let [a, b] = [InstId::new(draw(len)), InstId::new(draw(len))];
        match draw(3) {
            0 => kernel.insts[a].ty = kernel.insts[b].ty,
            1 => {
                let op = kernel.insts[b].op.clone();
                kernel.insts[a].op = op;
            }
            _ => kernel.insts[a].op.operands_mut().for_each(|operand| *operand = b),
        }
    }
}

#[test]
fn damage_is_found_or_harmless_and_never_a_panic() {
    let mut found = 0;
    for seed in seeds(500) {
        let mut kernel = random_kernel(seed).open;
        damage(&mut kernel, seed);
        match verify(&kernel) {
            Ok(()) => assert_eq!(kernel.to_string().parse::<Kernel>().as_ref(), Ok(&kernel)),
            Err(errors) => {
                found += 1;
                assert!(!errors.to_string().is_empty());
            }
        }
    }
    assert!(found > 0, "nothing was damaged");
}

#[test]
fn a_seed_always_makes_the_same_kernel() {
    for seed in [0, 1, u64::MAX] {
        let [a, b] = [random_kernel(seed), random_kernel(seed)];
        assert_eq!((a.kernel, a.shape, a.args), (b.kernel, b.shape, b.args));
    }
}

#[test]
fn every_operation_occurs() {
    let every = |prefix: &str, names: Vec<&str>| -> Vec<String> {
        names.into_iter().map(|name| format!("{prefix}{name}")).collect()
    };
    let mut wanted: Vec<String> = every(
        "",
        "const generic param len shared array builtin cast bitcast select fma index offset bounds check get set \
         load store async_copy async_commit async_wait mbarrier_arrive mbarrier_wait barrier sync_warp active_mask if for loop block break continue return print panic"
            .split(' ')
            .collect(),
    );
    // Engines may differ in the bits of approximate results.
    let exact = UnaryOp::ALL.iter().filter(|op| !matches!(op, UnaryOp::Approx(_)));
    wanted.extend(every("", exact.map(|op| op.name()).collect()));
    wanted.extend(every("", BinaryOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("", TernaryOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("", CompareOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("mul_add.", MulAddForm::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("barrier.", BarrierOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("shuffle.", ShuffleOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("vote.", VoteOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("match.", MatchOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("reduce.", ReduceOp::ALL.iter().map(|op| op.name()).collect()));
    let operators = |allowed: fn(CacheOp) -> bool| {
        CacheOp::ALL.iter().filter(move |op| allowed(**op)).map(|op| op.name()).collect()
    };
    wanted.extend(every("load.", operators(CacheOp::is_for_loads)));
    wanted.extend(every("store.", operators(CacheOp::is_for_stores)));
    wanted.extend(every("prefetch.", vec!["l1", "l2"]));
    wanted.extend(every("named_barrier.", vec!["sync", "arrive"]));
    wanted.extend(MmaOp::ALL.iter().map(|op| format!("mma.{op}")));
    wanted.extend(every("distribute_rows", vec!["", ".transposed"]));
    wanted.extend(every("", GridDependencyOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("fence.", Scope::ALL.iter().map(|op| op.name()).collect()));
    for scope in Scope::ALL.iter().map(|scope| scope.name()) {
        for order in Order::ALL.iter().map(|order| order.name()) {
            let update = AtomicOp::ALL.iter().map(|op| format!("atomic.{}.{order}", op.name()));
            wanted.extend(update.map(|update| format!("{update}.{scope}")));
            wanted.push(format!("compare_exchange.{order}.{scope}"));
        }
        for order in ["relaxed", "seq_cst"] {
            wanted.extend(every(&format!("atomic_load.{order}."), vec![scope]));
            wanted.extend(every(&format!("atomic_store.{order}."), vec![scope]));
        }
        wanted.push(format!("atomic_load.acquire.{scope}"));
        wanted.push(format!("atomic_store.release.{scope}"));
    }
    let mut missing: BTreeSet<String> = wanted.into_iter().collect();
    for seed in 0..5000 {
        let open = random_kernel(seed).open;
        for id in open.insts.ids() {
            let text = open.inst_text(id).to_string();
            if let Some(name) = text.split(' ').nth(2) {
                missing.remove(name);
            }
        }
        if missing.is_empty() {
            return;
        }
    }
    panic!("never drawn: {missing:?}");
}
