//! The files of `filetests/`, one test a directory.
use std::fs;
use warpwise_tests::filetest::{COMMANDS, directory, run_all};

macro_rules! commands {
    ($($name:ident)+) => {
        $(#[test]
        fn $name() {
            if let Err(failures) = run_all(stringify!($name)) {
                panic!("{failures}");
            }
        })+

        #[test]
        fn every_directory_and_every_command_is_tested() {
            let mut tested = vec![$(stringify!($name)),+];
            tested.sort_unstable();
            let mut directories: Vec<String> = fs::read_dir(directory())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            directories.sort_unstable();
            assert_eq!(directories, tested);
            assert_eq!(COMMANDS.map(|(name, _)| name).as_slice(), tested);
        }
    };
}

commands! { analyze lint optimize parse ptx specialize trace verify }
