//! Loops that combine several lanes, in assembly: masks, and transfers of lanes to and from memory.
//!
//! Other threads may access the bytes of kernels' memory at the same time, so every access is an
//! atomic, relaxed one of a word of the size that the memory is lent for. In assembly that is a
//! `mov` of that size at a multiple of it, or a vector `mov` of several such words: the processors
//! that have these never tear a word that does not straddle a cache line. The order between words
//! is irrelevant where each is relaxed.
use crate::vector::memory::Word;
use std::arch::asm;

/// The test of an arithmetic sequence, from the suffix of the instructions, the lanes in a vector
/// and the binary logarithm of that number.
macro_rules! evenly {
    ($name:ident, $index:ty, $size:literal, $p:literal, $lanes:literal, $shift:literal, $mul:literal, $mov:literal, $i:literal, $first:literal, $step:literal) => {
        /// Returns true if each of `n` indices is `step`, which is less than 2^32, above the one
        /// before, wrapping.
        ///
        /// # Safety
        /// There are `n` indices, at least one, on a machine with AVX2.
        pub(in crate::vector::lanes) unsafe fn $name(index: *const u8, n: usize, step: u64) -> bool {
            static IOTA: [$index; $lanes] = {
                let mut lanes = [0; $lanes];
                let mut lane = 0;
                while lane < $lanes {
                    lanes[lane] = lane as $index;
                    lane += 1;
                }
                lanes
            };
            let even: u64;
            // SAFETY: guaranteed by the caller: `n` indices, and no other memory is read. Every
            // register used is named.
            unsafe {
                asm!(
                    concat!("mov ", $first, ", [rsi]"),
                    concat!($mov, " xmm0, ", $first), concat!("vpbroadcast", $p, " ymm0, xmm0"),
                    concat!($mov, " xmm1, ", $step), concat!("vpbroadcast", $p, " ymm1, xmm1"),
                    concat!($mul, " ymm2, ymm1, [rcx]"),
                    concat!("vpadd", $p, " ymm0, ymm0, ymm2"),
                    concat!("vpsll", $p, " ymm1, ymm1, ", $shift),
                    "xor ecx, ecx",
                    "2:",
                    concat!("lea r10, [r9 + ", $lanes, "]"),
                    "cmp r10, r8", "ja 3f",
                    concat!("vpxor ymm3, ymm0, [rsi + r9*", $size, "]"),
                    "vptest ymm3, ymm3", "jnz 5f",
                    concat!("vpadd", $p, " ymm0, ymm0, ymm1"),
                    "mov r9, r10", "jmp 2b",
                    "3:", "cmp r9, r8", "jae 4f",
                    "mov r10, r9", "imul r10, rdx", "add r10, rax",
                    concat!("cmp ", $i, ", [rsi + r9*", $size, "]"), "jne 5f",
                    "inc r9", "jmp 3b",
                    "4:", "mov ecx, 1",
                    "5:", "vzeroupper",
                    in("rsi") index, in("rdx") step, in("r8") n, inout("r9") 0_usize => _,
                    inout("rcx") IOTA.as_ptr() => even, out("rax") _, out("r10") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    options(nostack, readonly),
                );
            }
            even != 0
        }
    };
}
evenly!(evenly_4, u32, 4, "d", 8, 3, "vpmulld", "vmovd", "r10d", "eax", "edx");
evenly!(evenly_8, u64, 8, "q", 4, 2, "vpmuludq", "vmovq", "r10", "rax", "rdx");

/// Copies of adjacent words, a vector at a time, and of the remaining ones one by one.
macro_rules! copies {
    ($($name:ident $size:literal $lanes:literal $word:literal;)*) => {$(
        /// Copies `n` words.
        ///
        /// # Safety
        /// There are as many at both places, which do not overlap, on a machine with AVX2.
        unsafe fn $name(to: *mut u8, from: *const u8, n: usize) {
            // SAFETY: guaranteed by the caller: `n` words. Every register used is named.
            unsafe {
                asm!(
                    "2:",
                    concat!("lea r10, [r9 + ", $lanes, "]"),
                    "cmp r10, r8", "ja 3f",
                    concat!("vmovdqu ymm0, [rsi + r9*", $size, "]"),
                    concat!("vmovdqu [rdi + r9*", $size, "], ymm0"),
                    "mov r9, r10", "jmp 2b",
                    "3:", "cmp r9, r8", "jae 4f",
                    concat!("mov ", $word, ", [rsi + r9*", $size, "]"),
                    concat!("mov [rdi + r9*", $size, "], ", $word),
                    "inc r9", "jmp 3b",
                    "4:", "vzeroupper",
                    in("rdi") to, in("rsi") from, in("r8") n, inout("r9") 0_usize => _,
                    out("r10") _, out("rax") _, out("xmm0") _,
                    options(nostack),
                );
            }
        }
    )*};
}
copies! {
    copy_1 1 32 "al";
    copy_2 2 16 "ax";
    copy_4 4 8 "eax";
    copy_8 8 4 "rax";
}

/// Copies `n` words of `size` bytes.
///
/// # Safety
/// There are as many at both places, which do not overlap, on a machine with AVX2.
pub(in crate::vector::lanes) unsafe fn copy(to: *mut u8, from: *const u8, size: usize, n: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => copy_1(to, from, n),
            2 => copy_2(to, from, n),
            4 => copy_4(to, from, n),
            _ => copy_8(to, from, n),
        }
    }
}

/// The addresses of words in memory: each at `(index - base) * stride` bytes after the first byte.
pub(in crate::vector::lanes) struct Scattered {
    pub(in crate::vector::lanes) first: *const u8,
    pub(in crate::vector::lanes) index: *const u8,
    pub(in crate::vector::lanes) base: u64,
    pub(in crate::vector::lanes) stride: u64,
}

impl Scattered {
    /// Returns the index of a lane, minus the base.
    ///
    /// # Safety
    /// There is one, of this type.
    #[inline(always)]
    pub(in crate::vector::lanes) unsafe fn at<I: Word>(&self, lane: usize) -> u64 {
        // SAFETY: guaranteed by the caller.
        let index = unsafe { *self.index.cast::<I>().wrapping_add(lane) };
        index.bits().wrapping_sub(self.base)
    }
}

/// Transfers of lanes to and from scattered words, and tests of their bounds, from the register and
/// the size of an index.
macro_rules! scattered {
    ($inside:ident $index:literal $size:literal; $($load:ident $store:ident $value:literal $word:literal;)*) => {
        /// Returns true if no index minus `base` is above `limit`, and no index times `stride` has
        /// one of the bits `odd`.
        ///
        /// # Safety
        /// There are `n` indices.
        pub(in crate::vector::lanes) unsafe fn $inside(
            places: &Scattered, n: usize, limit: u64, odd: u64,
        ) -> bool {
            let left: usize;
            // SAFETY: guaranteed by the caller: `n` indices. Every register used is named.
            unsafe {
                asm!(
                    "2:", "test r8, r8", "jz 3f",
                    concat!("mov ", $index, ", [rsi + r8*", $size, " - ", $size, "]"),
                    "sub r10, rdx", "cmp r10, rax", "ja 3f",
                    "imul r10, rcx", "test r10, r11", "jnz 3f",
                    "dec r8", "jmp 2b", "3:",
                    in("rsi") places.index, in("rdx") places.base, in("rcx") places.stride,
                    in("rax") limit, in("r11") odd, inout("r8") n => left, out("r10") _,
                    options(nostack, readonly),
                );
            }
            left == 0
        }
        $(
            /// Loads `n` lanes in order.
            ///
            /// # Safety
            /// There is room for `n` values at `lanes`, and each index is that of a word inside.
            unsafe fn $load(places: &Scattered, lanes: *mut u8, n: usize) {
                // SAFETY: guaranteed by the caller. Every register used is named.
                unsafe {
                    asm!(
                        "2:", "cmp r9, r8", "jae 3f",
                        concat!("mov ", $index, ", [rsi + r9*", $size, "]"),
                        "sub r10, rdx", "imul r10, rcx",
                        concat!("mov ", $word, ", [r11 + r10]"),
                        concat!("mov [rdi + r9*", $value, "], ", $word),
                        "inc r9", "jmp 2b", "3:",
                        in("rsi") places.index, in("rdx") places.base, in("rcx") places.stride,
                        in("r11") places.first, in("rdi") lanes, in("r8") n,
                        inout("r9") 0_usize => _, out("r10") _, out("rax") _,
                        options(nostack),
                    );
                }
            }
            /// Stores `n` lanes in order.
            ///
            /// # Safety
            /// There are `n` values at `lanes`, and each index is that of a word inside.
            unsafe fn $store(places: &Scattered, lanes: *mut u8, n: usize) {
                // SAFETY: guaranteed by the caller. Every register used is named.
                unsafe {
                    asm!(
                        "2:", "cmp r9, r8", "jae 3f",
                        concat!("mov ", $index, ", [rsi + r9*", $size, "]"),
                        "sub r10, rdx", "imul r10, rcx",
                        concat!("mov ", $word, ", [rdi + r9*", $value, "]"),
                        concat!("mov [r11 + r10], ", $word),
                        "inc r9", "jmp 2b", "3:",
                        in("rsi") places.index, in("rdx") places.base, in("rcx") places.stride,
                        in("r11") places.first, in("rdi") lanes, in("r8") n,
                        inout("r9") 0_usize => _, out("r10") _, out("rax") _,
                        options(nostack),
                    );
                }
            }
        )*
    };
}
scattered! { inside_4 "r10d" 4;
    load_1_by_4 store_1_by_4 1 "al";
    load_2_by_4 store_2_by_4 2 "ax";
    load_4_by_4 store_4_by_4 4 "eax";
    load_8_by_4 store_8_by_4 8 "rax";
}
scattered! { inside_8 "r10" 8;
    load_1_by_8 store_1_by_8 1 "al";
    load_2_by_8 store_2_by_8 2 "ax";
    load_4_by_8 store_4_by_8 4 "eax";
    load_8_by_8 store_8_by_8 8 "rax";
}

/// A transfer of lanes to or from scattered words.
pub(in crate::vector::lanes) type Exchange = unsafe fn(&Scattered, *mut u8, usize);

/// Returns the transfer for values of `value` bytes and indices of `index` bytes.
pub(in crate::vector::lanes) fn exchange<const STORE: bool>(
    value: usize,
    index: usize,
) -> Exchange {
    let [load, store]: [Exchange; 2] = match (value, index) {
        (1, 4) => [load_1_by_4, store_1_by_4],
        (2, 4) => [load_2_by_4, store_2_by_4],
        (4, 4) => [load_4_by_4, store_4_by_4],
        (_, 4) => [load_8_by_4, store_8_by_4],
        (1, _) => [load_1_by_8, store_1_by_8],
        (2, _) => [load_2_by_8, store_2_by_8],
        (4, _) => [load_4_by_8, store_4_by_8],
        (_, _) => [load_8_by_8, store_8_by_8],
    };
    if STORE { store } else { load }
}

/// Tests of indices against a maximum, from the size of an index, the number in a vector, the
/// instructions before the loop, and those that clear all bits of `ymm0` where an index is above.
macro_rules! bounds {
    ($($name:ident $size:literal $lanes:literal $i:literal [$($set:literal),*] [$($above:literal),*];)*) => {$(
        /// Returns true if none of `n` indices is above `greatest`.
        ///
        /// # Safety
        /// There are `n`, on a machine with AVX2.
        unsafe fn $name(index: *const u8, n: usize, greatest: u64) -> bool {
            let well: u64;
            // SAFETY: guaranteed by the caller: `n` indices. Every register used is named.
            unsafe {
                asm!(
                    "vmovq xmm1, rax",
                    $($set,)*
                    "2:",
                    concat!("lea r10, [r9 + ", $lanes, "]"),
                    "cmp r10, r8", "ja 3f",
                    concat!("vmovdqu ymm0, [rsi + r9*", $size, "]"),
                    $($above,)*
                    "vptest ymm0, ymm0", "jnz 5f",
                    "mov r9, r10", "jmp 2b",
                    "3:", "cmp r9, r8", "jae 4f",
                    concat!("cmp [rsi + r9*", $size, "], ", $i), "ja 5f",
                    "inc r9", "jmp 3b",
                    "4:", "mov edx, 1",
                    "5:", "vzeroupper",
                    in("rsi") index, in("rax") greatest, in("r8") n, inout("r9") 0_usize => _,
                    inout("rdx") 0_u64 => well, out("r10") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _,
                    options(nostack, readonly),
                );
            }
            well != 0
        }
    )*};
}
bounds! {
    none_above_1 1 32 "al" ["vpbroadcastb ymm1, xmm1"] ["vpsubusb ymm0, ymm0, ymm1"];
    none_above_2 2 16 "ax" ["vpbroadcastw ymm1, xmm1"] ["vpsubusw ymm0, ymm0, ymm1"];
    none_above_4 4 8 "eax" ["vpbroadcastd ymm1, xmm1"]
        ["vpmaxud ymm0, ymm0, ymm1", "vpxor ymm0, ymm0, ymm1"];
    // Compared as signed numbers, after the top bit is flipped.
    none_above_8 8 4 "rax" ["vpbroadcastq ymm1, xmm1", "vpcmpeqd ymm2, ymm2, ymm2",
        "vpsllq ymm2, ymm2, 63", "vpxor ymm1, ymm1, ymm2"]
        ["vpxor ymm0, ymm0, ymm2", "vpcmpgtq ymm0, ymm0, ymm1"];
}

/// Returns the test of indices of `size` bytes against a maximum.
pub(in crate::vector::lanes) fn none_above(
    size: usize,
) -> unsafe fn(*const u8, usize, u64) -> bool {
    match size {
        1 => none_above_1,
        2 => none_above_2,
        4 => none_above_4,
        _ => none_above_8,
    }
}

/// Returns 32 lanes of `bool` as bits; for every machine.
///
/// # Safety
/// There are 32.
#[inline(always)]
pub(in crate::vector::lanes) unsafe fn bool_word(lanes: *const u8) -> u32 {
    let (low, high): (u32, u32);
    // SAFETY: guaranteed by the caller. Every register used is named.
    unsafe {
        asm!(
            "movdqu {x}, [{lanes}]", "movdqu {y}, [{lanes} + 16]",
            "psllw {x}, 7", "psllw {y}, 7",
            "pmovmskb {low:e}, {x}", "pmovmskb {high:e}, {y}",
            lanes = in(reg) lanes, x = out(xmm_reg) _, y = out(xmm_reg) _,
            low = out(reg) low, high = out(reg) high,
            options(nostack, readonly, preserves_flags),
        );
    }
    high << 16 | low
}

/// Copies of the masked lanes among 32, 16 bytes at a time, from the bits of the first lanes, and
/// the distance to those of the next.
macro_rules! masked_copies {
    ($($name:ident $bytes:literal $shift:literal $bits:expr;)*) => {$(
        /// Copies the lanes in `mask`.
        ///
        /// # Safety
        /// There are 32 at both places.
        unsafe fn $name(to: *mut u8, from: *const u8, mask: u32) {
            static BITS: [u32; 4] = $bits;
            // SAFETY: guaranteed by the caller. Every register used is named.
            unsafe {
                asm!(
                    "movd xmm1, edx", "pshufd xmm1, xmm1, 0", "movdqu xmm2, [rax]",
                    "2:",
                    "movdqa xmm3, xmm1", "pand xmm3, xmm2", "pcmpeqd xmm3, xmm2",
                    "movdqu xmm0, [rsi + r9]", "movdqu xmm4, [rdi + r9]",
                    "pand xmm0, xmm3", "pandn xmm3, xmm4", "por xmm0, xmm3",
                    "movdqu [rdi + r9], xmm0",
                    concat!("pslld xmm2, ", $shift),
                    "add r9, 16", concat!("cmp r9, ", $bytes), "jb 2b",
                    in("rdi") to, in("rsi") from, in("edx") mask, in("rax") BITS.as_ptr(),
                    inout("r9") 0_usize => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    options(nostack),
                );
            }
        }
    )*};
}
masked_copies! {
    masked_copy_4 128 4 [1, 2, 4, 8];
    masked_copy_8 256 2 [1, 1, 2, 2];
}

/// Copies of the masked lanes, one by one, from the size of a lane, and the name of a register of
/// that size.
macro_rules! masked_copies_one_by_one {
    ($($name:ident $size:literal $ptr:literal $word:literal;)*) => {$(
        /// Copies the lanes in `mask`.
        ///
        /// # Safety
        /// There are 32 at both places.
        unsafe fn $name(to: *mut u8, from: *const u8, mask: u32) {
            // SAFETY: guaranteed by the caller. Every register used is named.
            unsafe {
                asm!(
                    "2:",
                    concat!("movzx eax, ", $ptr, " ptr [rdi + r9*", $size, "]"),
                    concat!("movzx r10d, ", $ptr, " ptr [rsi + r9*", $size, "]"),
                    "bt edx, r9d", "cmovc eax, r10d",
                    concat!("mov [rdi + r9*", $size, "], ", $word),
                    "inc r9", "cmp r9, 32", "jb 2b",
                    in("rdi") to, in("rsi") from, in("edx") mask, inout("r9") 0_usize => _,
                    out("r10") _, out("rax") _,
                    options(nostack),
                );
            }
        }
    )*};
}
masked_copies_one_by_one! {
    masked_copy_1 1 "byte" "al";
    masked_copy_2 2 "word" "ax";
}

/// Copies the lanes in `mask` of 32 lanes of `size` bytes; for every machine.
///
/// # Safety
/// There are 32 at both places.
#[inline(always)]
pub(in crate::vector::lanes) unsafe fn masked_copy(
    to: *mut u8,
    from: *const u8,
    size: usize,
    mask: u32,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => masked_copy_1(to, from, mask),
            2 => masked_copy_2(to, from, mask),
            4 => masked_copy_4(to, from, mask),
            _ => masked_copy_8(to, from, mask),
        }
    }
}

/// Sets `n` lanes of `size` bytes to `bits`; for every machine.
///
/// # Safety
/// There are that many.
#[inline(always)]
pub(in crate::vector::lanes) unsafe fn splat(to: *mut u8, size: usize, n: usize, bits: u64) {
    macro_rules! fill {
        ($instruction:literal) => {
            asm!($instruction, inout("rdi") to => _, inout("rcx") n => _, in("rax") bits,
                options(nostack, preserves_flags))
        };
    }
    // SAFETY: guaranteed by the caller; the direction flag is clear at the start of assembly.
    unsafe {
        match size {
            1 => fill!("rep stosb"),
            2 => fill!("rep stosw"),
            4 => fill!("rep stosd"),
            _ => fill!("rep stosq"),
        }
    }
}

/// Sets each lane of `size` bytes to its value plus `more`; for every machine.
///
/// # Safety
/// There are as many as values.
#[inline(always)]
pub(in crate::vector::lanes) unsafe fn fill(to: *mut u8, size: usize, values: &[u32], more: u64) {
    macro_rules! fill {
        ($store:literal) => {
            asm!(
                "2:", "cmp r9, r8", "jae 3f",
                "mov eax, [rsi + r9*4]", "add rax, rdx", $store,
                "inc r9", "jmp 2b", "3:",
                in("rdi") to, in("rsi") values.as_ptr(), in("rdx") more, in("r8") values.len(),
                inout("r9") 0_usize => _, out("rax") _,
                options(nostack),
            )
        };
    }
    // SAFETY: guaranteed by the caller. Every register used is named.
    unsafe {
        match size {
            1 => fill!("mov [rdi + r9], al"),
            2 => fill!("mov [rdi + r9*2], ax"),
            4 => fill!("mov [rdi + r9*4], eax"),
            _ => fill!("mov [rdi + r9*8], rax"),
        }
    }
}

/// Sums of lanes and a number, which is repeated in eight bytes, from the size of a lane, the
/// suffix of the instruction on it, and the name of a register of that size.
macro_rules! spreads {
    ($($name:ident $size:literal $p:literal $word:literal $number:literal;)*) => {$(
        /// Adds `number` to each lane.
        ///
        /// # Safety
        /// There are `bytes` at both places, on every machine.
        unsafe fn $name(to: *mut u8, own: *const u8, bytes: usize, number: u64) {
            // SAFETY: guaranteed by the caller. Every register used is named.
            unsafe {
                asm!(
                    "movq xmm1, rdx", "punpcklqdq xmm1, xmm1",
                    "2:", "lea r10, [r9 + 16]", "cmp r10, r8", "ja 3f",
                    "movdqu xmm0, [rsi + r9]",
                    concat!("padd", $p, " xmm0, xmm1"),
                    "movdqu [rdi + r9], xmm0",
                    "mov r9, r10", "jmp 2b",
                    "3:", "cmp r9, r8", "jae 4f",
                    concat!("mov ", $word, ", [rsi + r9]"),
                    concat!("add ", $word, ", ", $number),
                    concat!("mov [rdi + r9], ", $word),
                    concat!("add r9, ", $size), "jmp 3b",
                    "4:",
                    in("rdi") to, in("rsi") own, in("rdx") number, in("r8") bytes,
                    inout("r9") 0_usize => _, out("r10") _, out("rax") _,
                    out("xmm0") _, out("xmm1") _,
                    options(nostack),
                );
            }
        }
    )*};
}
spreads! {
    spread_1 1 "b" "al" "dl";
    spread_2 2 "w" "ax" "dx";
    spread_4 4 "d" "eax" "edx";
    spread_8 8 "q" "rax" "rdx";
}

/// Sets `n` lanes of `size` bytes to the sums of `own` and `base`, wrapping; for every machine.
///
/// # Safety
/// There are that many at both places.
pub(in crate::vector::lanes) unsafe fn spread(
    to: *mut u8,
    own: *const u8,
    size: usize,
    n: usize,
    base: u64,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => spread_1(to, own, n, (base & 0xff) * 0x0101_0101_0101_0101),
            2 => spread_2(to, own, n * 2, (base & 0xffff) * 0x0001_0001_0001_0001),
            4 => spread_4(to, own, n * 4, (base & 0xffff_ffff) * 0x1_0000_0001),
            _ => spread_8(to, own, n * 8, base),
        }
    }
}
