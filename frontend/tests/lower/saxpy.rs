#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(contract = false)]
fn saxpy_without_contraction(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() {
        y[i] += a * x[i];
    }
}
// == saxpy
// kernel saxpy {
//   param arg0 = a: f32 !0
//   param arg1 = x: read [f32] !1
//   param arg2 = y: write [f32] !2
//   %0 = builtin global_idx.x : u64 !3
//   %1 = len arg2 : u64 !4
//   %2 = lt %0, %1 : bool !5
//   %3 = if %2 !6 {
//     %4 = param arg0 : f32 !7
//     %5 = len arg1 : u64 !8
//     %6 = bounds %0, %5 : u64 !8
//     %7 = param arg1 : ptr global !9
//     %8 = index %7, %6, 4 : ptr global !9
//     %9 = load %8 : f32 !9
//     %10 = len arg2 : u64 !10
//     %11 = bounds %0, %10 : u64 !10
//     %12 = param arg2 : ptr global !11
//     %13 = index %12, %11, 4 : ptr global !11
//     %14 = load %13 : f32 !11
//     %15 = fma %4, %9, %14 : f32 !12
//     %16 = len arg2 : u64 !13
//     %17 = bounds %0, %16 : u64 !13
//     %18 = param arg2 : ptr global !14
//     %19 = index %18, %17, 4 : ptr global !14
//     %20 = store %19, %15 !15
//   }
// }
// == saxpy_without_contraction
// kernel saxpy_without_contraction {
//   param arg0 = a: f32 !0
//   param arg1 = x: read [f32] !1
//   param arg2 = y: write [f32] !2
//   %0 = builtin global_idx.x : u64 !3
//   %1 = len arg2 : u64 !4
//   %2 = lt %0, %1 : bool !5
//   %3 = len arg1 : u64 !6
//   %4 = lt %0, %3 : bool !7
//   %5 = and %2, %4 : bool !8
//   %6 = if %5 !9 {
//     %7 = param arg0 : f32 !10
//     %8 = len arg1 : u64 !11
//     %9 = bounds %0, %8 : u64 !11
//     %10 = param arg1 : ptr global !12
//     %11 = index %10, %9, 4 : ptr global !12
//     %12 = load %11 : f32 !12
//     %13 = mul %7, %12 : f32 !13
//     %14 = len arg2 : u64 !14
//     %15 = bounds %0, %14 : u64 !14
//     %16 = param arg2 : ptr global !15
//     %17 = index %16, %15, 4 : ptr global !15
//     %18 = load %17 : f32 !15
//     %19 = add %18, %13 : f32 !16
//     %20 = store %17, %19 !16
//   }
// }
