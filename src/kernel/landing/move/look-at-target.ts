/**
 * Records where a target is, and warns a person if it moved without a gate.
 *
 * An agent has its user's rights and can move the branch itself. Without containment we cannot
 * prevent that, but we report it. See kernel/landing/rules/target-move.ts for moves that count as usual.
 */

import { branchRef, type Oid, type TaskId } from "../../../base/ids.ts"
import { readAlias } from "../../git/ask/head.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { findRenamed, type Reflogged, readReflog } from "../../git/ask/reflog.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import type { Db } from "../../store/open.ts"
import { findTaskOfHead, listBranches } from "../../tasks/rows/task-repos/list.ts"
import { noteTarget } from "../../workspaces/note-target.ts"
import {
  isLandedThere,
  listHeads,
  recordSeenTarget,
  type SeenTarget,
  type TargetKey,
} from "../rows/seen-targets.ts"
import {
  howMoved,
  isByLandings,
  type SeenMove,
  type TargetMove,
  undoCommands,
} from "../rules/target-move.ts"
import { holds } from "./contains-work.ts"

export async function lookAtTarget(db: Db, seen: SeenTarget, nowMs: number): Promise<void> {
  const { path, target, moved } = seen
  const from = seen.tip ?? moved?.from
  if (from === undefined) return await noteTarget(db, seen)
  const [tip, alias] = await Promise.all([readCommit(path, target), readAlias(path, target)])
  if (moved && tip === moved.from && alias === undefined)
    return recordSeenTarget(db, seen, { ...seen, tip, moved: null }, nowMs)
  if (tip === (seen.tip ?? undefined) && alias === undefined) {
    if (moved === null || tip === undefined) return
    if (!isLandedThere(db, { path, target, commit: tip })) return
    // The tip went away and came back by a landing between two looks.
    const log = await readReflog(path, target)
    if (isLanding(db, seen, { log, at: 0, first: moved.from, to: tip }))
      recordSeenTarget(db, seen, { ...seen, moved: null }, nowMs)
    return
  }
  const isOneLanding = tip !== undefined && isLandedThere(db, { path, target, commit: tip, from })
  if (isOneLanding && moved === null && alias === undefined)
    return recordSeenTarget(db, seen, { ...seen, tip }, nowMs)
  const log = tip === undefined || alias ? [] : await readReflog(path, target)
  const renamed = tip === undefined && !alias ? await findRenamed(path, target) : undefined
  const move = await describe(db, seen, { from, to: tip, alias, renamed, log })
  const how = howMoved(move)
  const isLogged = seen.isLogged || log.length > 0
  if (how === undefined) {
    const isLanded = tip !== undefined && isLanding(db, seen, { log, at: 0, first: from, to: tip })
    const still = isLanded ? null : moved // the landing on top of it has passed the gate
    return recordSeenTarget(db, seen, { tip: tip ?? null, isLogged, moved: still }, nowMs)
  }
  const [last] = log
  const passed = moved?.from ?? from // the last commit from a gate or a person
  const isKnown = tip !== undefined && last?.oid === tip
  const facts: TargetMove = {
    from: passed,
    to: tip ?? null,
    how,
    task: move.task ?? null,
    isRename: renamed !== undefined,
    atMs: isKnown ? last.atMs : nowMs,
    by: isKnown ? last.by : null,
    undo: undoCommands(
      { ...move, from: passed },
      { repo: path, target, checkout: await findMovedCheckout(seen, last) },
    ),
  }
  const at = alias ? seen.tip : (tip ?? null)
  const put = tip === undefined ? [] : await listHeld(db, seen, tip)
  recordSeenTarget(db, seen, { tip: at, isLogged, moved: facts, put }, nowMs)
}

/** The tasks with a snapshot that this commit holds. A missing snapshot must not stop an alarm. */
async function listHeld(db: Db, { path, target }: TargetKey, tip: Oid): Promise<TaskId[]> {
  const tasks: TaskId[] = []
  for (const { task, head } of listHeads(db, { path, target }))
    if ((await readCommit(path, head)) && (await holds(path, tip, head))) tasks.push(task)
  return tasks
}

type Found = Pick<SeenMove, "from" | "to" | "alias" | "renamed"> & {
  readonly log: readonly Reflogged[]
}

async function describe(
  db: Db,
  { path, target, isLogged }: SeenTarget,
  { from, to, alias, renamed, log }: Found,
): Promise<SeenMove> {
  const at = log.findIndex(({ oid }) => oid === from)
  const isBegun = at < 0 && !isLogged // git began the log with a move from there
  const since = isBegun ? log : at < 0 ? undefined : log.slice(0, at)
  const steps = since?.map(({ oid: commit, ...rest }, at) => {
    const isOurs = isLanding(db, { path, target }, { log, at, first: from, to: commit })
    return { commit, ...rest, isOurs }
  })
  const mustAsk = to !== undefined && !isByLandings({ to, steps })
  return {
    from,
    to,
    alias,
    renamed,
    steps,
    isLogged: isLogged || log.length > 0,
    isFastForward: mustAsk && (await isAncestor(path, from, to)),
    task: mustAsk ? await findTask(db, path, to) : undefined,
  }
}

/** How the reasons of our own moves begin, also of those that a crash cut off. */
const OUR_REASON = "coppice: "

type Entry = {
  readonly log: readonly Reflogged[]
  readonly at: number
  /** Where the target was before the log began. */
  readonly first: Oid
  readonly to: Oid
}

/**
 * Whether a landing made this move to `to`. Each landing moves a target once and forward, so a move back
 * to its commit, or the same move again, is another's.
 */
function isLanding(db: Db, { path, target }: TargetKey, { log, at, first, to }: Entry): boolean {
  const before = (i: number) => log[i + 1]?.oid ?? first
  if (!isLandedThere(db, { path, target, commit: to, from: before(at) })) return false
  if (log.length === 0) return true
  const entry = log[at]
  if (entry?.oid !== to || !entry.reason.startsWith(OUR_REASON)) return false
  return !log.some(
    ({ oid, reason }, i) =>
      i > at && oid === to && reason === entry.reason && before(i) === before(at),
  )
}

/** The task whose own commits include this one. */
async function findTask(db: Db, path: string, commit: Oid): Promise<TaskId | undefined> {
  for (const { task, branch, base } of listBranches(db, path)) {
    const tip = await readCommit(path, branchRef(branch))
    if (!tip || !(await isAncestor(path, commit, tip))) continue
    if (!base || !(await isAncestor(path, commit, base))) return task
  }
  return findTaskOfHead(db, path, commit)
}

/** With a reflog message git moves the files of a checkout too. @returns its folder. */
async function findMovedCheckout(
  { path, target }: SeenTarget,
  last: Reflogged | undefined,
): Promise<string | undefined> {
  if (!last?.reason) return undefined
  const worktrees = await listWorktrees(path)
  return worktrees.find(({ bare, branch }) => !bare && branch === target)?.path
}
