#[device]
struct Grid {
    rows: usize,
    columns: usize,
}

#[device]
impl Grid {
    fn rows(&self) -> usize {
        self.rows
    }

    #[track_caller]
    fn columns(&self) -> usize {
        assert!(self.columns > 0);
        self.columns
    }
}

#[kernel]
fn called(rows: usize, y: &mut [f32]) {
    let grid = Grid { rows, columns: y.len() };
    let i = thread_idx_x();
    // Without effects: one condition.
    if i > 0 && i < grid.rows() {
        y[0] = 1.0;
    } else {
        y[0] = 2.0;
    }
    // It may fault, so it depends on the left side; the fault is the call's.
    if i > 1 && i < grid.columns() {
        y[1] = 3.0;
    } else {
        y[1] = 4.0;
    }
}
// == called
// kernel called {
//   param arg0 = rows: u64 !0
//   param arg1 = y: write [f32] !1
//   message msg0 = "assertion failed: self.columns > 0": ()
//   local $0 = : bool !20
//   %0 = param arg0 : u64 !2
//   %1 = len arg1 : u64 !3
//   %2 = builtin thread_idx.x : u64 !4
//   %3 = const 0 : u64 !5
//   %4 = gt %2, %3 : bool !6
//   %5 = lt %2, %0 : bool !8
//   %6 = and %4, %5 : bool !7
//   %7 = if %6 !9 {
//     %8 = const 1.0 : f32 !10
//     %9 = const 0 : u64 !11
//     %10 = len arg1 : u64 !11
//     %11 = bounds %9, %10 : u64 !11
//     %12 = param arg1 : ptr global !12
//     %13 = index %12, %11, 4 : ptr global !12
//     %14 = store %13, %8 !13
//   } else {
//     %15 = const 2.0 : f32 !14
//     %16 = const 0 : u64 !15
//     %17 = len arg1 : u64 !15
//     %18 = bounds %16, %17 : u64 !15
//     %19 = param arg1 : ptr global !16
//     %20 = index %19, %18, 4 : ptr global !16
//     %21 = store %20, %15 !17
//   }
//   %22 = const 1 : u64 !18
//   %23 = gt %2, %22 : bool !19
//   %24 = set $0, %23 !20
//   %25 = if %23 !20 {
//     %26 = const 0 : u64 !21
//     %27 = gt %1, %26 : bool !21
//     %28 = not %27 : bool !21
//     %29 = if %28 !21 {
//       %30 = panic msg0 !21
//     }
//     %31 = lt %2, %1 : bool !22
//     %32 = set $0, %31 !22
//   }
//   %33 = get $0 : bool !20
//   %34 = if %33 !23 {
//     %35 = const 3.0 : f32 !24
//     %36 = const 1 : u64 !25
//     %37 = len arg1 : u64 !25
//     %38 = bounds %36, %37 : u64 !25
//     %39 = param arg1 : ptr global !26
//     %40 = index %39, %38, 4 : ptr global !26
//     %41 = store %40, %35 !27
//   } else {
//     %42 = const 4.0 : f32 !28
//     %43 = const 1 : u64 !29
//     %44 = len arg1 : u64 !29
//     %45 = bounds %43, %44 : u64 !29
//     %46 = param arg1 : ptr global !30
//     %47 = index %46, %45, 4 : ptr global !30
//     %48 = store %47, %42 !31
//   }
// }
