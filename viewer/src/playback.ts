// The clock of the animation: which time is shown, and how it moves on. It knows nothing of pictures; who wants to follow listens.

export const FIT_SECONDS = 8;
export const SPEEDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Playback {
  readonly start: number;
  readonly end: number;
  private time_: number;
  private isPlaying_ = false;
  /** Simulated over real seconds; null: the whole run in FIT_SECONDS. */
  private speed_: number | null = null;
  private loop_ = true;
  private readonly listeners: (() => void)[] = [];

  constructor(start: number, end: number) {
    this.start = start;
    this.end = Math.max(start, end);
    this.time_ = start;
  }

  time(): number {
    return this.time_;
  }

  isPlaying(): boolean {
    return this.isPlaying_;
  }

  loop(): boolean {
    return this.loop_;
  }

  speed(): number | null {
    return this.speed_;
  }

  fitSpeed(): number {
    return (this.end - this.start) / FIT_SECONDS;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    this.time_ = Math.min(Math.max(time, this.start), this.end);
    this.notify();
  }

  play(): void {
    if (this.end <= this.start) return;
    if (this.time_ >= this.end) this.time_ = this.start;
    this.isPlaying_ = true;
    this.notify();
  }

  pause(): void {
    this.isPlaying_ = false;
    this.notify();
  }

  toggle(): void {
    if (this.isPlaying_) this.pause();
    else this.play();
  }

  setLoop(loop: boolean): void {
    this.loop_ = loop;
    this.notify();
  }

  setSpeed(speed: number | null): void {
    this.speed_ = speed;
    this.notify();
  }

  /** Moves on by so many real seconds. */
  advance(seconds: number): void {
    if (!this.isPlaying_) return;
    const next = this.time_ + seconds * (this.speed_ ?? this.fitSpeed());
    if (next < this.end) {
      this.time_ = next;
    } else if (this.loop_) {
      this.time_ = this.start + ((next - this.start) % (this.end - this.start));
    } else {
      this.time_ = this.end;
      this.isPlaying_ = false;
    }
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}
