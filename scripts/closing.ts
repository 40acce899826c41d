/** The last lines of a test run, which a reader sees first. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import type { RunCounts, Skipped } from "./count-reporter.ts"
import { judgeFlaky } from "./flaky.ts"

/** Names the file in which .ci/run collects the results of its groups. */
export const RESULTS_FILE = "COPPICE_TEST_RESULTS"

/** One group of tests, with the other steps that ran at the same time. */
export type Result = {
  readonly passed: number
  readonly failed: readonly string[]
  readonly skipped: readonly Skipped[]
  /** Files that failed among the others and passed alone. */
  readonly flaky: readonly string[]
}

export function resultOf(counts: RunCounts, failedSteps: readonly string[]): Omit<Result, "flaky"> {
  const files = Object.values(counts.files)
  return {
    passed: files.reduce((sum, { passed }) => sum + passed, 0),
    failed: [...failedSteps, ...files.flatMap(({ failed }) => failed), ...counts.stray],
    skipped: files.flatMap(({ skipped }) => skipped),
  }
}

/**
 * @param before results of the groups that ran before, which the counts include.
 * @param listed files of test/flaky.txt.
 */
export function closing(before: readonly Result[], own: Result, listed: readonly string[]) {
  const all = [...before, own]
  const flaky = all.flatMap((one) => one.flaky)
  const failedBefore = before.flatMap((one) => one.failed)
  const failed = [...own.failed, ...judgeFlaky(flaky, listed)]
  const skipped = all.flatMap((one) => one.skipped)
  const counts = [
    `${all.reduce((sum, { passed }) => sum + passed, 0)} passed`,
    `${failedBefore.length + failed.length} failed`,
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
  ]
  const lines = [
    ...skipped.map(({ name, why }) => `not run here: ${name}${why && ` (${why})`}`),
    ...flaky.map((file) => `flaky: ${file}`),
    ...failedBefore.map((name) => `failed before: ${name}`),
    ...failed.map((name) => `failed: ${name}`),
    counts.join(", "),
  ]
  return { lines, isGreen: failedBefore.length + failed.length === 0 }
}

/** @param path of a file with a result in each line. */
export function readResults(path: string | undefined): Result[] {
  if (path === undefined || !existsSync(path)) return []
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Result)
}

export function addResult(path: string | undefined, result: Result): void {
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(result)}\n`)
}
