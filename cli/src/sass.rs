//! `cargo warpwise sass`: the machine code that `ptxas` assembles from a kernel's PTX.
use crate::{
    args::{Sass, When},
    code_lines::{self, CodeLine, LineTable},
    color::Paint,
    error::CommandError,
    find,
    listing::{self, BackendChoice},
    scratch::ScratchFolder,
    tools,
};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};
use warpwise_compiler::target::Target;

/// Python package with `ptxas`.
pub(crate) const PTXAS_PACKAGE: &str = "nvidia-cuda-nvcc";
/// Python package with `nvdisasm`.
pub(crate) const NVDISASM_PACKAGE: &str = "nvidia-cuda-nvdisasm";

/// Prints a kernel's machine code, and its use of registers and memory.
pub(crate) fn run(command: &Sass, color: When) -> Result<ExitCode, CommandError> {
    let ptxas = tools::find_program("ptxas")
        .ok_or_else(|| tools::missing_program("ptxas", PTXAS_PACKAGE))?;
    let disassembler = Disassembler::find()?;
    let text =
        find::with_kernel(&command.build, &command.kernel, &command.bind, |project, kernel| {
            let (closed, bindings) = find::bound_ir(kernel, &command.bind)?;
            let optimized = listing::optimize_for_gpu(closed, command.launches.code())?;
            let table = LineTable::new(kernel);
            let lines = Some(table.for_emission()).filter(|_| !command.no_lines && !command.mix);
            let backend = BackendChoice::new(kernel, &bindings, command.backend);
            let ptx = listing::compile_ptx(&optimized, command.target, backend, lines)?;
            let folder = ScratchFolder::temporary()?;
            let (usage, cubin) = assemble(&ptxas, &ptx, command.target, &folder.0)?;
            let code = disassembler.run(&cubin, lines.is_some())?;
            let paint = Paint::for_stream(color, &io::stdout());
            let code = code_lines::parse_sass(code.trim_end());
            let code = if command.mix {
                instruction_mix(&code)
            } else {
                table.interleave(&code, &project.sources, paint)
            };
            Ok(format!("{}\n{code}", usage_comments(&usage)))
        })?;
    listing::print_text(&text)
}

/// Returns the machine code of `ptx`, with source lines if the disassembler prints them; `None`
/// without the programs, or if they fail.
pub(crate) fn disassemble(ptx: &str, target: Target) -> Option<String> {
    let (ptxas, disassembler) = (tools::find_program("ptxas")?, Disassembler::find().ok()?);
    let folder = ScratchFolder::temporary().ok()?;
    let (_, cubin) = assemble(&ptxas, ptx, target, &folder.0).ok()?;
    disassembler.run(&cubin, true).ok()
}

/// Disassembler program.
enum Disassembler {
    Nvdisasm(PathBuf),
    Cuobjdump(PathBuf),
}

impl Disassembler {
    fn find() -> Result<Self, CommandError> {
        let nvdisasm = tools::find_program("nvdisasm").map(Self::Nvdisasm);
        let found = nvdisasm.or_else(|| tools::find_program("cuobjdump").map(Self::Cuobjdump));
        found.ok_or_else(|| tools::missing_program("nvdisasm", NVDISASM_PACKAGE))
    }

    /// Disassembles a file, with source lines if `lines` asks for them. `cuobjdump` prints none.
    fn run(&self, cubin: &Path, lines: bool) -> Result<String, CommandError> {
        let (program, options): (_, &[&str]) = match self {
            Self::Nvdisasm(program) if lines => (program, &["--print-code", "--print-line-info"]),
            Self::Nvdisasm(program) => (program, &["--print-code"]),
            Self::Cuobjdump(program) => (program, &["--dump-sass"]),
        };
        let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        arguments.push(cubin.into());
        let (text, _) = tools::run_tool(program, &arguments)?;
        Ok(text)
    }
}

/// Assembles `ptx`; returns the messages of `ptxas` and the path of the machine code.
fn assemble(
    ptxas: &Path,
    ptx: &str,
    target: Target,
    folder: &Path,
) -> Result<(String, PathBuf), CommandError> {
    let (source, cubin) = (folder.join("kernel.ptx"), folder.join("kernel.cubin"));
    fs::write(&source, ptx).map_err(|error| {
        CommandError::new(format!("cannot write {}: {error}", source.display()))
    })?;
    let arguments: [OsString; 6] = [
        "--verbose".into(),
        "--generate-line-info".into(),
        format!("--gpu-name={}", architecture(ptx, target)).into(),
        "--output-file".into(),
        cubin.clone().into(),
        source.into(),
    ];
    let (_, said) = tools::run_tool(ptxas, &arguments)?;
    Ok((said, cubin))
}

/// Returns the name of the architecture to assemble `ptx` for: the target, or `sm_90a`, whose PTX
/// is for that architecture alone.
fn architecture(ptx: &str, target: Target) -> String {
    let declared = ptx.lines().find_map(|line| line.strip_prefix(".target "));
    let specific = declared.map(str::trim).filter(|name| name.ends_with('a'));
    specific.map_or_else(|| target.to_string(), str::to_owned)
}

/// Registers and memory of a thread, in bytes, as `ptxas` reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadResources {
    pub(crate) registers: u32,
    /// Stack frame in local memory.
    pub(crate) stack: u32,
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
    /// Constant memory of the kernel, with its parameters.
    pub(crate) constant: u32,
}

/// Returns the resources of the kernel in `ptx` from `ptxas`; `None` if its messages lack the
/// registers.
pub(crate) fn measure_resources(
    ptxas: &Path,
    ptx: &str,
    target: Target,
) -> Result<Option<ThreadResources>, CommandError> {
    let folder = ScratchFolder::temporary()?;
    let (said, _) = assemble(ptxas, ptx, target, &folder.0)?;
    Ok(parse_resources(&said))
}

fn parse_resources(said: &str) -> Option<ThreadResources> {
    let number_before = |unit: &str| {
        let parts = said
            .lines()
            .filter(|line| !line.contains("gmem"))
            .flat_map(|line| line.split([',', ':']));
        let numbers = parts.filter_map(|part| {
            let number = part.trim().trim_start_matches("Used ");
            number.split_once(unit)?.0.trim().parse::<u32>().ok()
        });
        numbers.reduce(|sum, number| sum.saturating_add(number))
    };
    Some(ThreadResources {
        registers: number_before(" registers")?,
        stack: number_before(" bytes stack frame").unwrap_or(0),
        spill_stores: number_before(" bytes spill stores").unwrap_or(0),
        spill_loads: number_before(" bytes spill loads").unwrap_or(0),
        constant: number_before(" bytes cmem").unwrap_or(0),
    })
}

/// Returns true for instructions of the uniform datapath, which a warp executes once for all of its
/// lanes, and for those that write its registers.
fn is_uniform(name: &str) -> bool {
    name.starts_with('U') || matches!(name, "S2UR" | "R2UR" | "VOTEU" | "LDCU" | "CS2UR")
}

/// Returns a table of the instructions by name, the most frequent first, and the number of those of
/// the uniform datapath. Padding after the last instruction is left out.
fn instruction_mix(code: &[CodeLine<'_>]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in code.iter().filter_map(CodeLine::opcode).filter(|name| *name != "NOP") {
        *counts.entry(name).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let uniform: usize =
        counts.iter().filter(|(name, _)| is_uniform(name)).map(|(_, count)| count).sum();
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let share = |count: usize| 100.0 * count as f64 / all as f64;
    let row = |name, count| format!("{name:<8} {count:>6}  {:>5.1} %\n", share(count));
    let rows = counts.iter().map(|(name, count)| row(*name, *count));
    let uniform = (uniform != 0).then(|| row("uniform", uniform));
    rows.chain([format!("{:<8} {all:>6}\n", "all")]).chain(uniform).collect()
}

/// Returns the messages of `ptxas -v` about registers, memory and spills, as comments.
fn usage_comments(said: &str) -> String {
    let lines = said
        .lines()
        .map(|line| line.trim_start_matches("ptxas info").trim_start_matches([' ', ':']));
    let useful = lines.filter(|line| line.contains("bytes") || line.contains("registers"));
    useful.map(|line| format!("// {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specific_architectures_are_those_of_the_ptx() {
        let ptx = |name: &str| format!(".version 8.0\n.target {name}\n.address_size 64\n");
        assert_eq!(architecture(&ptx("sm_75"), Target::new(90)), "sm_90");
        assert_eq!(architecture(&ptx("sm_90a"), Target::new(90)), "sm_90a");
    }

    #[test]
    fn only_the_numbers_of_ptxas_are_kept() {
        let said = "ptxas info    : 0 bytes gmem\n\
                    ptxas info    : Compiling entry function 'saxpy' for 'sm_90'\n\
                    ptxas info    : Function properties for saxpy\n    \
                    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                    ptxas info    : Used 10 registers, 400 bytes cmem[0]\n\
                    ptxas info    : Compile time = 3.5 ms\n";
        let expected = "// 0 bytes gmem\n\
                        // 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                        // Used 10 registers, 400 bytes cmem[0]\n";
        assert_eq!(usage_comments(said), expected);
        let resources =
            ThreadResources { registers: 10, constant: 400, ..ThreadResources::default() };
        assert_eq!(parse_resources(said), Some(resources));
        let spilled = said.replace(
            "0 bytes stack frame, 0 bytes spill stores",
            "24 bytes stack frame, 16 bytes spill stores",
        );
        let resources = ThreadResources { stack: 24, spill_stores: 16, ..resources };
        assert_eq!(parse_resources(&spilled), Some(resources));
        assert_eq!(parse_resources("ptxas fatal"), None);
    }

    #[test]
    fn instructions_are_counted_by_name() {
        let sass = "\t.section .text.k,\"ax\"\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n\
                    .L_x_0:\n        /*0010*/              @!P0 LDS.128 R8, [R0] ;\n\
                    \t\t\t\t/* 0x00000a00ff017b82 */\n        \
                    /*0020*/                   LDS R8, [R0+0x10] ;  /* 0x0000000000087984 */\n        \
                    /*0030*/               @P1 EXIT ;\n        /*0040*/                   NOP;\n";
        let mix = instruction_mix(&code_lines::parse_sass(sass));
        let expected = "LDS           2   50.0 %\nEXIT          1   25.0 %\n\
                        LDC           1   25.0 %\nall           4\n";
        assert_eq!(mix, expected);
        assert_eq!(instruction_mix(&[]), "all           0\n");
        let uniform = "\t.section .text.k,\"ax\"\n        /*0000*/                   ULDC UR4, c[0x0][0x28] ;\n        \
                       /*0010*/                   IADD3 R1, R1, UR4, RZ ;\n";
        let expected = "IADD3         1   50.0 %\nULDC          1   50.0 %\n\
                        all           2\nuniform       1   50.0 %\n";
        assert_eq!(instruction_mix(&code_lines::parse_sass(uniform)), expected);
    }
}
