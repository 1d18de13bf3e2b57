#[kernel]
fn expressions(n: usize, y: &mut [f32]) {
    let a = [1.0, 2.0];
    let b = [0.0; 4];
    let c = |x: f32| x + 1.0;
    let d = (1, 2);
    let e = y.0;
    match n {
        0 => {}
        _ => {}
    }
    if let Some(x) = Some(1) {}
    while let Some(x) = f() {}
    let f = 0..n;
    let g = Point { x: 1.0 };
    let h = g?;
    unsafe { y[0] = 1.0 };
    let i = 'x';
    let j = "text";
    let k = 1u128;
    let (l, m) = d;
    let Some(o) = p else { return };
    async {};
    const { 3 };
}

#[kernel]
fn statements() {
    const N: usize = 3;
    static S: usize = 3;
    use std::f32;
    eprintln!("{}", 1);
    println!("{}", (1, 2));
    panic!(MESSAGE);
    vec![1];
    something!();
    let x = shared!(3);
}

#[kernel]
fn slices(x: &[f32], y: &mut [f32]) {
    for v in 1.0 {}
    let mut values = x.iter().step_by(2);
    let a = values.next();
    let b = values.any(|v| *v > 0.0);
    let c = x.get(1..2);
    let d = ..;
    let e = x.iter().collect();
    for v in x.iter().peekable() {}
    y.sort();
    let f = x.to_vec();
}

#[kernel]
fn methods(x: f32, n: i32, y: &mut [f32]) {
    y[0] = x.erf();
    y[1] = x.next_up();
    y[2] = n.pow(2) as f32;
    y[6] = x.frobnicate();
    y[7] = 2.0.sqrt();
    y[8] = x.clone();
}

#[kernel]
fn calls(x: f32) {
    unknown(x);
    module::unknown(x);
    std::mem::swap(x, x);
    Some(x);
    x(3);
    (x)(3);
    let c = UNKNOWN;
    let d = other::UNKNOWN;
    let e = f32::UNKNOWN;
}

#[kernel]
fn references(x: &[f32], y: &[f32], flag: bool) {
    let z = if flag { x } else { y };
    let mut w = x;
    w = y;
    let tile = shared!([[f32; 4]; 4]);
    let v = shared!(Option<f32>);
    let row = tile[0];
}

#[kernel]
fn attributes(x: &mut [f32]) {
    #[cfg(debug_assertions)]
    {
        x[0] = 1.0;
    }
}

#[kernel]
fn orderings(a: &[AtomicU32], o: Ordering) {
    a[0].load(Ordering::Release);
    a[0].store(1, o);
    a[0].fetch_update(Ordering::Relaxed, Ordering::Release, |x| Some(x));
    let r = a[0].compare_exchange(0, 1, Ordering::Relaxed, Ordering::AcqRel).unwrap_or_else(|v| v);
    warp::shfl_width::<5, _>(1.0, 3);
}
#[kernel]
fn lost(x: &[f32]) {
    (x[0], 1).0 = 2.0;
}

#[kernel]
fn ordered(x: &[f32], y: &mut [bool]) {
    y[0] = x.get(..2) < Some(&x[2..4]);
}

// == expressions
// error: 13:25-13:28: kernel code cannot call `f`
// = help: mark the function `#[device]`
// error: 15:13-15:29: kernel code does not know the struct `Point`
// = help: mark its definition `#[device]`
// error: 17:5-17:26: kernel code cannot be `unsafe`
// = help: leave `unsafe` out: kernel code is safe, but for `ptx!`
// error: 18:13-18:16: kernel code cannot use the type `char`
// = help: use a byte: `b'x'`
// error: 19:13-19:19: kernel code cannot use the type `str`
// = help: use bytes: `b"text"`, or a `&[u8]` that is passed
// error: 20:13-20:18: kernel code cannot use the type `u128`
// = help: use integers of at most 64 bits
// error: 23:5-23:13: kernel code cannot be `async`
// = help: a launch returns before the kernel ends: there is no need
// == statements
// error: 30:5-30:25: kernel code cannot use `static` items
// = help: pass it as a parameter, or use a constant
// error: 32:5-32:23: kernel code cannot use the macro `eprintln!`
// = help: use `println!` or `print!`
// error: 35:5-35:12: kernel code cannot use the macro `vec!`
// = help: a kernel cannot allocate: pass a buffer, or use `shared!`
// error: 36:5-36:17: kernel code cannot use the macro `something!`
// = help: declare it in this file, before its call, with names that no other variable has; or make it a `#[device]` function
// error: 37:13-37:23: `shared!` takes a type
// = help: write for example `shared!([[f32; 33]; 32])`
// == slices
// error: 47:13-47:15: kernel code cannot use `..` as a value
// = help: the whole of a slice is `&x[..]`
// error: 48:13-48:31: kernel code cannot call `collect` of the iterator `slice::Iter<Item = &f32>`
// = help: a kernel cannot allocate: write to a slice or an array in a `for` loop
// error: 51:13-51:23: kernel code cannot call the method `to_vec` of a slice
// = help: a kernel cannot allocate: write to a slice or an array, `[value; N]`
// == methods
// error: 56:12-56:19: kernel code cannot call the method `erf` of `f32`
// = help: call `math::erf(x)`: std's method is not stable
// == calls
// error: 66:5-66:15: kernel code cannot call `unknown`
// = help: mark the function `#[device]`
// error: 67:5-67:23: kernel code cannot call `module::unknown`
// = help: mark the function `#[device]`
// == references
// kernel references {
//   param arg0 = x: read [f32] !0
//   param arg1 = y: read [f32] !1
//   param arg2 = flag: bool !2
//   shared @0 = tile: [f32; 16] !7
//   shared @1 = v: [plain 8 align 4; 1] !8
//   array #0 = row: [f32; 4] !10
//   local $0 = : ptr global !4
//   local $1 = : u64 !4
//   local $2 = w: ptr global !5
//   local $3 = "w.len": u64 !5
//   %0 = param arg2 : bool !3
//   %1 = if %0 !4 {
//     %2 = len arg0 : u64 !4
//     %3 = param arg0 : ptr global !4
//     %4 = set $0, %3 !4
//     %5 = set $1, %2 !4
//   } else {
//     %6 = len arg1 : u64 !4
//     %7 = param arg1 : ptr global !4
//     %8 = set $0, %7 !4
//     %9 = set $1, %6 !4
//   }
//   %10 = get $0 : ptr global !4
//   %11 = get $1 : u64 !4
//   %12 = len arg0 : u64 !5
//   %13 = param arg0 : ptr global !5
//   %14 = set $2, %13 !5
//   %15 = set $3, %12 !5
//   %16 = len arg1 : u64 !6
//   %17 = param arg1 : ptr global !6
//   %18 = set $2, %17 !6
//   %19 = set $3, %16 !6
//   %20 = const 0 : u64 !9
//   %21 = const 4 : u64 !9
//   %22 = bounds %20, %21 : u64 !9
//   %23 = shared @0 : ptr shared !10
//   %24 = index %23, %22, 16 : ptr shared !10
//   %25 = const 0 : u64 !10
//   %26 = index %24, %25, 4 : ptr shared !10
//   %27 = array #0 : ptr local !10
//   %28 = index %27, %25, 4 : ptr local !10
//   %29 = load %26 : f32 !10
//   %30 = store %28, %29 !10
//   %31 = const 1 : u64 !10
//   %32 = index %24, %31, 4 : ptr shared !10
//   %33 = array #0 : ptr local !10
//   %34 = index %33, %31, 4 : ptr local !10
//   %35 = load %32 : f32 !10
//   %36 = store %34, %35 !10
//   %37 = const 2 : u64 !10
//   %38 = index %24, %37, 4 : ptr shared !10
//   %39 = array #0 : ptr local !10
//   %40 = index %39, %37, 4 : ptr local !10
//   %41 = load %38 : f32 !10
//   %42 = store %40, %41 !10
//   %43 = const 3 : u64 !10
//   %44 = index %24, %43, 4 : ptr shared !10
//   %45 = array #0 : ptr local !10
//   %46 = index %45, %43, 4 : ptr local !10
//   %47 = load %44 : f32 !10
//   %48 = store %46, %47 !10
// }
// == attributes
// error: 89:7-89:10: kernel code cannot use `#[cfg]`: the compiler of kernels sees it unevaluated
// = help: put `#[cfg]` on the whole function, once for each case
// == orderings
// error: 97:5-97:33: `load` cannot be `Release`
// = help: use `Relaxed`, `Acquire` or `SeqCst`
// error: 98:19-98:20: an ordering in kernel code is one of std's constants
// = help: write for example `Ordering::Relaxed`
// error: 99:5-99:73: where `fetch_update` fails it only loads, which cannot be `Release`
// = help: use `Relaxed`, `Acquire` or `SeqCst`
// error: 100:13-100:77: where `compare_exchange` fails it only loads, which cannot be `AcqRel`
// = help: use `Relaxed`, `Acquire` or `SeqCst`
// error: 101:5-101:37: the width of a shuffle is 2, 4, 8, 16 or 32
// = help: write it as a number: `warp::shfl_xor_width::<8, _>(value, 1)`
// == lost
// error: 105:5-105:22: this sets a part of a value that nothing keeps
// = help: give the value a name: `let mut value = ..`
// == ordered
// error: 110:12-110:39: kernel code cannot order slices that are parts of other values
// = help: compare the slices themselves: `a < b`
