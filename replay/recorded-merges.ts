/** Finds the merges that a repository's first-parent line records: who merged which topic, where. */
import type { Oid } from "../src/base/ids.ts"
import { runGit } from "./scratch-clone.ts"

export type RecordedMerge = {
  readonly commit: Oid
  readonly subject: string
  /** The first parent, which it was merged into. */
  readonly onto: Oid
  /** The second parent, which was merged. */
  readonly topic: Oid
}

export type Recorded = {
  /** Oldest first. */
  readonly merges: readonly RecordedMerge[]
  /** Of more than two parents: they cannot be one task's work. */
  readonly octopuses: number
}

/** @param range as `git rev-list` takes it. */
export function listRecordedMerges(repo: string, range: string): Recorded {
  const walk = ["log", "--first-parent", "--min-parents=2", "--reverse", "--format=%H %P%x00%s"]
  const lines = runGit(repo, [...walk, range, "--"])
    .split("\n")
    .filter(Boolean)
  const all = lines.map(parse)
  const merges = all.flatMap(({ parents: [onto, topic, ...more], ...rest }) =>
    onto && topic && more.length === 0 ? [{ ...rest, onto, topic }] : [],
  )
  return { merges, octopuses: all.length - merges.length }
}

function parse(line: string): { commit: Oid; subject: string; parents: readonly Oid[] } {
  const [oids = "", subject = ""] = line.split("\0")
  const [commit, ...parents] = oids.split(" ") as [Oid, ...Oid[]]
  return { commit, subject, parents }
}
