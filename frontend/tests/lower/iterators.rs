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
//   %19 = const 0 : u64 !7
//   %20 = len arg2 : u64 !8
//   %21 = const 0 : u64 !8
//   %22 = const 1 : u64 !8
//   %23 = for %21, %20, step %22 : u64 !8 {
//     %24 = param arg2 : ptr global !8
//     %25 = index %24, %23, 4 : ptr global !8
//     %26 = cast %23 : f32 !9
//     %27 = mul %18, %26 : f32 !10
//     %28 = store %25, %27 !11
//   }
// }
// == filtered
// kernel filtered {
//   param arg0 = x: read [i32] !0
//   param arg1 = out: write [i32] !1
//   local $0 = : u64 !4
//   local $1 = folded: i32 !21
//   %0 = const 0 : u64 !2
//   %1 = const 2 : u64 !3
//   %2 = const 0 : u64 !4
//   %3 = set $0, %2 !4
//   %4 = len arg0 : u64 !4
//   %5 = const 1 : u64 !4
//   %6 = sub %4, %5 : u64 !4
//   %7 = const 0 : u64 !4
//   %8 = const 1 : u64 !4
//   %9 = for %7, %4, step %8 : u64 !4 {
//     %10 = sub %6, %9 : u64 !4
//     %11 = param arg0 : ptr global !4
//     %12 = index %11, %10, 4 : ptr global !4
//     %13 = load %12 : i32 !5
//     %14 = const 3 : i32 !6
//     %15 = gt %13, %14 : bool !7
//     %16 = if %15 !4 {
//       %17 = get $0 : u64 !4
//       %18 = const 1 : u64 !4
//       %19 = add %17, %18 : u64 !4
//       %20 = set $0, %19 !4
//       %21 = lt %17, %1 : bool !4
//       %22 = not %21 : bool !4
//       %23 = if %22 !4 {
//         %24 = break %9 !4
//       }
//       %25 = load %12 : i32 !8
//       %26 = const 7 : i32 !9
//       %27 = eq %25, %26 : bool !10
//       %28 = if %27 !11 {
//         %29 = continue %9 !12
//       }
//       %30 = len arg1 : u64 !13
//       %31 = bounds %10, %30 : u64 !13
//       %32 = param arg1 : ptr global !14
//       %33 = index %32, %31, 4 : ptr global !14
//       %34 = store %33, %25 !15
//       %35 = get $0 : u64 !4
//       %36 = lt %35, %1 : bool !4
//       %37 = not %36 : bool !4
//       %38 = if %37 !4 {
//         %39 = break %9 !4
//       }
//     }
//   }
//   %40 = const 0 : i32 !16
//   %41 = const 10 : i32 !17
//   %42 = const 3 : u64 !18
//   %43 = const 0 : u64 !19
//   %44 = const 1 : i32 !20
//   %45 = set $1, %44 !21
//   %46 = lt %40, %41 : bool !21
//   %47 = if %46 !21 {
//     %48 = sub %41, %40 : i32 !21
//     %49 = cast %48 : u32 !21
//     %50 = cast %49 : u64 !21
//     %51 = const 0 : u64 !21
//     %52 = for %51, %50, step %42 : u64 !21 {
//       %53 = cast %52 : i32 !21
//       %54 = add %40, %53 : i32 !21
//       %55 = const 2 : i32 !22
//       %56 = mul %54, %55 : i32 !23
//       %57 = get $1 : i32 !21
//       %58 = sub %57, %56 : i32 !24
//       %59 = set $1, %58 !21
//     }
//   }
//   %60 = get $1 : i32 !21
//   %61 = const 0 : u64 !25
//   %62 = len arg1 : u64 !25
//   %63 = bounds %61, %62 : u64 !25
//   %64 = param arg1 : ptr global !26
//   %65 = index %64, %63, 4 : ptr global !26
//   %66 = store %65, %60 !27
//   %67 = const 4 : u64 !28
//   %68 = len arg0 : u64 !29
//   %69 = div %68, %67 : u64 !29
//   %70 = rem %68, %67 : u64 !29
//   %71 = const 0 : u64 !29
//   %72 = ne %70, %71 : bool !29
//   %73 = cast %72 : u64 !29
//   %74 = add %69, %73 : u64 !29
//   %75 = const 0 : u64 !29
//   %76 = len arg0 : u64 !29
//   %77 = for %75, %76, step %67 : u64 !29 {
//     %78 = sub %68, %77 : u64 !29
//     %79 = min %67, %78 : u64 !29
//     %80 = param arg0 : ptr global !29
//     %81 = index %80, %77, 4 : ptr global !29
//     %82 = const 0 : u64 !30
//     %83 = lt %82, %79 : bool !30
//     %84 = index %81, %82, 4 : ptr global !30
//     %85 = if %83 !31 {
//       %86 = load %84 : i32 !32
//       %87 = const 1 : u64 !33
//       %88 = len arg1 : u64 !33
//       %89 = bounds %87, %88 : u64 !33
//       %90 = param arg1 : ptr global !34
//       %91 = index %90, %89, 4 : ptr global !34
//       %92 = store %91, %86 !35
//     }
//   }
// }
