//! `race table`: the machine code of the compilers for large launches, without a GPU.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    sass::{Instruction, Program},
    tools,
};
use std::{collections::BTreeMap, fs, path::Path};

/// The store of a fault report's flag in PTX; each remaining check, or group of checks, has one.
const FAULT_REPORT: &str = "st.relaxed.sys.global.u32";

/// Prints registers, stack and hot loop of each compiler's code in `folder`.
///
/// # Errors
/// Fails if a tool is missing or refuses a file.
pub(crate) fn print(folder: &Path, benchmarks: &[&Benchmark]) -> Result<()> {
    println!(
        "| {:18} | {:8} | regs | stack | code | loop | {:>10} | per unit | branches | checks | loads |",
        "kernel", "by", "units"
    );
    println!(
        "|{0:-<20}|{0:-<10}|-----:|------:|-----:|-----:|{0:->11}:|---------:|---------:|-------:|-------|",
        ""
    );
    for benchmark in benchmarks {
        for compiler in Compiler::ALL {
            if compiler.file(folder, benchmark).exists() {
                Row::new(folder, benchmark, compiler)?.print(benchmark, compiler);
            }
        }
    }
    Ok(())
}

/// The table's entries for one compiler's code.
struct Row {
    registers: String,
    stack: String,
    code: usize,
    /// Instructions in the hot loop.
    hot: usize,
    /// Instructions in it that do the work.
    units: usize,
    /// Conditional branches in it, including the loop's own.
    branches: usize,
    /// Checks in the whole kernel that may fail.
    checks: usize,
    /// Global loads in the hot loop, by bits.
    loads: BTreeMap<u32, usize>,
}

impl Row {
    fn new(folder: &Path, benchmark: &Benchmark, compiler: Compiler) -> Result<Self> {
        let file = compiler.or_own_file(compiler.file(folder, benchmark), folder, benchmark);
        let (cubin, checks) = match compiler {
            Compiler::Nvcc => (file, 0),
            Compiler::BuiltIn | Compiler::Llvm => {
                let cubin = file.with_extension("cubin");
                tools::ptxas(&file, &cubin)?;
                (cubin, fs::read_to_string(&file)?.matches(FAULT_REPORT).count())
            }
        };
        let program = Program::parse(&tools::disassemble(&cubin)?);
        let hot = program.hot_loop(benchmark.unit);
        let count = |is: &dyn Fn(&Instruction) -> bool| hot.iter().filter(|inst| is(inst)).count();
        let mut loads = BTreeMap::new();
        for load in hot.iter().filter(|inst| inst.is("LDG")) {
            *loads.entry(load.width()).or_default() += 1;
        }
        let resources = tools::resources(&cubin)?;
        Ok(Self {
            registers: resource(&resources, "REG:"),
            stack: resource(&resources, "STACK:"),
            code: program.len(),
            hot: hot.len(),
            units: count(&|inst| inst.is(benchmark.unit)),
            branches: count(&Instruction::is_conditional_branch),
            checks,
            loads,
        })
    }

    fn print(&self, benchmark: &Benchmark, compiler: Compiler) {
        let units = format!("{} {}", self.units, benchmark.unit);
        let per_unit = self.hot as f64 / self.units.max(1) as f64;
        let loads: Vec<String> =
            self.loads.iter().map(|(bits, count)| format!("{count} of {bits}")).collect();
        println!(
            "| {:18} | {:8} | {:>4} | {:>5} | {:>4} | {:>4} | {units:>10} | {per_unit:>8.1} | {:>8} | {:>6} | {} |",
            benchmark.name,
            compiler.name(),
            self.registers,
            self.stack,
            self.code,
            self.hot,
            self.branches,
            self.checks,
            loads.join(", ")
        );
    }
}

/// Returns the number after `name` in the output of `cuobjdump -res-usage` for the kernel.
fn resource(text: &str, name: &str) -> String {
    let after = text.split_once(name).map_or("", |(_, after)| after);
    after.chars().take_while(char::is_ascii_digit).collect()
}
