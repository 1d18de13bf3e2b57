#[kernel(block = (32, 8))]
fn transpose(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let tx;
    tx = thread_idx_x();

    tile[tx][0] = x[width + height];
}

#[kernel(block = (32, 8))]
fn transpose_padded(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let column = block_idx_x() * 32 + thread_idx_x();
    let mut j = thread_idx_y();
    while j < 32 {
        let row = block_idx_y() * 32 + j;
        if row < height && column < width {
            tile[j][thread_idx_x()] = x[row * width + column];
        }
        j += 8;
    }
    sync_threads();
    for j in (thread_idx_y()..32).step_by(8) {
        let row = block_idx_x() * 32 + j;
        y[row * height + block_idx_y() * 32 + thread_idx_x()] = tile[thread_idx_x()][j];
    }
}

#[kernel]
fn histogram(bytes: &[u8], bins: &[AtomicU32]) {
    let counts = shared!([AtomicU32; 256]);
    let t = thread_idx_x();
    counts[t].store(0, Ordering::Relaxed);
    sync_threads();
    let i = global_idx_x();
    if i < bytes.len() {
        counts[bytes[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}
// == transpose
// kernel transpose {
//   block 32, 8, 1
//   param arg0 = width: u64 !0
//   param arg1 = height: u64 !1
//   param arg2 = x: read [f32] !2
//   param arg3 = y: write [f32] !3
//   shared @0 = tile: [f32; 1056] !4
//   local $0 = tx: u64 !5
//   %0 = builtin thread_idx.x : u64 !6
//   %1 = set $0, %0 !7
//   %2 = param arg0 : u64 !8
//   %3 = param arg1 : u64 !9
//   %4 = add %2, %3 : u64 !10
//   %5 = len arg2 : u64 !10
//   %6 = bounds %4, %5 : u64 !10
//   %7 = param arg2 : ptr global !11
//   %8 = index %7, %6, 4 : ptr global !11
//   %9 = load %8 : f32 !11
//   %10 = get $0 : u64 !12
//   %11 = const 32 : u64 !12
//   %12 = bounds %10, %11 : u64 !12
//   %13 = shared @0 : ptr shared !13
//   %14 = index %13, %12, 132 : ptr shared !13
//   %15 = const 0 : u64 !14
//   %16 = const 33 : u64 !14
//   %17 = bounds %15, %16 : u64 !14
//   %18 = index %14, %17, 4 : ptr shared !15
//   %19 = store %18, %9 !16
// }
// == transpose_padded
// kernel transpose_padded {
//   block 32, 8, 1
//   param arg0 = width: u64 !0
//   param arg1 = height: u64 !1
//   param arg2 = x: read [f32] !2
//   param arg3 = y: write [f32] !3
//   shared @0 = tile: [f32; 1056] !4
//   local $0 = j: u64 !11
//   %0 = builtin block_idx.x : u64 !5
//   %1 = const 32 : u64 !6
//   %2 = mul %0, %1 : u64 !7
//   %3 = builtin thread_idx.x : u64 !8
//   %4 = add %2, %3 : u64 !9
//   %5 = builtin thread_idx.y : u64 !10
//   %6 = set $0, %5 !11
//   %7 = loop !12 {
//     %8 = get $0 : u64 !13
//     %9 = const 32 : u64 !14
//     %10 = lt %8, %9 : bool !15
//     %11 = if %10 !12 {
//       %12 = builtin block_idx.y : u64 !16
//       %13 = const 32 : u64 !17
//       %14 = mul %12, %13 : u64 !18
//       %15 = get $0 : u64 !19
//       %16 = add %14, %15 : u64 !20
//       %17 = param arg1 : u64 !21
//       %18 = lt %16, %17 : bool !22
//       %19 = param arg0 : u64 !23
//       %20 = lt %4, %19 : bool !24
//       %21 = and %18, %20 : bool !25
//       %22 = if %21 !26 {
//         %23 = param arg0 : u64 !27
//         %24 = mul %16, %23 : u64 !28
//         %25 = add %24, %4 : u64 !29
//         %26 = len arg2 : u64 !29
//         %27 = bounds %25, %26 : u64 !29
//         %28 = param arg2 : ptr global !30
//         %29 = index %28, %27, 4 : ptr global !30
//         %30 = load %29 : f32 !30
//         %31 = get $0 : u64 !31
//         %32 = const 32 : u64 !31
//         %33 = bounds %31, %32 : u64 !31
//         %34 = shared @0 : ptr shared !32
//         %35 = index %34, %33, 132 : ptr shared !32
//         %36 = builtin thread_idx.x : u64 !33
//         %37 = const 33 : u64 !33
//         %38 = bounds %36, %37 : u64 !33
//         %39 = index %35, %38, 4 : ptr shared !34
//         %40 = store %39, %30 !35
//       }
//       %41 = const 8 : u64 !36
//       %42 = get $0 : u64 !37
//       %43 = add %42, %41 : u64 !38
//       %44 = set $0, %43 !38
//     } else {
//       %45 = break %7 !12
//     }
//   }
//   %46 = barrier !39
//   %47 = builtin thread_idx.y : u64 !40
//   %48 = const 32 : u64 !41
//   %49 = const 8 : u64 !42
//   %50 = for %47, %48, step %49 : u64 !43 {
//     %51 = builtin block_idx.x : u64 !44
//     %52 = const 32 : u64 !45
//     %53 = mul %51, %52 : u64 !46
//     %54 = add %53, %50 : u64 !47
//     %55 = builtin thread_idx.x : u64 !48
//     %56 = const 32 : u64 !48
//     %57 = bounds %55, %56 : u64 !48
//     %58 = shared @0 : ptr shared !49
//     %59 = index %58, %57, 132 : ptr shared !49
//     %60 = const 33 : u64 !50
//     %61 = bounds %50, %60 : u64 !50
//     %62 = index %59, %61, 4 : ptr shared !51
//     %63 = load %62 : f32 !51
//     %64 = param arg1 : u64 !52
//     %65 = mul %54, %64 : u64 !53
//     %66 = builtin block_idx.y : u64 !54
//     %67 = const 32 : u64 !55
//     %68 = mul %66, %67 : u64 !56
//     %69 = add %65, %68 : u64 !57
//     %70 = builtin thread_idx.x : u64 !58
//     %71 = add %69, %70 : u64 !59
//     %72 = len arg3 : u64 !59
//     %73 = bounds %71, %72 : u64 !59
//     %74 = param arg3 : ptr global !60
//     %75 = index %74, %73, 4 : ptr global !60
//     %76 = store %75, %63 !61
//   }
// }
// == histogram
// kernel histogram {
//   param arg0 = bytes: read [u8] !0
//   param arg1 = bins: atomic [u32] !1
//   shared @0 = counts: [u32; 256] !2
//   %0 = builtin thread_idx.x : u64 !3
//   %1 = const 256 : u64 !4
//   %2 = bounds %0, %1 : u64 !4
//   %3 = shared @0 : ptr shared !5
//   %4 = index %3, %2, 4 : ptr shared !5
//   %5 = const 0 : u32 !6
//   %6 = atomic_store.relaxed.block %4, %5 !7
//   %7 = barrier !8
//   %8 = builtin global_idx.x : u64 !9
//   %9 = len arg0 : u64 !10
//   %10 = lt %8, %9 : bool !11
//   %11 = if %10 !12 {
//     %12 = len arg0 : u64 !13
//     %13 = bounds %8, %12 : u64 !13
//     %14 = param arg0 : ptr global !14
//     %15 = index %14, %13, 1 : ptr global !14
//     %16 = load %15 : u8 !14
//     %17 = cast %16 : u64 !15
//     %18 = const 256 : u64 !15
//     %19 = bounds %17, %18 : u64 !15
//     %20 = shared @0 : ptr shared !16
//     %21 = index %20, %19, 4 : ptr shared !16
//     %22 = const 1 : u32 !17
//     %23 = atomic.add.relaxed.block %21, %22 : u32 !18
//   }
//   %24 = barrier !19
//   %25 = len arg1 : u64 !20
//   %26 = bounds %0, %25 : u64 !20
//   %27 = param arg1 : ptr global !21
//   %28 = index %27, %26, 4 : ptr global !21
//   %29 = const 256 : u64 !22
//   %30 = bounds %0, %29 : u64 !22
//   %31 = shared @0 : ptr shared !23
//   %32 = index %31, %30, 4 : ptr shared !23
//   %33 = atomic_load.relaxed.block %32 : u32 !24
//   %34 = atomic.add.relaxed.device %28, %33 : u32 !25
// }
