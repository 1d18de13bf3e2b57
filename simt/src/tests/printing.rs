//! Printing and panicking.
use super::{Shape, program, run, shape};
use crate::Outcome;
use warpwise_compiler::{
    fault::Reason,
    id::Id,
    ir::{MessageId, Span},
    output::{CAPACITY_BYTES, Printed, record_bytes},
};

const TWO: &str = "message msg0 = \"first {0}\": (u32)
    message msg1 = \"then\": ()
    %t = builtin global_idx.x : u32 !0
    %a = print msg0, %t !0
    %one = const 1 : u32 !0
    %odd = and %t, %one : u32 !0
    %is = eq %odd, %one : bool !0
    %if = if %is !0 {
        %b = print msg1 !0
    }";

#[test]
fn output_is_in_thread_order_for_any_number_of_workers() {
    let mut expected = Vec::new();
    for thread in 0..3000 {
        expected.push(Printed { message: MessageId::new(0), values: vec![thread] });
        if thread % 2 == 1 {
            expected.push(Printed { message: MessageId::new(1), values: vec![] });
        }
    }
    for workers in [1, 4] {
        let outcome = run(&program(TWO), Shape { workers, ..shape(10, 300) }, &mut []);
        assert_eq!(outcome, Outcome { printed: expected.clone(), ..Outcome::default() });
    }
}

#[test]
fn records_without_room_are_counted() {
    let text = "message msg0 = \"\": ()
        %a = print msg0 !0";
    let outcome = run(&program(text), shape(1000, 100), &mut []);
    assert_eq!(outcome.printed.len(), CAPACITY_BYTES / record_bytes(0));
    assert_eq!(outcome.printed.len() as u64 + outcome.lost, 100_000);
}

#[test]
fn the_lowest_panic_is_reported_and_other_threads_continue() {
    let text = "message msg0 = \"{0} and {1}\": (u32, bool)
        param arg0 = out: write [u32] !0
        %t = builtin global_idx.x : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %t, 4 : ptr global !0
        %limit = const 70 : u32 !0
        %high = ge %t, %limit : bool !0
        %round = loop !0 {
            %if = if %high !0 {
                %p = panic msg0, %t, %high !5
            }
            %b = barrier !0
            %brk = break %round !0
        }
        %one = const 1 : u32 !0
        %st = store %at, %one !0";
    let mut values = [super::Value::U32(vec![0; 128])];
    let fault = run(&program(text), shape(2, 64), &mut values).fault.unwrap();
    assert_eq!((fault.reason, fault.span), (Reason::Panic(MessageId::new(0)), Span::new(5)));
    assert_eq!((fault.block, fault.thread, fault.count), ([1, 0, 0], [6, 0, 0], 58));
    assert_eq!(fault.values[..3], [70, 1, 0]);
    assert_eq!(values[0].u32s().iter().sum::<u32>(), 70);
}
