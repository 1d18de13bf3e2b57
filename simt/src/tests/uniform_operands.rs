//! Operations with uniform operands, and sums of all lanes in common elements.
use super::*;

/// A `float` in the lanes, one loaded for all lanes, and a constant, in every operand position of
/// every operation with uniform operands.
fn places(float: &str, bytes: usize, bits: &str) -> String {
    let mut text = format!(
        "param arg0 = x: read [{float}] !0  param arg1 = out: write [{bits}] !0
         %t = builtin thread_idx.x : u64 !0  %x = param arg0 : ptr global !0  %out = param arg1 : ptr global !0
         %zero = const 0 : u64 !0  %n = const 22 : u64 !0  %first = mul %t, %n : u64 !0
         %to = index %out, %first, {bytes} : ptr global !0
         %p = index %x, %t, {bytes} : ptr global !0  %a = load %p : {float} !0
         %q = index %x, %zero, {bytes} : ptr global !0  %u = load %q : {float} !0
         %c = const 0.75 : {float} !0\n"
    );
    let mut results = Vec::new();
    for one in ["u", "c"] {
        for op in ["add", "sub", "mul", "div"] {
            for (lhs, rhs) in [(one, "a"), ("a", one)] {
                results.push(format!("{op} %{lhs}, %{rhs}"));
            }
        }
        for [a, b, c] in [[one, "a", "a"], ["a", one, "a"], ["a", "a", one]] {
            results.push(format!("fma %{a}, %{b}, %{c}"));
        }
    }
    for (k, result) in results.iter().enumerate() {
        text += &format!(
            "%r{k} = {result} : {float} !0  %b{k} = bitcast %r{k} : {bits} !0  %k{k} = const {k} : u64 !0
             %p{k} = index %to, %k{k}, {bytes} : ptr global !0  %s{k} = store %p{k}, %b{k} !0\n"
        );
    }
    text
}

#[test]
fn uniform_operands_work_in_every_position() {
    let values: Vec<f64> = (0..45).map(|i| f64::from(i) * 1.37 - 9.3).collect();
    for isa in isas() {
        let narrow: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        let mut want = Vec::new();
        for &a in &narrow {
            for one in [narrow[0], 0.75] {
                let all = [one + a, a + one, one - a, a - one, one * a, a * one, one / a, a / one];
                let fused = [one.mul_add(a, a), a.mul_add(one, a), a.mul_add(a, one)];
                want.extend(all.into_iter().chain(fused).map(f32::to_bits));
            }
        }
        let bits = narrow.iter().map(|value| value.to_bits()).collect();
        let mut slices = [Value::U32(bits), Value::U32(vec![0; want.len()])];
        let program = program_for(&places("f32", 4, "u32"), isa);
        assert_eq!(run(&program, shape(1, 45), &mut slices), Outcome::default());
        assert_eq!(slices[1].u32s(), want, "{isa:?}");

        let mut want = Vec::new();
        for &a in &values {
            for one in [values[0], 0.75] {
                let all = [one + a, a + one, one - a, a - one, one * a, a * one, one / a, a / one];
                let fused = [one.mul_add(a, a), a.mul_add(one, a), a.mul_add(a, one)];
                want.extend(all.into_iter().chain(fused).map(f64::to_bits));
            }
        }
        let bits = values.iter().map(|value| value.to_bits()).collect();
        let mut slices = [Value::U64(bits), Value::U64(vec![0; want.len()])];
        let program = program_for(&places("f64", 8, "u64"), isa);
        assert_eq!(run(&program, shape(1, 45), &mut slices), Outcome::default());
        let Value::U64(got) = &slices[1] else { panic!("{slices:?}") };
        assert_eq!(*got, want, "{isa:?}");
    }
}

#[test]
fn fused_pairs_take_uniform_operands() {
    // The last of three products with a loaded value; a comparison with it; and one that is not
    // fused, since the value would need a copy in each lane.
    let text = "param arg0 = x: read [f32] !0  param arg1 = out: write [f32] !0
         %t = builtin thread_idx.x : u64 !0  %x = param arg0 : ptr global !0  %out = param arg1 : ptr global !0
         %zero = const 0 : u64 !0  %to = index %out, %t, 4 : ptr global !0
         %p = index %x, %t, 4 : ptr global !0  %a = load %p : f32 !0
         %q = index %x, %zero, 4 : ptr global !0  %u = load %q : f32 !0
         %square = mul %a, %a : f32 !0  %scaled = mul %square, %u : f32 !0
         %sum = add %a, %scaled : f32 !0  %less = lt %sum, %u : bool !0
         %first = mul %u, %a : f32 !0  %second = mul %first, %a : f32 !0  %third = sub %u, %second : f32 !0
         %r = select %less, %scaled, %third : f32 !0  %s = store %to, %r !0";
    let values: Vec<f32> =
        (0..70).map(|i| i as f32 * 0.37 - 3.0).map(|x| x - 0.5 * x * x).collect();
    for isa in isas() {
        let program = program_for(text, isa);
        let bits = values.iter().map(|value| value.to_bits()).collect();
        let mut slices = [Value::U32(bits), Value::U32(vec![0; 70])];
        assert_eq!(run(&program, shape(1, 70), &mut slices), Outcome::default());
        let want = values.iter().map(|a| {
            let u = values[0];
            let scaled = a * a * u;
            if a + scaled < u { scaled } else { u - u * a * a }.to_bits()
        });
        assert_eq!(slices[1].u32s(), want.collect::<Vec<_>>(), "{isa:?}");
    }
}

/// Adds to the element whose index is a byte: 1, or the thread's number, from odd threads or all.
fn bins(summand: &str, odd: bool) -> String {
    let add = format!(
        "%p = index %x, %t, 1 : ptr global !0  %byte = load %p : u8 !0  %i = cast %byte : u64 !0
         %in = bounds %i, %len : u64 !0  %bin = index %bins, %in, 4 : ptr global !0
         %old = atomic.add.relaxed.device %bin, {summand} : u32 !0
         %to = index %out, %t, 4 : ptr global !0  %s = store %to, %old !0"
    );
    let body = if odd { format!("%part = if %is !0 {{ {add} }}") } else { add };
    format!(
        "param arg0 = x: read [u8] !0  param arg1 = bins: atomic [u32] !0  param arg2 = out: write [u32] !0
         %t = builtin thread_idx.x : u64 !0  %x = param arg0 : ptr global !0
         %bins = param arg1 : ptr global !0  %out = param arg2 : ptr global !0  %len = len arg1 : u64 !0
         %one = const 1 : u32 !0  %narrow = cast %t : u32 !0  %two = const 2 : u32 !0
         %rest = and %narrow, %one : u32 !0  %is = eq %rest, %one : bool !0
         {body}"
    )
}

#[test]
fn lanes_add_in_order() {
    let bytes: Vec<u8> = (0..100_u32).map(|i| (i * i * 7 % 5) as u8).collect();
    for (summand, odd) in [("%one", false), ("%narrow", false), ("%one", true), ("%narrow", true)] {
        let program = program(&bins(summand, odd));
        let (mut counts, mut olds) = (vec![10_u32; 5], vec![7; 100]);
        for thread in (0..100_usize).filter(|thread| !odd || thread % 2 == 1) {
            let bin = &mut counts[usize::from(bytes[thread])];
            olds[thread] = *bin;
            *bin += if summand == "%one" { 1 } else { thread as u32 };
        }
        let mut slices =
            [Value::U8(bytes.clone()), Value::U32(vec![10; 5]), Value::U32(vec![7; 100])];
        assert_eq!(run(&program, shape(1, 100), &mut slices), Outcome::default());
        assert_eq!(
            (slices[1].u32s(), slices[2].u32s()),
            (&counts[..], &olds[..]),
            "{summand} {odd}"
        );
    }
}

#[test]
fn lanes_outside_of_the_buffer_do_not_add() {
    let bytes: Vec<u8> = (0..64).map(|i| if i % 9 == 8 { 5 } else { i % 5 }).collect();
    let mut slices = [Value::U8(bytes.clone()), Value::U32(vec![0; 5]), Value::U32(vec![0; 64])];
    let outcome = run(&program(&bins("%one", false)), shape(1, 64), &mut slices);
    let fault = outcome.fault.expect("bytes are outside");
    assert_eq!((fault.thread, fault.count), ([8, 0, 0], 7));
    let inside = |bin: u8| bytes.iter().filter(|byte| **byte == bin).count() as u32;
    assert_eq!(slices[1].u32s(), (0..5).map(inside).collect::<Vec<_>>());
}
