//! Optimizing changes nothing that a kernel computes.
use warpwise_compiler::{
    ir::{Access, Kernel, Scalar},
    optimize::{optimize, optimize_for_gpu},
    verify::verify,
};
use warpwise_tests::{
    oracle,
    random_ir::{
        ArgData, LaunchShape, RandomKernel, affine_kernel, dense_kernel, guarded_kernel,
        random_kernel, seeds, straight_kernel,
    },
};

#[test]
fn random_kernels_compute_the_same_before_and_after() {
    computes_the_same(random_kernel);
}

#[test]
fn dense_kernels_compute_the_same_before_and_after() {
    computes_the_same(dense_kernel);
}

#[test]
fn guarded_kernels_fail_the_same_checks_before_and_after() {
    computes_the_same(guarded_kernel);
}

#[test]
fn loops_with_two_versions_fail_the_same_checks_before_and_after() {
    computes_the_same(affine_kernel);
}

#[test]
fn straight_pieces_fail_the_same_checks_before_and_after() {
    computes_the_same(straight_kernel);
}

fn computes_the_same(make: fn(u64) -> RandomKernel) {
    for seed in seeds(300) {
        let random = make(seed);
        if let Err(errors) = verify(&random.kernel) {
            panic!("seed {seed}: {errors}\n{}", random.kernel);
        }
        for optimize in [optimize, optimize_for_gpu] {
            computes_the_same_by(optimize, seed, &random);
        }
    }
}

fn computes_the_same_by(optimize: fn(Kernel) -> Kernel, seed: u64, random: &RandomKernel) {
    let RandomKernel { kernel, shape, args, .. } = random;
    let optimized = optimize(kernel.clone());
    let text = || format!("seed {seed}\n{kernel}\n{optimized}");
    if let Err(errors) = verify(&optimized) {
        panic!("made malformed: {errors}\n{}", text());
    }
    let [mut before, mut after] = [args.clone(), args.clone()];
    let expected = oracle::run(kernel, shape, &mut before, &mut |_| {});
    let found = oracle::run(&optimized, shape, &mut after, &mut |_| {});
    assert_eq!(found, expected, "{}", text());
    let same = before.iter().zip(&after).all(|(before, after)| before.same_values(after));
    assert!(same, "{before:?}\n{after:?}\n{}", text());
}

#[test]
fn loops_with_steps_of_the_run_count_the_same_numbers() {
    for (scalar, name, max) in
        [(Scalar::U32, "u32", u64::from(u32::MAX)), (Scalar::U64, "u64", u64::MAX)]
    {
        let text = format!(
            "kernel count {{
            param arg0 = a: {name} param arg1 = b: {name} param arg2 = s: {name}
            param arg3 = y: write [{name}] local $0 = sum: {name}
            %0 = param arg3 : ptr global
            %1 = param arg0 : {name} %2 = param arg1 : {name} %3 = param arg2 : {name}
            %4 = const 31 : {name} %5 = set $0, %4
            %6 = for %1, %2, step %3 : {name} {{
                %7 = get $0 : {name} %8 = mul %7, %4 : {name} %9 = add %8, %6 : {name} %10 = set $0, %9
            }}
            %11 = get $0 : {name} %12 = store %0, %11 }}"
        );
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        let optimized = optimize(kernel.clone());
        let loops = |kernel: &Kernel| kernel.to_string().matches("= for").count();
        assert_eq!((loops(&kernel), loops(&optimized)), (1, 2), "{optimized}");
        let edges = [1, 2, 5, 13, max / 16, max / 8, max / 5, max / 4, max / 3, max / 2, max - 1];
        let edges: Vec<u64> =
            edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).collect();
        let (most, shape) = (40, LaunchShape { grid: [1; 3], block: [1; 3] });
        for (&start, &end) in
            edges.iter().flat_map(|start| edges.iter().map(move |end| (start, end)))
        {
            for &step in
                edges.iter().filter(|&&step| step > 0 && end.saturating_sub(start) / step < most)
            {
                let [from, to, by] =
                    [start, end, step].map(|bits| ArgData::Scalar { ty: scalar, bits });
                let bytes = vec![0; scalar.size().expect("it is concrete") as usize];
                let y = ArgData::Slice { elem: scalar, access: Access::Write, bytes };
                let mut before = vec![from, to, by, y];
                let mut after = before.clone();
                let expected = oracle::run(&kernel, &shape, &mut before, &mut |_| {});
                let found = oracle::run(&optimized, &shape, &mut after, &mut |_| {});
                assert_eq!((found, after), (expected, before), "from {start} to {end} by {step}");
            }
        }
    }
}
