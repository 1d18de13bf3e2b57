//! Workspace in which the program runs, and checks of its output.
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// Copy of the workspace, held by one test at a time.
pub(crate) struct Fixture {
    pub(crate) root: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Fixture {
    pub(crate) fn get() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        static COPIED: OnceLock<PathBuf> = OnceLock::new();
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let root = COPIED.get_or_init(|| {
            let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixture");
            let package = Path::new(env!("CARGO_MANIFEST_DIR"));
            copy_folder(&package.join("tests/fixture"), &root);
            // Use the versions of the workspace's lock file.
            fs::copy(package.join("../Cargo.lock"), root.join("Cargo.lock")).unwrap();
            root
        });
        Self { root: root.clone(), _alone: alone }
    }

    pub(crate) fn run(&self, line: &str) -> RunOutput {
        self.run_with(line, &[])
    }

    pub(crate) fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> RunOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-warpwise"));
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("WARPWISE_") {
                command.env_remove(name);
            }
        }
        command
            .arg("warpwise")
            .args(line.split(' '))
            .current_dir(&self.root)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("RUSTC_WRAPPER")
            .envs(variables.iter().copied());
        RunOutput::new(self, &command.output().unwrap())
    }

    /// Writes a program in place of one that may not be here; returns its path.
    #[cfg(unix)]
    pub(crate) fn write_program(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = self.root.join("target/programs");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Replaces `from` in a file while `work` runs.
    pub(crate) fn with_changed_file<T>(
        &self,
        file: &str,
        from: &str,
        to: &str,
        work: impl FnOnce() -> T,
    ) -> T {
        let path = self.root.join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{before}");
        // Cargo compares modification times, which some file systems store in seconds.
        fs::write(&path, before.replace(from, to)).unwrap();
        set_modified_later(&path, 2);
        let result = work();
        fs::write(&path, before).unwrap();
        set_modified_later(&path, 4);
        result
    }
}

/// Sets a file's modification time the given number of seconds into the future.
fn set_modified_later(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let now = std::time::SystemTime::now() + std::time::Duration::from_secs(seconds);
    file.set_modified(now).unwrap();
}

/// Copies a folder; unchanged files stay untouched, so that cargo finds them fresh.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
            continue;
        }
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("runtime");
        let text = fs::read_to_string(&path).unwrap();
        let text = text.replace("RUNTIME", runtime.to_str().unwrap());
        if fs::read_to_string(&target).ok().as_ref() != Some(&text) {
            fs::write(&target, text).unwrap();
        }
    }
}

/// Output of the program.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl RunOutput {
    fn new(fixture: &Fixture, output: &Output) -> Self {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.replace(fixture.root.to_str().unwrap(), "ROOT")
        };
        Self {
            code: output.status.code().unwrap(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn assert_exit(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Compares stdout with `golden/NAME`.
    #[track_caller]
    pub(crate) fn assert_prints(self, name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
        let printed = stable_output(&self.stdout);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &printed).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let hint = "BLESS=1 rewrites the expectation";
        assert_eq!(printed, expected, "{}; {hint}\n{}", path.display(), self.stderr);
        self
    }

    /// Returns the last line.
    pub(crate) fn summary(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    pub(crate) fn values(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Removes the parts of the output that every new lint at level `allow` would change: the number of
/// its findings, and the findings themselves.
fn stable_output(text: &str) -> String {
    let is_new =
        |line: &&str| line.contains("\"level\":\"allow\"") && !line.contains("gpu_barriers_");
    let lines = text.lines().filter(|line| !is_new(line)).map(|line| {
        let line =
            line.split(" (").next().filter(|_| line.starts_with("warpwise: ")).unwrap_or(line);
        match line.strip_prefix("{\"allowed\":").and_then(|rest| rest.split_once(',')) {
            Some((_, rest)) => format!("{{\"allowed\":N,{rest}\n"),
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}
