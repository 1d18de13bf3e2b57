//! A module in its context: parsed, optimized and emitted, with what LLVM reports on the way.
use super::{
    Llvm,
    api::{BufferRef, ContextRef, DiagnosticRef, Functions, MachineRef, ModuleRef},
};
use std::{
    ffi::{CStr, c_int, c_uint, c_void},
    ptr,
};

/// The pass pipeline.
const PASSES: &CStr = c"default<O3>";
/// `LLVMAssemblyFile`
const ASSEMBLY_FILE: c_int = 0;
/// `LLVMReturnStatusAction`
const RETURN_STATUS: c_int = 2;
/// `LLVMAttributeFunctionIndex`
const ATTRIBUTES_OF_FUNCTION: c_uint = c_uint::MAX;
/// `LLVMDSError`
const SEVERITY_ERROR: c_int = 0;

/// A target machine.
pub(super) struct Machine<'l> {
    pub(super) llvm: &'l Llvm,
    pub(super) machine: MachineRef,
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // SAFETY: made by this library, and disposed of once.
        unsafe { (self.llvm.functions.dispose_target_machine)(self.machine) };
    }
}

/// The diagnostics that the handler of a context collects.
struct Collected<'l> {
    llvm: &'l Llvm,
    errors: Vec<String>,
}

/// A context, which owns what its modules are made of, and the errors that LLVM reported in it.
pub(super) struct Context<'l> {
    llvm: &'l Llvm,
    context: ContextRef,
    /// Boxed, because LLVM keeps its address, and behind a raw pointer, because LLVM writes through
    /// that.
    collected: *mut Collected<'l>,
}

impl<'l> Context<'l> {
    pub(super) fn new(llvm: &'l Llvm) -> Self {
        let collected = Box::into_raw(Box::new(Collected { llvm, errors: Vec::new() }));
        // SAFETY: the handler takes the address of a `Collected`, which lives as long as the
        // context.
        let context = unsafe {
            let context = (llvm.functions.context_create)();
            (llvm.functions.context_set_diagnostic_handler)(
                context,
                collect_error,
                collected.cast(),
            );
            context
        };
        Self { llvm, context, collected }
    }

    /// Parses a module.
    pub(super) fn parse(&self, text: &str) -> Result<Module<'_, 'l>, String> {
        let functions = &self.llvm.functions;
        let (mut module, mut message) = (ModuleRef(ptr::null_mut()), ptr::null_mut());
        // SAFETY: LLVM copies the text into a buffer, which the parser takes over, and writes to
        // the two places.
        let failed = unsafe {
            let name = c"kernel".as_ptr();
            let buffer = (functions.create_memory_buffer)(text.as_ptr().cast(), text.len(), name);
            (functions.parse_ir_in_context)(self.context, buffer, &mut module, &mut message)
        };
        match failed {
            0 => Ok(Module { context: self, module }),
            _ => Err(self.llvm.take_message(message)),
        }
    }

    /// Returns the errors that LLVM reported through the diagnostic handler.
    pub(super) fn errors(&self) -> Option<String> {
        // SAFETY: made in `new`, freed in `drop`, and no call of LLVM is in progress that writes to
        // it.
        let errors = unsafe { &(*self.collected).errors };
        (!errors.is_empty()).then(|| errors.join("; "))
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: the context was made by this library; its modules borrow it, so they are gone,
        // and after it nobody has the address of what was collected.
        unsafe {
            (self.llvm.functions.context_dispose)(self.context);
            drop(Box::from_raw(self.collected));
        }
    }
}

/// A module.
pub(super) struct Module<'c, 'l> {
    context: &'c Context<'l>,
    module: ModuleRef,
}

impl Module<'_, '_> {
    fn functions(&self) -> &Functions {
        &self.context.llvm.functions
    }

    pub(super) fn set_layout_of(&self, machine: &Machine<'_>) {
        let functions = self.functions();
        // SAFETY: the layout is made and disposed of here; the module copies it.
        unsafe {
            let layout = (functions.create_target_data_layout)(machine.machine);
            (functions.set_module_data_layout)(self.module, layout);
            (functions.dispose_target_data)(layout);
        }
    }

    pub(super) fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: a module, and a place for a message, which LLVM allocates in any case.
        let failed =
            unsafe { (self.functions().verify_module)(self.module, RETURN_STATUS, &mut message) };
        let message = self.context.llvm.take_message(message);
        if failed == 0 { Ok(()) } else { Err(message) }
    }

    pub(super) fn optimize(&self, machine: &Machine<'_>) -> Result<(), String> {
        let functions = self.functions();
        // SAFETY: a module and a machine of this library, and options that are disposed of here. An
        // error is consumed by asking for its message, which is copied and freed.
        unsafe {
            let options = (functions.create_pass_builder_options)();
            let error =
                (functions.run_passes)(self.module, PASSES.as_ptr(), machine.machine, options);
            (functions.dispose_pass_builder_options)(options);
            if error.0.is_null() {
                return Ok(());
            }
            let message = (functions.get_error_message)(error);
            let copy = CStr::from_ptr(message).to_string_lossy().into_owned();
            (functions.dispose_error_message)(message);
            Err(copy)
        }
    }

    /// Removes an attribute, such as `noimplicitfloat`, from every function.
    pub(super) fn remove_attribute(&self, name: &str) {
        let functions = self.functions();
        // SAFETY: a string of that length, and functions of this module, which none is added to or
        // removed from meanwhile.
        unsafe {
            let kind = (functions.get_enum_attribute_kind)(name.as_ptr().cast(), name.len());
            let mut function = (functions.get_first_function)(self.module);
            while !function.0.is_null() {
                (functions.remove_enum_attribute)(function, ATTRIBUTES_OF_FUNCTION, kind);
                function = (functions.get_next_function)(function);
            }
        }
    }

    pub(super) fn emit(&self, machine: &Machine<'_>) -> Result<String, String> {
        let functions = self.functions();
        let (mut buffer, mut message) = (BufferRef(ptr::null_mut()), ptr::null_mut());
        // SAFETY: a module and a machine of this library, and places for a buffer and a message.
        let failed = unsafe {
            (functions.emit_to_memory_buffer)(
                machine.machine,
                self.module,
                ASSEMBLY_FILE,
                &mut message,
                &mut buffer,
            )
        };
        if failed != 0 {
            return Err(self.context.llvm.take_message(message));
        }
        // SAFETY: the buffer has that many bytes from its start on; it is copied before it is
        // disposed of.
        unsafe {
            let start = (functions.get_buffer_start)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (functions.get_buffer_size)(buffer));
            let text = String::from_utf8_lossy(bytes).into_owned();
            (functions.dispose_memory_buffer)(buffer);
            Ok(text)
        }
    }
}

impl Drop for Module<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: made by this library, and disposed of once, before its context.
        unsafe { (self.functions().dispose_module)(self.module) };
    }
}

/// The diagnostic handler: keeps errors, for which LLVM would otherwise end the process.
extern "C" fn collect_error(diagnostic: DiagnosticRef, collected: *mut c_void) {
    // SAFETY: `Context::new` passed the address of a `Collected`, which lives as long as the
    // context, and LLVM calls this on the thread that compiles, which holds no reference to it
    // meanwhile.
    let collected = unsafe { &mut *collected.cast::<Collected<'_>>() };
    let functions = &collected.llvm.functions;
    // SAFETY: LLVM passes a diagnostic that lives through the call.
    let (severity, description) = unsafe {
        let severity = (functions.get_diag_info_severity)(diagnostic);
        (severity, (functions.get_diag_info_description)(diagnostic))
    };
    let message = collected.llvm.take_message(description);
    if severity == SEVERITY_ERROR {
        collected.errors.push(message);
    }
}
