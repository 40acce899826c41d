/**
 * Decides about failed test files that ran once more, alone.
 *
 * A file that is green then is flaky, and the run is green. This is for landing work, not for hiding
 * races: a flaky file is mended, or entered in test/flaky.txt with its cause. A listed file that flakes
 * again is a failure, and so are too many flaky files in one run.
 */
import type { FileCounts, RunCounts } from "./count-reporter.ts"

/** Where more files fail, they have a common cause and are no flakes. */
const AGAIN_FILES_MAX = 5
/** More in one run would be a habit. */
const FLAKY_FILES_MAX = 3
/** A longer list would never be mended. */
const LISTED_FILES_MAX = 5

/** @returns the failed files that run again, none if too many failed. */
export function listAgain({ files }: RunCounts): string[] {
  const failed = Object.keys(files).filter((file) => hasFailed(files[file]))
  return failed.length > AGAIN_FILES_MAX ? [] : failed
}

/** Counts the files that ran again by their second run, if it got that far. */
export function merge(first: RunCounts, second: RunCounts): RunCounts {
  const files = { ...first.files, ...second.files }
  return { files, stray: [...first.stray, ...second.stray] }
}

/** @returns the files of `again` that passed at their second run. */
export function listFlaky(again: readonly string[], { files }: RunCounts): string[] {
  return again.filter((file) => (files[file]?.passed ?? 0) > 0 && !hasFailed(files[file]))
}

/**
 * @param flaky files of the whole run.
 * @param listed files of test/flaky.txt.
 * @returns why the run is red in spite of their second runs.
 */
export function judgeFlaky(flaky: readonly string[], listed: readonly string[]): string[] {
  const again = flaky.filter((file) => listed.includes(file))
  const reasons = again.map((file) => `${file} is flaky again: test/flaky.txt lists it`)
  const { length } = flaky
  if (length > FLAKY_FILES_MAX)
    reasons.push(`${length} files are flaky, and a run may have ${FLAKY_FILES_MAX}`)
  return reasons
}

/**
 * @param text of test/flaky.txt: lines of a file and its cause, and comments.
 * @param isThere says whether the repository has the file.
 * @throws Error with the line that is wrong.
 */
export function parseFlakyList(text: string, isThere: (file: string) => boolean): string[] {
  const files: string[] = []
  for (const [n, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue
    const refuse = (why: string) => new Error(`test/flaky.txt, line ${n + 1}: ${why}`)
    const [, file] = /^(\S+\.test\.ts): \S/.exec(line) ?? []
    if (file === undefined) throw refuse("it must be `<file>.test.ts: <cause>`")
    if (!isThere(file)) throw refuse(`there is no ${file}`)
    if (files.includes(file)) throw refuse(`it lists ${file} a second time`)
    files.push(file)
    if (files.length > LISTED_FILES_MAX)
      throw refuse(`it lists more than ${LISTED_FILES_MAX} files: mend one`)
  }
  return files
}

const hasFailed = (counts: FileCounts | undefined): boolean => (counts?.failed.length ?? 0) > 0
