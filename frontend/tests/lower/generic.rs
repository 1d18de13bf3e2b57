#[kernel(open(TILE))]
fn scale<T: Num, const N: usize>(a: T, x: &[T], y: &mut [T]) {
    let tile = shared!([[T; N]; TILE]);
    let i = global_idx_x();
    if i < N * TILE {
        tile[i / N][i % N] = x[i];
        y[i] = a * tile[i / N][i % N] + T::ONE;
        y[i] /= T::from_i32(3);
    }
}

#[device]
trait Scaled<const N: usize> {
    const SCALE: u32;
    fn scale(self) -> u32;
    fn twice(self) -> u32 { self.scale() * 2 }
}

#[device]
impl Scaled<3> for u8 { const SCALE: u32 = 3; fn scale(self) -> u32 { 30 } }

#[device]
impl Scaled<4> for u8 { const SCALE: u32 = 4; fn scale(self) -> u32 { 40 } }

#[device]
trait Code<T> { const CODE: u32; }

#[device]
impl Code<f32> for u8 { const CODE: u32 = 1; }

#[device]
impl Code<u32> for u8 { const CODE: u32 = 2; }

#[device]
impl<const N: usize> Code<[f32; N]> for u8 { const CODE: u32 = N as u32; }

#[device]
fn scaled<T: Scaled<4>>(x: T) -> u32 { x.scale() + T::SCALE }

#[kernel]
fn traits_with_arguments(y: &mut [u32]) {
    y[<u8 as Scaled<4>>::SCALE as usize] = <u8 as Scaled<4>>::twice(1);
    y[<u8 as Code<u32>>::CODE as usize] = scaled(1u8);
    y[0] = <u8 as Code<[f32; 9]>>::CODE;
}
// == scale
// kernel scale {
//   generic T0 = T: type num !0
//   generic T1 = N: const u64 !1
//   generic T2 = TILE: const u64 !2
//   param arg0 = a: T0 !3
//   param arg1 = x: read [T0] !4
//   param arg2 = y: write [T0] !5
//   shared @0 = tile: [T0; (T2 * T1)] !6
//   %0 = builtin global_idx.x : u64 !7
//   %1 = generic T1 : u64 !8
//   %2 = generic T2 : u64 !9
//   %3 = mul %1, %2 : u64 !10
//   %4 = lt %0, %3 : bool !11
//   %5 = if %4 !12 {
//     %6 = len arg1 : u64 !13
//     %7 = bounds %0, %6 : u64 !13
//     %8 = param arg1 : ptr global !14
//     %9 = index %8, %7, sizeof(T0) : ptr global !14
//     %10 = load %9 : T0 !14
//     %11 = generic T1 : u64 !15
//     %12 = const 0 : u64 !16
//     %13 = ne %11, %12 : bool !16
//     %14 = check %13, divide_by_zero !16
//     %15 = div %0, %11 : u64 !16
//     %16 = generic T2 : u64 !16
//     %17 = bounds %15, %16 : u64 !16
//     %18 = shared @0 : ptr shared !17
//     %19 = index %18, %17, (sizeof(T0) * T1) : ptr shared !17
//     %20 = generic T1 : u64 !18
//     %21 = const 0 : u64 !19
//     %22 = ne %20, %21 : bool !19
//     %23 = check %22, remainder_by_zero !19
//     %24 = rem %0, %20 : u64 !19
//     %25 = generic T1 : u64 !19
//     %26 = bounds %24, %25 : u64 !19
//     %27 = index %19, %26, sizeof(T0) : ptr shared !20
//     %28 = store %27, %10 !21
//     %29 = param arg0 : T0 !22
//     %30 = generic T1 : u64 !23
//     %31 = const 0 : u64 !24
//     %32 = ne %30, %31 : bool !24
//     %33 = check %32, divide_by_zero !24
//     %34 = div %0, %30 : u64 !24
//     %35 = generic T2 : u64 !24
//     %36 = bounds %34, %35 : u64 !24
//     %37 = shared @0 : ptr shared !25
//     %38 = index %37, %36, (sizeof(T0) * T1) : ptr shared !25
//     %39 = generic T1 : u64 !26
//     %40 = const 0 : u64 !27
//     %41 = ne %39, %40 : bool !27
//     %42 = check %41, remainder_by_zero !27
//     %43 = rem %0, %39 : u64 !27
//     %44 = generic T1 : u64 !27
//     %45 = bounds %43, %44 : u64 !27
//     %46 = index %38, %45, sizeof(T0) : ptr shared !28
//     %47 = load %46 : T0 !28
//     %48 = const 1 : i32 !29
//     %49 = cast %48 : T0 !29
//     %50 = mul_add.add %29, %47, %49 : T0 !30
//     %51 = len arg2 : u64 !31
//     %52 = bounds %0, %51 : u64 !31
//     %53 = param arg2 : ptr global !32
//     %54 = index %53, %52, sizeof(T0) : ptr global !32
//     %55 = store %54, %50 !33
//     %56 = len arg2 : u64 !34
//     %57 = bounds %0, %56 : u64 !34
//     %58 = param arg2 : ptr global !35
//     %59 = index %58, %57, sizeof(T0) : ptr global !35
//     %60 = const 3 : i32 !36
//     %61 = cast %60 : T0 !37
//     %62 = load %59 : T0 !35
//     %63 = const 0 : i32 !38
//     %64 = cast %63 : T0 !38
//     %65 = ne %61, %64 : bool !38
//     %66 = const 0.5 : f64 !38
//     %67 = cast %66 : T0 !38
//     %68 = const 0 : i32 !38
//     %69 = cast %68 : T0 !38
//     %70 = ne %67, %69 : bool !38
//     %71 = or %65, %70 : bool !38
//     %72 = check %71, divide_by_zero !38
//     %73 = const 0 : i32 !38
//     %74 = cast %73 : T0 !38
//     %75 = sub %74, %62 : T0 !38
//     %76 = ge %62, %74 : bool !38
//     %77 = ne %75, %62 : bool !38
//     %78 = or %76, %77 : bool !38
//     %79 = const -1 : i32 !38
//     %80 = cast %79 : T0 !38
//     %81 = ne %61, %80 : bool !38
//     %82 = or %81, %78 : bool !38
//     %83 = const 0.5 : f64 !38
//     %84 = cast %83 : T0 !38
//     %85 = const 0 : i32 !38
//     %86 = cast %85 : T0 !38
//     %87 = ne %84, %86 : bool !38
//     %88 = or %82, %87 : bool !38
//     %89 = check %88, divide_overflow !38
//     %90 = div %62, %61 : T0 !38
//     %91 = store %59, %90 !38
//   }
// }
// == traits_with_arguments
// kernel traits_with_arguments {
//   param arg0 = y: write [u32] !0
//   %0 = const 1 : u8 !1
//   %1 = const 40 : u32 !2
//   %2 = const 2 : u32 !3
//   %3 = mul %1, %2 : u32 !4
//   %4 = const 4 : u32 !5
//   %5 = cast %4 : u64 !6
//   %6 = len arg0 : u64 !6
//   %7 = bounds %5, %6 : u64 !6
//   %8 = param arg0 : ptr global !7
//   %9 = index %8, %7, 4 : ptr global !7
//   %10 = store %9, %3 !8
//   %11 = const 1 : u8 !9
//   %12 = const 40 : u32 !10
//   %13 = const 4 : u32 !11
//   %14 = add %12, %13 : u32 !12
//   %15 = const 2 : u32 !13
//   %16 = cast %15 : u64 !14
//   %17 = len arg0 : u64 !14
//   %18 = bounds %16, %17 : u64 !14
//   %19 = param arg0 : ptr global !15
//   %20 = index %19, %18, 4 : ptr global !15
//   %21 = store %20, %14 !16
//   %22 = const 9 : u64 !17
//   %23 = cast %22 : u32 !18
//   %24 = const 0 : u64 !19
//   %25 = len arg0 : u64 !19
//   %26 = bounds %24, %25 : u64 !19
//   %27 = param arg0 : ptr global !20
//   %28 = index %27, %26, 4 : ptr global !20
//   %29 = store %28, %23 !21
// }
