//! NVIDIA's programs: search, execution and versions.
use crate::error::CommandError;
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Finds the program `name`: at the path in the variable of that name in capitals, on the `PATH`,
/// in a CUDA toolkit, or among the packages of a Python environment.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let named = env::var_os(name.to_uppercase()).filter(|path| !path.is_empty());
    if let Some(path) = named {
        return Some(path.into());
    }
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let is_there = |folder: PathBuf| Some(folder.join(&file)).filter(|path| path.is_file());
    let paths = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&paths).find_map(is_there);
    on_path.or_else(|| toolkit_folders().find_map(is_there)).or_else(|| {
        let folders = python_package_folders();
        folders.iter().flat_map(|folder| package_bin_folders(folder)).find_map(is_there)
    })
}

/// Returns the program folders of CUDA toolkits.
fn toolkit_folders() -> impl Iterator<Item = PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    named.chain([PathBuf::from("/usr/local/cuda")]).map(|folder| folder.join("bin"))
}

/// Returns the program folders of NVIDIA's packages in a folder of Python packages:
/// `nvidia/cu13/bin` and the like, the newest first.
fn package_bin_folders(packages: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(packages.join("nvidia")) else { return Vec::new() };
    let mut folders: Vec<_> =
        entries.filter_map(Result::ok).map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    // The newest version comes first: `cu13` before `cu12`.
    folders.reverse();
    folders
}

/// Returns the folders of Python packages: of the active environment, and of `python3`.
fn python_package_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for environment in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os) {
        let libraries = Path::new(&environment).join("lib");
        let Ok(entries) = fs::read_dir(libraries) else { continue };
        let versions = entries.filter_map(Result::ok).map(|entry| entry.path());
        folders.extend(versions.map(|version| version.join("site-packages")));
    }
    let question =
        "import site; print('\\n'.join([*site.getsitepackages(), site.getusersitepackages()]))";
    let python = Command::new("python3").args(["-c", question]).stderr(Stdio::null()).output();
    if let Ok(output) = python {
        folders.extend(String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from));
    }
    folders
}

/// Returns the error for the missing program `name`, which is in the package `package`.
pub(crate) fn missing_program(name: &str, package: &str) -> CommandError {
    CommandError::new(format!("there is no `{name}` here"))
        .with_help(installation_help(name, package))
}

/// Returns advice on the installation of a program.
pub(crate) fn installation_help(name: &str, package: &str) -> String {
    format!(
        "`pip install {package}` has it, without a CUDA toolkit; it is looked for on the PATH, in \
         $CUDA_HOME/bin, among the packages of `python3`, and where ${} says",
        name.to_uppercase()
    )
}

/// Runs `program`; returns its output to stdout and to stderr.
pub(crate) fn run_tool(
    program: &Path,
    arguments: &[OsString],
) -> Result<(String, String), CommandError> {
    let output = Command::new(program).args(arguments).output();
    let shown = program.display();
    let output =
        output.map_err(|error| CommandError::new(format!("cannot run {shown}: {error}")))?;
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() {
        return Ok((stdout, stderr));
    }
    Err(CommandError::new(format!("{shown} failed ({}):\n{}", output.status, stderr.trim_end())))
}

/// Returns the version that `program` prints, such as `13.0.88`.
pub(crate) fn tool_version(program: &Path) -> Option<String> {
    let (text, _) = run_tool(program, &["--version".into()]).ok()?;
    let (_, version) = text.rsplit_once(", V")?;
    version.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_python_packages_are_found() {
        let packages = env::temp_dir().join(format!("warpwise-tools-{}", std::process::id()));
        fs::create_dir_all(packages.join("nvidia/cu13/bin")).unwrap();
        let found = package_bin_folders(&packages);
        assert_eq!(found, [packages.join("nvidia/cu13/bin")]);
        fs::remove_dir_all(&packages).unwrap();
    }

    #[test]
    fn messages_about_a_missing_program_name_its_package() {
        let text = missing_program("ptxas", "nvidia-cuda-nvcc").to_string();
        assert!(text.contains("pip install nvidia-cuda-nvcc") && text.contains("$PTXAS"), "{text}");
    }
}
