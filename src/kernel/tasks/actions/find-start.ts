/**
 * Finds the existing work that a new task goes on with: a branch, a commit or a pull request.
 *
 * The task gets a branch of its own there, so a person's branch is never moved, checked out or removed.
 */

import type { NewTask } from "../../../api/wire/requests.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { findPullAddress, KnownForges } from "../../../features/pull-requests/find-forge.ts"
import { ForgeError } from "../../../features/pull-requests/forges/errors.ts"
import type { Pull } from "../../../features/pull-requests/rules.ts"
import { DaemonError } from "../../errors.ts"
import { readMergeBase } from "../../git/ask/merge-base.ts"
import { readRemote } from "../../git/ask/remote-branch.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { fetchRef } from "../../git/change/fetch.ts"
import type { Home } from "../../home.ts"
import { findUser } from "../../workspaces/git-worktree/delete-unused.ts"
import type { RepoOfTask } from "./task-defaults.ts"

export type Start = {
  readonly commit: Oid
  /** The pull request that the work goes on with, by its branch; undefined: none. */
  readonly pull: (Pick<Pull, "head"> & { readonly branch: string }) | undefined
  /** For the person who starts the task. */
  readonly note: string
}

type Asked = { readonly from: string; readonly copy: boolean }

/** A longer number may be the beginning of a commit's id. */
const PULL_REQUEST = /^#?(\d{1,6})$/
const BRANCH = /^refs\/heads\//
const FETCH_MS_MAX = 5 * 60_000

export const isPullRequest = ({ from = "" }: Pick<NewTask, "from">): boolean =>
  PULL_REQUEST.test(from)

/** @throws {DaemonError} `start.unknown`, `start.refused`, `start.unreachable` */
export async function findStart(
  fleet: Pick<Home, "world" | "ending">,
  one: RepoOfTask,
  asked: Asked,
): Promise<Start> {
  const number = PULL_REQUEST.exec(asked.from)?.[1]
  const start =
    number === undefined
      ? await findCommit(one.target.path, asked)
      : await findPull(fleet, one, { ...asked, number: Number(number) })
  const { target, commit, path } = one.target
  if (await readMergeBase(path, start.commit, commit)) return start
  throw refused(`${asked.from} and ${target} have no history in common.`, [
    "`--from` takes work that was begun at a commit of the target.",
  ])
}

async function findCommit(path: string, { from, copy }: Asked): Promise<Start> {
  const branch = from.replace(BRANCH, "")
  const tip = await readCommit(path, branchRef(branch))
  const commit = tip ?? (await readCommit(path, from))
  if (!commit)
    throw new DaemonError("start.unknown", `${path} has no branch or commit ${from}.`, [
      `\`git -C ${shellWord(path)} branch --all\` lists the branches; \`git fetch\` brings those of a remote.`,
    ])
  const user = tip && (await findUser(path, branchRef(branch)))
  if (user !== undefined && !copy)
    throw refused(`The branch ${branch} is checked out in ${user}.`, [
      "`--copy` goes on from its last commit. Uncommitted changes stay in that worktree.",
    ])
  return { commit, pull: undefined, note: `goes on from ${from} (${commit.slice(0, 12)})` }
}

async function findPull(
  { world, ending }: Pick<Home, "world" | "ending">,
  one: RepoOfTask,
  { number, copy }: Asked & { readonly number: number },
): Promise<Start> {
  const { repo, target } = one
  await findPullAddress(one) // the error says what is missing
  const remote = await readRemote(target.path, repo.forge.remote)
  if (!remote) throw unreachable(number, `the remote ${repo.forge.remote} has just gone`)
  const forge = new KnownForges(() => world.nowMs()).find(
    { name: target.name, forge: repo.forge },
    remote.push,
  )
  const pull = await forge.read(number).catch((error: unknown) => {
    if (error instanceof ForgeError) throw unreachable(number, error.message, error.hints)
    throw error
  })
  if (!copy) refuseOther(pull, target.target)
  const network = { timeoutMs: FETCH_MS_MAX, signal: ending }
  const fetched = await fetchRef(target.path, { remote, ref: forge.headRef(number) }, network)
  if (!(await readCommit(target.path, pull.head)))
    throw unreachable(
      number,
      fetched.kind === "failed" ? fetched.message : "its commit did not arrive",
    )
  const { head, branch } = pull
  const isFork = branch === null
  const goesOn = isFork || copy ? undefined : { head, branch }
  const where = goesOn
    ? `its branch ${branch}`
    : isFork
      ? "a new branch: its own is in a fork"
      : "a new branch"
  return { commit: head, pull: goesOn, note: `goes on from pull request ${number}, on ${where}` }
}

function refuseOther({ number, state, target }: Pull, wanted: string): void {
  const copy = `\`--from ${number} --copy\` makes another pull request of its commits.`
  if (state !== "open") throw refused(`Pull request ${number} is ${state}.`, [copy])
  if (target === wanted) return
  throw refused(`Pull request ${number} leads into ${target}, and work here lands on ${wanted}.`, [
    copy,
    `\`repos.<name>.target: ${target}\` in coppice.yml changes where work lands.`,
  ])
}

const refused = (message: string, hints: readonly string[]) =>
  new DaemonError("start.refused", message, hints)

const unreachable = (number: number, why: string, hints: readonly string[] = []) =>
  new DaemonError("start.unreachable", `Pull request ${number} cannot be read: ${why}.`, hints)
