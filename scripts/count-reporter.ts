/** Writes the real counts of a vitest run, and what failed, to the file that an environment variable names. */
import { writeFileSync } from "node:fs"
import type { Reporter, TestCase, TestModule } from "vitest/node"

export const COUNTS_FILE = "COPPICE_TEST_COUNTS"

export type Counts = {
  readonly passed: number
  /** Of failed tests, files that could not be loaded, errors that no test caught. */
  readonly failed: readonly string[]
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
}

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    const unloaded = modules.filter((module) => module.errors().length > 0)
    const counts: Counts = {
      passed: inState("passed").length,
      failed: [
        ...inState("failed").map(nameOf),
        ...unloaded.map((module) => module.relativeModuleId),
        ...unhandled.map((error) => `an error that no test caught: ${firstLine(error)}`),
      ],
      skipped: inState("skipped").map((test) => ({ name: nameOf(test), why: noteOf(test) })),
    }
    const file = process.env[COUNTS_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
  }
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`

const firstLine = (error: unknown): string =>
  String(error instanceof Object && "message" in error ? error.message : error).split("\n", 1)[0]!

function noteOf(test: TestCase): string {
  const result = test.result()
  return (result.state === "skipped" && result.note) || ""
}
