#[device]
const fn squares() -> [u16; 5] {
    let mut all = [0; 5];
    let mut i = 0;
    while i < 5 {
        all[i] = (i * i) as u16;
        i += 1;
    }
    all
}

#[device]
const SQUARES: [u16; 5] = squares();

#[device]
const fn root(of: u32) -> u32 {
    let mut root = 0;
    while (root + 1) * (root + 1) <= of {
        root += 1;
    }
    root
}

#[device]
const ROOT: u32 = root(150);

#[kernel]
fn computed(y: &mut [u32]) {
    y[0] = SQUARES[y.len() % 5] as u32 + ROOT;
}
// == computed
// kernel computed {
//   param arg0 = y: write [u32] !0
//   array #0 = all: [u16; 5] !2
//   array #1 = : [u16; 5] !19
//   local $0 = i: u64 !4
//   local $1 = root: u32 !28
//   %0 = array #1 : ptr local !20
//   %1 = offset %0, 0 : ptr local !20
//   %2 = const 0 : u16 !20
//   %3 = store %1, %2 !20
//   %4 = array #1 : ptr local !20
//   %5 = offset %4, 2 : ptr local !20
//   %6 = const 1 : u16 !20
//   %7 = store %5, %6 !20
//   %8 = array #1 : ptr local !20
//   %9 = offset %8, 4 : ptr local !20
//   %10 = const 4 : u16 !20
//   %11 = store %9, %10 !20
//   %12 = array #1 : ptr local !20
//   %13 = offset %12, 6 : ptr local !20
//   %14 = const 9 : u16 !20
//   %15 = store %13, %14 !20
//   %16 = array #1 : ptr local !20
//   %17 = offset %16, 8 : ptr local !20
//   %18 = const 16 : u16 !20
//   %19 = store %17, %18 !20
//   %20 = len arg0 : u64 !21
//   %21 = const 5 : u64 !22
//   %22 = rem %20, %21 : u64 !23
//   %23 = const 5 : u64 !23
//   %24 = bounds %22, %23 : u64 !23
//   %25 = array #1 : ptr local !24
//   %26 = index %25, %24, 2 : ptr local !24
//   %27 = load %26 : u16 !24
//   %28 = cast %27 : u32 !25
//   %29 = const 12 : u32 !41
//   %30 = add %28, %29 : u32 !42
//   %31 = const 0 : u64 !43
//   %32 = len arg0 : u64 !43
//   %33 = bounds %31, %32 : u64 !43
//   %34 = param arg0 : ptr global !44
//   %35 = index %34, %33, 4 : ptr global !44
//   %36 = store %35, %30 !45
// }
