/**
 * Replays recorded merges through the landing queue, each onto the history that was recorded.
 *
 * Before each landing the target of the scratch clone moves to the recorded merge's first parent, as
 * if another person had pushed. The topic is the work of a task that started at the merge base. So
 * each landing answers the question of that merge, and the trees can be compared. Decided in docs/adr/0022-replay-onto-the-recorded-history.md.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { branchRef, type Oid } from "../src/base/ids.ts"
import { type Judged, judge } from "./judge.ts"
import { mergePlainly, type PlainMerge } from "./plain-merge.ts"
import { ReplayQueue } from "./queue.ts"
import { listRecordedMerges, type RecordedMerge } from "./recorded-merges.ts"
import { ScratchClone } from "./scratch-clone.ts"

const TARGET = "coppice-replay/target"

export type Replay = {
  /** Only read. */
  readonly repo: string
  /** As `git rev-list` takes it. */
  readonly range: string
  /** Empty ones, removed by the caller: for the clone and its worktrees, and for the database. */
  readonly folder: string
  readonly disk: string
  readonly signal: AbortSignal
  onReplayed(done: number, of: number): void
}

export type Replayed = {
  readonly octopuses: number
  /** Merges of histories that share nothing. */
  readonly unrelated: number
  readonly merges: readonly ReplayedMerge[]
}

export type ReplayedMerge = Judged & {
  readonly merge: RecordedMerge
  /** From the submission of the landing until it has landed and is cleaned up. */
  readonly landingMs: number
  /** The same merge by hand. */
  readonly plainMs: number
}

export async function replay(options: Replay): Promise<Replayed> {
  for (const path of [options.folder, options.disk]) mkdirSync(path, { recursive: true })
  const clone = new ScratchClone(options.repo, options.folder)
  const { merges: recorded, octopuses } = listRecordedMerges(options.repo, options.range)
  await using queue = new ReplayQueue(join(options.disk, "coppice.db"), clone.path, TARGET)
  const merges: ReplayedMerge[] = []
  let unrelated = 0
  for (const [n, merge] of recorded.entries()) {
    options.signal.throwIfAborted()
    const { stdout } = clone.ask(clone.path, "merge-base", merge.onto, merge.topic)
    if (stdout === "") unrelated++
    else merges.push(await replayOne({ clone, queue, n }, merge, stdout as Oid))
    options.onReplayed(n + 1, recorded.length)
  }
  return { octopuses, unrelated, merges }
}

type Place = { readonly clone: ScratchClone; readonly queue: ReplayQueue; readonly n: number }

/** Which of the two goes first changes, so that neither always finds the other's caches. */
async function replayOne(place: Place, merge: RecordedMerge, base: Oid): Promise<ReplayedMerge> {
  const { clone, n } = place
  const first = n % 2 === 0 ? mergePlainly(clone, merge) : undefined
  const { landing, timeMs } = await land(place, merge, base)
  const plain: PlainMerge = first ?? mergePlainly(clone, merge)
  const recorded = clone.tree(merge.commit)
  const judged = judge({ landing, tree: clone.tree(TARGET), recorded, plain })
  return { ...judged, merge, landingMs: timeMs, plainMs: plain.timeMs }
}

async function land({ clone, queue, n }: Place, merge: RecordedMerge, base: Oid) {
  const branch = `coppice-replay/topic-${n}`
  clone.git("update-ref", branchRef(TARGET), merge.onto)
  clone.git("update-ref", branchRef(branch), merge.topic)
  return await queue.land({ title: merge.subject, branch, base })
}
