//! The functions of LLVM's C API that are called, by name, and the handles that they take.
//!
//! Names and meanings are LLVM's: `llvm-c/*.h`.
use super::LoadError;
use libloading::Library;
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    path::Path,
};

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $name(pub(super) *mut c_void);
    )*};
}
handles! {
    /// `LLVMContextRef`
    ContextRef
    /// `LLVMModuleRef`
    ModuleRef
    /// `LLVMValueRef`
    ValueRef
    /// `LLVMMemoryBufferRef`
    BufferRef
    /// `LLVMTargetRef`
    TargetRef
    /// `LLVMTargetMachineRef`
    MachineRef
    /// `LLVMTargetDataRef`
    LayoutRef
    /// `LLVMPassBuilderOptionsRef`
    OptionsRef
    /// `LLVMErrorRef`
    ErrorRef
    /// `LLVMDiagnosticInfoRef`
    DiagnosticRef
}

pub(super) type FatalHandler = extern "C" fn(*const c_char);
pub(super) type DiagnosticHandler = extern "C" fn(DiagnosticRef, *mut c_void);

macro_rules! functions {
    ($($field:ident = $symbol:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions, by the names of LLVM's C API without the prefix.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks up every function in `library`, which is at `path`.
            pub(super) fn find(library: &Library, path: &Path) -> Result<Self, LoadError> {
                Ok(Self {$(
                    $field: {
                        // SAFETY: the type is that of the declaration in LLVM's C API (llvm-c/*.h),
                        // which is stable for these functions.
                        let found = unsafe {
                            library.get::<unsafe extern "C" fn($($arg),*) $(-> $result)?>(
                                concat!(stringify!($symbol), "\0").as_bytes(),
                            )
                        };
                        *found.map_err(|_| LoadError::Symbol {
                            path: path.to_owned(),
                            symbol: stringify!($symbol),
                        })?
                    },
                )*})
            }
        }
    };
}
functions! {
    get_version = LLVMGetVersion(*mut c_uint, *mut c_uint, *mut c_uint);
    initialize_target_info = LLVMInitializeNVPTXTargetInfo();
    initialize_target = LLVMInitializeNVPTXTarget();
    initialize_target_mc = LLVMInitializeNVPTXTargetMC();
    initialize_asm_printer = LLVMInitializeNVPTXAsmPrinter();
    reset_fatal_error_handler = LLVMResetFatalErrorHandler();
    install_fatal_error_handler = LLVMInstallFatalErrorHandler(FatalHandler);
    dispose_message = LLVMDisposeMessage(*mut c_char);
    get_target_from_triple =
        LLVMGetTargetFromTriple(*const c_char, *mut TargetRef, *mut *mut c_char) -> c_int;
    create_target_machine = LLVMCreateTargetMachine(
        TargetRef, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int
    ) -> MachineRef;
    dispose_target_machine = LLVMDisposeTargetMachine(MachineRef);
    create_target_data_layout = LLVMCreateTargetDataLayout(MachineRef) -> LayoutRef;
    dispose_target_data = LLVMDisposeTargetData(LayoutRef);
    set_module_data_layout = LLVMSetModuleDataLayout(ModuleRef, LayoutRef);
    context_create = LLVMContextCreate() -> ContextRef;
    context_dispose = LLVMContextDispose(ContextRef);
    context_set_diagnostic_handler =
        LLVMContextSetDiagnosticHandler(ContextRef, DiagnosticHandler, *mut c_void);
    get_diag_info_description = LLVMGetDiagInfoDescription(DiagnosticRef) -> *mut c_char;
    get_diag_info_severity = LLVMGetDiagInfoSeverity(DiagnosticRef) -> c_int;
    create_memory_buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> BufferRef;
    get_buffer_start = LLVMGetBufferStart(BufferRef) -> *const c_char;
    get_buffer_size = LLVMGetBufferSize(BufferRef) -> usize;
    dispose_memory_buffer = LLVMDisposeMemoryBuffer(BufferRef);
    parse_ir_in_context =
        LLVMParseIRInContext(ContextRef, BufferRef, *mut ModuleRef, *mut *mut c_char) -> c_int;
    dispose_module = LLVMDisposeModule(ModuleRef);
    verify_module = LLVMVerifyModule(ModuleRef, c_int, *mut *mut c_char) -> c_int;
    get_first_function = LLVMGetFirstFunction(ModuleRef) -> ValueRef;
    get_next_function = LLVMGetNextFunction(ValueRef) -> ValueRef;
    get_enum_attribute_kind = LLVMGetEnumAttributeKindForName(*const c_char, usize) -> c_uint;
    remove_enum_attribute = LLVMRemoveEnumAttributeAtIndex(ValueRef, c_uint, c_uint);
    create_pass_builder_options = LLVMCreatePassBuilderOptions() -> OptionsRef;
    dispose_pass_builder_options = LLVMDisposePassBuilderOptions(OptionsRef);
    run_passes = LLVMRunPasses(ModuleRef, *const c_char, MachineRef, OptionsRef) -> ErrorRef;
    get_error_message = LLVMGetErrorMessage(ErrorRef) -> *mut c_char;
    dispose_error_message = LLVMDisposeErrorMessage(*mut c_char);
    emit_to_memory_buffer = LLVMTargetMachineEmitToMemoryBuffer(
        MachineRef, ModuleRef, c_int, *mut *mut c_char, *mut BufferRef
    ) -> c_int;
}
