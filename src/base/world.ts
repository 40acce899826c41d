/** The inputs that the program cannot compute: time, dice and fault points. Tests pass their own. */
export type World = {
  /** Milliseconds since the epoch, UTC. */
  nowMs(): number
  /** Uniform in [0, 1). */
  dice(): number
  /** Marks a place where tests kill the process or interfere. Does nothing otherwise. */
  point(name: string): void | Promise<void>
}
