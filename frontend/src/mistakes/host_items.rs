//! Items of the host that kernel code names.
use crate::resolve::source_map::{self, HostItem};
use proc_macro2::Ident;

/// Returns the message for a name that leads to a `static mut`.
pub(crate) fn mutable_static_message(name: &Ident) -> Option<String> {
    let item = source_map::host_item_at(name).filter(|item| item.is_mutable)?;
    Some(host_item_message(&name.to_string(), item, ""))
}

/// Returns the message for a host item, which is in this file.
pub(crate) fn host_item_message(name: &str, item: HostItem, file: &str) -> String {
    let HostItem { keyword, line, .. } = item;
    let what = format!("`{name}` is not `#[device]`: kernel code cannot use it");
    let help = match keyword {
        "static" if item.is_shared => {
            format!(
                "declare shared memory in the kernel: `let {} = shared!(..);`",
                name.to_lowercase()
            )
        }
        // One kernel of two has it, by the same `#[cfg]`.
        "const" | "static" if item.is_gated => format!(
            "declare it with `#[device] const` ({file}line {line}), and again for the other case of its \
             `#[cfg]`"
        ),
        "const" if item.is_array => format!("put `#[device]` above it ({file}line {line})"),
        "const" => format!(
            "put `#[device]` above it ({file}line {line}), or name it in `#[kernel(open({name}))]`"
        ),
        "static" if item.is_mutable && item.is_array => {
            format!(
                "declare shared memory in the kernel, `let {} = shared!([f32; 256]);`, or pass a buffer, \
                 `&mut [T]`",
                name.to_lowercase()
            )
        }
        "static" if item.is_mutable => {
            "pass atomics, `count: &[AtomicU32]`, and write `count[0].fetch_add(1, Ordering::Relaxed)`; a \
             number that no thread changes is a parameter"
                .to_owned()
        }
        "static" => {
            format!(
                "make it a `#[device] const` ({file}line {line}), or pass it to the kernel, a table as \
                 `#[constant] table: &[f32; N]`; what threads change is a `&mut [T]`, or atomics, `&[AtomicU32]`"
            )
        }
        "extern" => {
            return format!(
                "`{name}` is a function of another language: kernel code cannot call it\n= help: write it \
                 as a `#[device]` function; numbers have the functions of mathematics as methods, such \
                 as `x.cos()`"
            );
        }
        "thread_local" => {
            return format!(
                "`{name}` is of the threads of the host: kernel code cannot use it\n= help: what a thread of \
                 a kernel has of its own is a `let mut`"
            );
        }
        "union" => {
            format!(
                "make it a struct with `#[device]` ({file}line {line}); kernel code knows no unions"
            )
        }
        _ => format!("put `#[device]` above `{keyword} {name}` ({file}line {line})"),
    };
    format!("{what}\n= help: {help}")
}
