#[device]
fn first(x: &[f32]) -> &f32 {
    &x[0]
}

#[device]
fn one(x: f32) -> f32 {
    match x {
        _ => 1.0,
    }
}

#[device]
fn generic<T: Num>(x: T) -> T {
    x
}

#[kernel]
fn calls(x: &[f32], y: &mut [f32]) {
    y[0] = *first(x) + one(1.0);
    let z = generic(x);
}
// == calls
// kernel calls {
//   param arg0 = x: read [f32] !0
//   param arg1 = y: write [f32] !1
//   local $0 = : f32 !6
//   %0 = const 0 : u64 !2
//   %1 = len arg0 : u64 !2
//   %2 = bounds %0, %1 : u64 !2
//   %3 = param arg0 : ptr global !3
//   %4 = index %3, %2, 4 : ptr global !3
//   %5 = load %4 : f32 !4
//   %6 = const 1.0 : f32 !5
//   %7 = const 1.0 : f32 !7
//   %8 = set $0, %7 !6
//   %9 = get $0 : f32 !6
//   %10 = add %5, %9 : f32 !8
//   %11 = const 0 : u64 !9
//   %12 = len arg1 : u64 !9
//   %13 = bounds %11, %12 : u64 !9
//   %14 = param arg1 : ptr global !10
//   %15 = index %14, %13, 4 : ptr global !10
//   %16 = store %15, %10 !11
// }
