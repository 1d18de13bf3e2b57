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
