//! Random kernels, through everything that must not change what they mean.
use std::collections::BTreeSet;
use warpwise_compiler::{
    ir::{
        AtomicOp, BarrierOp, BinaryOp, CompareOp, Kernel, MulAddForm, Order, Scope, ShuffleOp,
        UnaryOp, VoteOp,
    },
    verify::verify,
};
use warpwise_tests::random_ir::random_kernel;

/// How many kernels a test makes, from this seed up.
fn seeds() -> std::ops::Range<u64> {
    let number = |name, default| {
        std::env::var(name).map_or(default, |value| value.parse().expect("a number of seeds"))
    };
    let from = number("WARPWISE_SEED", 0);
    from..from + number("WARPWISE_SEEDS", 1000)
}

#[test]
fn they_are_well_formed_and_their_text_reads_back() {
    for seed in seeds() {
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
fn a_seed_always_makes_the_same_kernel() {
    for seed in [0, 1, u64::MAX] {
        let [a, b] = [random_kernel(seed), random_kernel(seed)];
        assert_eq!((a.kernel, a.shape, a.args), (b.kernel, b.shape, b.args));
    }
}

#[test]
fn every_operation_occurs() {
    let mut seen = BTreeSet::new();
    for seed in 0..3000 {
        let open = random_kernel(seed).open;
        for id in open.insts.ids() {
            let text = open.inst_text(id).to_string();
            seen.extend(text.split(' ').nth(2).map(str::to_owned));
        }
    }
    let every = |prefix: &str, names: Vec<&str>| -> Vec<String> {
        names.into_iter().map(|name| format!("{prefix}{name}")).collect()
    };
    let mut wanted = every(
        "",
        "const generic param len shared builtin cast bitcast select fma index bounds check get set \
         load store barrier sync_warp if for loop block break continue return"
            .split(' ')
            .collect(),
    );
    wanted.extend(every("", UnaryOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("", BinaryOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("", CompareOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("mul_add.", MulAddForm::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("barrier.", BarrierOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("shuffle.", ShuffleOp::ALL.iter().map(|op| op.name()).collect()));
    wanted.extend(every("vote.", VoteOp::ALL.iter().map(|op| op.name()).collect()));
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
    let missing: Vec<&String> = wanted.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}
