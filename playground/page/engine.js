"use strict";
// The WebAssembly module as a function from a request to a response, both of them objects. It runs
// in the page's worker and in tests.

// The memory after which an instance is replaced: what a source text leaves behind is never freed.
const MAX_INSTANCE_BYTES = 256 << 20;

function createEngine(module) {
  let instance = new WebAssembly.Instance(module);

  function call(request) {
    const { memory, input, run, output } = instance.exports;
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const start = input(bytes.length);
    new Uint8Array(memory.buffer, start, bytes.length).set(bytes);
    const length = run();
    const response = new Uint8Array(memory.buffer, output(), length);
    return JSON.parse(new TextDecoder().decode(response));
  }

  return function answer(request) {
    try {
      const response = call(request);
      if (instance.exports.memory.buffer.byteLength > MAX_INSTANCE_BYTES) {
        instance = new WebAssembly.Instance(module);
      }
      return response;
    } catch (error) {
      // A bug is a trap, after which the instance is unusable.
      instance = new WebAssembly.Instance(module);
      return { bug: String(error), errors: [], kernels: [] };
    }
  };
}
