// Calls for the next picture only when something has changed or the clock runs, so that a page at rest costs nothing.

/** After a pause of the browser (a hidden tab) time goes on where it was [s]. */
const LONGEST_STEP = 0.1;

export class FrameLoop {
  private isWaiting = false;
  private last: number | null = null;
  private readonly draw: (seconds: number) => boolean;

  /** `draw` gets the seconds since the last frame and tells whether another one should follow at once. */
  constructor(draw: (seconds: number) => boolean) {
    this.draw = draw;
  }

  readonly invalidate = (): void => {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame((now) => this.step(now));
  };

  private step(now: number): void {
    this.isWaiting = false;
    const seconds = this.last === null ? 0 : Math.min((now - this.last) / 1000, LONGEST_STEP);
    this.last = now;
    if (this.draw(seconds)) this.invalidate();
    else this.last = null;
  }
}
