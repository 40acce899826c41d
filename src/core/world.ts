/** What the program cannot compute: time, dice, and where it may be cut off. Tests pass their own. */
export type World = {
  /** Milliseconds since the epoch, UTC. */
  nowMs(): number
  /** Uniform in [0, 1). */
  dice(): number
  /** Marks a place where the process may die or the world may interfere. Nothing, except under test. */
  point(name: string): void | Promise<void>
}
