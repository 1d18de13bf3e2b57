//! The exported functions of the WebAssembly module.
//!
//! The host calls [`input`] with the length of a request, writes the request to the returned
//! address, calls [`run`], and reads as many bytes as it returns at [`output`]. A panic traps;
//! afterwards the host makes a new instance of the module.
#![expect(unsafe_code, reason = "exported names, which nothing else in the module has")]
use crate::answer;
use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns the address of `len` bytes for a request.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
extern "C" fn input(len: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|bytes| {
        *bytes = vec![0; len];
        bytes.as_mut_ptr()
    })
}

/// Answers the request, and returns the number of bytes of the response.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    let request = INPUT.take();
    let response = answer(&String::from_utf8_lossy(&request)).into_bytes();
    let len = response.len();
    OUTPUT.set(response);
    len
}

/// Returns the address of the response.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|bytes| bytes.as_ptr())
}
