#[kernel]
fn add_one(y: &mut [f32]) {
    for v in y.iter_mut() {
        *v += 1.0;
    }
}

#[kernel]
fn dot(x: &[f32], y: &[f32], out: &mut [f32]) {
    let sum: f32 = x.iter().zip(y).map(|(a, b)| a * b).sum();
    for (i, o) in out.iter_mut().enumerate() {
        *o = sum * i as f32;
    }
}

#[kernel]
fn filtered(x: &[i32], out: &mut [i32]) {
    for (i, &v) in x.iter().enumerate().rev().filter(|(_, v)| **v > 3).take(2) {
        if v == 7 {
            continue;
        }
        out[i] = v;
    }
    out[0] = (0..10).step_by(3).map(|i| i * 2).fold(1, |a, b| a - b);
    for chunk in x.chunks(4) {
        if let Some(first) = chunk.first() {
            out[1] = *first;
        }
    }
}
// == add_one
// kernel add_one {
//   param arg0 = y: write [f32] !0
//   %0 = len arg0 : u64 !1
//   %1 = const 0 : u64 !1
//   %2 = const 1 : u64 !1
//   %3 = for %1, %0, step %2 : u64 !1 {
//     %4 = param arg0 : ptr global !1
//     %5 = index %4, %3, 4 : ptr global !1
//     %6 = const 1.0 : f32 !2
//     %7 = load %5 : f32 !3
//     %8 = add %7, %6 : f32 !4
//     %9 = store %5, %8 !4
//   }
// }
// == dot
// kernel dot {
//   param arg0 = x: read [f32] !0
//   param arg1 = y: read [f32] !1
//   param arg2 = out: write [f32] !2
//   local $0 = sum: f32 !3
//   %0 = const -0.0 : f32 !3
//   %1 = set $0, %0 !3
//   %2 = len arg0 : u64 !3
//   %3 = len arg1 : u64 !3
//   %4 = min %2, %3 : u64 !3
//   %5 = const 0 : u64 !3
//   %6 = const 1 : u64 !3
//   %7 = for %5, %4, step %6 : u64 !3 {
//     %8 = param arg0 : ptr global !3
//     %9 = index %8, %7, 4 : ptr global !3
//     %10 = param arg1 : ptr global !3
//     %11 = index %10, %7, 4 : ptr global !3
//     %12 = load %9 : f32 !4
//     %13 = load %11 : f32 !5
//     %14 = mul %12, %13 : f32 !6
//     %15 = get $0 : f32 !3
//     %16 = add %15, %14 : f32 !3
//     %17 = set $0, %16 !3
//   }
//   %18 = get $0 : f32 !3
//   %19 = len arg2 : u64 !7
//   %20 = const 0 : u64 !7
//   %21 = const 1 : u64 !7
//   %22 = for %20, %19, step %21 : u64 !7 {
//     %23 = param arg2 : ptr global !7
//     %24 = index %23, %22, 4 : ptr global !7
//     %25 = cast %22 : f32 !8
//     %26 = mul %18, %25 : f32 !9
//     %27 = store %24, %26 !10
//   }
// }
// == filtered
// kernel filtered {
//   param arg0 = x: read [i32] !0
//   param arg1 = out: write [i32] !1
//   local $0 = : u64 !3
//   local $1 = folded: i32 !19
//   %0 = const 2 : u64 !2
//   %1 = const 0 : u64 !3
//   %2 = set $0, %1 !3
//   %3 = len arg0 : u64 !3
//   %4 = const 1 : u64 !3
//   %5 = sub %3, %4 : u64 !3
//   %6 = const 0 : u64 !3
//   %7 = const 1 : u64 !3
//   %8 = for %6, %3, step %7 : u64 !3 {
//     %9 = sub %5, %8 : u64 !3
//     %10 = param arg0 : ptr global !3
//     %11 = index %10, %9, 4 : ptr global !3
//     %12 = load %11 : i32 !4
//     %13 = const 3 : i32 !5
//     %14 = gt %12, %13 : bool !6
//     %15 = if %14 !3 {
//       %16 = get $0 : u64 !3
//       %17 = const 1 : u64 !3
//       %18 = add %16, %17 : u64 !3
//       %19 = set $0, %18 !3
//       %20 = lt %16, %0 : bool !3
//       %21 = not %20 : bool !3
//       %22 = if %21 !3 {
//         %23 = break %8 !3
//       }
//       %24 = load %11 : i32 !7
//       %25 = const 7 : i32 !8
//       %26 = eq %24, %25 : bool !9
//       %27 = if %26 !10 {
//         %28 = continue %8 !11
//       }
//       %29 = len arg1 : u64 !12
//       %30 = bounds %9, %29 : u64 !12
//       %31 = param arg1 : ptr global !13
//       %32 = index %31, %30, 4 : ptr global !13
//       %33 = store %32, %24 !14
//       %34 = get $0 : u64 !3
//       %35 = lt %34, %0 : bool !3
//       %36 = not %35 : bool !3
//       %37 = if %36 !3 {
//         %38 = break %8 !3
//       }
//     }
//   }
//   %39 = const 0 : i32 !15
//   %40 = const 10 : i32 !16
//   %41 = const 3 : u64 !17
//   %42 = const 1 : i32 !18
//   %43 = set $1, %42 !19
//   %44 = lt %39, %40 : bool !19
//   %45 = if %44 !19 {
//     %46 = sub %40, %39 : i32 !19
//     %47 = cast %46 : u32 !19
//     %48 = cast %47 : u64 !19
//     %49 = const 0 : u64 !19
//     %50 = for %49, %48, step %41 : u64 !19 {
//       %51 = cast %50 : i32 !19
//       %52 = add %39, %51 : i32 !19
//       %53 = const 2 : i32 !20
//       %54 = mul %52, %53 : i32 !21
//       %55 = get $1 : i32 !19
//       %56 = sub %55, %54 : i32 !22
//       %57 = set $1, %56 !19
//     }
//   }
//   %58 = get $1 : i32 !19
//   %59 = const 0 : u64 !23
//   %60 = len arg1 : u64 !23
//   %61 = bounds %59, %60 : u64 !23
//   %62 = param arg1 : ptr global !24
//   %63 = index %62, %61, 4 : ptr global !24
//   %64 = store %63, %58 !25
//   %65 = const 4 : u64 !26
//   %66 = len arg0 : u64 !27
//   %67 = div %66, %65 : u64 !27
//   %68 = rem %66, %65 : u64 !27
//   %69 = const 0 : u64 !27
//   %70 = ne %68, %69 : bool !27
//   %71 = cast %70 : u64 !27
//   %72 = add %67, %71 : u64 !27
//   %73 = const 0 : u64 !27
//   %74 = len arg0 : u64 !27
//   %75 = for %73, %74, step %65 : u64 !27 {
//     %76 = sub %66, %75 : u64 !27
//     %77 = min %65, %76 : u64 !27
//     %78 = param arg0 : ptr global !27
//     %79 = index %78, %75, 4 : ptr global !27
//     %80 = const 0 : u64 !28
//     %81 = lt %80, %77 : bool !28
//     %82 = index %79, %80, 4 : ptr global !28
//     %83 = if %81 !29 {
//       %84 = load %82 : i32 !30
//       %85 = const 1 : u64 !31
//       %86 = len arg1 : u64 !31
//       %87 = bounds %85, %86 : u64 !31
//       %88 = param arg1 : ptr global !32
//       %89 = index %88, %87, 4 : ptr global !32
//       %90 = store %89, %84 !33
//     }
//   }
// }
