/** `git merge-file`: the text of a content conflict, with its markers. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeScratch } from "../../process/scratch-folder.ts"
import { readObjects } from "../ask/cat-file.ts"
import { git, stdoutText } from "../start/exec.ts"
import type { MergeConflict } from "./merge-conflict.ts"

const LABELS = ["-L", "target", "-L", "base", "-L", "yours"]
/** Exit codes up to 127 count conflicts; more is an error. (126 and 127 run git twice: see exec.ts.) */
const CONFLICT_COUNTS = Array.from({ length: 128 }, (_, count) => count)

type Stages = MergeConflict["stages"]

/** @param stages of a conflict in contents: base (may be missing), ours, theirs. */
export async function mergeFile(repo: string, stages: Stages): Promise<string> {
  return stdoutText(await merge(repo, stages))
}

/** Whether ours is without some change of theirs that does not conflict. */
export async function lacksTheirs(repo: string, stages: Stages): Promise<boolean> {
  const ours = stages.filter(({ stage }) => stage === 2).map(({ oid }) => oid)
  const [content] = await readObjects(repo, ours)
  return (await merge(repo, stages, ["--ours"])).stdout !== content
}

async function merge(repo: string, stages: Stages, options: readonly string[] = []) {
  const present = stages.map(({ oid }) => oid)
  const contents = await readObjects(repo, present)
  using scratch = makeScratch()
  const paths = [2, 1, 3].map((stage) => join(scratch.path, String(stage)))
  for (const [n, stage] of [2, 1, 3].entries()) {
    const at = stages.findIndex((one) => one.stage === stage)
    await writeFile(paths[n]!, Buffer.from(contents[at] ?? "", "latin1"))
  }
  const args = ["merge-file", "-p", ...options, ...LABELS, ...paths]
  return await git(repo, args, { answers: CONFLICT_COUNTS })
}
