//! Layouts of values in the memory of devices: that of `repr(C)`, also where Rust leaves it open.
//!
//! Kernels compute the same layouts (`frontend/src/lower/memory/layout.rs`). Where Rust specifies a
//! layout, generated code compares it with this one while the user's crate is compiled.

/// The layout of a type: of a `repr(C)` struct or enum with its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes.
    pub align: usize,
    /// True if the layout is that of the host's Rust, too.
    pub as_in_rust: bool,
}

impl Layout {
    /// Returns the layout of a type that Rust specifies.
    pub const fn of<T>() -> Self {
        Self { size: size_of::<T>(), align: align_of::<T>(), as_in_rust: true }
    }

    /// Marks the layout as one that Rust leaves open.
    #[must_use]
    pub const fn open(self) -> Self {
        Self { as_in_rust: false, ..self }
    }

    /// Returns the layout of an array of `len` elements.
    #[must_use]
    pub const fn array(self, len: usize) -> Self {
        Self { size: self.size * len, ..self }
    }

    /// Returns the layout of a struct with these fields and `repr(align(align))`.
    pub const fn structure(fields: &[Self], align: usize) -> Self {
        let mut all = Self { size: 0, align, as_in_rust: true };
        let mut index = 0;
        while index < fields.len() {
            let Self { size, align, as_in_rust } = fields[index];
            all.size = all.size.next_multiple_of(align) + size;
            all.align = max(all.align, align);
            all.as_in_rust &= as_in_rust;
            index += 1;
        }
        all.size = all.size.next_multiple_of(all.align);
        all
    }

    /// Returns the layout of an enum: its discriminant, and after it the fields of a variant.
    pub const fn enumeration(tag: Self, variants: &[&[Self]], align: usize) -> Self {
        let data = Self::union(variants);
        Self::structure(&[tag, data], align)
    }

    /// Returns the layout of the part after the discriminant, which is that of any variant.
    const fn union(variants: &[&[Self]]) -> Self {
        let mut all = Self { size: 0, align: 1, as_in_rust: true };
        let mut index = 0;
        while index < variants.len() {
            let Self { size, align, as_in_rust } = Self::structure(variants[index], 1);
            all.size = max(all.size, size);
            all.align = max(all.align, align);
            all.as_in_rust &= as_in_rust;
            index += 1;
        }
        all.size = all.size.next_multiple_of(all.align);
        all
    }

    /// Returns the offset of the fields of an enum's variants.
    pub const fn payload(tag: Self, variants: &[&[Self]]) -> usize {
        tag.size.next_multiple_of(Self::union(variants).align)
    }

    /// Compares the layout with Rust's of a struct or enum, if that is to be the same.
    ///
    /// # Panics
    /// While the user's crate is compiled, if they differ.
    #[must_use]
    pub const fn compared<T>(self) -> Self {
        let is_same = self.size == size_of::<T>() && self.align == align_of::<T>();
        assert!(
            !self.as_in_rust || is_same,
            "it does not lie in memory as `#[device]` takes it to"
        );
        self
    }

    /// Compares the offsets of a struct's `fields` with Rust's, which are `found`.
    ///
    /// # Panics
    /// While the user's crate is compiled, if they differ.
    #[must_use]
    pub const fn with_fields<const N: usize>(self, fields: &[Self; N], found: &[usize; N]) -> Self {
        let (offsets, mut index) = (offsets(fields), 0);
        while index < N {
            let is_there = offsets[index] == found[index];
            assert!(
                !self.as_in_rust || is_there,
                "a field does not lie where `#[device]` takes it to"
            );
            index += 1;
        }
        self
    }
}

/// Returns the offsets of the `fields` of a struct or variant.
pub const fn offsets<const N: usize>(fields: &[Layout; N]) -> [usize; N] {
    let (mut offsets, mut end, mut index) = ([0; N], 0usize, 0);
    while index < N {
        offsets[index] = end.next_multiple_of(fields[index].align);
        end = offsets[index] + fields[index].size;
        index += 1;
    }
    offsets
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stored;
    use std::mem::offset_of;

    #[test]
    fn layouts_are_those_of_repr_c() {
        #[repr(C)]
        struct Mixed(u8, u64, u16);
        let fields = [u8::LAYOUT, u64::LAYOUT, u16::LAYOUT];
        let expected = [0, offset_of!(Mixed, 1), offset_of!(Mixed, 2)];
        assert_eq!(offsets(&fields), expected);
        let layout = Layout::structure(&fields, 1);
        assert_eq!(layout, Layout::of::<Mixed>());
        assert_eq!(layout.compared::<Mixed>().with_fields(&fields, &expected), layout);
        assert_eq!(layout.array(3), Layout::of::<[Mixed; 3]>());
        #[repr(C, align(32))]
        struct Aligned(u16, f32);
        let fields = [u16::LAYOUT, f32::LAYOUT];
        assert_eq!(Layout::structure(&fields, 32), Layout::of::<Aligned>());
        #[expect(dead_code, reason = "only its size is looked at")]
        #[repr(C)]
        enum Either {
            Small(u8),
            Large { wide: f64, narrow: u8 },
            Empty,
        }
        let variants: [&[Layout]; 3] = [&[u8::LAYOUT], &[f64::LAYOUT, u8::LAYOUT], &[]];
        assert_eq!(Layout::enumeration(i32::LAYOUT, &variants, 1), Layout::of::<Either>());
        assert_eq!(Layout::payload(i32::LAYOUT, &variants), 8);
        #[expect(dead_code, reason = "only its size is looked at")]
        #[repr(C, u8)]
        enum Tight {
            One([u8; 3]),
            Two,
        }
        let variants: [&[Layout]; 2] = [&[<[u8; 3]>::LAYOUT], &[]];
        assert_eq!(Layout::enumeration(u8::LAYOUT, &variants, 1), Layout::of::<Tight>());
    }

    #[test]
    fn layouts_that_rust_leaves_open_are_those_of_repr_c() {
        let layout = |size, align| Layout { size, align, as_in_rust: false };
        assert_eq!(<(u8, u32, u8)>::LAYOUT, layout(12, 4));
        assert_eq!(<Option<u8>>::LAYOUT, layout(2, 1));
        assert_eq!(<Option<f64>>::LAYOUT, layout(16, 8));
        assert_eq!(<Option<()>>::LAYOUT, layout(1, 1));
        assert_eq!(<Result<u8, (u8, u16)>>::LAYOUT, layout(6, 2));
        assert_eq!(<[Option<(u8, u16)>; 3]>::LAYOUT, layout(18, 2));
    }

    #[test]
    #[should_panic(expected = "a field does not lie where `#[device]` takes it to")]
    fn fields_elsewhere_are_found() {
        let fields = [u32::LAYOUT; 2];
        let _ = Layout::structure(&fields, 1).with_fields(&fields, &[4, 0]);
    }

    #[test]
    #[should_panic(expected = "it does not lie in memory as `#[device]` takes it to")]
    fn structs_of_other_sizes_are_found() {
        let _ = Layout::structure(&[u32::LAYOUT; 2], 1).compared::<[u32; 3]>();
    }
}
