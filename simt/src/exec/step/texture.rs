//! Reads of textures.
use super::{Exec, control::Next};
use crate::{
    bytecode::TextureRead,
    observe::{counters::tally::RequestCost, sanitizer::undefined::UndefinedLanes},
    vector::{mask::bits, memory::Cells},
};
use warpwise_compiler::{
    hardware::{
        LANES,
        texture::{Cost, count_sectors},
    },
    texture::{Descriptor, HEADER_BYTES, ReadOperands},
};

impl Exec<'_> {
    /// Reads a word of a texture in the active lanes.
    pub(super) fn read_texture(&mut self, read: &TextureRead) -> Next {
        let texture = self.buffer_cells(read.texture);
        let descriptor = texture.and_then(|cells| Descriptor::from_header(&read_header(cells)?));
        let (Some(cells), Some(descriptor)) = (texture, descriptor) else {
            return Next::OutOfBounds(0);
        };
        for lane in self.strand.active().lanes() {
            let operands = self.texture_operands(read, lane);
            let load = |at: u64, bytes| load_texel(cells, at, bytes).unwrap_or(0);
            let bits = descriptor.read(read.op, &operands, read.word, load);
            self.registers.set(read.to, lane, bits.into());
        }
        self.propagate_undefined_operands(read);
        self.count_texture_read(read, &descriptor);
        Next::Continue
    }

    /// Counts the requests of each warp, and their sectors.
    fn count_texture_read(&mut self, read: &TextureRead, descriptor: &Descriptor) {
        let Some(counter) = read.counter else { return };
        let mut all = RequestCost::default();
        for (warp, active) in self.strand.active().warps() {
            let mut lanes = [None; LANES];
            for lane in bits(active) {
                lanes[lane] = Some(self.texture_operands(read, warp * LANES + lane));
            }
            let Cost { requests, sectors, ideal } = count_sectors(descriptor, read.op, &lanes);
            all += RequestCost {
                requests: requests.into(),
                taken: sectors.into(),
                ideal: ideal.into(),
            };
        }
        self.log.tally.add_texture_read(counter, all);
    }

    /// Returns the operands of a lane.
    fn texture_operands(&self, read: &TextureRead, lane: usize) -> ReadOperands {
        let bits = read.args.map(|arg| self.operand_value(arg, lane) as u32);
        ReadOperands::from_bits(read.op, bits)
    }

    /// Marks results with undefined operands as undefined.
    fn propagate_undefined_operands(&mut self, read: &TextureRead) {
        let (group, active) = (self.position.first_thread, self.strand.active());
        let Some(checks) = &mut self.checks else { return };
        if !checks.undefined.has_private() {
            return;
        }
        let args = read.args.iter().zip(read.op.arg_types());
        let all = args
            .map(|(arg, _)| checks.undefined.operand(group, *arg))
            .fold(None, UndefinedLanes::union);
        let all = all.and_then(|all| all.restrict_to(active));
        checks.undefined.set_register(group, read.to, active, all);
    }
}

/// Reads the header of a texture.
fn read_header(cells: Cells<'_>) -> Option<[u8; HEADER_BYTES]> {
    let mut header = [0; HEADER_BYTES];
    for (at, byte) in header.iter_mut().enumerate() {
        *byte = cells.load::<u8>(at as u64, false)?;
    }
    Some(header)
}

/// Reads `bytes` bytes of the texels, the lowest first.
fn load_texel(cells: Cells<'_>, at: u64, bytes: usize) -> Option<u64> {
    let at = at.checked_add(HEADER_BYTES as u64)?;
    (0..bytes as u64).try_fold(0, |value, byte| {
        let loaded = cells.load::<u8>(at.checked_add(byte)?, false)?;
        Some(value | u64::from(loaded) << (8 * byte))
    })
}
