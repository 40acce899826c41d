/**
 * Pushes the snapshot to the task's branch at the remote.
 *
 *   record the commit that is about to be pushed ─► push, by compare-and-swap ─► record that it is there
 *
 * The remote itself says where its branch is, so a push that was cut off is repeated or found. Only
 * commits that we pushed ourselves, or that the work contains, are ever replaced. The name is the
 * agent's choice, so the first push takes no branch that has nothing of the work (`staging`), unless
 * an earlier task left it there.
 */
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { isAncestor } from "../../../kernel/git/ask/merge-base.ts"
import { type Remote, readRemoteBranch } from "../../../kernel/git/ask/remote-branch.ts"
import { readCommit } from "../../../kernel/git/ask/rev-parse.ts"
import { type Pushed, push } from "../../../kernel/git/change/push.ts"
import { setUpstream } from "../../../kernel/git/change/upstream.ts"
import { type Configured, type Rows, type Step, taskRepo } from "../../../kernel/landing/action.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { readRepository } from "../../../kernel/workspaces/git-worktree/worktree-context.ts"
import { withRepoLock } from "../../../kernel/workspaces/locks/repo-lock.ts"
import { listAllPullRequests, type PullRequest, recordPull } from "../rows.ts"
import { askRemote, network } from "./network-limits.ts"

export type PushedWork = { readonly kind: "pushed"; readonly branch: string } | NotPushed

/** `isTransient`: the remote did not answer. `isFinal`: only a person can help, no other push. */
export type NotPushed = {
  readonly kind: "failed"
  readonly reason: string
  readonly isTransient: boolean
  readonly isFinal: boolean
}

type ToPush = {
  readonly repo: LandingRepo
  readonly remote: Remote
  readonly head: Oid
  readonly pull: PullRequest
  /** The target there. */
  readonly tip: Oid
}

export async function pushWork(step: Step<Rows & Configured>, asked: ToPush): Promise<PushedWork> {
  const { context } = step
  const { repo, remote, head } = asked
  const named = await nameBranch(step, asked)
  if (named.kind === "failed") return named
  const { branch, pull } = named
  const now = await readThere(step, asked, branch)
  if (now.kind === "unreachable") return { ...failed(now.message), isTransient: true }
  const there = now.commit ?? null
  let { created } = pull
  if (there !== head) {
    const known = { ...asked, pull }
    if (there !== null && !(await isOurs(known, there)))
      return taken(step, asked, { branch, there })
    const earlier = listEarlier(step, pull, { branch, there })
    if (there !== null && earlier.length === 0 && (await isForeign(step, known, there)))
      return foreign(step, asked, branch)
    // A push whose end is unknown proves nothing about a branch that is there now.
    created =
      there === null || earlier.some((row) => row.created) || (created && pull.pushed !== null)
    recordPull(context.db, pull, { branch, pushing: head, created })
    await context.world.point("shipping: push recorded")
    const move = { ref: branchRef(branch), from: there, to: head }
    const toPush = { remote, moves: [move], isTracked: true } as const
    const pushed = await askRemote(remote, () => push(repo.path, toPush, network(step)))
    await context.world.point("shipping: pushed")
    if (pushed.kind !== "pushed") return notPushed(pushed, remote, branch)
  }
  await track(step, repo, { remote: remote.name, ref: branchRef(branch) })
  recordPull(context.db, pull, { branch, pushed: head, pushing: null, created })
  return { kind: "pushed", branch }
}

/** So that a person's `git status`, `push` and `pull` in the worktree know where the branch went. */
async function track(
  step: Step,
  repo: LandingRepo,
  upstream: { readonly remote: string; readonly ref: RefName },
): Promise<void> {
  const { branch } = taskRepo(step, repo)
  if (branch === null) return
  const { commonDir } = await readRepository(repo.path)
  await withRepoLock(commonDir, () => setUpstream(repo.path, { branch, ...upstream }), step.signal)
}

/**
 * Before a replay, checks that the branch may be replaced. A commit of a person that the work contains is
 * recorded as pushed, since the replayed work contains a copy of it.
 */
export async function checkReplaceable(
  step: Step<Rows & Configured>,
  asked: ToPush,
): Promise<NotPushed | undefined> {
  const { pull } = asked
  const { branch } = pull
  if (branch === null || pull.pushed === null) return undefined // the first push decides
  const now = await readThere(step, asked, branch)
  if (now.kind === "unreachable") return { ...failed(now.message), isTransient: true }
  const there = now.commit
  if (there === undefined || there === pull.pushed) return undefined
  if (!(await isOurs(asked, there))) return taken(step, asked, { branch, there })
  recordPull(step.context.db, pull, { pushed: there, pushing: null })
  return undefined
}

type Named = { readonly kind: "named"; readonly branch: string; readonly pull: PullRequest }

/**
 * The name at the remote stays, whatever the agent calls its branch later. Until a push has arrived
 * there, it is the task's branch of now: the remote may refuse a name.
 */
async function nameBranch(
  step: Step<Rows & Configured>,
  asked: ToPush,
): Promise<Named | NotPushed> {
  const { pull } = asked
  const { branch: recorded, pushing } = pull
  const branch = taskRepo(step, asked.repo).branch ?? recorded
  if (branch === null) return failed("its branch is gone")
  if (recorded === null || recorded === branch) return { kind: "named", branch, pull }
  const kept = { kind: "named", branch: recorded, pull } as const
  if (pull.pushed !== null) return kept
  const now = await readThere(step, asked, recorded)
  if (now.kind === "unreachable") return { ...failed(now.message), isTransient: true }
  // The record is written before the push, so only the remote knows whether a cut-off push arrived.
  if (now.commit !== undefined && now.commit === pushing) return kept
  return { kind: "named", branch, pull: { ...pull, pushing: null, created: false } }
}

const readThere = (step: Step, { repo, remote }: ToPush, branch: string) =>
  askRemote(remote, () => readRemoteBranch(repo.path, { remote, branch }, network(step)))

function notPushed(
  pushed: Exclude<Pushed, { kind: "pushed" }>,
  { name }: Remote,
  branch: string,
): PushedWork {
  if (pushed.kind === "unreachable") return { ...failed(pushed.message), isTransient: true }
  if (pushed.kind === "refused") return failed(`${name} refuses ${branch}: ${pushed.message}`)
  return { ...failed(`${branch} at ${name} moved at the same moment`), isTransient: true }
}

const failed = (reason: string) =>
  ({ kind: "failed", reason, isTransient: false, isFinal: false }) as const

/** Whether `there` may be replaced by the work: we pushed it, or the work contains it. */
async function isOurs({ repo, head, pull }: ToPush, there: Oid): Promise<boolean> {
  if (there === pull.pushed || there === pull.pushing) return true
  return (await readCommit(repo.path, there)) !== undefined && isAncestor(repo.path, there, head)
}

/** Before the first push: the rows of other tasks that pushed exactly `there` to this branch. */
function listEarlier(
  { context }: Step<Rows>,
  { address, pushed }: PullRequest,
  { branch, there }: { readonly branch: string; readonly there: Oid | null },
): readonly PullRequest[] {
  if (there === null || pushed !== null) return []
  const rows = [...listAllPullRequests(context.db).values()].flat()
  return rows.filter(
    (row) => row.address === address && row.branch === branch && row.pushed === there,
  )
}

/** Whether an agent's first push would move a branch that has only commits of the target. */
async function isForeign({ task }: Step, { repo, pull, tip }: ToPush, there: Oid) {
  if (task.agent === null || pull.pushed !== null || there === pull.pushing) return false
  return await isAncestor(repo.path, there, tip)
}

function foreign(step: Step, { repo, remote: { name } }: ToPush, branch: string): PushedWork {
  const worktree = shellWord(taskRepo(step, repo).worktree ?? repo.path)
  const [remove, rename] = [
    `git -C ${worktree} push ${name} --delete ${shellWord(branch)}`,
    `git -C ${worktree} branch -m <name>`,
  ]
  const reason = `${name} already has a branch ${branch}, at a commit that Coppice did not push. Give the work another name with \`${rename}\`, or remove that branch with \`${remove}\``
  return { ...failed(reason), isFinal: true }
}

function taken(
  step: Step<Configured>,
  { repo, remote: { name } }: ToPush,
  { branch, there }: { readonly branch: string; readonly there: Oid },
) {
  const worktree = taskRepo(step, repo).worktree ?? repo.path
  const git = `git -C ${shellWord(worktree)} pull --no-rebase ${name} ${shellWord(branch)}`
  const reason = `${branch} at ${name} has commits that are not in this work (${there.slice(0, 12)}): \`${git}\` takes them in`
  return { ...failed(reason), isFinal: true }
}
