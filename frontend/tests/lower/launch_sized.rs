// What a launch decides: lengths of shared memory, and that all blocks run together.
#[kernel]
fn sized<const N: usize>(n: i32, x: &[f32]) {
    let tile = shared_dyn!(f32, x.len().max(N));
    let rows = shared_dyn!([[u8; 4]; 2], (2 * n + 1) as usize / block_dim_x());
    tile[0] = 1.0;
}

#[kernel(cooperative)]
fn together() {
    grid::sync();
}

#[kernel]
fn apart() {
    grid::sync();
}
// == sized
// kernel sized {
//   generic T0 = N: const u64 !0
//   param arg0 = n: i32 !1
//   param arg1 = x: read [f32] !2
//   shared @0 = tile: [f32; launch max(len arg1, generic T0)] !6
//   shared @1 = rows: [u8; launch mul(div(cast u64(add(mul(const 2 : i32, arg0), const 1 : i32)), builtin block_dim.x), extent 8)] !15
//   %0 = len arg1 : u64 !3
//   %1 = generic T0 : u64 !4
//   %2 = max %0, %1 : u64 !5
//   %3 = const 2 : i32 !7
//   %4 = param arg0 : i32 !8
//   %5 = mul %3, %4 : i32 !9
//   %6 = const 1 : i32 !10
//   %7 = add %5, %6 : i32 !11
//   %8 = cast %7 : u64 !12
//   %9 = builtin block_dim.x : u64 !13
//   %10 = const 0 : u64 !14
//   %11 = ne %9, %10 : bool !14
//   %12 = check %11, divide_by_zero !14
//   %13 = div %8, %9 : u64 !14
//   %14 = const 1.0 : f32 !16
//   %15 = const 0 : u64 !17
//   %16 = bounds %15, %2 : u64 !17
//   %17 = shared @0 : ptr shared !18
//   %18 = index %17, %16, 4 : ptr shared !18
//   %19 = store %18, %14 !19
// }
// == together
// kernel together {
//   cooperative
//   %0 = sync_grid !0
// }
// == apart
// error: 16:5-16:17: `grid::sync` waits for all blocks, and this kernel's need not run at the same time
// = help: write `#[kernel(cooperative)]`
