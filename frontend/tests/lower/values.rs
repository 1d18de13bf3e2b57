#[device]
#[derive(Clone, Copy, Default, PartialEq)]
struct Pair { a: f32, b: u32 }

#[device]
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
enum Level { #[default] Low, Mid = 5, High }

#[device]
fn square(x: f32) -> f32 { x * x }

#[device]
fn apply<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 { f(x) }

#[device]
struct Grid { width: usize }

#[device]
impl std::ops::Index<(usize, usize)> for Grid {
    type Output = usize;
    fn index(&self, (_, _): (usize, usize)) -> &usize { &self.width }
}

#[kernel]
fn values(x: &[f32], grid: Grid, y: &mut [f32], z: &mut [u32]) {
    const N: usize = 3;
    let i = global_idx_x();
    y[i] = apply(square, x[i]);
    y[0] = Some(x[0]).map(square).unwrap_or(0.0);
    let mut p = Pair::default();
    let mut q = Pair { a: 1.0, ..Default::default() };
    (p, q) = (q, p);
    (p.a, _) = (2.0, 1);
    z[0] = Level::Mid as u32 + grid[(1, 2)] as u32;
    let level = if i > 2 { Level::Low } else { Level::High };
    if level < Level::Mid { z[1] = p.b; }
    let a = [1.0; N];
    y[1] = a[i] + q.a;
    let s = warp::shfl_down(p, 1);
    y[2] = s.a;
}
#[device]
fn checked(x: u32) -> Result<u32, u32> { if x > 3 { Err(x) } else { Ok(x + 1) } }

#[kernel]
fn unwraps(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    y[0] = checked(x[i]).unwrap() + Some(x[0]).expect("there is {one}");
    y[1] = checked(x[i]).ok().unwrap() + checked(x[1]).unwrap_err();
}

// == values
// kernel values {
//   param arg0 = x: read [f32] !0
//   param arg1 = "grid.width": u64 !1
//   param arg2 = y: write [f32] !2
//   param arg3 = z: write [u32] !3
//   array #0 = a: [f32; 3] !56
//   local $0 = : bool !14
//   local $1 = : f32 !14
//   local $2 = : f32 !17
//   local $3 = "p.a": f32 !22
//   local $4 = "p.b": u32 !22
//   local $5 = "q.a": f32 !25
//   local $6 = "q.b": u32 !25
//   local $7 = : i32 !45
//   %0 = builtin global_idx.x : u64 !4
//   %1 = len arg0 : u64 !5
//   %2 = bounds %0, %1 : u64 !5
//   %3 = param arg0 : ptr global !6
//   %4 = index %3, %2, 4 : ptr global !6
//   %5 = load %4 : f32 !6
//   %6 = mul %5, %5 : f32 !7
//   %7 = len arg2 : u64 !8
//   %8 = bounds %0, %7 : u64 !8
//   %9 = param arg2 : ptr global !9
//   %10 = index %9, %8, 4 : ptr global !9
//   %11 = store %10, %6 !10
//   %12 = const 0 : u64 !11
//   %13 = len arg0 : u64 !11
//   %14 = bounds %12, %13 : u64 !11
//   %15 = param arg0 : ptr global !12
//   %16 = index %15, %14, 4 : ptr global !12
//   %17 = load %16 : f32 !12
//   %18 = const true : bool !13
//   %19 = mul %17, %17 : f32 !15
//   %20 = const true : bool !14
//   %21 = set $0, %20 !14
//   %22 = set $1, %19 !14
//   %23 = get $0 : bool !14
//   %24 = get $1 : f32 !14
//   %25 = const 0.0 : f32 !16
//   %26 = if %23 !17 {
//     %27 = set $2, %24 !17
//   } else {
//     %28 = not %23 : bool !17
//     %29 = set $2, %25 !17
//   }
//   %30 = get $2 : f32 !17
//   %31 = const 0 : u64 !18
//   %32 = len arg2 : u64 !18
//   %33 = bounds %31, %32 : u64 !18
//   %34 = param arg2 : ptr global !19
//   %35 = index %34, %33, 4 : ptr global !19
//   %36 = store %35, %30 !20
//   %37 = const 0.0 : f32 !21
//   %38 = const 0 : u32 !21
//   %39 = set $3, %37 !22
//   %40 = set $4, %38 !22
//   %41 = const 1.0 : f32 !23
//   %42 = const 0.0 : f32 !24
//   %43 = const 0 : u32 !24
//   %44 = set $5, %41 !25
//   %45 = set $6, %43 !25
//   %46 = get $5 : f32 !26
//   %47 = get $6 : u32 !26
//   %48 = get $3 : f32 !27
//   %49 = get $4 : u32 !27
//   %50 = set $3, %46 !28
//   %51 = set $4, %47 !28
//   %52 = set $5, %48 !29
//   %53 = set $6, %49 !29
//   %54 = const 2.0 : f32 !30
//   %55 = const 1 : i32 !31
//   %56 = set $3, %54 !32
//   %57 = const 5 : i32 !33
//   %58 = cast %57 : u32 !34
//   %59 = const 1 : u64 !35
//   %60 = const 2 : u64 !36
//   %61 = param arg1 : u64 !37
//   %62 = cast %61 : u32 !38
//   %63 = add %58, %62 : u32 !39
//   %64 = const 0 : u64 !40
//   %65 = len arg3 : u64 !40
//   %66 = bounds %64, %65 : u64 !40
//   %67 = param arg3 : ptr global !41
//   %68 = index %67, %66, 4 : ptr global !41
//   %69 = store %68, %63 !42
//   %70 = const 2 : u64 !43
//   %71 = gt %0, %70 : bool !44
//   %72 = if %71 !45 {
//     %73 = const 0 : i32 !46
//     %74 = set $7, %73 !45
//   } else {
//     %75 = const 6 : i32 !47
//     %76 = set $7, %75 !45
//   }
//   %77 = get $7 : i32 !45
//   %78 = const 5 : i32 !48
//   %79 = lt %77, %78 : bool !49
//   %80 = eq %77, %78 : bool !49
//   %81 = const 5 : i32 !49
//   %82 = eq %77, %81 : bool !49
//   %83 = and %82, %80 : bool !49
//   %84 = const false : bool !49
//   %85 = and %83, %84 : bool !49
//   %86 = or %79, %85 : bool !49
//   %87 = if %86 !50 {
//     %88 = get $4 : u32 !51
//     %89 = const 1 : u64 !52
//     %90 = len arg3 : u64 !52
//     %91 = bounds %89, %90 : u64 !52
//     %92 = param arg3 : ptr global !53
//     %93 = index %92, %91, 4 : ptr global !53
//     %94 = store %93, %88 !54
//   }
//   %95 = const 1.0 : f32 !55
//   %96 = const 0 : u64 !56
//   %97 = array #0 : ptr local !56
//   %98 = index %97, %96, 4 : ptr local !56
//   %99 = store %98, %95 !56
//   %100 = const 1 : u64 !56
//   %101 = array #0 : ptr local !56
//   %102 = index %101, %100, 4 : ptr local !56
//   %103 = store %102, %95 !56
//   %104 = const 2 : u64 !56
//   %105 = array #0 : ptr local !56
//   %106 = index %105, %104, 4 : ptr local !56
//   %107 = store %106, %95 !56
//   %108 = const 3 : u64 !57
//   %109 = bounds %0, %108 : u64 !57
//   %110 = array #0 : ptr local !58
//   %111 = index %110, %109, 4 : ptr local !58
//   %112 = load %111 : f32 !58
//   %113 = get $5 : f32 !59
//   %114 = add %112, %113 : f32 !60
//   %115 = const 1 : u64 !61
//   %116 = len arg2 : u64 !61
//   %117 = bounds %115, %116 : u64 !61
//   %118 = param arg2 : ptr global !62
//   %119 = index %118, %117, 4 : ptr global !62
//   %120 = store %119, %114 !63
//   %121 = get $3 : f32 !64
//   %122 = get $4 : u32 !64
//   %123 = const 1 : u32 !65
//   %124 = shuffle.down %121, %123, width 32 : f32 !66
//   %125 = shuffle.down %122, %123, width 32 : u32 !66
//   %126 = const 2 : u64 !67
//   %127 = len arg2 : u64 !67
//   %128 = bounds %126, %127 : u64 !67
//   %129 = param arg2 : ptr global !68
//   %130 = index %129, %128, 4 : ptr global !68
//   %131 = store %130, %124 !69
// }
// == unwraps
// kernel unwraps {
//   param arg0 = x: read [u32] !0
//   param arg1 = y: write [u32] !1
//   message msg0 = "called `Result::unwrap()` on an `Err` value: {0:?}": (u32)
//   message msg1 = "called `Option::unwrap()` on a `None` value": ()
//   message msg2 = "called `Result::unwrap_err()` on an `Ok` value: {0:?}": (u32)
//   local $0 = : bool !7
//   local $1 = : u32 !7
//   local $2 = : u32 !7
//   local $3 = : u32 !12
//   local $4 = : u32 !18
//   local $5 = : bool !27
//   local $6 = : u32 !27
//   local $7 = : u32 !27
//   local $8 = : bool !32
//   local $9 = : u32 !32
//   local $10 = : u32 !33
//   local $11 = : bool !40
//   local $12 = : u32 !40
//   local $13 = : u32 !40
//   local $14 = : u32 !45
//   %0 = builtin global_idx.x : u64 !2
//   %1 = len arg0 : u64 !3
//   %2 = bounds %0, %1 : u64 !3
//   %3 = param arg0 : ptr global !4
//   %4 = index %3, %2, 4 : ptr global !4
//   %5 = load %4 : u32 !4
//   %6 = const 3 : u32 !5
//   %7 = gt %5, %6 : bool !6
//   %8 = if %7 !7 {
//     %9 = const true : bool !8
//     %10 = set $0, %9 !7
//     %11 = set $2, %5 !7
//   } else {
//     %12 = const 1 : u32 !9
//     %13 = add %5, %12 : u32 !10
//     %14 = const false : bool !11
//     %15 = set $0, %14 !7
//     %16 = set $1, %13 !7
//   }
//   %17 = get $0 : bool !7
//   %18 = get $1 : u32 !7
//   %19 = get $2 : u32 !7
//   %20 = not %17 : bool !13
//   %21 = if %20 !12 {
//     %22 = set $3, %18 !12
//   } else {
//     %23 = panic msg0, %19 !14
//   }
//   %24 = get $3 : u32 !12
//   %25 = const 0 : u64 !15
//   %26 = len arg0 : u64 !15
//   %27 = bounds %25, %26 : u64 !15
//   %28 = param arg0 : ptr global !16
//   %29 = index %28, %27, 4 : ptr global !16
//   %30 = load %29 : u32 !16
//   %31 = const true : bool !17
//   %32 = set $4, %30 !18
//   %33 = get $4 : u32 !18
//   %34 = add %24, %33 : u32 !19
//   %35 = const 0 : u64 !20
//   %36 = len arg1 : u64 !20
//   %37 = bounds %35, %36 : u64 !20
//   %38 = param arg1 : ptr global !21
//   %39 = index %38, %37, 4 : ptr global !21
//   %40 = store %39, %34 !22
//   %41 = len arg0 : u64 !23
//   %42 = bounds %0, %41 : u64 !23
//   %43 = param arg0 : ptr global !24
//   %44 = index %43, %42, 4 : ptr global !24
//   %45 = load %44 : u32 !24
//   %46 = const 3 : u32 !25
//   %47 = gt %45, %46 : bool !26
//   %48 = if %47 !27 {
//     %49 = const true : bool !28
//     %50 = set $5, %49 !27
//     %51 = set $7, %45 !27
//   } else {
//     %52 = const 1 : u32 !29
//     %53 = add %45, %52 : u32 !30
//     %54 = const false : bool !31
//     %55 = set $5, %54 !27
//     %56 = set $6, %53 !27
//   }
//   %57 = get $5 : bool !27
//   %58 = get $6 : u32 !27
//   %59 = get $7 : u32 !27
//   %60 = not %57 : bool !32
//   %61 = if %60 !32 {
//     %62 = const true : bool !32
//     %63 = set $8, %62 !32
//     %64 = set $9, %58 !32
//   } else {
//     %65 = const false : bool !32
//     %66 = set $8, %65 !32
//   }
//   %67 = get $8 : bool !32
//   %68 = get $9 : u32 !32
//   %69 = if %67 !33 {
//     %70 = set $10, %68 !33
//   } else {
//     %71 = not %67 : bool !34
//     %72 = panic msg1 !35
//   }
//   %73 = get $10 : u32 !33
//   %74 = const 1 : u64 !36
//   %75 = len arg0 : u64 !36
//   %76 = bounds %74, %75 : u64 !36
//   %77 = param arg0 : ptr global !37
//   %78 = index %77, %76, 4 : ptr global !37
//   %79 = load %78 : u32 !37
//   %80 = const 3 : u32 !38
//   %81 = gt %79, %80 : bool !39
//   %82 = if %81 !40 {
//     %83 = const true : bool !41
//     %84 = set $11, %83 !40
//     %85 = set $13, %79 !40
//   } else {
//     %86 = const 1 : u32 !42
//     %87 = add %79, %86 : u32 !43
//     %88 = const false : bool !44
//     %89 = set $11, %88 !40
//     %90 = set $12, %87 !40
//   }
//   %91 = get $11 : bool !40
//   %92 = get $12 : u32 !40
//   %93 = get $13 : u32 !40
//   %94 = if %91 !45 {
//     %95 = set $14, %93 !45
//   } else {
//     %96 = not %91 : bool !46
//     %97 = panic msg2, %92 !47
//   }
//   %98 = get $14 : u32 !45
//   %99 = add %73, %98 : u32 !48
//   %100 = const 1 : u64 !49
//   %101 = len arg1 : u64 !49
//   %102 = bounds %100, %101 : u64 !49
//   %103 = param arg1 : ptr global !50
//   %104 = index %103, %102, 4 : ptr global !50
//   %105 = store %104, %99 !51
// }
