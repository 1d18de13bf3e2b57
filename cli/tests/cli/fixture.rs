//! The workspace that the program is run in, and what it says there.
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The copy of the workspace, for one test.
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
            copy(&package.join("tests/fixture"), &root);
            // The versions that the workspace has.
            fs::copy(package.join("../Cargo.lock"), root.join("Cargo.lock")).unwrap();
            root
        });
        Self { root: root.clone(), _alone: alone }
    }

    pub(crate) fn run(&self, line: &str) -> Said {
        self.run_with(line, &[])
    }

    pub(crate) fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> Said {
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
        Said::of(self, &command.output().unwrap())
    }

    /// Replaces `from` in a file while `work` is done.
    pub(crate) fn changed<T>(
        &self,
        file: &str,
        from: &str,
        to: &str,
        work: impl FnOnce() -> T,
    ) -> T {
        let path = self.root.join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{before}");
        // What cargo compares are times, which some file systems count in seconds.
        fs::write(&path, before.replace(from, to)).unwrap();
        later(&path, 2);
        let result = work();
        fs::write(&path, before).unwrap();
        later(&path, 4);
        result
    }
}

/// Makes a file look as if it were written so many seconds later.
fn later(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let now = std::time::SystemTime::now() + std::time::Duration::from_secs(seconds);
    file.set_modified(now).unwrap();
}

/// Copies a folder; what has not changed stays as it is, so that cargo finds it fresh.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
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

/// What the program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    fn of(fixture: &Fixture, output: &Output) -> Self {
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
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Compares what was printed with `golden/NAME`.
    #[track_caller]
    pub(crate) fn prints(self, name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
        let printed = lasting(&self.stdout);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &printed).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let hint = "BLESS=1 rewrites the expectation";
        assert_eq!(printed, expected, "{}; {hint}\n{}", path.display(), self.stderr);
        self
    }

    /// The last line.
    pub(crate) fn summary(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    pub(crate) fn values(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// What was printed, less what every new lint at level `allow` would change: how often these find
/// something, and what.
fn lasting(text: &str) -> String {
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
