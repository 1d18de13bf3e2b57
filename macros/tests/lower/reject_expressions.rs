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
    fn inner() {}
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
    for v in x {}
    for v in x.iter() {}
    for v in y.iter_mut() {}
    for i in (0..3).map(|i| i) {}
    for i in (0..10).step_by(2).rev() {}
    let a = &x[1..3];
    let b = x.get(0);
    let c = x.first();
    y.swap(0, 1);
    y.fill(0.0);
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
    a[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| Some(x));
    let r = a[0].compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|v| v);
    warp::shfl_width::<5, _>(1.0, 3);
}
// == expressions
// error: 13:25-13:28: kernel code cannot call `f`
// = help: mark the function `#[device]`
// error: 15:13-15:29: kernel code does not know the struct `Point`
// = help: mark its definition `#[device]`
// error: 17:5-17:26: kernel code cannot be `unsafe`
// = help: leave `unsafe` out: kernel code is safe
// error: 18:13-18:16: kernel code cannot use the type `char`
// = help: use a byte: `b'x'`
// error: 19:13-19:19: kernel code cannot use the type `str`
// = help: pass bytes as `&[u8]`
// error: 20:13-20:18: kernel code cannot use the type `u128`
// = help: use integers of at most 64 bits
// error: 23:5-23:13: kernel code cannot be `async`
// = help: a launch returns before the kernel ends: there is no need
// error: 24:5-24:16: kernel code cannot have `const` blocks yet
// = help: write the value out
// == statements
// error: 29:5-29:18: kernel code cannot define functions inside
// = help: move it out of the kernel and mark it `#[device]`
// error: 31:5-31:25: kernel code cannot use `static` items
// = help: pass it as a parameter, or use a constant
// error: 32:5-32:18: kernel code cannot have `use` inside
// = help: move it out of the kernel
// error: 33:5-33:23: kernel code cannot use the macro `eprintln!`
// = help: use `println!` or `print!`
// error: 35:12-35:19: the format of a message is written as a string literal in kernel code
// = help: write for example `"x is {x}"`
// error: 36:5-36:12: kernel code cannot use the macro `vec!`
// = help: a kernel cannot allocate: pass a buffer, or use `shared!`
// error: 37:5-37:17: kernel code cannot use the macro `something!` yet
// = help: write its expansion out
// error: 38:13-38:23: `shared!` takes a type
// = help: write for example `shared!([[f32; 33]; 32])`
// error: 34:20-34:26: kernel code cannot print a `(i32, i32)`
// = help: print its numbers and `bool`s one by one
// == slices
// kernel slices {
//   param arg0 = x: read [f32] !0
//   param arg1 = y: write [f32] !1
//   message msg0 = "slice index starts at {0} but ends at {1}": (u64, u64)
//   message msg1 = "range end index {0} out of range for slice of length {1}": (u64, u64)
//   message msg2 = "range start index {0} out of range for slice of length {1}": (u64, u64)
//   %0 = len arg0 : u64 !2
//   %1 = const 0 : u64 !2
//   %2 = const 1 : u64 !2
//   %3 = for %1, %0, step %2 : u64 !2 {
//     %4 = param arg0 : ptr global !2
//     %5 = index %4, %3, 4 : ptr global !2
//   }
//   %6 = len arg0 : u64 !3
//   %7 = const 0 : u64 !3
//   %8 = const 1 : u64 !3
//   %9 = for %7, %6, step %8 : u64 !3 {
//     %10 = param arg0 : ptr global !3
//     %11 = index %10, %9, 4 : ptr global !3
//   }
//   %12 = len arg1 : u64 !4
//   %13 = const 0 : u64 !4
//   %14 = const 1 : u64 !4
//   %15 = for %13, %12, step %14 : u64 !4 {
//     %16 = param arg1 : ptr global !4
//     %17 = index %16, %15, 4 : ptr global !4
//   }
//   %18 = const 0 : i32 !5
//   %19 = const 3 : i32 !6
//   %20 = const 1 : i32 !7
//   %21 = for %18, %19, step %20 : i32 !7 {
//   }
//   %22 = const 0 : i32 !8
//   %23 = const 10 : i32 !9
//   %24 = const 2 : u64 !10
//   %25 = max %23, %22 : i32 !11
//   %26 = sub %25, %22 : i32 !11
//   %27 = cast %26 : u32 !11
//   %28 = cast %27 : u64 !11
//   %29 = div %28, %24 : u64 !11
//   %30 = rem %28, %24 : u64 !11
//   %31 = const 0 : u64 !11
//   %32 = ne %30, %31 : bool !11
//   %33 = cast %32 : u64 !11
//   %34 = add %29, %33 : u64 !11
//   %35 = const 1 : u64 !11
//   %36 = sub %34, %35 : u64 !11
//   %37 = const 0 : u64 !11
//   %38 = const 1 : u64 !11
//   %39 = for %37, %34, step %38 : u64 !11 {
//     %40 = sub %36, %39 : u64 !11
//     %41 = mul %40, %24 : u64 !11
//     %42 = cast %41 : i32 !11
//   }
//   %43 = const 1 : u64 !12
//   %44 = const 3 : u64 !13
//   %45 = len arg0 : u64 !14
//   %46 = le %44, %45 : bool !14
//   %47 = le %43, %45 : bool !14
//   %48 = le %43, %44 : bool !14
//   %49 = and %46, %48 : bool !14
//   %50 = if %49 !14 {
//   } else {
//     %51 = if %47 !14 {
//       %52 = if %46 !14 {
//         %53 = panic msg0, %43, %44 !14
//       } else {
//         %54 = panic msg1, %44, %45 !14
//       }
//     } else {
//       %55 = panic msg2, %43, %45 !14
//     }
//   }
//   %56 = param arg0 : ptr global !14
//   %57 = index %56, %43, 4 : ptr global !14
//   %58 = sub %44, %43 : u64 !14
//   %59 = const 0 : u64 !15
//   %60 = len arg0 : u64 !16
//   %61 = lt %59, %60 : bool !16
//   %62 = param arg0 : ptr global !16
//   %63 = index %62, %59, 4 : ptr global !16
//   %64 = const 0 : u64 !17
//   %65 = len arg0 : u64 !17
//   %66 = lt %64, %65 : bool !17
//   %67 = param arg0 : ptr global !17
//   %68 = index %67, %64, 4 : ptr global !17
//   %69 = const 0 : u64 !18
//   %70 = const 1 : u64 !19
//   %71 = len arg1 : u64 !20
//   %72 = bounds %69, %71 : u64 !20
//   %73 = param arg1 : ptr global !20
//   %74 = index %73, %72, 4 : ptr global !20
//   %75 = load %74 : f32 !20
//   %76 = len arg1 : u64 !20
//   %77 = bounds %70, %76 : u64 !20
//   %78 = param arg1 : ptr global !20
//   %79 = index %78, %77, 4 : ptr global !20
//   %80 = load %79 : f32 !20
//   %81 = len arg1 : u64 !20
//   %82 = bounds %69, %81 : u64 !20
//   %83 = param arg1 : ptr global !20
//   %84 = index %83, %82, 4 : ptr global !20
//   %85 = store %84, %80 !20
//   %86 = len arg1 : u64 !20
//   %87 = bounds %70, %86 : u64 !20
//   %88 = param arg1 : ptr global !20
//   %89 = index %88, %87, 4 : ptr global !20
//   %90 = store %89, %75 !20
//   %91 = const 0.0 : f32 !21
//   %92 = len arg1 : u64 !22
//   %93 = const 0 : u64 !22
//   %94 = const 1 : u64 !22
//   %95 = for %93, %92, step %94 : u64 !22 {
//     %96 = param arg1 : ptr global !22
//     %97 = index %96, %95, 4 : ptr global !22
//     %98 = store %97, %91 !22
//   }
// }
// == methods
// error: 57:12-57:19: kernel code cannot call the method `erf` of `f32`
// = help: call `math::erf(x)`: std's method is not stable
// error: 58:12-58:23: kernel code cannot call the method `next_up` of `f32`
// = help: write it out, or as a `#[device]` function, with operators
// error: 60:12-60:26: kernel code cannot call the method `frobnicate` of `f32`
// = help: write it out, or as a `#[device]` function, with operators
// error: 61:12-61:15: the type must be known before `sqrt` is called
// = help: give the number a suffix such as `f32`, or the variable a type
// == calls
// error: 67:5-67:15: kernel code cannot call `unknown`
// = help: mark the function `#[device]`
// error: 68:5-68:23: kernel code cannot call `module::unknown`
// = help: mark the function `#[device]`
// error: 69:5-69:25: kernel code cannot call `std::mem::swap`
// = help: numbers have methods, such as `x.sqrt()`; write the rest as `#[device]` functions
// error: 73:13-73:20: kernel code does not know the constant `UNKNOWN`
// = help: mark it `#[device]`, name it in `#[kernel(open(UNKNOWN))]`, or make it a constant parameter
// error: 74:13-74:27: kernel code does not know the constant `other::UNKNOWN`
// = help: mark it `#[device]`, name it in `#[kernel(open(other::UNKNOWN))]`, or make it a constant parameter
// error: 75:13-75:25: kernel code does not know the constant `f32::UNKNOWN`
// = help: mark it `#[device]`, name it in `#[kernel(open(f32::UNKNOWN))]`, or make it a constant parameter
// == references
// error: 80:13-80:20: kernel code cannot choose between references at run time
// = help: choose between values or indices, or repeat what is done with them
// error: 82:5-82:10: kernel code can only assign values, not references or closures
// = help: declare another variable with `let`
// == attributes
// error: 90:7-90:10: kernel code cannot use `#[cfg]`: the compiler of kernels sees it unevaluated
// = help: put `#[cfg]` on the whole function, once for each case
// == orderings
// error: 97:34-97:42: kernel code cannot use the type `Ordering`
// = help: mark its definition `#[device]`
// error: 98:5-98:33: `load` cannot be `Release`
// error: 99:19-99:20: an ordering in kernel code is one of std's constants
// = help: write for example `Ordering::Relaxed`
// error: 100:5-100:73: kernel code cannot call the method `fetch_update` of `AtomicU32`
// = help: loop over `compare_exchange`, and `load` again where it failed
// error: 101:13-101:100: kernel code cannot call `unwrap_or_else` on what `compare_exchange` returns
// = help: use `.is_ok()` or `.is_err()`, and `load` the value again where it failed
// error: 102:5-102:37: the width of a shuffle is 2, 4, 8, 16 or 32
// = help: write it as a number: `warp::shfl_xor_width::<8, _>(value, 1)`
