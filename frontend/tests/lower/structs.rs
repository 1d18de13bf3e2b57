#[device]
#[derive(PartialEq)]
struct Point { x: f32, y: f32 }

#[device]
impl Point {
    const ORIGIN: Point = Point { x: 0.0, y: 0.0 };
    fn new(x: f32, y: f32) -> Self { Self { x, y } }
    fn dot(&self, other: &Point) -> f32 { self.x * other.x + self.y * other.y }
    fn shift(&mut self, by: f32) { self.x += by; self.y += by; }
}

#[device]
impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point { Point { x: self.x + other.x, y: self.y + other.y } }
}

#[kernel]
fn structs(p: Point, points: &[Point], out: &mut [Point], y: &mut [f32]) {
    let i = global_idx_x();
    let mut q = points[i];
    q.shift(2.0);
    let r = q + p + Point::new(1.0, 2.0);
    y[i] = r.dot(&points[i + 1]) + Point::ORIGIN.x;
    out[i] = r;
    out[i].x = 3.0;
    if q == p { y[i] = 1.0; }
}

#[device]
enum Shape { Circle(f32), Rect { w: f32, h: f32 }, Empty }

#[device]
impl Shape {
    fn area(&self) -> f32 {
        match self {
            Shape::Circle(r) => 3.0 * r * r,
            Shape::Rect { w, h } => *w * *h,
            Shape::Empty => 0.0,
        }
    }
}

#[kernel]
fn enums(shapes: &[Shape], y: &mut [f32]) {
    let i = global_idx_x();
    let s = if i > 3 { Shape::Circle(1.0) } else { Shape::Rect { w: 1.0, h: 2.0 } };
    y[i] = shapes[i].area() + s.area();
}

#[device]
fn apply<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 { f(f(x)) }

#[device]
fn first_positive(x: &[f32]) -> Option<f32> {
    for i in 0..x.len() {
        if x[i] > 0.0 { return Some(x[i]); }
    }
    None
}

#[kernel]
fn closures(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let k = 3.0;
    let mut count = 0;
    let mut inc = |by: i32| count += by;
    inc(1);
    inc(2);
    y[i] = apply(|v| v * k, x[i]) + count as f32;
    let v = first_positive(x).map(|v| v + 1.0).unwrap_or(2.0);
    y[0] = v;
    if let Some(v) = first_positive(x) && v > 2.0 { y[1] = v; }
    let (a, b) = (x[0], x[1]);
    let mut arr = [1.0, a, b];
    arr[i] = 2.0;
    y[2] = arr[0] + arr[i + 1];
    let t = [0.5; 16];
    y[3] = t[i];
}
// == structs
// kernel structs {
//   param arg0 = "p.x": f32 !0
//   param arg1 = "p.y": f32 !0
//   param arg2 = points: read [plain 8 align 4] !1
//   param arg3 = out: write [plain 8 align 4] !2
//   param arg4 = y: write [f32] !3
//   local $0 = "q.x": f32 !7
//   local $1 = "q.y": f32 !7
//   %0 = builtin global_idx.x : u64 !4
//   %1 = len arg2 : u64 !5
//   %2 = bounds %0, %1 : u64 !5
//   %3 = param arg2 : ptr global !6
//   %4 = index %3, %2, 8 : ptr global !6
//   %5 = load %4 : f32 !6
//   %6 = offset %4, 4 : ptr global !6
//   %7 = load %6 : f32 !6
//   %8 = set $0, %5 !7
//   %9 = set $1, %7 !7
//   %10 = const 2.0 : f32 !8
//   %11 = get $0 : f32 !9
//   %12 = add %11, %10 : f32 !10
//   %13 = set $0, %12 !10
//   %14 = get $1 : f32 !11
//   %15 = add %14, %10 : f32 !12
//   %16 = set $1, %15 !12
//   %17 = get $0 : f32 !13
//   %18 = get $1 : f32 !13
//   %19 = param arg0 : f32 !14
//   %20 = param arg1 : f32 !14
//   %21 = add %17, %19 : f32 !15
//   %22 = add %18, %20 : f32 !16
//   %23 = const 1.0 : f32 !17
//   %24 = const 2.0 : f32 !18
//   %25 = add %21, %23 : f32 !19
//   %26 = add %22, %24 : f32 !20
//   %27 = const 1 : u64 !21
//   %28 = add %0, %27 : u64 !22
//   %29 = len arg2 : u64 !22
//   %30 = bounds %28, %29 : u64 !22
//   %31 = param arg2 : ptr global !23
//   %32 = index %31, %30, 8 : ptr global !23
//   %33 = load %32 : f32 !24
//   %34 = offset %32, 4 : ptr global !25
//   %35 = load %34 : f32 !25
//   %36 = mul %26, %35 : f32 !26
//   %37 = fma %25, %33, %36 : f32 !27
//   %38 = const 0.0 : f32 !28
//   %39 = const 0.0 : f32 !29
//   %40 = add %37, %38 : f32 !30
//   %41 = len arg4 : u64 !31
//   %42 = bounds %0, %41 : u64 !31
//   %43 = param arg4 : ptr global !32
//   %44 = index %43, %42, 4 : ptr global !32
//   %45 = store %44, %40 !33
//   %46 = len arg3 : u64 !34
//   %47 = bounds %0, %46 : u64 !34
//   %48 = param arg3 : ptr global !35
//   %49 = index %48, %47, 8 : ptr global !35
//   %50 = store %49, %25 !36
//   %51 = offset %49, 4 : ptr global !36
//   %52 = store %51, %26 !36
//   %53 = const 3.0 : f32 !37
//   %54 = len arg3 : u64 !38
//   %55 = bounds %0, %54 : u64 !38
//   %56 = param arg3 : ptr global !39
//   %57 = index %56, %55, 8 : ptr global !39
//   %58 = store %57, %53 !40
//   %59 = get $0 : f32 !41
//   %60 = get $1 : f32 !41
//   %61 = param arg0 : f32 !42
//   %62 = param arg1 : f32 !42
//   %63 = eq %59, %61 : bool !43
//   %64 = eq %60, %62 : bool !43
//   %65 = and %63, %64 : bool !43
//   %66 = if %65 !44 {
//     %67 = const 1.0 : f32 !45
//     %68 = len arg4 : u64 !46
//     %69 = bounds %0, %68 : u64 !46
//     %70 = param arg4 : ptr global !47
//     %71 = index %70, %69, 4 : ptr global !47
//     %72 = store %71, %67 !48
//   }
// }
// == enums
// kernel enums {
//   param arg0 = shapes: read [plain 12 align 4] !0
//   param arg1 = y: write [f32] !1
//   local $0 = : i32 !5
//   local $1 = : f32 !5
//   local $2 = : f32 !5
//   local $3 = : f32 !5
//   local $4 = : f32 !13
//   local $5 = : f32 !26
//   %0 = builtin global_idx.x : u64 !2
//   %1 = const 3 : u64 !3
//   %2 = gt %0, %1 : bool !4
//   %3 = if %2 !5 {
//     %4 = const 1.0 : f32 !6
//     %5 = const 0 : i32 !7
//     %6 = set $0, %5 !5
//     %7 = set $1, %4 !5
//   } else {
//     %8 = const 1.0 : f32 !8
//     %9 = const 2.0 : f32 !9
//     %10 = const 1 : i32 !10
//     %11 = set $0, %10 !5
//     %12 = set $2, %8 !5
//     %13 = set $3, %9 !5
//   }
//   %14 = get $0 : i32 !5
//   %15 = get $1 : f32 !5
//   %16 = get $2 : f32 !5
//   %17 = get $3 : f32 !5
//   %18 = len arg0 : u64 !11
//   %19 = bounds %0, %18 : u64 !11
//   %20 = param arg0 : ptr global !12
//   %21 = index %20, %19, 12 : ptr global !12
//   %22 = load %21 : i32 !14
//   %23 = const 0 : i32 !14
//   %24 = eq %22, %23 : bool !14
//   %25 = offset %21, 4 : ptr global !14
//   %26 = if %24 !13 {
//     %27 = offset %21, 4 : ptr global !14
//     %28 = const 3.0 : f32 !15
//     %29 = load %27 : f32 !16
//     %30 = mul %28, %29 : f32 !17
//     %31 = load %27 : f32 !18
//     %32 = mul %30, %31 : f32 !19
//     %33 = set $4, %32 !13
//   } else {
//     %34 = load %21 : i32 !20
//     %35 = const 1 : i32 !20
//     %36 = eq %34, %35 : bool !20
//     %37 = offset %21, 4 : ptr global !20
//     %38 = offset %37, 4 : ptr global !20
//     %39 = if %36 !13 {
//       %40 = offset %21, 4 : ptr global !20
//       %41 = offset %40, 4 : ptr global !20
//       %42 = load %40 : f32 !21
//       %43 = load %41 : f32 !22
//       %44 = mul %42, %43 : f32 !23
//       %45 = set $4, %44 !13
//     } else {
//       %46 = load %21 : i32 !24
//       %47 = const 2 : i32 !24
//       %48 = eq %46, %47 : bool !24
//       %49 = const 0.0 : f32 !25
//       %50 = set $4, %49 !13
//     }
//   }
//   %51 = get $4 : f32 !13
//   %52 = const 0 : i32 !27
//   %53 = eq %14, %52 : bool !27
//   %54 = if %53 !26 {
//     %55 = const 3.0 : f32 !28
//     %56 = mul %55, %15 : f32 !29
//     %57 = mul %56, %15 : f32 !30
//     %58 = set $5, %57 !26
//   } else {
//     %59 = const 1 : i32 !31
//     %60 = eq %14, %59 : bool !31
//     %61 = if %60 !26 {
//       %62 = mul %16, %17 : f32 !32
//       %63 = set $5, %62 !26
//     } else {
//       %64 = const 2 : i32 !33
//       %65 = eq %14, %64 : bool !33
//       %66 = const 0.0 : f32 !34
//       %67 = set $5, %66 !26
//     }
//   }
//   %68 = get $5 : f32 !26
//   %69 = add %51, %68 : f32 !35
//   %70 = len arg1 : u64 !36
//   %71 = bounds %0, %70 : u64 !36
//   %72 = param arg1 : ptr global !37
//   %73 = index %72, %71, 4 : ptr global !37
//   %74 = store %73, %69 !38
// }
// == closures
// kernel closures {
//   param arg0 = x: read [f32] !0
//   param arg1 = y: write [f32] !1
//   array #0 = arr: [f32; 3] !67
//   array #1 = t: [f32; 16] !82
//   local $0 = count: i32 !5
//   local $1 = : bool !19
//   local $2 = : f32 !19
//   local $3 = : bool !33
//   local $4 = : f32 !33
//   local $5 = : f32 !37
//   local $6 = : bool !41
//   local $7 = : f32 !41
//   %0 = builtin global_idx.x : u64 !2
//   %1 = const 3.0 : f32 !3
//   %2 = const 0 : i32 !4
//   %3 = set $0, %2 !5
//   %4 = const 1 : i32 !6
//   %5 = get $0 : i32 !7
//   %6 = add %5, %4 : i32 !8
//   %7 = set $0, %6 !8
//   %8 = const 2 : i32 !9
//   %9 = get $0 : i32 !7
//   %10 = add %9, %8 : i32 !8
//   %11 = set $0, %10 !8
//   %12 = len arg0 : u64 !10
//   %13 = bounds %0, %12 : u64 !10
//   %14 = param arg0 : ptr global !11
//   %15 = index %14, %13, 4 : ptr global !11
//   %16 = load %15 : f32 !11
//   %17 = mul %16, %1 : f32 !12
//   %18 = mul %17, %1 : f32 !12
//   %19 = get $0 : i32 !13
//   %20 = cast %19 : f32 !14
//   %21 = add %18, %20 : f32 !15
//   %22 = len arg1 : u64 !16
//   %23 = bounds %0, %22 : u64 !16
//   %24 = param arg1 : ptr global !17
//   %25 = index %24, %23, 4 : ptr global !17
//   %26 = store %25, %21 !18
//   %27 = block !19 {
//     %28 = const 0 : u64 !20
//     %29 = len arg0 : u64 !21
//     %30 = const 1 : u64 !22
//     %31 = for %28, %29, step %30 : u64 !22 {
//       %32 = len arg0 : u64 !23
//       %33 = bounds %31, %32 : u64 !23
//       %34 = param arg0 : ptr global !24
//       %35 = index %34, %33, 4 : ptr global !24
//       %36 = load %35 : f32 !24
//       %37 = const 0.0 : f32 !25
//       %38 = gt %36, %37 : bool !26
//       %39 = if %38 !27 {
//         %40 = len arg0 : u64 !28
//         %41 = bounds %31, %40 : u64 !28
//         %42 = param arg0 : ptr global !29
//         %43 = index %42, %41, 4 : ptr global !29
//         %44 = load %43 : f32 !29
//         %45 = const true : bool !30
//         %46 = set $1, %45 !30
//         %47 = set $2, %44 !30
//         %48 = break %27 !31
//       }
//     }
//     %49 = const false : bool !32
//     %50 = set $1, %49 !19
//   }
//   %51 = get $1 : bool !19
//   %52 = get $2 : f32 !19
//   %53 = if %51 !33 {
//     %54 = const 1.0 : f32 !34
//     %55 = add %52, %54 : f32 !35
//     %56 = const true : bool !33
//     %57 = set $3, %56 !33
//     %58 = set $4, %55 !33
//   } else {
//     %59 = not %51 : bool !33
//     %60 = const false : bool !33
//     %61 = set $3, %60 !33
//   }
//   %62 = get $3 : bool !33
//   %63 = get $4 : f32 !33
//   %64 = const 2.0 : f32 !36
//   %65 = if %62 !37 {
//     %66 = set $5, %63 !37
//   } else {
//     %67 = not %62 : bool !37
//     %68 = set $5, %64 !37
//   }
//   %69 = get $5 : f32 !37
//   %70 = const 0 : u64 !38
//   %71 = len arg1 : u64 !38
//   %72 = bounds %70, %71 : u64 !38
//   %73 = param arg1 : ptr global !39
//   %74 = index %73, %72, 4 : ptr global !39
//   %75 = store %74, %69 !40
//   %76 = block !41 {
//     %77 = const 0 : u64 !42
//     %78 = len arg0 : u64 !43
//     %79 = const 1 : u64 !44
//     %80 = for %77, %78, step %79 : u64 !44 {
//       %81 = len arg0 : u64 !45
//       %82 = bounds %80, %81 : u64 !45
//       %83 = param arg0 : ptr global !46
//       %84 = index %83, %82, 4 : ptr global !46
//       %85 = load %84 : f32 !46
//       %86 = const 0.0 : f32 !47
//       %87 = gt %85, %86 : bool !48
//       %88 = if %87 !49 {
//         %89 = len arg0 : u64 !50
//         %90 = bounds %80, %89 : u64 !50
//         %91 = param arg0 : ptr global !51
//         %92 = index %91, %90, 4 : ptr global !51
//         %93 = load %92 : f32 !51
//         %94 = const true : bool !52
//         %95 = set $6, %94 !52
//         %96 = set $7, %93 !52
//         %97 = break %76 !53
//       }
//     }
//     %98 = const false : bool !54
//     %99 = set $6, %98 !41
//   }
//   %100 = get $6 : bool !41
//   %101 = get $7 : f32 !41
//   %102 = const 2.0 : f32 !55
//   %103 = gt %101, %102 : bool !56
//   %104 = and %100, %103 : bool !57
//   %105 = if %104 !58 {
//     %106 = const 1 : u64 !59
//     %107 = len arg1 : u64 !59
//     %108 = bounds %106, %107 : u64 !59
//     %109 = param arg1 : ptr global !60
//     %110 = index %109, %108, 4 : ptr global !60
//     %111 = store %110, %101 !61
//   }
//   %112 = const 0 : u64 !62
//   %113 = len arg0 : u64 !62
//   %114 = bounds %112, %113 : u64 !62
//   %115 = param arg0 : ptr global !63
//   %116 = index %115, %114, 4 : ptr global !63
//   %117 = load %116 : f32 !63
//   %118 = const 1 : u64 !64
//   %119 = len arg0 : u64 !64
//   %120 = bounds %118, %119 : u64 !64
//   %121 = param arg0 : ptr global !65
//   %122 = index %121, %120, 4 : ptr global !65
//   %123 = load %122 : f32 !65
//   %124 = const 1.0 : f32 !66
//   %125 = const 0 : u64 !67
//   %126 = array #0 : ptr local !67
//   %127 = index %126, %125, 4 : ptr local !67
//   %128 = store %127, %124 !67
//   %129 = const 1 : u64 !67
//   %130 = array #0 : ptr local !67
//   %131 = index %130, %129, 4 : ptr local !67
//   %132 = store %131, %117 !67
//   %133 = const 2 : u64 !67
//   %134 = array #0 : ptr local !67
//   %135 = index %134, %133, 4 : ptr local !67
//   %136 = store %135, %123 !67
//   %137 = const 2.0 : f32 !68
//   %138 = const 3 : u64 !69
//   %139 = bounds %0, %138 : u64 !69
//   %140 = array #0 : ptr local !70
//   %141 = index %140, %139, 4 : ptr local !70
//   %142 = store %141, %137 !71
//   %143 = const 0 : u64 !72
//   %144 = const 3 : u64 !72
//   %145 = bounds %143, %144 : u64 !72
//   %146 = array #0 : ptr local !73
//   %147 = index %146, %145, 4 : ptr local !73
//   %148 = load %147 : f32 !73
//   %149 = const 1 : u64 !74
//   %150 = add %0, %149 : u64 !75
//   %151 = const 3 : u64 !75
//   %152 = bounds %150, %151 : u64 !75
//   %153 = array #0 : ptr local !76
//   %154 = index %153, %152, 4 : ptr local !76
//   %155 = load %154 : f32 !76
//   %156 = add %148, %155 : f32 !77
//   %157 = const 2 : u64 !78
//   %158 = len arg1 : u64 !78
//   %159 = bounds %157, %158 : u64 !78
//   %160 = param arg1 : ptr global !79
//   %161 = index %160, %159, 4 : ptr global !79
//   %162 = store %161, %156 !80
//   %163 = const 0.5 : f32 !81
//   %164 = const 0 : u64 !82
//   %165 = const 16 : u64 !82
//   %166 = const 1 : u64 !82
//   %167 = for %164, %165, step %166 : u64 !82 {
//     %168 = array #1 : ptr local !82
//     %169 = index %168, %167, 4 : ptr local !82
//     %170 = store %169, %163 !82
//   }
//   %171 = const 16 : u64 !83
//   %172 = bounds %0, %171 : u64 !83
//   %173 = array #1 : ptr local !84
//   %174 = index %173, %172, 4 : ptr local !84
//   %175 = load %174 : f32 !84
//   %176 = const 3 : u64 !85
//   %177 = len arg1 : u64 !85
//   %178 = bounds %176, %177 : u64 !85
//   %179 = param arg1 : ptr global !86
//   %180 = index %179, %178, 4 : ptr global !86
//   %181 = store %180, %175 !87
// }
