// Questions to the worker, one at a time: of several about the program the latest alone is asked.
const MOST_MS = 30_000;

export class Asking {
  constructor({ ready, failed, loading }) {
    this.heard = { ready, failed, loading };
    this.number = 0;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.worker = new Worker(new URL(`worker.js?v=${BUILD}`, document.baseURI), { type: "module" });
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.heard.failed(event.message || "the worker cannot be started");
  }

  hear(data) {
    if (data.loaded) return this.heard.loading(data);
    if (data.ready) return this.heard.ready(data.ready);
    if (data.id === undefined) return this.heard.failed(data.failed);
    if (data.failed) return this.restart(data.failed);
    const { resolve, timer } = this.waiting.get(data.id) ?? {};
    this.waiting.delete(data.id);
    clearTimeout(timer);
    resolve?.(data);
  }

  // The answer and the milliseconds that it took.
  ask(question, ...given) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.restart(`stopped after ${MOST_MS / 1000} seconds`), MOST_MS);
      this.waiting.set(id, { resolve, reject, timer });
      this.worker.postMessage({ id, ask: question, given });
    });
  }

  // A program that takes too long or too much stack ends the worker; what is asked next gets a new one.
  restart(reason) {
    const waiting = [...this.waiting.values()];
    this.worker.terminate();
    this.start();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
  }
}
