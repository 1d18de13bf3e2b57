//! The kernels, as IR.

/// Their names and texts.
pub(crate) const ALL: [(&str, &str); 9] = [
    ("saxpy", SAXPY),
    ("matmul", MATMUL),
    ("tiled", TILED),
    ("transpose", TRANSPOSE),
    ("mandelbrot", MANDELBROT),
    ("reduce", REDUCE),
    ("histogram", HISTOGRAM),
    ("n-body", N_BODY),
    ("Black-Scholes", BLACK_SCHOLES),
];

pub(crate) const SAXPY: &str = "kernel saxpy {
  param arg0 = a: f32 !0
  param arg1 = x: read [f32] !0
  param arg2 = y: write [f32] !0
  %0 = builtin global_idx.x : u64 !0
  %1 = len arg2 : u64 !0
  %2 = lt %0, %1 : bool !0
  %3 = if %2 !0 {
    %4 = param arg1 : ptr global !0
    %5 = len arg1 : u64 !0
    %6 = bounds %0, %5 : u64 !0
    %7 = index %4, %6, 4 : ptr global !0
    %8 = load %7 : f32 !0
    %9 = param arg2 : ptr global !0
    %10 = bounds %0, %1 : u64 !0
    %11 = index %9, %10, 4 : ptr global !0
    %12 = load %11 : f32 !0
    %13 = param arg0 : f32 !0
    %14 = fma %13, %8, %12 : f32 !0
    %15 = bounds %0, %1 : u64 !0
    %16 = index %9, %15, 4 : ptr global !0
    %17 = store %16, %14 !0
  }
}";

pub(crate) const MATMUL: &str = "kernel matmul {
  param arg0 = n: u64 !0
  param arg1 = a: read [f32] !0
  param arg2 = b: read [f32] !0
  param arg3 = c: write [f32] !0
  local $0 = sum: f32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin global_idx.y : u64 !0
  %2 = param arg0 : u64 !0
  %3 = lt %0, %2 : bool !0
  %4 = lt %1, %2 : bool !0
  %5 = and %3, %4 : bool !0
  %6 = if %5 !0 {
    %7 = const 0.0 : f32 !0
    %8 = set $0, %7 !0
    %9 = const 0 : u64 !0
    %10 = const 1 : u64 !0
    %11 = for %9, %2, step %10 : u64 !0 {
      %12 = mul %1, %2 : u64 !0
      %13 = add %12, %11 : u64 !0
      %14 = len arg1 : u64 !0
      %15 = bounds %13, %14 : u64 !0
      %16 = param arg1 : ptr global !0
      %17 = index %16, %15, 4 : ptr global !0
      %18 = load %17 : f32 !0
      %19 = mul %11, %2 : u64 !0
      %20 = add %19, %0 : u64 !0
      %21 = len arg2 : u64 !0
      %22 = bounds %20, %21 : u64 !0
      %23 = param arg2 : ptr global !0
      %24 = index %23, %22, 4 : ptr global !0
      %25 = load %24 : f32 !0
      %26 = get $0 : f32 !0
      %27 = fma %18, %25, %26 : f32 !0
      %28 = set $0, %27 !0
    }
    %29 = mul %1, %2 : u64 !0
    %30 = add %29, %0 : u64 !0
    %31 = len arg3 : u64 !0
    %32 = bounds %30, %31 : u64 !0
    %33 = param arg3 : ptr global !0
    %34 = index %33, %32, 4 : ptr global !0
    %35 = get $0 : f32 !0
    %36 = store %34, %35 !0
  }
}";

pub(crate) const TILED: &str = "kernel tiled {
  block 16, 16, 1
  param arg0 = n: u64 !0
  param arg1 = a: read [f32] !0
  param arg2 = b: read [f32] !0
  param arg3 = c: write [f32] !0
  shared @0 = ta: [f32; 256] !0
  shared @1 = tb: [f32; 256] !0
  local $0 = sum: f32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin global_idx.y : u64 !0
  %2 = builtin thread_idx.x : u64 !0
  %3 = builtin thread_idx.y : u64 !0
  %4 = param arg0 : u64 !0
  %5 = param arg1 : ptr global !0
  %6 = len arg1 : u64 !0
  %7 = param arg2 : ptr global !0
  %8 = len arg2 : u64 !0
  %9 = shared @0 : ptr shared !0
  %10 = shared @1 : ptr shared !0
  %11 = const 16 : u64 !0
  %12 = const 0 : u64 !0
  %13 = const 1 : u64 !0
  %14 = const 0.0 : f32 !0
  %15 = set $0, %14 !0
  %16 = for %12, %4, step %11 : u64 !0 {
    %17 = mul %1, %4 : u64 !0
    %18 = add %17, %16 : u64 !0
    %19 = add %18, %2 : u64 !0
    %20 = bounds %19, %6 : u64 !0
    %21 = index %5, %20, 4 : ptr global !0
    %22 = load %21 : f32 !0
    %23 = index %9, %3, 64 : ptr shared !0
    %24 = index %23, %2, 4 : ptr shared !0
    %25 = store %24, %22 !0
    %26 = add %16, %3 : u64 !0
    %27 = mul %26, %4 : u64 !0
    %28 = add %27, %0 : u64 !0
    %29 = bounds %28, %8 : u64 !0
    %30 = index %7, %29, 4 : ptr global !0
    %31 = load %30 : f32 !0
    %32 = index %10, %3, 64 : ptr shared !0
    %33 = index %32, %2, 4 : ptr shared !0
    %34 = store %33, %31 !0
    %35 = barrier !0
    %36 = for %12, %11, step %13 : u64 !0 {
      %37 = index %9, %3, 64 : ptr shared !0
      %38 = index %37, %36, 4 : ptr shared !0
      %39 = load %38 : f32 !0
      %40 = index %10, %36, 64 : ptr shared !0
      %41 = index %40, %2, 4 : ptr shared !0
      %42 = load %41 : f32 !0
      %43 = get $0 : f32 !0
      %44 = fma %39, %42, %43 : f32 !0
      %45 = set $0, %44 !0
    }
    %46 = barrier !0
  }
  %47 = mul %1, %4 : u64 !0
  %48 = add %47, %0 : u64 !0
  %49 = len arg3 : u64 !0
  %50 = bounds %48, %49 : u64 !0
  %51 = param arg3 : ptr global !0
  %52 = index %51, %50, 4 : ptr global !0
  %53 = get $0 : f32 !0
  %54 = store %52, %53 !0
}";

pub(crate) const TRANSPOSE: &str = "kernel transpose {
  block 32, 8, 1
  param arg0 = n: u64 !0
  param arg1 = x: read [f32] !0
  param arg2 = y: write [f32] !0
  shared @0 = tile: [f32; 1056] !0
  %0 = builtin thread_idx.x : u64 !0
  %1 = builtin thread_idx.y : u64 !0
  %2 = builtin block_idx.x : u64 !0
  %3 = builtin block_idx.y : u64 !0
  %4 = param arg0 : u64 !0
  %5 = param arg1 : ptr global !0
  %6 = len arg1 : u64 !0
  %7 = param arg2 : ptr global !0
  %8 = len arg2 : u64 !0
  %9 = shared @0 : ptr shared !0
  %10 = const 0 : u64 !0
  %11 = const 8 : u64 !0
  %12 = const 32 : u64 !0
  %13 = mul %2, %12 : u64 !0
  %14 = mul %3, %12 : u64 !0
  %15 = for %10, %12, step %11 : u64 !0 {
    %16 = add %1, %15 : u64 !0
    %17 = add %14, %16 : u64 !0
    %18 = mul %17, %4 : u64 !0
    %19 = add %18, %13 : u64 !0
    %20 = add %19, %0 : u64 !0
    %21 = bounds %20, %6 : u64 !0
    %22 = index %5, %21, 4 : ptr global !0
    %23 = load %22 : f32 !0
    %24 = index %9, %16, 132 : ptr shared !0
    %25 = index %24, %0, 4 : ptr shared !0
    %26 = store %25, %23 !0
  }
  %27 = barrier !0
  %28 = for %10, %12, step %11 : u64 !0 {
    %29 = add %1, %28 : u64 !0
    %30 = index %9, %0, 132 : ptr shared !0
    %31 = index %30, %29, 4 : ptr shared !0
    %32 = load %31 : f32 !0
    %33 = add %13, %29 : u64 !0
    %34 = mul %33, %4 : u64 !0
    %35 = add %34, %14 : u64 !0
    %36 = add %35, %0 : u64 !0
    %37 = bounds %36, %8 : u64 !0
    %38 = index %7, %37, 4 : ptr global !0
    %39 = store %38, %32 !0
  }
}";

pub(crate) const MANDELBROT: &str = "kernel mandelbrot {
  param arg0 = n: u64 !0
  param arg1 = out: write [u32] !0
  local $0 = x: f32 !0
  local $1 = y: f32 !0
  local $2 = count: u32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin global_idx.y : u64 !0
  %2 = param arg0 : u64 !0
  %3 = const 0.0029296875 : f32 !0
  %4 = const 2.0 : f32 !0
  %5 = const 1.5 : f32 !0
  %6 = const 0.0 : f32 !0
  %7 = const 0 : u32 !0
  %8 = const 1 : u32 !0
  %9 = const 256 : u32 !0
  %10 = const 4.0 : f32 !0
  %11 = cast %0 : f32 !0
  %12 = mul %11, %3 : f32 !0
  %13 = sub %12, %4 : f32 !0
  %14 = cast %1 : f32 !0
  %15 = mul %14, %3 : f32 !0
  %16 = sub %15, %5 : f32 !0
  %17 = set $0, %6 !0
  %18 = set $1, %6 !0
  %19 = set $2, %7 !0
  %20 = loop !0 {
    %21 = get $2 : u32 !0
    %22 = lt %21, %9 : bool !0
    %23 = if %22 !0 {
    } else {
      %24 = break %20 !0
    }
    %25 = get $0 : f32 !0
    %26 = get $1 : f32 !0
    %27 = mul %25, %25 : f32 !0
    %28 = mul %26, %26 : f32 !0
    %29 = add %27, %28 : f32 !0
    %30 = le %29, %10 : bool !0
    %31 = if %30 !0 {
    } else {
      %32 = break %20 !0
    }
    %33 = sub %27, %28 : f32 !0
    %34 = add %33, %13 : f32 !0
    %35 = mul %4, %25 : f32 !0
    %36 = mul %35, %26 : f32 !0
    %37 = add %36, %16 : f32 !0
    %38 = set $0, %34 !0
    %39 = set $1, %37 !0
    %40 = get $2 : u32 !0
    %41 = add %40, %8 : u32 !0
    %42 = set $2, %41 !0
  }
  %43 = mul %1, %2 : u64 !0
  %44 = add %43, %0 : u64 !0
  %45 = len arg1 : u64 !0
  %46 = bounds %44, %45 : u64 !0
  %47 = param arg1 : ptr global !0
  %48 = index %47, %46, 4 : ptr global !0
  %49 = get $2 : u32 !0
  %50 = store %48, %49 !0
}";

pub(crate) const REDUCE: &str = "kernel reduce {
  block 256, 1, 1
  param arg0 = x: read [u32] !0
  param arg1 = sum: atomic [u32] !0
  shared @0 = s: [u32; 256] !0
  local $0 = sum: u32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin thread_idx.x : u64 !0
  %2 = builtin grid_dim.x : u64 !0
  %3 = builtin block_dim.x : u64 !0
  %4 = mul %2, %3 : u64 !0
  %5 = const 0 : u32 !0
  %6 = set $0, %5 !0
  %7 = len arg0 : u64 !0
  %8 = param arg0 : ptr global !0
  %9 = for %0, %7, step %4 : u64 !0 {
    %10 = bounds %9, %7 : u64 !0
    %11 = index %8, %10, 4 : ptr global !0
    %12 = load %11 : u32 !0
    %13 = get $0 : u32 !0
    %14 = add %13, %12 : u32 !0
    %15 = set $0, %14 !0
  }
  %16 = shared @0 : ptr shared !0
  %17 = index %16, %1, 4 : ptr shared !0
  %18 = get $0 : u32 !0
  %19 = store %17, %18 !0
  %20 = barrier !0
  %21 = const 0 : u64 !0
  %22 = const 8 : u64 !0
  %23 = const 1 : u64 !0
  %24 = const 128 : u64 !0
  %25 = for %21, %22, step %23 : u64 !0 {
    %26 = cast %25 : u32 !0
    %27 = shr %24, %26 : u64 !0
    %28 = lt %1, %27 : bool !0
    %29 = if %28 !0 {
      %30 = add %1, %27 : u64 !0
      %31 = index %16, %30, 4 : ptr shared !0
      %32 = load %31 : u32 !0
      %33 = load %17 : u32 !0
      %34 = add %33, %32 : u32 !0
      %35 = store %17, %34 !0
    }
    %36 = barrier !0
  }
  %37 = eq %1, %21 : bool !0
  %38 = if %37 !0 {
    %39 = load %16 : u32 !0
    %40 = param arg1 : ptr global !0
    %41 = atomic.add.relaxed.device %40, %39 : u32 !0
  }
}";

pub(crate) const HISTOGRAM: &str = "kernel histogram {
  block 256, 1, 1
  param arg0 = x: read [u8] !0
  param arg1 = bins: atomic [u32] !0
  shared @0 = counts: [u32; 256] !0
  local $0 = i: u64 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin thread_idx.x : u64 !0
  %2 = builtin grid_dim.x : u64 !0
  %3 = builtin block_dim.x : u64 !0
  %4 = mul %2, %3 : u64 !0
  %5 = const 0 : u32 !0
  %6 = const 1 : u32 !0
  %7 = len arg0 : u64 !0
  %8 = param arg0 : ptr global !0
  %9 = shared @0 : ptr shared !0
  %10 = index %9, %1, 4 : ptr shared !0
  %11 = atomic_store.relaxed.device %10, %5 !0
  %12 = barrier !0
  %13 = set $0, %0 !0
  %14 = loop !0 {
    %15 = get $0 : u64 !0
    %16 = lt %15, %7 : bool !0
    %17 = if %16 !0 {
    } else {
      %18 = break %14 !0
    }
    %19 = index %8, %15, 1 : ptr global !0
    %20 = load %19 : u8 !0
    %21 = cast %20 : u64 !0
    %22 = index %9, %21, 4 : ptr shared !0
    %23 = atomic.add.relaxed.device %22, %6 : u32 !0
    %24 = add %15, %4 : u64 !0
    %25 = set $0, %24 !0
  }
  %26 = barrier !0
  %27 = atomic_load.relaxed.device %10 : u32 !0
  %28 = param arg1 : ptr global !0
  %29 = len arg1 : u64 !0
  %30 = bounds %1, %29 : u64 !0
  %31 = index %28, %30, 4 : ptr global !0
  %32 = atomic.add.relaxed.device %31, %27 : u32 !0
}";

pub(crate) const N_BODY: &str = "kernel n_body {
  param arg0 = x: read [f32] !0
  param arg1 = y: read [f32] !0
  param arg2 = z: read [f32] !0
  param arg3 = m: read [f32] !0
  param arg4 = ax: write [f32] !0
  param arg5 = ay: write [f32] !0
  param arg6 = az: write [f32] !0
  local $0 = ax: f32 !0
  local $1 = ay: f32 !0
  local $2 = az: f32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = param arg0 : ptr global !0
  %2 = param arg1 : ptr global !0
  %3 = param arg2 : ptr global !0
  %4 = param arg3 : ptr global !0
  %5 = len arg0 : u64 !0
  %6 = len arg1 : u64 !0
  %7 = len arg2 : u64 !0
  %8 = len arg3 : u64 !0
  %9 = len arg4 : u64 !0
  %10 = len arg5 : u64 !0
  %11 = len arg6 : u64 !0
  %12 = const 0.0 : f32 !0
  %13 = const 0.0001 : f32 !0
  %14 = const 0 : u64 !0
  %15 = const 1 : u64 !0
  %16 = lt %0, %5 : bool !0
  %17 = if %16 !0 {
    %18 = bounds %0, %5 : u64 !0
    %19 = index %1, %18, 4 : ptr global !0
    %20 = load %19 : f32 !0
    %21 = bounds %0, %6 : u64 !0
    %22 = index %2, %21, 4 : ptr global !0
    %23 = load %22 : f32 !0
    %24 = bounds %0, %7 : u64 !0
    %25 = index %3, %24, 4 : ptr global !0
    %26 = load %25 : f32 !0
    %27 = set $0, %12 !0
    %28 = set $1, %12 !0
    %29 = set $2, %12 !0
    %30 = for %14, %5, step %15 : u64 !0 {
      %31 = bounds %30, %5 : u64 !0
      %32 = index %1, %31, 4 : ptr global !0
      %33 = load %32 : f32 !0
      %34 = sub %33, %20 : f32 !0
      %35 = bounds %30, %6 : u64 !0
      %36 = index %2, %35, 4 : ptr global !0
      %37 = load %36 : f32 !0
      %38 = sub %37, %23 : f32 !0
      %39 = bounds %30, %7 : u64 !0
      %40 = index %3, %39, 4 : ptr global !0
      %41 = load %40 : f32 !0
      %42 = sub %41, %26 : f32 !0
      %43 = fma %34, %34, %13 : f32 !0
      %44 = fma %38, %38, %43 : f32 !0
      %45 = fma %42, %42, %44 : f32 !0
      %46 = rsqrt %45 : f32 !0
      %47 = bounds %30, %8 : u64 !0
      %48 = index %4, %47, 4 : ptr global !0
      %49 = load %48 : f32 !0
      %50 = mul %46, %46 : f32 !0
      %51 = mul %50, %46 : f32 !0
      %52 = mul %51, %49 : f32 !0
      %53 = get $0 : f32 !0
      %54 = fma %34, %52, %53 : f32 !0
      %55 = set $0, %54 !0
      %56 = get $1 : f32 !0
      %57 = fma %38, %52, %56 : f32 !0
      %58 = set $1, %57 !0
      %59 = get $2 : f32 !0
      %60 = fma %42, %52, %59 : f32 !0
      %61 = set $2, %60 !0
    }
    %62 = param arg4 : ptr global !0
    %63 = bounds %0, %9 : u64 !0
    %64 = index %62, %63, 4 : ptr global !0
    %65 = get $0 : f32 !0
    %66 = store %64, %65 !0
    %67 = param arg5 : ptr global !0
    %68 = bounds %0, %10 : u64 !0
    %69 = index %67, %68, 4 : ptr global !0
    %70 = get $1 : f32 !0
    %71 = store %69, %70 !0
    %72 = param arg6 : ptr global !0
    %73 = bounds %0, %11 : u64 !0
    %74 = index %72, %73, 4 : ptr global !0
    %75 = get $2 : f32 !0
    %76 = store %74, %75 !0
  }
}";

/// A European call; the normal distribution by Abramowitz and Stegun 26.2.17.
pub(crate) const BLACK_SCHOLES: &str = "kernel black_scholes {
  param arg0 = spot: read [f32] !0
  param arg1 = strike: read [f32] !0
  param arg2 = years: read [f32] !0
  param arg3 = call: write [f32] !0
  %0 = builtin global_idx.x : u64 !0
  %1 = len arg3 : u64 !0
  %2 = lt %0, %1 : bool !0
  %3 = const 0.0 : f32 !0
  %4 = const 1.0 : f32 !0
  %5 = const 0.2316419 : f32 !0
  %6 = const 0.31938153 : f32 !0
  %7 = const -0.35656378 : f32 !0
  %8 = const 1.7814779 : f32 !0
  %9 = const -1.8212559 : f32 !0
  %10 = const 1.3302745 : f32 !0
  %11 = const 0.3989423 : f32 !0
  %12 = const -0.7213475 : f32 !0
  %13 = const 0.6931472 : f32 !0
  %14 = const 0.3 : f32 !0
  %15 = const 0.065 : f32 !0
  %16 = const -0.028853901 : f32 !0
  %17 = if %2 !0 {
    %18 = param arg0 : ptr global !0
    %19 = len arg0 : u64 !0
    %20 = bounds %0, %19 : u64 !0
    %21 = index %18, %20, 4 : ptr global !0
    %22 = load %21 : f32 !0
    %23 = param arg1 : ptr global !0
    %24 = len arg1 : u64 !0
    %25 = bounds %0, %24 : u64 !0
    %26 = index %23, %25, 4 : ptr global !0
    %27 = load %26 : f32 !0
    %28 = param arg2 : ptr global !0
    %29 = len arg2 : u64 !0
    %30 = bounds %0, %29 : u64 !0
    %31 = index %28, %30, 4 : ptr global !0
    %32 = load %31 : f32 !0
    %33 = sqrt %32 : f32 !0
    %34 = mul %14, %33 : f32 !0
    %35 = div %22, %27 : f32 !0
    %36 = approx_log2 %35 : f32 !0
    %37 = mul %15, %32 : f32 !0
    %38 = fma %36, %13, %37 : f32 !0
    %39 = div %38, %34 : f32 !0
    %40 = sub %39, %34 : f32 !0
    %41 = abs %39 : f32 !0
    %42 = fma %5, %41, %4 : f32 !0
    %43 = div %4, %42 : f32 !0
    %44 = fma %43, %10, %9 : f32 !0
    %45 = fma %43, %44, %8 : f32 !0
    %46 = fma %43, %45, %7 : f32 !0
    %47 = fma %43, %46, %6 : f32 !0
    %48 = mul %43, %47 : f32 !0
    %49 = mul %39, %39 : f32 !0
    %50 = mul %49, %12 : f32 !0
    %51 = approx_exp2 %50 : f32 !0
    %52 = mul %51, %11 : f32 !0
    %53 = mul %52, %48 : f32 !0
    %54 = sub %4, %53 : f32 !0
    %55 = gt %39, %3 : bool !0
    %56 = select %55, %54, %53 : f32 !0
    %57 = abs %40 : f32 !0
    %58 = fma %5, %57, %4 : f32 !0
    %59 = div %4, %58 : f32 !0
    %60 = fma %59, %10, %9 : f32 !0
    %61 = fma %59, %60, %8 : f32 !0
    %62 = fma %59, %61, %7 : f32 !0
    %63 = fma %59, %62, %6 : f32 !0
    %64 = mul %59, %63 : f32 !0
    %65 = mul %40, %40 : f32 !0
    %66 = mul %65, %12 : f32 !0
    %67 = approx_exp2 %66 : f32 !0
    %68 = mul %67, %11 : f32 !0
    %69 = mul %68, %64 : f32 !0
    %70 = sub %4, %69 : f32 !0
    %71 = gt %40, %3 : bool !0
    %72 = select %71, %70, %69 : f32 !0
    %73 = mul %16, %32 : f32 !0
    %74 = approx_exp2 %73 : f32 !0
    %75 = mul %27, %74 : f32 !0
    %76 = mul %75, %72 : f32 !0
    %77 = mul %22, %56 : f32 !0
    %78 = sub %77, %76 : f32 !0
    %79 = param arg3 : ptr global !0
    %80 = bounds %0, %1 : u64 !0
    %81 = index %79, %80, 4 : ptr global !0
    %82 = store %81, %78 !0
  }
}";
