/** One row of the table of ecosystems: how it is recognised, and what its tools need and leave. */
import type { Project } from "./project.ts"

export type Ecosystem = {
  readonly name: string
  isHere(project: Project): boolean
  /**
   * The command that makes a fresh worktree able to run; undefined if it needs nothing. Without
   * this function, the files do not say what tests need.
   */
  setup?(project: Project): string | undefined
  /** The command that runs the tests; undefined without tests. */
  gate(project: Project): string | undefined
  /** Programs that its commands need and do not name. */
  readonly needs?: readonly string[]
  /** Folders in the root that its set-up leaves and that belong to its tools alone. */
  readonly leaves: readonly string[]
}
