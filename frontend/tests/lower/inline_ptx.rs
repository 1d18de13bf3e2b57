#[kernel]
fn with_a_fallback(x: &[u32], y: &mut [u32]) {
    y[0] = unsafe {
        ptx!("add.u32 {d}, {a}, 1;", d = out(u32), a = in(u32) x[0], options(pure), else { a + 1 })
    };
}

#[device]
fn parts(value: u64) -> (u32, u32) {
    unsafe { ptx!("mov.b64 {{ {l}, {h} }}, {v};", l = out(u32), h = out(u32), v = in(u64) value) }
}

#[kernel]
fn several_outputs(y: &mut [u32]) {
    let (low, high) = parts(y.len() as u64);
    y[0] = low + high;
    unsafe { ptx!("setmaxnreg.dec.sync.aligned.u32 24;", options(sm_90a)) }
}

#[kernel]
fn without_unsafe(y: &mut [u32]) {
    y[0] = ptx!("mov.u32 {d}, 1;", d = out(u32));
}

#[kernel]
fn a_wrong_text(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, {e};", d = out(u32)) };
}
// == with_a_fallback
// kernel with_a_fallback {
//   param arg0 = x: read [u32] !0
//   param arg1 = y: write [u32] !1
//   local $0 = : u32 !5
//   %0 = const 0 : u64 !2
//   %1 = len arg0 : u64 !2
//   %2 = bounds %0, %1 : u64 !2
//   %3 = param arg0 : ptr global !3
//   %4 = index %3, %2, 4 : ptr global !3
//   %5 = load %4 : u32 !3
//   %6 = interpreted : bool !4
//   %7 = if %6 !5 {
//     %8 = const 1 : u32 !6
//     %9 = add %5, %8 : u32 !7
//     %10 = set $0, %9 !5
//   } else {
//     %11 = ptx.pure "add.u32 {0}, {1}, 1;", (u32), (%5), sm_75, ptx63, fallback : u32 !8
//     %12 = set $0, %11 !5
//   }
//   %13 = get $0 : u32 !5
//   %14 = const 0 : u64 !9
//   %15 = len arg1 : u64 !9
//   %16 = bounds %14, %15 : u64 !9
//   %17 = param arg1 : ptr global !10
//   %18 = index %17, %16, 4 : ptr global !10
//   %19 = store %18, %13 !11
// }
// == several_outputs
// kernel several_outputs {
//   param arg0 = y: write [u32] !0
//   %0 = len arg0 : u64 !1
//   %1 = ptx "mov.b64 {{ {0}, {1} }}, {2};", (u32, u32), (%0), sm_75, ptx63 : u32 !2
//   %2 = ptx_output %1, 1 : u32 !2
//   %3 = add %1, %2 : u32 !3
//   %4 = const 0 : u64 !4
//   %5 = len arg0 : u64 !4
//   %6 = bounds %4, %5 : u64 !4
//   %7 = param arg0 : ptr global !5
//   %8 = index %7, %6, 4 : ptr global !5
//   %9 = store %8, %3 !6
//   %10 = ptx "setmaxnreg.dec.sync.aligned.u32 24;", (), (), sm_90a, ptx80 !7
// }
// == without_unsafe
// rustc too: 22:12-22:15: `ptx!` is `unsafe`
// = help: write it in a block: `unsafe { ptx!(..) }`
// == a_wrong_text
// rustc too: 27:26-27:45: no operand has the name `e`
// = help: declare it: `e = in(u32) value` or `e = out(u32)`; write braces of PTX twice: `{{` and `}}`
