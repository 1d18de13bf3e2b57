#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn clamp_to<T: Num>(x: T, low: T, high: T) -> T {
    if x < low {
        return low;
    }
    if x > high {
        return high;
    }
    x
}

#[device]
fn sum<const N: usize>(values: &[f32; N], scale: f32) -> f32 {
    let mut total = 0.0;
    for i in 0..N {
        total += values[i] * scale;
    }
    total
}

#[device]
fn add_to(place: &mut f32, value: f32) {
    *place += value;
}

#[kernel]
fn calls(x: &mut [f32]) {
    let tile = shared!([[f32; 8]; 4]);
    let i = thread_idx_x();
    let mut acc = square(x[i]);
    add_to(&mut acc, clamp_to(x[0], -1.0, 1.0));
    add_to(&mut x[i], sum(&tile[i], 2.0) + acc);
}
// == calls
// kernel calls {
//   param arg0 = x: write [f32] !0
//   shared @0 = tile: [f32; 32] !1
//   local $0 = acc: f32 !6
//   local $1 = : f32 !11
//   local $2 = total: f32 !28
//   %0 = builtin thread_idx.x : u64 !2
//   %1 = len arg0 : u64 !3
//   %2 = bounds %0, %1 : u64 !3
//   %3 = param arg0 : ptr global !4
//   %4 = index %3, %2, 4 : ptr global !4
//   %5 = load %4 : f32 !4
//   %6 = mul %5, %5 : f32 !5
//   %7 = set $0, %6 !6
//   %8 = const 0 : u64 !7
//   %9 = len arg0 : u64 !7
//   %10 = bounds %8, %9 : u64 !7
//   %11 = param arg0 : ptr global !8
//   %12 = index %11, %10, 4 : ptr global !8
//   %13 = load %12 : f32 !8
//   %14 = const -1.0 : f32 !9
//   %15 = const 1.0 : f32 !10
//   %16 = block !11 {
//     %17 = lt %13, %14 : bool !12
//     %18 = if %17 !13 {
//       %19 = set $1, %14 !14
//       %20 = break %16 !15
//     }
//     %21 = gt %13, %15 : bool !16
//     %22 = if %21 !17 {
//       %23 = set $1, %15 !18
//       %24 = break %16 !19
//     }
//     %25 = set $1, %13 !11
//   }
//   %26 = get $1 : f32 !11
//   %27 = get $0 : f32 !20
//   %28 = add %27, %26 : f32 !21
//   %29 = set $0, %28 !21
//   %30 = len arg0 : u64 !22
//   %31 = bounds %0, %30 : u64 !22
//   %32 = param arg0 : ptr global !23
//   %33 = index %32, %31, 4 : ptr global !23
//   %34 = const 4 : u64 !24
//   %35 = bounds %0, %34 : u64 !24
//   %36 = shared @0 : ptr shared !25
//   %37 = index %36, %35, 32 : ptr shared !25
//   %38 = const 2.0 : f32 !26
//   %39 = const 0.0 : f32 !27
//   %40 = set $2, %39 !28
//   %41 = const 0 : u64 !29
//   %42 = const 8 : u64 !30
//   %43 = const 1 : u64 !31
//   %44 = for %41, %42, step %43 : u64 !31 {
//     %45 = const 8 : u64 !32
//     %46 = bounds %44, %45 : u64 !32
//     %47 = index %37, %46, 4 : ptr shared !33
//     %48 = load %47 : f32 !33
//     %49 = get $2 : f32 !34
//     %50 = fma %48, %38, %49 : f32 !35
//     %51 = set $2, %50 !35
//   }
//   %52 = get $2 : f32 !36
//   %53 = get $0 : f32 !37
//   %54 = add %52, %53 : f32 !38
//   %55 = load %33 : f32 !39
//   %56 = add %55, %54 : f32 !40
//   %57 = store %33, %56 !40
// }
