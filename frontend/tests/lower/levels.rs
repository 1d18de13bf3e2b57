#[device]
fn wait() {
    sync_threads();
}

#[allow(gpu_barriers_in_divergent_flow)]
#[kernel]
fn levels(y: &mut [f32]) {
    #[deny(gpu_barriers_in_divergent_flow)]
    if y[0] > 1.0 {
        #[allow(gpu_barriers_in_divergent_flow)]
        wait();
    }
    #[allow(gpu_barriers_in_divergent_loops)]
    {
        y[1] = 2.0;
    }
}
// == levels
// kernel levels {
//   param arg0 = y: write [f32] !0
//   %0 = const 0 : u64 !1
//   %1 = len arg0 : u64 !1
//   %2 = bounds %0, %1 : u64 !1
//   %3 = param arg0 : ptr global !2
//   %4 = index %3, %2, 4 : ptr global !2
//   %5 = load %4 : f32 !2
//   %6 = const 1.0 : f32 !3
//   %7 = gt %5, %6 : bool !4
//   %8 = if %7 !5 {
//     %9 = barrier !6
//   }
//   %10 = const 2.0 : f32 !7
//   %11 = const 1 : u64 !8
//   %12 = len arg0 : u64 !8
//   %13 = bounds %11, %12 : u64 !8
//   %14 = param arg0 : ptr global !9
//   %15 = index %14, %13, 4 : ptr global !9
//   %16 = store %15, %10 !10
// }
