/** Counts the actions and the findings. */
import type { TortureDocument } from "../src/features/torture/wire.ts"

type Counts = Record<string, number>
export type Violation = TortureDocument["violations"][number]

export class Report {
  readonly tasks: Counts = {}
  readonly user: Counts = {}
  readonly faults: Counts = {}
  /** `kill -9`, by mode. */
  readonly kills: Counts = {}
  /** Hostile inputs, by name. */
  readonly hostile: Counts = {}
  readonly checked: Counts = {}
  readonly violations: Violation[] = []

  count(kind: "tasks" | "user" | "faults" | "kills" | "hostile", what: string): void {
    this[kind][what] = (this[kind][what] ?? 0) + 1
  }

  get killed(): number {
    return Object.values(this.kills).reduce((sum, one) => sum + one, 0)
  }

  /** @param texts a sentence for each of `looked` things that violate the property. */
  check(property: string, looked: number, texts: readonly string[]): void {
    this.checked[property] = (this.checked[property] ?? 0) + looked
    this.violations.push(...texts.map((text) => ({ property, text })))
  }
}
