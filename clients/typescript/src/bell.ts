/** Wakes those that wait for something to change. */
export class Bell {
  #waiting = new Set<() => void>();

  ring(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const each of all) each();
  }

  /** Until the bell rings, or the time is over. */
  wait(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const woken = () => {
        clearTimeout(timer);
        this.#waiting.delete(woken);
        resolve();
      };
      const timer = setTimeout(woken, Math.min(seconds, 3_600) * 1000);
      this.#waiting.add(woken);
    });
  }

  /** Until that holds, which is asked when the bell rings; false: the time is over before. */
  async until(holds: () => boolean, seconds: number): Promise<boolean> {
    const end = performance.now() + seconds * 1000;
    while (!holds()) {
      const left = (end - performance.now()) / 1000;
      if (left <= 0) return false;
      await this.wait(left);
    }
    return true;
  }
}
