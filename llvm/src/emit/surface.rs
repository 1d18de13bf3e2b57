//! Loads and stores of the texels of surfaces as inline PTX.
//!
//! An address of a texel is an `i64`, which is its coordinates
//! ([`surface`](warpwise_compiler::ir::surface)). Lanes of one texel are one instruction.
use super::{
    emitter::{Effects, Emitter, inst},
    memory::size,
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{Coordinate, SurfaceAccess, coordinate_bits, surface_coordinates, surface_name},
    ir::{InstId, ParamId, Root, TextureShape},
};

impl Emitter<'_> {
    /// A load: alone, with other lanes of the texel, or done already with them.
    pub(super) fn load_surface(
        &mut self,
        id: InstId,
        ptr: InstId,
        surface: (ParamId, TextureShape),
    ) -> Value {
        let Some((members, operands)) = self.surface_place(id, ptr, surface) else {
            return self.value(id);
        };
        let bytes = size(self.scalar(id));
        let name = surface_name(self.kernel, surface, SurfaceAccess::Load, members.len(), bytes);
        let words: Vec<String> = (0..members.len()).map(|word| format!("${word}")).collect();
        let place = surface_operand(surface.1, members.len());
        let text = format!("{name} {}, {place};", list(&words));
        let is_read_only = self.kernel.is_read_only(Root::Param(surface.0));
        let effects = if is_read_only { Effects::None } else { Effects::Memory };
        let word = Type::int((8 * bytes).max(16));
        let words = self.asm_words(word, members.len(), &text, &operands, effects);
        for (member, word) in members.iter().zip(words) {
            let value = self.of_register(self.scalar(*member), word);
            self.define(*member, value);
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
        let Some((members, mut operands)) = self.surface_place(id, ptr, surface) else { return };
        let kernel = self.kernel;
        let places = operands.len();
        let stored = members.iter().filter_map(|id| kernel.insts[*id].op.operands().nth(1));
        let mut bytes = 4;
        for id in stored.collect::<Vec<InstId>>() {
            bytes = size(self.scalar(id));
            let value = self.value(id);
            let value = match value.ty {
                Type::I8 => self.zero_extend(&value, Type::I16),
                Type::Half | Type::Float | Type::Double => {
                    self.of_bits(&value, Type::int(8 * bytes))
                }
                _ => value,
            };
            operands.push(value);
        }
        let name = surface_name(kernel, surface, SurfaceAccess::Store, members.len(), bytes);
        let words: Vec<String> =
            (places..operands.len()).map(|operand| format!("${operand}")).collect();
        let text = format!("{name} {}, {};", surface_operand(surface.1, 0), list(&words));
        self.asm_line(&text, &operands, Effects::Memory);
    }

    /// The lanes that are accessed here, the lowest address first, and the handle and the
    /// coordinates of the first; `None` if the access is part of another.
    fn surface_place(
        &mut self,
        id: InstId,
        ptr: InstId,
        (param, shape): (ParamId, TextureShape),
    ) -> Option<(Vec<InstId>, Vec<Value>)> {
        let mut address = self.value(ptr);
        let mut members = vec![id];
        if let Some(vector) = self.vectors.get(id).cloned() {
            if vector.position != id {
                return None;
            }
            members = vector.members;
            let offset = -(vector.position_offset as i64);
            if offset != 0 {
                address = inst!(self, Type::I64, "add {address}, {offset}");
            }
        }
        let mut operands = vec![Value::new(Type::I64, format!("%{param}"))];
        for coordinate in coordinate_bits(shape) {
            operands.push(self.surface_coordinate(&address, *coordinate));
        }
        Some((members, operands))
    }

    fn surface_coordinate(
        &mut self,
        address: &Value,
        Coordinate { shift, mask }: Coordinate,
    ) -> Value {
        let wide = match shift {
            0 => address.clone(),
            shift => inst!(self, Type::I64, "lshr {address}, {shift}"),
        };
        let low = inst!(self, Type::I32, "trunc {wide} to i32");
        mask.map_or(low.clone(), |mask| inst!(self, Type::I32, "and {low}, {mask}"))
    }
}

/// The operand with the handle and the coordinates, from operand `first` on.
fn surface_operand(shape: TextureShape, first: usize) -> String {
    let count = coordinate_bits(shape).len();
    let coordinates: Vec<String> = (0..count).map(|at| format!("${}", first + 1 + at)).collect();
    format!("[${first}, {}]", surface_coordinates(shape, &coordinates))
}

/// As instructions take them: `{$0, $1}`, or `$0`.
fn list(words: &[String]) -> String {
    match words {
        [word] => word.clone(),
        words => format!("{{{}}}", words.join(", ")),
    }
}
