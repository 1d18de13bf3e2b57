//! Machine code for vectors of 16 words: the AVX-512F instructions that compiled rounds use.
//!
//! The source of the encodings is Intel's manual, volume 2, section 2.7 ("Intel AVX-512 encoding").

/// A vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zmm(pub(super) u8);

/// A general register that is the base of an address.
#[derive(Clone, Copy)]
pub(super) enum Base {
    Rax = 0,
    Rsi = 6,
    Rdi = 7,
    R8 = 8,
    R9 = 9,
    R10 = 10,
    R11 = 11,
}

/// An instruction on vectors of 32-bit words: its opcode map, mandatory prefix and opcode.
#[derive(Clone, Copy)]
pub(super) struct Opcode(u8, u8, u8);

/// The opcodes, by mnemonic.
impl Opcode {
    pub(super) const ADDPS: Self = Self(1, 0, 0x58);
    pub(super) const SUBPS: Self = Self(1, 0, 0x5c);
    pub(super) const MULPS: Self = Self(1, 0, 0x59);
    pub(super) const DIVPS: Self = Self(1, 0, 0x5e);
    pub(super) const MINPS: Self = Self(1, 0, 0x5d);
    pub(super) const SQRTPS: Self = Self(1, 0, 0x51);
    pub(super) const FMADD213PS: Self = Self(2, 1, 0xa8);
    pub(super) const FMADD231PS: Self = Self(2, 1, 0xb8);
    pub(super) const FNMADD231PS: Self = Self(2, 1, 0xbc);
    pub(super) const RSQRT14PS: Self = Self(2, 1, 0x4e);
    pub(super) const PADDD: Self = Self(1, 1, 0xfe);
    pub(super) const PSUBD: Self = Self(1, 1, 0xfa);
    pub(super) const PMULLD: Self = Self(2, 1, 0x40);
    pub(super) const PANDD: Self = Self(1, 1, 0xdb);
    pub(super) const PORD: Self = Self(1, 1, 0xeb);
    pub(super) const PXORD: Self = Self(1, 1, 0xef);
    const MOVAPS: Self = Self(1, 0, 0x28);
    const LOAD: Self = Self(1, 0, 0x10);
    const STORE: Self = Self(1, 0, 0x11);
    const BROADCAST: Self = Self(2, 1, 0x18);
    const BROADCAST_EAX: Self = Self(2, 1, 0x7c);
}

/// The words that an instruction writes: the mask register and the treatment of the others.
#[derive(Clone, Copy)]
struct Masking(u8);

impl Masking {
    const ALL: Self = Self(0);
    /// Those in `k1`; the others keep their values.
    const KEPT: Self = Self(1);
    /// Those in `k1`; the others become 0.
    const ZEROED: Self = Self(0x81);
}

/// A position in the code.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

/// A sequence of instructions.
#[derive(Default)]
pub(super) struct Assembler {
    bytes: Vec<u8>,
}

impl Assembler {
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends the prefix and the opcode of an instruction on vectors, without its operand in a
    /// register or in memory; `extra` is the number of that register.
    fn evex(
        &mut self,
        Opcode(map, prefix, opcode): Opcode,
        [reg, first, extra]: [u8; 3],
        Masking(masking): Masking,
    ) {
        // Most bits of register numbers are inverted.
        let not = |number: u8, bit: u8, to: u8| (!number >> bit & 1) << to;
        let numbers = not(reg, 3, 7) | not(extra, 4, 6) | not(extra, 3, 5) | not(reg, 4, 4);
        let lower = (!first & 15) << 3;
        self.bytes.extend([0x62, numbers | map, lower | 4 | prefix]);
        self.bytes.extend([0x40 | not(first, 4, 3) | masking, opcode]);
    }

    /// Appends `to = op(first, second)`, or `op(to, first, second)`.
    pub(super) fn binary(&mut self, op: Opcode, to: Zmm, first: Zmm, second: Zmm) {
        self.evex(op, [to.0, first.0, second.0], Masking::ALL);
        self.bytes.push(0xc0 | (to.0 & 7) << 3 | second.0 & 7);
    }

    /// Appends `to = op(from)`.
    pub(super) fn unary(&mut self, op: Opcode, to: Zmm, from: Zmm) {
        self.binary(op, to, Zmm(0), from);
    }

    pub(super) fn copy(&mut self, to: Zmm, from: Zmm) {
        if to != from {
            self.unary(Opcode::MOVAPS, to, from);
        }
    }

    /// Appends an instruction that moves between a vector and the memory `at` bytes after `base`
    /// plus, if it is `indexed`, `rcx`.
    fn transfer(
        &mut self,
        op: Opcode,
        vector: Zmm,
        (base, indexed, at): (Base, bool, i32),
        masking: Masking,
    ) {
        self.evex(op, [vector.0, 0, base as u8], masking);
        let register = 0x80 | (vector.0 & 7) << 3;
        if indexed {
            self.bytes.extend([register | 4, 1 << 3 | base as u8 & 7]);
        } else {
            self.bytes.push(register | base as u8 & 7);
        }
        self.bytes.extend(at.to_le_bytes());
    }

    /// Appends a load of 16 words, `at` bytes after `base` plus `rcx`.
    pub(super) fn load(&mut self, to: Zmm, base: Base, at: i32) {
        self.transfer(Opcode::LOAD, to, (base, true, at), Masking::ALL);
    }

    /// Appends a load of the words in the mask; the others become 0.
    pub(super) fn load_masked(&mut self, to: Zmm, base: Base, at: i32) {
        self.transfer(Opcode::LOAD, to, (base, true, at), Masking::ZEROED);
    }

    /// Appends a store of 16 words, `at` bytes after `base` plus `rcx`.
    pub(super) fn store(&mut self, from: Zmm, base: Base, at: i32) {
        self.transfer(Opcode::STORE, from, (base, true, at), Masking::ALL);
    }

    /// Appends a store of the words in the mask.
    pub(super) fn store_masked(&mut self, from: Zmm, base: Base, at: i32) {
        self.transfer(Opcode::STORE, from, (base, true, at), Masking::KEPT);
    }

    /// Appends the instruction that sets the mask to `ecx`.
    pub(super) fn set_mask(&mut self) {
        // kmovw k1, ecx
        self.bytes.extend([0xc5, 0xf8, 0x92, 0xc9]);
    }

    /// Appends a prefetch of the cache line `at` bytes after `base` plus `rcx`; the address may be
    /// invalid.
    pub(super) fn prefetch(&mut self, base: Base, at: i32) {
        // prefetcht0
        let base = base as u8;
        self.bytes.extend([0x40 | base >> 3, 0x0f, 0x18, 0x80 | 1 << 3 | 4, 1 << 3 | base & 7]);
        self.bytes.extend(at.to_le_bytes());
    }

    /// Appends a load of one word into all 16, `at` bytes after `base`.
    pub(super) fn broadcast(&mut self, to: Zmm, base: Base, at: i32) {
        self.transfer(Opcode::BROADCAST, to, (base, false, at), Masking::ALL);
    }

    /// Appends the instructions that set all words to a number; they clobber `eax`.
    pub(super) fn splat(&mut self, to: Zmm, bits: u32) {
        self.bytes.push(0xb8);
        self.bytes.extend(bits.to_le_bytes());
        self.unary(Opcode::BROADCAST_EAX, to, Zmm(0));
    }

    /// Returns the current position, as the beginning of the loop.
    pub(super) fn here(&self) -> Label {
        Label(self.bytes.len())
    }

    /// Appends the end of the loop, which repeats it `rdx` times, and the return.
    pub(super) fn repeat(&mut self, Label(head): Label) {
        // dec rdx; jnz head
        self.bytes.extend([0x48, 0xff, 0xca, 0x0f, 0x85]);
        let distance = head as i32 - (self.bytes.len() as i32 + 4);
        self.bytes.extend(distance.to_le_bytes());
    }

    /// Appends the return from the function.
    pub(super) fn leave(&mut self) {
        // vzeroupper; ret
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
    }

    /// Appends a load of a general register, from `at` bytes after `rdi`.
    pub(super) fn load_base(&mut self, to: Base, at: i32) {
        self.bytes.extend([0x48 | (to as u8 >> 3) << 2, 0x8b, 0x87 | (to as u8 & 7) << 3]);
        self.bytes.extend(at.to_le_bytes());
    }

    /// Appends the addition of `rax` to the 8 bytes that are `at` bytes after `rdi`.
    pub(super) fn add_rax(&mut self, at: i32) {
        self.bytes.extend([0x48, 0x01, 0x87]);
        self.bytes.extend(at.to_le_bytes());
    }

    /// Appends the instruction that clears `rcx`.
    pub(super) fn first_vector(&mut self) {
        self.bytes.extend([0x31, 0xc9]);
    }

    /// Appends the instruction that adds the bytes of a vector to `rcx`.
    pub(super) fn next_vector(&mut self) {
        self.bytes.extend([0x48, 0x83, 0xc1, 0x40]);
    }
}
