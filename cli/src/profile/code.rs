//! Code of profiled kernels by source line, as a GPU would run it.
use super::{read::LaunchGroup, report::LineProfile};
use crate::{
    code_lines::{self, InstructionsByLine, LineTable},
    find,
    listing::{self, BackendChoice, LaunchedCode},
    project::{Kernel, Project},
    sass,
};
use warpwise_compiler::target::Target;

/// Instructions of a kernel by the lines that they come from.
pub(crate) struct KernelCode {
    pub(crate) target: Target,
    /// Name of the back end.
    pub(crate) producer: String,
    pub(crate) ptx: InstructionsByLine,
    /// Empty without a disassembler that prints lines.
    pub(crate) sass: InstructionsByLine,
}

impl KernelCode {
    /// Compiles the kernel of `launches` as a build does; `None` if the build has no such kernel,
    /// or `target` cannot run it.
    pub(crate) fn compile(
        project: &Project,
        launches: &LaunchGroup,
        lines: &[LineProfile],
        target: Target,
    ) -> Option<Self> {
        let kernel = find_record(project, launches, lines)?;
        let closed = find::launched_ir(kernel, &launches.generics)?;
        let optimized = listing::optimize_for_gpu(closed, LaunchedCode::Usual).ok()?;
        let table = LineTable::new(kernel);
        let emitted = Some(table.for_emission());
        let backend = BackendChoice::new(kernel, &launches.generics, None);
        let ptx = listing::compile_ptx(&optimized, target, backend, emitted).ok()?;
        let sass = sass::disassemble(&ptx, target).unwrap_or_default();
        let group = |code: &[_]| table.group_by_line(code, &project.sources);
        Some(Self {
            target,
            producer: listing::describe_producer(kernel, Some(&launches.generics)),
            ptx: group(&code_lines::parse_ptx(&ptx)),
            sass: group(&code_lines::parse_sass(&sass)),
        })
    }

    /// Returns the PTX and the machine code of a line.
    pub(crate) fn of_line(&self, file: &str, number: usize) -> [&[String]; 2] {
        let key = (file.to_owned(), number);
        [&self.ptx, &self.sass].map(|code| code.get(&key).map_or(&[][..], Vec::as_slice))
    }
}

/// Returns the build's record of a launched kernel. Of several kernels with its name, the one in a
/// file whose lines were counted.
fn find_record<'p>(
    project: &'p Project,
    launches: &LaunchGroup,
    lines: &[LineProfile],
) -> Option<&'p Kernel> {
    let named = || project.kernels.iter().filter(|kernel| kernel.name == launches.kernel);
    let is_counted = |kernel: &&Kernel| {
        let file = project.sources.display_path(kernel.name_place);
        lines.iter().any(|line| line.file == file)
    };
    named().find(is_counted).or_else(|| named().next())
}
