/** Writes what a vitest run found in each file to the file that an environment variable names. */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestCase, TestModule } from "vitest/node"

export const COUNTS_FILE = "COPPICE_TEST_COUNTS"

export type FileCounts = {
  readonly passed: number
  /** Failed tests, the file if it could not be loaded, errors in it that no test caught. */
  readonly failed: readonly string[]
  readonly skipped: readonly Skipped[]
}

export type Skipped = { readonly name: string; readonly why: string }

export type RunCounts = {
  /** By path from the root of the repository. */
  readonly files: Readonly<Record<string, FileCounts>>
  /** Errors that belong to no file. */
  readonly stray: readonly string[]
}

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const known = new Set(modules.map(({ relativeModuleId }) => relativeModuleId))
    const uncaught = unhandled.map((error) => {
      const file = fileOf(error)
      return { file: known.has(file) ? file : undefined, name: nameOfError(error) }
    })
    const errorsOf = (wanted?: string) =>
      uncaught.filter(({ file }) => file === wanted).map(({ name }) => name)
    const counted = modules.map((module) => {
      const { relativeModuleId: file } = module
      return [file, countsOf(module, errorsOf(file))] as const
    })
    const counts: RunCounts = { files: Object.fromEntries(counted), stray: errorsOf() }
    const file = process.env[COUNTS_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
  }
}

function countsOf(module: TestModule, uncaught: readonly string[]): FileCounts {
  const { relativeModuleId: file } = module
  const tests = [...module.children.allTests()]
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const unloaded = module.errors().length > 0 ? [file] : []
  const errors = uncaught.map((name) => `${file}: ${name}`)
  return {
    passed: inState("passed").length,
    failed: [...inState("failed").map(nameOf), ...unloaded, ...errors],
    skipped: inState("skipped").map((test) => ({ name: nameOf(test), why: noteOf(test) })),
  }
}

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`

/** Vitest notes in an error in which file it came up. */
function fileOf(error: unknown): string {
  const path = error instanceof Object && "VITEST_TEST_PATH" in error ? error.VITEST_TEST_PATH : ""
  return path ? relative(process.cwd(), String(path)) : ""
}

const nameOfError = (error: unknown): string => `an error that no test caught: ${firstLine(error)}`

const firstLine = (error: unknown): string =>
  String(error instanceof Object && "message" in error ? error.message : error).split("\n", 1)[0]!

function noteOf(test: TestCase): string {
  const result = test.result()
  return (result.state === "skipped" && result.note) || ""
}
