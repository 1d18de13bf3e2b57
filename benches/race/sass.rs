//! Machine code as `nvdisasm -c` prints it, and its hot loop.
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    /// The address.
    address: u64,
    /// True if a predicate guards it.
    is_guarded: bool,
    /// The operation with its modifiers: `LDG.E.128.CONSTANT`.
    pub(crate) opcode: String,
    /// The label that it mentions.
    label: Option<String>,
}

impl Instruction {
    /// Returns true for operation `name`, whatever its modifiers.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.opcode.split('.').next() == Some(name)
    }

    /// Returns true if the instruction jumps or falls through.
    pub(crate) fn is_conditional_branch(&self) -> bool {
        self.is_guarded && self.is("BRA")
    }

    /// Returns the bits that a load transfers: the first modifier that is a width, or 32.
    pub(crate) fn width(&self) -> u32 {
        let width = |modifier| match modifier {
            "U8" | "S8" => Some(8),
            "U16" | "S16" => Some(16),
            "64" => Some(64),
            "128" => Some(128),
            _ => None,
        };
        self.opcode.split('.').skip(1).find_map(width).unwrap_or(32)
    }

    fn parse(line: &str) -> Option<Self> {
        let (address, rest) = line.trim().strip_prefix("/*")?.split_once("*/")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let text = rest.trim().trim_start_matches('{').trim().trim_end_matches([';', '}', ' ']);
        let (is_guarded, text) = match text.strip_prefix('@') {
            Some(guarded) => (true, guarded.split_once(' ')?.1.trim()),
            None => (false, text),
        };
        let (opcode, operands) = text.split_once(' ').unwrap_or((text, ""));
        let label = operands.split_once("`(").and_then(|(_, label)| label.split_once(')'));
        let label = label.map(|(label, _)| label.to_owned());
        Some(Self { address, is_guarded, opcode: opcode.to_owned(), label })
    }
}

/// The instructions of a kernel, in order.
#[derive(Debug, Default)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    /// The address of each label.
    labels: HashMap<String, u64>,
}

impl Program {
    /// Parses the output of `nvdisasm -c`.
    pub(crate) fn parse(text: &str) -> Self {
        let mut program = Self::default();
        let mut pending = Vec::new();
        for line in text.lines() {
            if let Some(label) = line.strip_suffix(':') {
                pending.push(label.trim().to_owned());
            } else if let Some(instruction) = Instruction::parse(line) {
                let address = instruction.address;
                program.labels.extend(pending.drain(..).map(|label| (label, address)));
                program.instructions.push(instruction);
            }
        }
        program.remove_padding();
        program
    }

    /// Removes the endless jump at the end and the padding of the last line of the instruction
    /// cache.
    fn remove_padding(&mut self) {
        while self.instructions.last().is_some_and(|last| last.is("NOP") || self.is_trap(last)) {
            self.instructions.pop();
        }
    }

    fn is_trap(&self, instruction: &Instruction) -> bool {
        self.jump_target(instruction) == Some(instruction.address)
    }

    fn jump_target(&self, instruction: &Instruction) -> Option<u64> {
        let label = instruction.label.as_ref().filter(|_| instruction.is("BRA"))?;
        self.labels.get(label).copied()
    }

    /// Returns the number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Returns the innermost loop with the most instructions `unit`, without the reports of faults.
    /// If no innermost loop has any, returns the shortest loop with the most; if no loop has any,
    /// the whole program.
    pub(crate) fn hot_loop(&self, unit: &str) -> Vec<&Instruction> {
        let loops = self.loops();
        let is_innermost = |&(start, end): &(u64, u64)| {
            !loops.range(start..=end).any(|(&other, &last)| other != start && last <= end)
        };
        let units =
            |range: (u64, u64)| self.without_reports(range).filter(|inst| inst.is(unit)).count();
        let ranges = loops.iter().map(|(&start, &end)| (start, end));
        let with_units = ranges.filter(|range| units(*range) > 0);
        let hottest = with_units.max_by_key(|range| (is_innermost(range), units(*range), range.0));
        self.without_reports(hottest.unwrap_or((0, u64::MAX))).collect()
    }

    /// Iterates over the instructions in a range of addresses, without the reports of faults.
    fn without_reports(&self, (start, end): (u64, u64)) -> impl Iterator<Item = &Instruction> {
        let reports = self.fault_reports();
        let is_reported = move |address: u64| {
            reports.iter().any(|(first, last)| (*first..=*last).contains(&address))
        };
        let within =
            self.instructions.iter().filter(move |inst| (start..=end).contains(&inst.address));
        within.filter(move |inst| !is_reported(inst.address))
    }

    /// Returns the first and last address of each loop, that is of each target of backward jumps.
    fn loops(&self) -> BTreeMap<u64, u64> {
        let mut loops = BTreeMap::new();
        for instruction in &self.instructions {
            let target = self.jump_target(instruction);
            if let Some(start) = target.filter(|target| *target < instruction.address) {
                let end = loops.entry(start).or_insert(instruction.address);
                *end = instruction.address.max(*end);
            }
        }
        loops
    }

    /// Returns the first and last address of each fault report: from the block that stores the
    /// flag, 32 bits with the scope of the system, to the last atomic minimum of 64 bits. No kernel
    /// of the race has either of them.
    fn fault_reports(&self) -> Vec<(u64, u64)> {
        let targets: BTreeSet<u64> =
            self.instructions.iter().filter_map(|inst| self.jump_target(inst)).collect();
        let mut reports: Vec<(u64, u64)> = Vec::new();
        let mut block_start = 0;
        let mut after_branch = false;
        for instruction in &self.instructions {
            let address = instruction.address;
            if after_branch || targets.contains(&address) {
                block_start = address;
            }
            after_branch = ["BRA", "EXIT", "RET", "BRX"].iter().any(|name| instruction.is(name));
            if instruction.opcode.starts_with("STG.E.STRONG.SYS") {
                reports.push((block_start, address));
            } else if instruction.opcode.contains(".MIN.64")
                && let Some((_, end)) = reports.last_mut()
            {
                *end = address;
            }
        }
        reports
    }
}

#[cfg(test)]
mod tests {
    use super::Program;

    const LISTING: &str = "
.text.scale:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/              @!P0 BRA `(.L_x_2) ;
        /*0030*/                   FFMA R4, R4, R5, R6 ;
        /*0040*/               @P1 BRA `(.L_x_1) ;
        /*0050*/                   EXIT ;
.L_x_2:
        /*0060*/                   LDG.E.64 R8, desc[UR4][R6.64+0x318] ;
        /*0070*/                   STG.E.STRONG.SYS desc[UR4][R8.64], R5 ;
        /*0080*/                   REDG.E.ADD.STRONG.GPU desc[UR4][R6.64], R16 ;
        /*0090*/                   REDG.E.MIN.64.STRONG.GPU desc[UR4][R6.64], R6 ;
        /*00a0*/                   EXIT ;
.L_x_3:
        /*00b0*/                   BRA `(.L_x_3);
        /*00c0*/                   NOP;
";

    #[test]
    fn the_hot_loop_is_the_one_with_work() {
        let program = Program::parse(LISTING);
        assert_eq!(program.len(), 11);
        let hot = program.hot_loop("FFMA");
        let opcodes: Vec<&str> = hot.iter().map(|inst| &*inst.opcode).collect();
        assert_eq!(opcodes, ["LDG.E.128.CONSTANT", "BRA", "FFMA", "BRA"]);
        assert_eq!(hot[0].width(), 128);
        assert!(hot[1].is_conditional_branch());
    }

    #[test]
    fn without_work_in_loops_all_but_fault_reports_is_hot() {
        let program = Program::parse(LISTING);
        let hot = program.hot_loop("MUFU");
        assert_eq!(hot.len(), 7);
        assert!(!hot.iter().any(|inst| inst.is("REDG") || inst.is("STG")));
    }
}
