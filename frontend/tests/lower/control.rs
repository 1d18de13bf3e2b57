#[kernel]
fn values(a: i32, b: bool, y: &mut [i32]) {
    y[0] = if b { 1 } else if a > 3 { return } else { 2 };
    let x = loop {
        if a == 4 {
            break 7;
        }
        if b {
            break 8;
        }
    };
    let z = 'found: {
        if x > 7 {
            break 'found x;
        }
        0
    };
    let w;
    if z == 0 {
        w = 1;
    } else {
        w = 2;
    }
    y[1] = w;
}

#[kernel]
fn short_circuit(x: &[i32], y: &mut [bool]) {
    let i = thread_idx_x();
    y[0] = i < x.len() && x[i] > 0;
    y[1] = i >= x.len() || x[i] == 0;
    y[2] = i > 3 && i < 7 || !(i == 5);
    y[3] = i == 0 && return;
}

#[kernel]
fn quotient_on_the_right(n: usize, m: usize, y: &mut [bool]) {
    let i = thread_idx_x();
    y[0] = i >= n || i >= m / 2;
    y[1] = i >= n || i >= m / n;
}

#[kernel]
fn loops(n: u32, y: &mut [u32]) {
    let mut sum = 0;
    'outer: for i in 0..n {
        for j in (0..=i).rev() {
            if j == 3 {
                continue 'outer;
            }
            if i + j == 40 {
                break 'outer;
            }
            sum += j;
        }
        while sum > 100 {
            sum /= 2;
            if sum == 64 {
                break;
            }
        }
    }
    for _ in 0..3 {
        sum += 1;
    }
    for mut k in (1..10).step_by(3) {
        k += 1;
        sum ^= k;
    }
    for k in (0..n).rev().step_by(2) {
        sum += k;
    }
    y[0] = sum;
}

// The right side of an assignment comes first, then the place.
#[kernel]
fn order(x: &[usize], y: &mut [usize]) {
    let mut m = 1;
    y[m] = {
        m = 2;
        x[m]
    };
    y[x[0]] += x[1];
    let n = m + {
        m = 5;
        m
    };
    y[n] = m;
}

#[kernel]
fn shadowing(a: f32, y: &mut [f32]) {
    let x = a;
    {
        let x = x + 1.0;
        y[0] = x;
    }
    let x = x * 2.0;
    y[1] = x;
    let mut a = a;
    a -= 1.0;
    y[2] = a;
}
// == values
// kernel values {
//   param arg0 = a: i32 !0
//   param arg1 = b: bool !1
//   param arg2 = y: write [i32] !2
//   local $0 = : i32 !4
//   local $1 = : i32 !9
//   local $2 = : i32 !15
//   local $3 = : i32 !26
//   local $4 = w: i32 !33
//   %0 = param arg1 : bool !3
//   %1 = if %0 !4 {
//     %2 = const 1 : i32 !5
//     %3 = set $0, %2 !4
//   } else {
//     %4 = param arg0 : i32 !6
//     %5 = const 3 : i32 !7
//     %6 = gt %4, %5 : bool !8
//     %7 = if %6 !9 {
//       %8 = return !10
//     } else {
//       %9 = const 2 : i32 !11
//       %10 = set $1, %9 !9
//     }
//     %11 = get $1 : i32 !9
//     %12 = set $0, %11 !4
//   }
//   %13 = get $0 : i32 !4
//   %14 = const 0 : u64 !12
//   %15 = len arg2 : u64 !12
//   %16 = bounds %14, %15 : u64 !12
//   %17 = param arg2 : ptr global !13
//   %18 = index %17, %16, 4 : ptr global !13
//   %19 = store %18, %13 !14
//   %20 = loop !15 {
//     %21 = param arg0 : i32 !16
//     %22 = const 4 : i32 !17
//     %23 = eq %21, %22 : bool !18
//     %24 = if %23 !19 {
//       %25 = const 7 : i32 !20
//       %26 = set $2, %25 !20
//       %27 = break %20 !21
//     }
//     %28 = param arg1 : bool !22
//     %29 = if %28 !23 {
//       %30 = const 8 : i32 !24
//       %31 = set $2, %30 !24
//       %32 = break %20 !25
//     }
//   }
//   %33 = get $2 : i32 !15
//   %34 = block !26 {
//     %35 = const 7 : i32 !27
//     %36 = gt %33, %35 : bool !28
//     %37 = if %36 !29 {
//       %38 = set $3, %33 !30
//       %39 = break %34 !31
//     }
//     %40 = const 0 : i32 !32
//     %41 = set $3, %40 !26
//   }
//   %42 = get $3 : i32 !26
//   %43 = const 0 : i32 !34
//   %44 = eq %42, %43 : bool !35
//   %45 = if %44 !36 {
//     %46 = const 1 : i32 !37
//     %47 = set $4, %46 !38
//   } else {
//     %48 = const 2 : i32 !39
//     %49 = set $4, %48 !40
//   }
//   %50 = get $4 : i32 !41
//   %51 = const 1 : u64 !42
//   %52 = len arg2 : u64 !42
//   %53 = bounds %51, %52 : u64 !42
//   %54 = param arg2 : ptr global !43
//   %55 = index %54, %53, 4 : ptr global !43
//   %56 = store %55, %50 !44
// }
// == short_circuit
// kernel short_circuit {
//   param arg0 = x: read [i32] !0
//   param arg1 = y: write [bool] !1
//   local $0 = : bool !5
//   local $1 = : bool !15
//   local $2 = : bool !37
//   %0 = builtin thread_idx.x : u64 !2
//   %1 = len arg0 : u64 !3
//   %2 = lt %0, %1 : bool !4
//   %3 = set $0, %2 !5
//   %4 = if %2 !5 {
//     %5 = len arg0 : u64 !6
//     %6 = bounds %0, %5 : u64 !6
//     %7 = param arg0 : ptr global !7
//     %8 = index %7, %6, 4 : ptr global !7
//     %9 = load %8 : i32 !7
//     %10 = const 0 : i32 !8
//     %11 = gt %9, %10 : bool !9
//     %12 = set $0, %11 !9
//   }
//   %13 = get $0 : bool !5
//   %14 = const 0 : u64 !10
//   %15 = len arg1 : u64 !10
//   %16 = bounds %14, %15 : u64 !10
//   %17 = param arg1 : ptr global !11
//   %18 = index %17, %16, 1 : ptr global !11
//   %19 = store %18, %13 !12
//   %20 = len arg0 : u64 !13
//   %21 = ge %0, %20 : bool !14
//   %22 = set $1, %21 !15
//   %23 = if %21 !15 {
//   } else {
//     %24 = len arg0 : u64 !16
//     %25 = bounds %0, %24 : u64 !16
//     %26 = param arg0 : ptr global !17
//     %27 = index %26, %25, 4 : ptr global !17
//     %28 = load %27 : i32 !17
//     %29 = const 0 : i32 !18
//     %30 = eq %28, %29 : bool !19
//     %31 = set $1, %30 !19
//   }
//   %32 = get $1 : bool !15
//   %33 = const 1 : u64 !20
//   %34 = len arg1 : u64 !20
//   %35 = bounds %33, %34 : u64 !20
//   %36 = param arg1 : ptr global !21
//   %37 = index %36, %35, 1 : ptr global !21
//   %38 = store %37, %32 !22
//   %39 = const 3 : u64 !23
//   %40 = gt %0, %39 : bool !24
//   %41 = const 7 : u64 !25
//   %42 = lt %0, %41 : bool !26
//   %43 = and %40, %42 : bool !27
//   %44 = const 5 : u64 !28
//   %45 = eq %0, %44 : bool !29
//   %46 = not %45 : bool !30
//   %47 = or %43, %46 : bool !31
//   %48 = const 2 : u64 !32
//   %49 = len arg1 : u64 !32
//   %50 = bounds %48, %49 : u64 !32
//   %51 = param arg1 : ptr global !33
//   %52 = index %51, %50, 1 : ptr global !33
//   %53 = store %52, %47 !34
//   %54 = const 0 : u64 !35
//   %55 = eq %0, %54 : bool !36
//   %56 = set $2, %55 !37
//   %57 = if %55 !37 {
//     %58 = return !38
//   }
//   %59 = get $2 : bool !37
//   %60 = const 3 : u64 !39
//   %61 = len arg1 : u64 !39
//   %62 = bounds %60, %61 : u64 !39
//   %63 = param arg1 : ptr global !40
//   %64 = index %63, %62, 1 : ptr global !40
//   %65 = store %64, %59 !41
// }
// == quotient_on_the_right
// kernel quotient_on_the_right {
//   param arg0 = n: u64 !0
//   param arg1 = m: u64 !1
//   param arg2 = y: write [bool] !2
//   local $0 = : bool !16
//   %0 = builtin thread_idx.x : u64 !3
//   %1 = param arg0 : u64 !4
//   %2 = ge %0, %1 : bool !5
//   %3 = param arg1 : u64 !7
//   %4 = const 2 : u64 !8
//   %5 = div %3, %4 : u64 !9
//   %6 = ge %0, %5 : bool !10
//   %7 = or %2, %6 : bool !6
//   %8 = const 0 : u64 !11
//   %9 = len arg2 : u64 !11
//   %10 = bounds %8, %9 : u64 !11
//   %11 = param arg2 : ptr global !12
//   %12 = index %11, %10, 1 : ptr global !12
//   %13 = store %12, %7 !13
//   %14 = param arg0 : u64 !14
//   %15 = ge %0, %14 : bool !15
//   %16 = set $0, %15 !16
//   %17 = if %15 !16 {
//   } else {
//     %18 = param arg1 : u64 !17
//     %19 = param arg0 : u64 !18
//     %20 = const 0 : u64 !19
//     %21 = ne %19, %20 : bool !19
//     %22 = check %21, divide_by_zero !19
//     %23 = div %18, %19 : u64 !19
//     %24 = ge %0, %23 : bool !20
//     %25 = set $0, %24 !20
//   }
//   %26 = get $0 : bool !16
//   %27 = const 1 : u64 !21
//   %28 = len arg2 : u64 !21
//   %29 = bounds %27, %28 : u64 !21
//   %30 = param arg2 : ptr global !22
//   %31 = index %30, %29, 1 : ptr global !22
//   %32 = store %31, %26 !23
// }
// == loops
// kernel loops {
//   param arg0 = n: u32 !0
//   param arg1 = y: write [u32] !1
//   local $0 = sum: u32 !3
//   local $1 = k: u32 !42
//   %0 = const 0 : u32 !2
//   %1 = set $0, %0 !3
//   %2 = const 0 : u32 !4
//   %3 = param arg0 : u32 !5
//   %4 = const 1 : u32 !6
//   %5 = for %2, %3, step %4 : u32 !6 {
//     %6 = const 0 : u32 !7
//     %7 = const 1 : u32 !8
//     %8 = for inclusive %6, %5, step %7 : u32 !8 {
//       %9 = sub %8, %6 : u32 !8
//       %10 = sub %5, %9 : u32 !8
//       %11 = const 3 : u32 !9
//       %12 = eq %10, %11 : bool !10
//       %13 = if %12 !11 {
//         %14 = continue %5 !12
//       }
//       %15 = add %5, %10 : u32 !13
//       %16 = const 40 : u32 !14
//       %17 = eq %15, %16 : bool !15
//       %18 = if %17 !16 {
//         %19 = break %5 !17
//       }
//       %20 = get $0 : u32 !18
//       %21 = add %20, %10 : u32 !19
//       %22 = set $0, %21 !19
//     }
//     %23 = loop !20 {
//       %24 = get $0 : u32 !21
//       %25 = const 100 : u32 !22
//       %26 = gt %24, %25 : bool !23
//       %27 = if %26 !20 {
//         %28 = const 2 : u32 !24
//         %29 = get $0 : u32 !25
//         %30 = div %29, %28 : u32 !26
//         %31 = set $0, %30 !26
//         %32 = get $0 : u32 !27
//         %33 = const 64 : u32 !28
//         %34 = eq %32, %33 : bool !29
//         %35 = if %34 !30 {
//           %36 = break %23 !31
//         }
//       } else {
//         %37 = break %23 !20
//       }
//     }
//   }
//   %38 = const 0 : i32 !32
//   %39 = const 3 : i32 !33
//   %40 = const 1 : i32 !34
//   %41 = for %38, %39, step %40 : i32 !34 {
//     %42 = const 1 : u32 !35
//     %43 = get $0 : u32 !36
//     %44 = add %43, %42 : u32 !37
//     %45 = set $0, %44 !37
//   }
//   %46 = const 1 : u32 !38
//   %47 = const 10 : u32 !39
//   %48 = const 3 : u64 !40
//   %49 = lt %46, %47 : bool !41
//   %50 = if %49 !41 {
//     %51 = sub %47, %46 : u32 !41
//     %52 = cast %51 : u64 !41
//     %53 = const 0 : u64 !41
//     %54 = for %53, %52, step %48 : u64 !41 {
//       %55 = cast %54 : u32 !41
//       %56 = add %46, %55 : u32 !41
//       %57 = set $1, %56 !42
//       %58 = const 1 : u32 !43
//       %59 = get $1 : u32 !44
//       %60 = add %59, %58 : u32 !45
//       %61 = set $1, %60 !45
//       %62 = get $1 : u32 !46
//       %63 = get $0 : u32 !47
//       %64 = xor %63, %62 : u32 !48
//       %65 = set $0, %64 !48
//     }
//   }
//   %66 = const 0 : u32 !49
//   %67 = param arg0 : u32 !50
//   %68 = const 2 : u64 !51
//   %69 = lt %66, %67 : bool !52
//   %70 = if %69 !52 {
//     %71 = sub %67, %66 : u32 !52
//     %72 = cast %71 : u64 !52
//     %73 = const 0 : u64 !52
//     %74 = for %73, %72, step %68 : u64 !52 {
//       %75 = cast %74 : u32 !52
//       %76 = const 1 : u32 !52
//       %77 = sub %67, %76 : u32 !52
//       %78 = sub %77, %75 : u32 !52
//       %79 = get $0 : u32 !53
//       %80 = add %79, %78 : u32 !54
//       %81 = set $0, %80 !54
//     }
//   }
//   %82 = get $0 : u32 !55
//   %83 = const 0 : u64 !56
//   %84 = len arg1 : u64 !56
//   %85 = bounds %83, %84 : u64 !56
//   %86 = param arg1 : ptr global !57
//   %87 = index %86, %85, 4 : ptr global !57
//   %88 = store %87, %82 !58
// }
// == order
// kernel order {
//   param arg0 = x: read [u64] !0
//   param arg1 = y: write [u64] !1
//   local $0 = m: u64 !3
//   %0 = const 1 : u64 !2
//   %1 = set $0, %0 !3
//   %2 = const 2 : u64 !4
//   %3 = set $0, %2 !5
//   %4 = get $0 : u64 !6
//   %5 = len arg0 : u64 !6
//   %6 = bounds %4, %5 : u64 !6
//   %7 = param arg0 : ptr global !7
//   %8 = index %7, %6, 8 : ptr global !7
//   %9 = load %8 : u64 !7
//   %10 = get $0 : u64 !8
//   %11 = len arg1 : u64 !8
//   %12 = bounds %10, %11 : u64 !8
//   %13 = param arg1 : ptr global !9
//   %14 = index %13, %12, 8 : ptr global !9
//   %15 = store %14, %9 !10
//   %16 = const 1 : u64 !11
//   %17 = len arg0 : u64 !11
//   %18 = bounds %16, %17 : u64 !11
//   %19 = param arg0 : ptr global !12
//   %20 = index %19, %18, 8 : ptr global !12
//   %21 = load %20 : u64 !12
//   %22 = const 0 : u64 !13
//   %23 = len arg0 : u64 !13
//   %24 = bounds %22, %23 : u64 !13
//   %25 = param arg0 : ptr global !14
//   %26 = index %25, %24, 8 : ptr global !14
//   %27 = load %26 : u64 !14
//   %28 = len arg1 : u64 !14
//   %29 = bounds %27, %28 : u64 !14
//   %30 = param arg1 : ptr global !15
//   %31 = index %30, %29, 8 : ptr global !15
//   %32 = load %31 : u64 !15
//   %33 = add %32, %21 : u64 !16
//   %34 = store %31, %33 !16
//   %35 = get $0 : u64 !17
//   %36 = const 5 : u64 !18
//   %37 = set $0, %36 !19
//   %38 = get $0 : u64 !20
//   %39 = add %35, %38 : u64 !21
//   %40 = get $0 : u64 !22
//   %41 = len arg1 : u64 !23
//   %42 = bounds %39, %41 : u64 !23
//   %43 = param arg1 : ptr global !24
//   %44 = index %43, %42, 8 : ptr global !24
//   %45 = store %44, %40 !25
// }
// == shadowing
// kernel shadowing {
//   param arg0 = a: f32 !0
//   param arg1 = y: write [f32] !1
//   local $0 = a: f32 !14
//   %0 = param arg0 : f32 !2
//   %1 = const 1.0 : f32 !3
//   %2 = add %0, %1 : f32 !4
//   %3 = const 0 : u64 !5
//   %4 = len arg1 : u64 !5
//   %5 = bounds %3, %4 : u64 !5
//   %6 = param arg1 : ptr global !6
//   %7 = index %6, %5, 4 : ptr global !6
//   %8 = store %7, %2 !7
//   %9 = const 2.0 : f32 !8
//   %10 = mul %0, %9 : f32 !9
//   %11 = const 1 : u64 !10
//   %12 = len arg1 : u64 !10
//   %13 = bounds %11, %12 : u64 !10
//   %14 = param arg1 : ptr global !11
//   %15 = index %14, %13, 4 : ptr global !11
//   %16 = store %15, %10 !12
//   %17 = param arg0 : f32 !13
//   %18 = set $0, %17 !14
//   %19 = const 1.0 : f32 !15
//   %20 = get $0 : f32 !16
//   %21 = sub %20, %19 : f32 !17
//   %22 = set $0, %21 !17
//   %23 = get $0 : f32 !18
//   %24 = const 2 : u64 !19
//   %25 = len arg1 : u64 !19
//   %26 = bounds %24, %25 : u64 !19
//   %27 = param arg1 : ptr global !20
//   %28 = index %27, %26, 4 : ptr global !20
//   %29 = store %28, %23 !21
// }
