//! The optimizer preserves the results of kernels.
use warpwise_compiler::{
    back::ptx,
    ir::{Access, BinaryOp, Inst, Kernel, Op, Scalar, Ty},
    optimize::{optimize, optimize_and_coarsen, optimize_for_gpu},
    verify::verify,
};
use warpwise_tests::{
    oracle,
    random_ir::{
        ArgData, LaunchShape, RandomKernel, affine_kernel, coarse_kernel, dense_kernel,
        float_index_kernel, guarded_kernel, numbered, random_kernel, ring_kernel, seeds,
        straight_kernel, volume_kernel, with_while_loops,
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
fn casts_of_floats_pass_the_same_checks_before_and_after() {
    computes_the_same(float_index_kernel);
    let wide_casts = |kernel: &Kernel| {
        let is_wide = |inst: &Inst| match inst.op {
            Op::Cast { value } => {
                let ty = kernel.insts[value].ty;
                inst.ty == Scalar::U64.into()
                    && [Scalar::F32, Scalar::F64].map(Ty::from).contains(&ty)
            }
            _ => false,
        };
        kernel.insts.iter().filter(|(_, inst)| is_wide(inst)).count()
    };
    let is_narrowed = |seed: &u64| {
        let kernel = float_index_kernel(*seed).for_gpu();
        wide_casts(&optimize_for_gpu(kernel.clone())) < wide_casts(&kernel)
    };
    let narrowed = seeds(100).filter(is_narrowed).count();
    assert!(narrowed > 20, "{narrowed} kernels have narrow casts");
}

#[test]
fn loops_with_two_versions_fail_the_same_checks_before_and_after() {
    computes_the_same(affine_kernel);
}

#[test]
fn indices_of_volumes_advance_by_strides() {
    computes_the_same(volume_kernel);
    let advances = |kernel: &Kernel, inst: &Inst| {
        let Op::Set { value, .. } = inst.op else { return false };
        let Inst { op: Op::Binary { op: BinaryOp::Add, rhs, .. }, ty, .. } = kernel.insts[value]
        else {
            return false;
        };
        ty == Scalar::U64.into() && kernel.literal(rhs).is_none()
    };
    let is_advanced = |seed: &u64| {
        let kernel = optimize_for_gpu(volume_kernel(*seed).kernel);
        kernel.insts.iter().any(|(_, inst)| advances(&kernel, inst))
    };
    let found = seeds(100).filter(is_advanced).count();
    assert!(found > 20, "{found} kernels have such indices");
}

#[test]
fn straight_pieces_fail_the_same_checks_before_and_after() {
    computes_the_same(straight_kernel);
}

#[test]
fn coarsened_threads_fail_the_same_checks_one_by_one() {
    computes_the_same(coarse_kernel);
}

#[test]
fn while_loops_that_count_run_the_same_iterations() {
    let mut counted = 0;
    computes_the_same(|seed| {
        let random = affine_kernel(seed);
        RandomKernel { kernel: with_while_loops(&random.kernel), ..random }
    });
    let for_loops = |kernel: &Kernel| {
        kernel.insts.iter().filter(|(_, inst)| matches!(inst.op, Op::For { .. })).count()
    };
    for seed in seeds(100) {
        let kernel = with_while_loops(&affine_kernel(seed).kernel);
        let before = for_loops(&kernel);
        counted += for_loops(&optimize_for_gpu(kernel)).saturating_sub(before);
    }
    assert!(counted > 100, "{counted} loops were counted");
}

#[test]
fn buffers_that_take_turns_do_so_in_unrolled_loops() {
    computes_the_same(ring_kernel);
    let loops = |kernel: &Kernel| kernel.to_string().matches("= for").count();
    let is_unrolled = |seed: &u64| {
        let random = ring_kernel(*seed);
        loops(&optimize_for_gpu(random.kernel.clone())) != loops(&random.kernel)
    };
    let unrolled = seeds(100).filter(is_unrolled).count();
    assert!(unrolled > 0, "nothing was tested");
}

fn computes_the_same(make: fn(u64) -> RandomKernel) {
    for seed in seeds(100) {
        let random = make(seed);
        if let Err(errors) = verify(&random.kernel) {
            panic!("seed {seed}: {errors}\n{}", random.kernel);
        }
        for optimize in [optimize, optimize_for_gpu, optimize_for_large_launches] {
            computes_the_same_by(optimize, seed, &random);
        }
        let random = RandomKernel { kernel: random.for_gpu(), ..random };
        for optimize in [optimize_for_gpu, optimize_for_large_launches] {
            computes_the_same_by(optimize, seed, &random);
        }
    }
}

/// Returns the code of large launches.
fn optimize_for_large_launches(kernel: Kernel) -> Kernel {
    let kernels = optimize_and_coarsen(kernel);
    kernels.coarsened.unwrap_or(kernels.plain)
}

/// Small launches run the code that a kernel has without coarsening, byte for byte.
#[test]
fn coarsening_leaves_the_plain_kernel_alone() {
    let mut coarsened = 0;
    for seed in seeds(100) {
        let kernel = coarse_kernel(seed).kernel;
        let kernels = optimize_and_coarsen(kernel.clone());
        let without = optimize_for_gpu(Kernel { may_coarsen: false, ..kernel });
        let [plain, without] = [&kernels.plain, &without]
            .map(|kernel| ptx::emit(kernel, ptx::oldest(kernel)).unwrap());
        assert_eq!(plain, without, "seed {seed}");
        if let Some(kernel) = kernels.coarsened {
            coarsened += 1;
            assert_ne!(ptx::emit(&kernel, ptx::oldest(&kernel)).unwrap(), plain, "seed {seed}");
        }
    }
    assert!(coarsened > 30, "{coarsened} kernels are coarsened");
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

#[test]
fn loops_that_count_in_32_bits_stop_at_the_same_numbers() {
    let text = "kernel count {
        param arg0 = a: u32 param arg1 = b: u64 param arg2 = s: u32 param arg3 = y: write [u64]
        local $0 = sum: u64
        %0 = param arg0 : u32 %1 = cast %0 : u64 %2 = param arg1 : u64
        %3 = param arg2 : u32 %4 = cast %3 : u64
        %5 = const 31 : u64 %6 = set $0, %5
        %7 = for %1, %2, step %4 : u64 {
            %8 = get $0 : u64 %9 = mul %8, %5 : u64 %10 = add %9, %7 : u64 %11 = set $0, %10
        }
        %12 = get $0 : u64 %13 = param arg3 : ptr global %14 = store %13, %12 }";
    let kernel: Kernel = text.parse().expect("the text is a kernel");
    let optimized = optimize_for_gpu(kernel.clone());
    assert!(optimized.to_string().contains("const 4160749568"), "{optimized}");
    let shape = LaunchShape { grid: [1; 3], block: [1; 3] };
    let (max, most) = (u64::from(u32::MAX), 40);
    let edges = [1, 7, max / 8, max / 3, max / 2, max - (1 << 27), max - 1];
    let edges: Vec<u64> = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).collect();
    let small = |end: &u64| *end <= max;
    for &start in edges.iter().filter(|start| small(start)) {
        for &end in edges.iter().chain(&[max + 2, max * 2, max * 5]) {
            for &step in edges.iter().filter(|step| {
                small(step) && **step > 0 && end.saturating_sub(start) / **step < most
            }) {
                let scalar = |ty, bits| ArgData::Scalar { ty, bits };
                let bytes = vec![0; 8];
                let y = ArgData::Slice { elem: Scalar::U64, access: Access::Write, bytes };
                let mut before = vec![
                    scalar(Scalar::U32, start),
                    scalar(Scalar::U64, end),
                    scalar(Scalar::U32, step),
                    y,
                ];
                let mut after = before.clone();
                let expected = oracle::run(&kernel, &shape, &mut before, &mut |_| {});
                let found = oracle::run(&optimized, &shape, &mut after, &mut |_| {});
                assert_eq!((found, after), (expected, before), "from {start} to {end} by {step}");
            }
        }
    }
}

#[test]
fn gathers_fail_the_same_checks_before_and_after() {
    let text = numbered(
        "kernel gather { param arg0 = n: u64 !0 param arg1 = at: read [u32] !0 param arg2 = x: read [u32] !0
        param arg3 = y: write [u32] !0 local $0 = sum: u32 !0
        %n = param arg0 : u64 %at = param arg1 : ptr global %x = param arg2 : ptr global %y = param arg3 : ptr global
        %len = len arg2 : u64 %t = builtin thread_idx.x : u64 %two = const 2 : u64 %k = const 31 : u32 %s0 = set $0, %k
        %loop = for %t, %n, step %two : u64 {
            %l = len arg1 : u64 %b = bounds %loop, %l : u64 %ai = index %at, %b, 4 : ptr global %a = load %ai : u32
            %w = cast %a : u64 %c = bounds %w, %len : u64 %xi = index %x, %c, 4 : ptr global %e = load %xi : u32
            %old = get $0 : u32 %m = mul %old, %k : u32 %sum = add %m, %e : u32 %s1 = set $0, %sum
        }
        %r = get $0 : u32 %yi = index %y, %t, 4 : ptr global %st = store %yi, %r }",
    );
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let slice = |access, numbers: &[u32]| {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        ArgData::Slice { elem: Scalar::U32, access, bytes }
    };
    let elements: Vec<u32> = (0..7).collect();
    // Without an index out of bounds, with one at each place, and with two.
    for wrong in 0..400 {
        let mut places: Vec<u32> = (0..19).map(|i| i * 5 % 7).collect();
        for bad in [wrong % 20, wrong / 20].into_iter().filter(|&bad| bad < 19) {
            places[bad] = 7 + bad as u32;
        }
        for n in [0, 1, 7, 8, 9, 18, 19, 20] {
            let args = vec![
                ArgData::Scalar { ty: Scalar::U64, bits: n },
                slice(Access::Read, &places),
                slice(Access::Read, &elements),
                slice(Access::Write, &[0; 2]),
            ];
            let shape = LaunchShape { grid: [1; 3], block: [2, 1, 1] };
            let (open, bindings, kernel) = (kernel.clone(), Vec::new(), kernel.clone());
            let random = RandomKernel { open, bindings, kernel, shape, args };
            computes_the_same_by(optimize_for_gpu, wrong as u64, &random);
        }
    }
}

#[test]
fn quotients_by_powers_of_two_are_the_same() {
    for (name, scalar) in [("u32", Scalar::U32), ("u64", Scalar::U64)] {
        let bits: u32 = if scalar == Scalar::U32 { 32 } else { 64 };
        let text = numbered(&format!(
            "kernel powers {{ param arg0 = x: {name} param arg1 = z: write [{name}] local $0 = distance: {name}
            %x = param arg0 : {name} %z = param arg1 : ptr global %one = const 1 : {name}
            %two = const 2 : {name} %zero = const 0 : {name} %s = set $0, %one
            %loop = loop {{
                %d = get $0 : {name} %c = ne %d, %zero : bool
                %if = if %c {{
                    %q = div %x, %d : {name} %r = rem %x, %d : {name} %e = mul %d, %two : {name} %t = set $0, %e
                    %i = builtin thread_idx.x : u32 %zi = index %z, %i, {} : ptr global
                    %old = load %zi : {name} %k = const 31 : {name} %a = mul %old, %k : {name}
                    %b = xor %a, %q : {name} %f = mul %b, %k : {name} %g = add %f, %r : {name} %st = store %zi, %g
                }} else {{ %br = break %loop }}
            }} }}",
            bits / 8
        ));
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let optimized = optimize_for_gpu(kernel.clone()).to_string();
        assert!(!optimized.contains("= div") && !optimized.contains("= rem"), "{optimized}");
        for x in [0, 1, 2, 3, 1000, 0xdead_beef, 0x8000_0000, 0xffff_ffff] {
            let x = if bits == 64 { x << 32 | x } else { x };
            let bytes = vec![1; bits as usize / 8];
            let z = ArgData::Slice { elem: scalar, access: Access::Write, bytes };
            let args = vec![ArgData::Scalar { ty: scalar, bits: x }, z];
            let shape = LaunchShape { grid: [1; 3], block: [1; 3] };
            let (open, bindings, kernel) = (kernel.clone(), Vec::new(), kernel.clone());
            let random = RandomKernel { open, bindings, kernel, shape, args };
            computes_the_same_by(optimize_for_gpu, 0, &random);
        }
    }
}

#[test]
fn remainders_of_bounded_sums_are_the_same() {
    let forms = [
        ("add %x, %one : u8 %a = rem %e, %w : u8", true),
        ("add %x, %y : u8 %a = rem %e, %w : u8", true),
        ("add %x, %x : u8 %a = rem %e, %w : u8", true),
        ("add %x, %w : u8 %d = sub %e, %one : u8 %a = rem %d, %w : u8", true),
        ("sub %w, %one : u8 %d = add %e, %x : u8 %a = rem %d, %w : u8", true),
        ("add %x, %w : u8 %d = sub %e, %y : u8 %a = rem %d, %w : u8", true),
        ("sub %w, %y : u8 %a = rem %e, %w : u8", true),
        ("sub %w, %x : u8 %a = rem %e, %w : u8", true),
        ("sub %x, %one : u8 %a = rem %e, %w : u8", false),
        ("add %y, %one : u8 %a = rem %e, %w : u8", false),
    ];
    let edges: Vec<u8> =
        [0, 1, 2, 3, 5, 31, 64, 100, 126, 127, 128, 129, 200, 253, 254, 255].into();
    let threads: u32 = (edges.len() as u32).pow(3);
    let numbers = |place: u32| {
        let bytes = (0..threads).map(|i| edges[i as usize >> (4 * place) & 15]).collect();
        ArgData::Slice { elem: Scalar::U8, access: Access::Read, bytes }
    };
    for (form, is_reduced) in forms {
        let text = numbered(&format!(
            "kernel remainder {{ param arg0 = x: read [u8] !0 param arg1 = y: read [u8] !0
            param arg2 = w: read [u8] !0 param arg3 = z: write [u8] !0
            %i = builtin global_idx.x : u64 %one = const 1 : u8
            %p = param arg0 : ptr global %pi = index %p, %i, 1 : ptr global %x = load %pi : u8
            %q = param arg1 : ptr global %qi = index %q, %i, 1 : ptr global %y = load %qi : u8
            %r = param arg2 : ptr global %ri = index %r, %i, 1 : ptr global %w = load %ri : u8
            %less = lt %x, %w : bool %most = le %y, %w : bool %both = and %less, %most : bool
            %if = if %both {{
                %e = {form}
                %s = param arg3 : ptr global %si = index %s, %i, 1 : ptr global %st = store %si, %a
            }} }}"
        ));
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let bytes = vec![0; threads as usize];
        let z = ArgData::Slice { elem: Scalar::U8, access: Access::Write, bytes };
        let args = vec![numbers(0), numbers(1), numbers(2), z];
        let shape = LaunchShape { grid: [threads / 64, 1, 1], block: [64, 1, 1] };
        let (open, bindings) = (kernel.clone(), Vec::new());
        let random = RandomKernel { open, bindings, kernel, shape, args };
        let optimized = optimize_for_gpu(random.kernel.clone()).to_string();
        assert_eq!(!optimized.contains("= rem"), is_reduced, "{optimized}");
        computes_the_same_by(optimize_for_gpu, 0, &random);
    }
}
