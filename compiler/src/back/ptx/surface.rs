//! Loads and stores of the texels of surfaces: `suld.b` and `sust.b`.
//!
//! The address of a texel is its coordinates ([`surface`](crate::ir::surface)), from which they are
//! taken. Lanes of one texel are one instruction, as [vectors](super::vector) of other memory are.
//! The kernel has checked its indices, so that the clamp mode decides about nothing.
//!
//! A surface that the kernel writes is accessed in the second cache (`.cg`), which all blocks
//! share. So a block reads the texels that another one has written before a grid barrier.
use super::{
    Emitter,
    emitter::{Value, ptx},
    reg::{Class, Operand, Reg},
};
use crate::{
    analysis::vectors::Vector,
    ir::{
        InstId, Kernel, ParamId, Root, Scalar, TextureShape,
        surface::{LAYER_ROWS, ROW_BYTES, Y_BIT, Z_BIT, coordinate_order},
    },
};

/// The direction of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceAccess {
    /// `suld.b`.
    Load,
    /// `sust.b`.
    Store,
}

/// Returns the name of the instruction that accesses so many lanes of `bytes` bytes each, with its
/// types: `suld.b.2d.cg.v4.b8.zero`.
pub fn surface_name(
    kernel: &Kernel,
    (param, shape): (ParamId, TextureShape),
    access: SurfaceAccess,
    lanes: usize,
    bytes: u32,
) -> String {
    let name = match access {
        SurfaceAccess::Load => "suld",
        SurfaceAccess::Store => "sust",
    };
    let cache = if kernel.is_read_only(Root::Param(param)) { "" } else { ".cg" };
    let vector = if lanes > 1 { format!(".v{lanes}") } else { String::new() };
    format!("{name}.b.{}{cache}{vector}.b{}.zero", shape.name(), 8 * bytes)
}

/// A step from the address of a texel to its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// The number of the lowest bit.
    pub shift: u32,
    /// The mask after the shift, where bits of the next coordinate follow.
    pub mask: Option<u32>,
}

/// Returns where the coordinates of a surface are in addresses: x, y and z, as many as there are.
pub fn coordinate_bits(shape: TextureShape) -> &'static [Coordinate] {
    const ROW_MASK: u32 = ROW_BYTES as u32 - 1;
    const LAYER_MASK: u32 = LAYER_ROWS as u32 - 1;
    const X: Coordinate = Coordinate { shift: 0, mask: Some(ROW_MASK) };
    match shape {
        TextureShape::D1 => &[Coordinate { shift: 0, mask: None }],
        TextureShape::D2 | TextureShape::D1Layered => &[X, Coordinate { shift: Y_BIT, mask: None }],
        TextureShape::D3 | TextureShape::D2Layered => &[
            X,
            Coordinate { shift: Y_BIT, mask: Some(LAYER_MASK) },
            Coordinate { shift: Z_BIT, mask: None },
        ],
    }
}

/// Returns the coordinates as an operand, from those that [`coordinate_bits`] names.
pub fn surface_coordinates(shape: TextureShape, coordinates: &[String]) -> String {
    let order = coordinate_order(shape).iter().map(|&at| coordinates[at].as_str());
    format!("{{{}}}", order.collect::<Vec<_>>().join(", "))
}

impl Emitter<'_> {
    /// The handle of a surface, which the launch passes.
    pub(super) fn surface_handle(&mut self, param: ParamId) -> Reg {
        if let Some(reg) = self.surfaces[param] {
            return reg;
        }
        let reg = self.regs.fresh(Class::B64);
        ptx!(self, "ld.param.u64 {reg}, [{param}]");
        self.surfaces[param] = Some(reg);
        reg
    }

    /// A load: alone, with other lanes of the texel, or done already with them.
    pub(super) fn load_surface(
        &mut self,
        id: InstId,
        ptr: InstId,
        surface: (ParamId, TextureShape),
    ) -> Value {
        match self.vectors.get(id).cloned() {
            Some(vector) if vector.position != id => return self.value(id),
            vector => {
                let (members, place) = self.surface_place(id, ptr, surface, vector.as_ref());
                let scalars: Vec<Scalar> = members.iter().map(|id| self.scalar(*id)).collect();
                let bytes = surface_bytes(&scalars);
                let words: Vec<Reg> =
                    scalars.iter().map(|scalar| self.regs.fresh(surface_class(*scalar))).collect();
                let access = SurfaceAccess::Load;
                let name = surface_name(self.kernel, surface, access, words.len(), bytes);
                ptx!(self, "{name} {}, {place}", list(&words));
                for ((member, scalar), word) in members.iter().zip(scalars).zip(words) {
                    let value = self.widen_surface_word(scalar, word);
                    self.define(*member, value);
                }
            }
        }
        self.value(id)
    }

    /// A store: alone, with other lanes of the texel, or done later with them.
    pub(super) fn store_surface(
        &mut self,
        id: InstId,
        ptr: InstId,
        surface: (ParamId, TextureShape),
    ) {
        let vector = self.vectors.get(id).cloned();
        if vector.as_ref().is_some_and(|vector| vector.position != id) {
            return;
        }
        let (members, place) = self.surface_place(id, ptr, surface, vector.as_ref());
        let kernel = self.kernel;
        let values: Vec<InstId> =
            members.iter().filter_map(|id| kernel.insts[*id].op.operands().nth(1)).collect();
        let scalars: Vec<Scalar> = values.iter().map(|value| self.scalar(*value)).collect();
        let bytes = surface_bytes(&scalars);
        let words: Vec<Reg> = values.iter().map(|value| self.surface_word(*value)).collect();
        let access = SurfaceAccess::Store;
        let name = surface_name(self.kernel, surface, access, words.len(), bytes);
        ptx!(self, "{name} {place}, {}", list(&words));
    }

    /// The lanes that are accessed, the lowest address first, and the operand with the surface and
    /// the coordinates of the first.
    fn surface_place(
        &mut self,
        id: InstId,
        ptr: InstId,
        (param, shape): (ParamId, TextureShape),
        vector: Option<&Vector>,
    ) -> (Vec<InstId>, String) {
        let mut address = self.address(ptr);
        let mut members = vec![id];
        if let Some(vector) = vector {
            address = self.behind(address, -(vector.position_offset as i32));
            members.clone_from(&vector.members);
        }
        let (address, handle) = (self.pointer(address), self.surface_handle(param));
        let coordinates: Vec<String> = coordinate_bits(shape)
            .iter()
            .map(|coordinate| self.surface_coordinate(address, *coordinate).to_string())
            .collect();
        (members, format!("[{handle}, {}]", surface_coordinates(shape, &coordinates)))
    }

    fn surface_coordinate(&mut self, address: Reg, Coordinate { shift, mask }: Coordinate) -> Reg {
        let mut wide = address;
        if shift > 0 {
            wide = self.regs.fresh(Class::B64);
            ptx!(self, "shr.u64 {wide}, {address}, {shift}");
        }
        let low = self.regs.fresh(Class::B32);
        ptx!(self, "cvt.u32.u64 {low}, {wide}");
        let Some(mask) = mask else { return low };
        let masked = self.regs.fresh(Class::B32);
        ptx!(self, "and.b32 {masked}, {low}, {mask}");
        masked
    }

    /// A lane as its scalar is kept in registers.
    fn widen_surface_word(&mut self, scalar: Scalar, word: Reg) -> Reg {
        let class = Class::of(scalar);
        if class == word.class {
            return word;
        }
        let reg = self.regs.fresh(class);
        let to = if scalar.is_signed() { "s32" } else { "u32" };
        ptx!(self, "cvt.{to}.{} {reg}, {word}", super::memory(scalar));
        reg
    }

    /// A value as a lane of a store.
    fn surface_word(&mut self, value: InstId) -> Reg {
        let reg = match self.operand(value) {
            Operand::Reg(reg) => reg,
            Operand::Imm(imm) => self.materialize(imm),
        };
        let class = surface_class(self.scalar(value));
        if reg.class == class {
            return reg;
        }
        let word = self.regs.fresh(class);
        ptx!(self, "cvt.u16.u32 {word}, {reg}");
        word
    }
}

/// The class of a lane: numbers of 8 bits are accessed by registers of 16.
fn surface_class(scalar: Scalar) -> Class {
    match scalar.size() {
        Some(1 | 2) => Class::B16,
        _ => Class::of(scalar),
    }
}

/// The bytes of a lane; all lanes have the same.
fn surface_bytes(scalars: &[Scalar]) -> u32 {
    scalars.first().and_then(|scalar| scalar.size()).unwrap_or(4)
}

/// As instructions take them: `{%f1, %f2}`, or `%f1`.
fn list(words: &[Reg]) -> String {
    match words {
        [word] => word.to_string(),
        words => {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            format!("{{{}}}", words.join(", "))
        }
    }
}
