/** `git hash-object --stdin-paths`: one git that stays, and writes commit after commit. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Oid } from "../core/ids.ts"
import { openDialogue } from "./dialogue.ts"
import { GitError } from "./errors.ts"

export type CommitWriter = AsyncDisposable & {
  /**
   * Writes a commit object, attached to nothing; one at a time.
   *
   * @param raw the whole object, one char per raw byte.
   */
  write(raw: string): Promise<Oid>
}

const ARGS = ["hash-object", "-t", "commit", "-w", "--no-filters", "--stdin-paths"]

/** For writing several: where there is only one, writeCommitObject does. */
export async function openCommitWriter(cwd: string): Promise<CommitWriter> {
  const folder = await mkdtemp(join(tmpdir(), "coppice-commits-"))
  const file = join(folder, "commit")
  const dialogue = openDialogue(cwd, ARGS)
  return {
    async write(raw) {
      await writeFile(file, raw, "latin1")
      dialogue.say(`${file}\n`)
      const oid = await dialogue.hearNext()
      if (oid === undefined) throw new GitError(ARGS, await dialogue.end())
      return oid as Oid
    },
    async [Symbol.asyncDispose]() {
      await dialogue.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
