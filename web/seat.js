// seat.js - a place where predictions are made: a worker that answers the latest question. A
// question that is asked while it is busy waits; the one that is no longer wanted is stopped (the
// worker is ended) if it takes longer.
const PATIENCE = 250; // milliseconds

export class Seat {
  // makeWorker() gives a worker that knows the module; onBusy(true or false) is called as the seat
  // starts and ends.
  constructor(makeWorker, onBusy = () => {}) {
    this.makeWorker = makeWorker;
    this.onBusy = onBusy;
    this.id = 0;
    this.now = this.next = this.timer = this.worker = null;
  }

  // So that the first question need not wait for a worker
  warm() { this.worker ||= this.makeWorker(); }

  // The results of all jobs, or null if another question came or stop() was called.
  ask(jobs) {
    return new Promise(resolve => {
      if (this.next) this.next.resolve(null);
      this.next = {jobs, resolve, results: [], id: ++this.id};
      if (!this.now) this.start();
      else if (!this.timer) this.timer = setTimeout(() => this.restart(), Math.max(0, PATIENCE - this.age()));
    });
  }

  // Ends whatever is under way, and forgets what waits.
  stop() {
    if (this.next) this.next.resolve(null);
    this.next = null;
    if (this.now) this.restart();
  }

  age() { return performance.now() - this.now.began; }

  start() {
    clearTimeout(this.timer);
    this.timer = null;
    this.now = this.next;
    this.next = null;
    this.onBusy(Boolean(this.now));
    if (!this.now) return;
    this.warm();
    this.now.began = performance.now();
    this.worker.onmessage = ({data}) => this.receive(data);
    this.worker.onerror = () => this.restart();
    this.worker.postMessage({id: this.now.id, jobs: this.now.jobs});
  }

  receive(data) {
    if (!this.now || data.id !== this.now.id) return;
    this.now.results.push(data.result);
    if (!data.last) return;
    this.now.resolve(this.now.results);
    this.start();
  }

  restart() {
    this.worker.terminate();
    this.worker = this.makeWorker();
    this.now.resolve(null);
    this.start();
  }
}
