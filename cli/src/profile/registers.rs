//! Register counts of a kernel's threads: from the command line, or else from `ptxas`, if
//! available.
use super::report::Registers;
use crate::{error::CommandError, pages, sass, tools};
use std::path::PathBuf;
use warpwise_compiler::{
    back, hardware::occupancy::MAX_THREAD_REGISTERS, ir, target::Target, verify::verify,
};

/// Sources of register counts.
pub(crate) struct RegisterSources {
    target: Target,
    ptxas: Option<PathBuf>,
    /// Counts from the command line, for kernels of this name or for all.
    overrides: Vec<(Option<String>, u32)>,
}

impl RegisterSources {
    /// Parses the values of `--registers`, and finds `ptxas`.
    pub(crate) fn new(given: &[String], target: Target) -> Result<Self, CommandError> {
        let given = given.iter().map(|text| parse_override(text)).collect::<Result<_, _>>()?;
        Ok(Self { target, ptxas: tools::find_program("ptxas"), overrides: given })
    }

    /// Refuses a count for a kernel that is not among `launched`.
    pub(crate) fn check_overrides(&self, launched: &[&str]) -> Result<(), CommandError> {
        let given =
            self.overrides.iter().filter_map(|(name, number)| Some((name.as_deref()?, number)));
        for (name, number) in given {
            if !launched.contains(&name) {
                let near = pages::similar_names(name, launched.iter().copied());
                let help = match &near[..] {
                    [] => format!("launched were `{}`", launched.join("`, `")),
                    near => format!("did you mean {}?", pages::quote_list(near)),
                };
                let fault =
                    format!("`--registers {name}={number}`: no kernel `{name}` was launched");
                return Err(CommandError::new(fault).with_help(help));
            }
        }
        Ok(())
    }

    /// Returns the registers of a kernel, whose optimized IR is `ir`; `None` if they are unknown.
    pub(crate) fn registers_of(&self, kernel: &str, ir: Option<&str>) -> Option<Registers> {
        let given = |is_meant: &dyn Fn(&Option<String>) -> bool| {
            self.overrides.iter().rfind(|(name, _)| is_meant(name)).map(|(_, number)| *number)
        };
        let named =
            given(&|name| name.as_deref() == Some(kernel)).or_else(|| given(&Option::is_none));
        if let Some(number) = named {
            return Some(Registers { number, assembled: None });
        }
        let kernel: ir::Kernel = ir?.parse().ok()?;
        verify(&kernel).ok()?;
        let ptx = back::ptx::emit(&kernel, self.target).ok()?;
        let found = sass::measure_resources(self.ptxas.as_deref()?, &ptx, self.target).ok()??;
        Some(Registers { number: found.registers, assembled: Some(found) })
    }
}

/// Parses `72` or `KERNEL=72`.
fn parse_override(text: &str) -> Result<(Option<String>, u32), CommandError> {
    let (name, number) = match text.rsplit_once('=') {
        Some((name, number)) => (Some(name.trim().to_owned()), number.trim()),
        None => (None, text),
    };
    let number = number.parse().ok().filter(|number| (1..=MAX_THREAD_REGISTERS).contains(number));
    number.map(|number| (name, number)).ok_or_else(|| {
        CommandError::new(format!("`--registers {text}` is no number of registers")).with_help(
            format!(
                "write `--registers 72`, or `--registers KERNEL=72`: 1 to {MAX_THREAD_REGISTERS}"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_given_for_all_kernels_or_for_one() {
        let given = ["40".to_owned(), "sum=72".to_owned()];
        let found = RegisterSources::new(&given, Target::new(90)).unwrap();
        let number = |kernel| found.registers_of(kernel, None).map(|registers| registers.number);
        assert_eq!((number("sum"), number("other")), (Some(72), Some(40)));
        for refused in ["many", "0", "256", "sum="] {
            assert!(
                parse_override(refused).unwrap_err().to_string().contains("--registers 72"),
                "{refused}"
            );
        }
    }
}
