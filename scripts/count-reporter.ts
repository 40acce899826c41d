/** Writes the real counts of a vitest run to the file that an environment variable names. */
import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule } from "vitest/node"

export const COUNTS_FILE = "COPPICE_TEST_COUNTS"

export type Counts = {
  readonly passed: number
  /** Failed tests, files that could not be loaded, errors that no test caught. */
  readonly failed: number
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
}

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    const unloaded = modules.filter((module) => module.errors().length > 0)
    const counts: Counts = {
      passed: inState("passed").length,
      failed: inState("failed").length + unloaded.length + unhandled.length,
      skipped: inState("skipped").map((test) => ({ name: nameOf(test), why: noteOf(test) })),
    }
    const file = process.env[COUNTS_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
  }
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`

function noteOf(test: TestCase): string {
  const result = test.result()
  return (result.state === "skipped" && result.note) || ""
}
