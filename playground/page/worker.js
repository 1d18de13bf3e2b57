// Answers the requests of the page. The first message is the module's bytes.
let engine;

self.onmessage = async ({ data }) => {
  if (!engine) {
    engine = WebAssembly.compile(data).then(createEngine);
    engine.catch((error) => self.postMessage({ failed: String(error) }));
    return;
  }
  const answer = await engine;
  self.postMessage({ id: data.id, response: answer(data.request) });
};
