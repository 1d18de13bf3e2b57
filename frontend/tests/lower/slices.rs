#[kernel]
fn parts(x: &[f32], n: usize, y: &mut [f32]) {
    let row = &x[n..n + 4];
    let (head, tail) = y[..8].split_at_mut(n);
    head[0] = row[2];
    for v in tail {
        *v = 1.0;
    }
    y[row.len()..=9].fill(0.5);
    if let Some(v) = x.get(n) {
        y[1] = *v;
    }
    y.swap(0, 1);
}
// == parts
// kernel parts {
//   param arg0 = x: read [f32] !0
//   param arg1 = n: u64 !1
//   param arg2 = y: write [f32] !2
//   message msg0 = "slice index starts at {0} but ends at {1}": (u64, u64)
//   message msg1 = "range end index {0} out of range for slice of length {1}": (u64, u64)
//   message msg2 = "range start index {0} out of range for slice of length {1}": (u64, u64)
//   %0 = param arg1 : u64 !3
//   %1 = param arg1 : u64 !4
//   %2 = const 4 : u64 !5
//   %3 = add %1, %2 : u64 !6
//   %4 = len arg0 : u64 !7
//   %5 = le %3, %4 : bool !7
//   %6 = le %0, %4 : bool !7
//   %7 = le %0, %3 : bool !7
//   %8 = and %5, %7 : bool !7
//   %9 = if %8 !7 {
//   } else {
//     %10 = if %6 !7 {
//       %11 = if %5 !7 {
//         %12 = panic msg0, %0, %3 !7
//       } else {
//         %13 = panic msg1, %3, %4 !7
//       }
//     } else {
//       %14 = panic msg2, %0, %4 !7
//     }
//   }
//   %15 = param arg0 : ptr global !7
//   %16 = index %15, %0, 4 : ptr global !7
//   %17 = sub %3, %0 : u64 !7
//   %18 = const 8 : u64 !8
//   %19 = len arg2 : u64 !9
//   %20 = le %18, %19 : bool !9
//   %21 = if %20 !9 {
//   } else {
//     %22 = panic msg1, %18, %19 !9
//   }
//   %23 = param arg1 : u64 !10
//   %24 = le %23, %18 : bool !11
//   %25 = if %24 !11 {
//   } else {
//     %26 = panic msg1, %23, %18 !11
//   }
//   %27 = le %23, %18 : bool !11
//   %28 = if %27 !11 {
//   } else {
//     %29 = panic msg2, %23, %18 !11
//   }
//   %30 = param arg2 : ptr global !11
//   %31 = index %30, %23, 4 : ptr global !11
//   %32 = sub %18, %23 : u64 !11
//   %33 = const 2 : u64 !12
//   %34 = bounds %33, %17 : u64 !12
//   %35 = index %16, %34, 4 : ptr global !13
//   %36 = load %35 : f32 !13
//   %37 = const 0 : u64 !14
//   %38 = bounds %37, %23 : u64 !14
//   %39 = param arg2 : ptr global !15
//   %40 = index %39, %38, 4 : ptr global !15
//   %41 = store %40, %36 !16
//   %42 = const 0 : u64 !17
//   %43 = const 1 : u64 !17
//   %44 = for %42, %32, step %43 : u64 !17 {
//     %45 = index %31, %44, 4 : ptr global !17
//     %46 = const 1.0 : f32 !18
//     %47 = store %45, %46 !19
//   }
//   %48 = const 9 : u64 !20
//   %49 = len arg2 : u64 !21
//   %50 = const 1 : u64 !21
//   %51 = add %48, %50 : u64 !21
//   %52 = lt %48, %49 : bool !21
//   %53 = le %17, %49 : bool !21
//   %54 = le %17, %51 : bool !21
//   %55 = and %52, %54 : bool !21
//   %56 = if %55 !21 {
//   } else {
//     %57 = if %53 !21 {
//       %58 = if %52 !21 {
//         %59 = panic msg0, %17, %51 !21
//       } else {
//         %60 = panic msg1, %48, %49 !21
//       }
//     } else {
//       %61 = panic msg2, %17, %49 !21
//     }
//   }
//   %62 = param arg2 : ptr global !21
//   %63 = index %62, %17, 4 : ptr global !21
//   %64 = sub %51, %17 : u64 !21
//   %65 = const 0.5 : f32 !22
//   %66 = const 0 : u64 !23
//   %67 = const 1 : u64 !23
//   %68 = for %66, %64, step %67 : u64 !23 {
//     %69 = index %63, %68, 4 : ptr global !23
//     %70 = store %69, %65 !23
//   }
//   %71 = param arg1 : u64 !24
//   %72 = len arg0 : u64 !25
//   %73 = lt %71, %72 : bool !25
//   %74 = param arg0 : ptr global !25
//   %75 = index %74, %71, 4 : ptr global !25
//   %76 = if %73 !26 {
//     %77 = load %75 : f32 !27
//     %78 = const 1 : u64 !28
//     %79 = len arg2 : u64 !28
//     %80 = bounds %78, %79 : u64 !28
//     %81 = param arg2 : ptr global !29
//     %82 = index %81, %80, 4 : ptr global !29
//     %83 = store %82, %77 !30
//   }
//   %84 = const 0 : u64 !31
//   %85 = const 1 : u64 !32
//   %86 = len arg2 : u64 !33
//   %87 = bounds %84, %86 : u64 !33
//   %88 = param arg2 : ptr global !33
//   %89 = index %88, %87, 4 : ptr global !33
//   %90 = load %89 : f32 !33
//   %91 = len arg2 : u64 !33
//   %92 = bounds %85, %91 : u64 !33
//   %93 = param arg2 : ptr global !33
//   %94 = index %93, %92, 4 : ptr global !33
//   %95 = load %94 : f32 !33
//   %96 = len arg2 : u64 !33
//   %97 = bounds %84, %96 : u64 !33
//   %98 = param arg2 : ptr global !33
//   %99 = index %98, %97, 4 : ptr global !33
//   %100 = store %99, %95 !33
//   %101 = len arg2 : u64 !33
//   %102 = bounds %85, %101 : u64 !33
//   %103 = param arg2 : ptr global !33
//   %104 = index %103, %102, 4 : ptr global !33
//   %105 = store %104, %90 !33
// }
