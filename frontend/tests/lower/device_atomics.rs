#[device]
fn bump(counter: &AtomicU32, by: u32) -> u32 {
    counter.fetch_add(by, Ordering::Relaxed)
}

#[device]
fn clear(counters: &[AtomicU32]) {
    let t = thread_idx_x();
    if t < counters.len() {
        counters[t].store(0, Ordering::Relaxed);
    }
}

#[cfg(target_pointer_width = "64")]
#[kernel(block = (N, 2, TILE), open(TILE))]
fn counts<const N: usize>(all: &[AtomicU32], y: &mut [u32]) {
    let own = shared!([AtomicU32; N]);
    clear(own);
    clear(all);
    y[0] = bump(&own[3], 1);
    y[1] = bump(&all[3], 1);
    let scoped = all[4].system();
    y[2] = bump(scoped, 2);
    bump(all[5].block(), TILE as u32);
}
// == counts
// kernel counts {
//   block T0, 2, T1
//   generic T0 = N: const u64 !0
//   generic T1 = TILE: const u64 !1
//   param arg0 = all: atomic [u32] !2
//   param arg1 = y: write [u32] !3
//   shared @0 = own: [u32; T0] !4
//   %0 = builtin thread_idx.x : u64 !5
//   %1 = generic T0 : u64 !6
//   %2 = lt %0, %1 : bool !7
//   %3 = if %2 !8 {
//     %4 = generic T0 : u64 !9
//     %5 = bounds %0, %4 : u64 !9
//     %6 = shared @0 : ptr shared !10
//     %7 = index %6, %5, 4 : ptr shared !10
//     %8 = const 0 : u32 !11
//     %9 = atomic_store.relaxed.block %7, %8 !12
//   }
//   %10 = builtin thread_idx.x : u64 !13
//   %11 = len arg0 : u64 !14
//   %12 = lt %10, %11 : bool !15
//   %13 = if %12 !16 {
//     %14 = len arg0 : u64 !17
//     %15 = bounds %10, %14 : u64 !17
//     %16 = param arg0 : ptr global !18
//     %17 = index %16, %15, 4 : ptr global !18
//     %18 = const 0 : u32 !19
//     %19 = atomic_store.relaxed.device %17, %18 !20
//   }
//   %20 = const 3 : u64 !21
//   %21 = generic T0 : u64 !21
//   %22 = bounds %20, %21 : u64 !21
//   %23 = shared @0 : ptr shared !22
//   %24 = index %23, %22, 4 : ptr shared !22
//   %25 = const 1 : u32 !23
//   %26 = atomic.add.relaxed.block %24, %25 : u32 !24
//   %27 = const 0 : u64 !25
//   %28 = len arg1 : u64 !25
//   %29 = bounds %27, %28 : u64 !25
//   %30 = param arg1 : ptr global !26
//   %31 = index %30, %29, 4 : ptr global !26
//   %32 = store %31, %26 !27
//   %33 = const 3 : u64 !28
//   %34 = len arg0 : u64 !28
//   %35 = bounds %33, %34 : u64 !28
//   %36 = param arg0 : ptr global !29
//   %37 = index %36, %35, 4 : ptr global !29
//   %38 = const 1 : u32 !30
//   %39 = atomic.add.relaxed.device %37, %38 : u32 !31
//   %40 = const 1 : u64 !32
//   %41 = len arg1 : u64 !32
//   %42 = bounds %40, %41 : u64 !32
//   %43 = param arg1 : ptr global !33
//   %44 = index %43, %42, 4 : ptr global !33
//   %45 = store %44, %39 !34
//   %46 = const 4 : u64 !35
//   %47 = len arg0 : u64 !35
//   %48 = bounds %46, %47 : u64 !35
//   %49 = param arg0 : ptr global !36
//   %50 = index %49, %48, 4 : ptr global !36
//   %51 = const 2 : u32 !37
//   %52 = atomic.add.relaxed.system %50, %51 : u32 !38
//   %53 = const 2 : u64 !39
//   %54 = len arg1 : u64 !39
//   %55 = bounds %53, %54 : u64 !39
//   %56 = param arg1 : ptr global !40
//   %57 = index %56, %55, 4 : ptr global !40
//   %58 = store %57, %52 !41
//   %59 = const 5 : u64 !42
//   %60 = len arg0 : u64 !42
//   %61 = bounds %59, %60 : u64 !42
//   %62 = param arg0 : ptr global !43
//   %63 = index %62, %61, 4 : ptr global !43
//   %64 = generic T1 : u64 !44
//   %65 = cast %64 : u32 !45
//   %66 = atomic.add.relaxed.block %63, %65 : u32 !46
// }
