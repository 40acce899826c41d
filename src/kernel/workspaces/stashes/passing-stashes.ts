/**
 * Notes the stashes that others make while an agent works: it may pop one before its turn ends.
 *
 * The log of the list is read whenever it changes, from the file in which git keeps it. The notes are
 * in memory alone: a kill of this process ends the agent too.
 */
import { type FSWatcher, watch } from "node:fs"
import { join } from "node:path"
import type { Oid } from "../../../base/ids.ts"
import { STASHES } from "../../git/ask/stashes.ts"
import { commonDirOf, findGitDir } from "../../git/start/git-dir.ts"
import { findPlain } from "../../process/plain-file.ts"

const ENTRY = /^[0-9a-f]+ ([0-9a-f]{40,64}) /gm
const NAME = "stash"

export class PassingStashes implements Disposable {
  readonly #seen = new Map<string, Set<Oid>>()
  readonly #watchers: FSWatcher[] = []

  constructor(repos: readonly string[]) {
    for (const repo of repos) this.#watch(repo)
  }

  /** The stashes that have been in the list so far, oldest first. */
  listOf(repo: string): Oid[] {
    return [...(this.#seen.get(repo) ?? [])]
  }

  #watch(repo: string): void {
    const gitDir = findGitDir(repo)
    if (gitDir === undefined) return
    const log = join(commonDirOf(gitDir), "logs", STASHES)
    const seen = new Set<Oid>()
    this.#seen.set(repo, seen)
    // An agent may put anything in the log's place, and an error here would end the daemon.
    const note = () => {
      const text = findPlain(log)?.toString("latin1") ?? ""
      for (const [, oid] of text.matchAll(ENTRY)) seen.add(oid as Oid)
    }
    try {
      const watcher = watch(join(log, ".."), (_, name) => {
        if (name === null || name === NAME) note()
      })
      watcher.on("error", () => watcher.close())
      this.#watchers.push(watcher)
    } catch {
      // No log, as with tables of refs, or no more watches: then only what the turn began with is known.
    }
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.close()
  }
}
