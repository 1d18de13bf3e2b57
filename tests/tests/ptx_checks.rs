//! Checks are preserved in PTX: memory safety depends on them.
use warpwise_compiler::{
    back::ptx,
    compile::{CompileError, check, compile},
    fault::{Pieces, Reason},
    id::Id,
    ir::{Fault, Kernel, Op},
    lint::Levels,
    optimize::optimize_and_coarsen,
    small_sizes::Sizes,
    target::Target,
};
use warpwise_tests::random_ir::{random_kernel, seeds};

/// Returns a defect in the checks of `kernel` in `ptx`, if there is one.
fn missing(kernel: &Kernel, ptx: &str) -> Option<String> {
    let lines: Vec<&str> = ptx.lines().map(str::trim).collect();
    let (mut checks, mut panics) = (0, 0);
    let mut wrong = None;
    kernel.walk(&mut |id| {
        // A panic may branch over the code that records the first fault, as a check does.
        panics += usize::from(matches!(kernel.insts[id].op, Op::Panic { .. }));
        let is_bounds = matches!(kernel.insts[id].op, Op::Bounds { .. });
        if !is_bounds && !matches!(kernel.insts[id].op, Op::Check { .. }) {
            return;
        }
        checks += 1;
        let number = id.index();
        let away = lines.iter().position(|line| {
            line.starts_with("@!%p") && line.ends_with(&format!(" bra $fault{number};"))
                || line.starts_with("@%p") && line.ends_with(&format!(" bra $passed{number};"))
        });
        let Some(away) = away else {
            wrong = Some(format!("nothing branches away from {id}"));
            return;
        };
        // Only instructions that widen the operands may come between.
        if is_bounds && !lines[away - 1].starts_with("setp.lt.u") {
            wrong = Some(format!("{id} compares nothing before `{}`", lines[away]));
        }
        // In place, or at the kernel's end, where the details go to code that all checks share.
        let label = format!("$fault{number}:");
        let failed = lines.iter().position(|line| *line == label).unwrap_or(away);
        let fault = match kernel.insts[id].op {
            Op::Check { fault, .. } => fault,
            _ => Fault::IndexOutOfBounds,
        };
        let sizes = Pieces::of_kernels(kernel.wide_index);
        let mut pieces = sizes.of_check(Reason::Check(fault), kernel.insts[id].span);
        let (_, piece) = pieces.next().expect("a check brings its first piece");
        if !lines[failed..].iter().take(64).any(|line| line.ends_with(&format!(", {piece};"))) {
            wrong = Some(format!("{id} does not say where it is"));
        }
        let mut code = lines[failed..].iter();
        if !code.any(|line| line.contains("red.relaxed.gpu.global.min.u64"))
            || !code.any(|line| line.ends_with("exit;"))
        {
            wrong = Some(format!("{id} does not record its failure and end the thread"));
        }
    });
    let branches = lines.iter().filter(|line| is_check(line)).count();
    wrong.or_else(|| {
        let expected = checks..=checks + panics;
        (!expected.contains(&branches)).then(|| format!("{checks} checks and {branches} branches"))
    })
}

/// Returns true if a line branches where a check fails, or over the code for that.
fn is_check(line: &str) -> bool {
    line.starts_with('@') && (line.contains(" bra $fault") || line.contains(" bra $passed"))
}

#[test]
fn every_check_of_random_kernels_is_in_their_ptx() {
    for seed in seeds(300) {
        let kernel = random_kernel(seed).kernel;
        let optimized = optimize_and_coarsen(kernel.clone());
        for kernel in optimized.iter().chain([&kernel]) {
            let ptx = ptx::emit(kernel, ptx::oldest(kernel)).unwrap();
            if let Some(wrong) = missing(kernel, &ptx) {
                panic!("seed {seed}: {wrong}\n{kernel}\n{ptx}");
            }
        }
    }
}

/// Returns the number of checks in the compiled PTX of a kernel with the parameters `x` (read), `y`
/// (written) and `n`, and this body.
fn checks(body: &str) -> usize {
    let text = format!(
        "kernel k {{
          no_coarsening
          param arg0 = x: read [f32] !0
          param arg1 = y: write [f32] !0
          param arg2 = n: u64 !0
          %0 = param arg0 : ptr global !0
          %1 = len arg0 : u64 !0
          %2 = param arg1 : ptr global !0
          %3 = len arg1 : u64 !0
          %4 = param arg2 : u64 !0
          %5 = builtin global_idx.x : u64 !0
          {body}
        }}"
    );
    let kernel: Kernel = text.parse().expect("the text is a kernel");
    check(&kernel, &Levels::default()).expect("nothing is wrong with it");
    let emit = |kernel: Kernel| {
        let ptx = ptx::emit(&kernel, Target::OLDEST)?;
        assert_eq!(missing(&kernel, &ptx), None, "{ptx}");
        Ok(ptx)
    };
    let code: Result<_, CompileError> = compile(kernel, Sizes::Small, emit);
    let ptx = code.expect("the oldest target has what it needs").plain;
    ptx.lines().filter(|line| is_check(line.trim())).count()
}

#[test]
fn an_index_that_nothing_proves_is_checked() {
    assert_eq!(
        checks(
            "%6 = bounds %5, %1 : u64 !1
             %7 = index %0, %6, 4 : ptr global !1
             %8 = load %7 : f32 !1
             %9 = bounds %4, %3 : u64 !2
             %10 = index %2, %9, 4 : ptr global !2
             %11 = store %10, %8 !2"
        ),
        2
    );
}

#[test]
fn the_length_of_another_slice_proves_nothing() {
    assert_eq!(
        checks(
            "%6 = lt %5, %3 : bool !1
             %7 = if %6 !1 {
               %8 = bounds %5, %1 : u64 !2
               %9 = index %0, %8, 4 : ptr global !2
               %10 = load %9 : f32 !2
               %11 = bounds %5, %3 : u64 !3
               %12 = index %2, %11, 4 : ptr global !3
               %13 = store %12, %10 !3
             } else {}"
        ),
        1
    );
}

#[test]
fn a_guard_of_the_index_itself_proves_nothing_about_its_neighbour() {
    assert_eq!(
        checks(
            "%6 = lt %5, %3 : bool !1
             %7 = if %6 !1 {
               %8 = const 1 : u64 !2
               %9 = add %5, %8 : u64 !2
               %10 = bounds %9, %3 : u64 !2
               %11 = index %2, %10, 4 : ptr global !2
               %12 = load %11 : f32 !2
               %13 = store %11, %12 !2
             } else {}"
        ),
        1
    );
}

#[test]
fn a_divisor_that_may_be_zero_is_checked() {
    assert_eq!(
        checks(
            "%6 = const 0 : u64 !1
             %7 = ne %4, %6 : bool !1
             %8 = check %7, divide_by_zero !1
             %9 = div %5, %4 : u64 !1
             %10 = bounds %9, %3 : u64 !2
             %11 = index %2, %10, 4 : ptr global !2
             %12 = load %11 : f32 !2
             %13 = store %11, %12 !2"
        ),
        2
    );
}

#[test]
fn a_proved_index_needs_no_check() {
    assert_eq!(
        checks(
            "%6 = lt %5, %3 : bool !1
             %7 = if %6 !1 {
               %8 = bounds %5, %3 : u64 !2
               %9 = index %2, %8, 4 : ptr global !2
               %10 = load %9 : f32 !2
               %11 = store %9, %10 !2
             } else {}"
        ),
        0
    );
}
