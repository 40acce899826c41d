/** The actions of users in their checkouts while the fleet works. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Dice } from "../dice.ts"
import { quote } from "../shell.ts"
import type { User } from "./user.ts"

/** @returns whether it was done; git, or the current state, may refuse. */
type Action = (user: User, dice: Dice, n: number) => Promise<boolean>

/** The same number that agents use, so that they collide. */
const POOL = 4
/** How often a user comes back to their own branch rather than to the target. */
const OWN_BRANCH_SHARE = 0.7
const isDone = async (user: User, script: string) => (await user.type(script)).code === 0

const edit: Action = async (user, dice, n) => {
  const line = 1 + dice.below(1_000_000)
  const files = "git ls-files -s | grep '^100' | cut -f2- | grep -v '^\"'"
  const path = await user.ask(`${files} | sed -n "$((1 + ${line} % $(${files} | wc -l)))p"`)
  const file = path && join(user.place.checkout, path)
  if (!path || !file || !existsSync(file)) return false
  return await user.write(path, `${readFileSync(file, "latin1")}# the user's ${n}\n`)
}

const untracked: Action = (user, dice, n) =>
  user.write(`torture/pool-${dice.below(POOL)}.txt`, `the user's ${n}\n`)

const ignored: Action = (user, dice, n) =>
  user.write(`torture/pool-${dice.below(POOL)}.mine`, `the user's, ignored ${n}\n`)

const stage: Action = async (user, dice) => {
  const path = dice.pick(user.files)
  return path !== undefined && (await isDone(user, `git add -- ${quote(path)}`))
}

const commit: Action = async (user, dice, n) => {
  const path = dice.pick(user.files)
  const add = path === undefined ? "true" : `git add -- ${quote(path)}`
  const said = await user.type(
    `${add} && git commit --quiet --allow-empty --message 'user ${n}' && git rev-parse HEAD && { git symbolic-ref --quiet --short HEAD || echo detached; }`,
  )
  if (said.code !== 0) return false
  const [oid = "", branch = ""] = said.output.trim().split("\n").slice(-2)
  // A user who leaves a detached HEAD gives up its commits.
  const { target } = user.scratch
  const isHeld = [target, user.place.branch].includes(branch) || user.branches.has(branch)
  if (isHeld) await user.own(oid, branch)
  await user.forgetCommitted()
  return true
}

const branch: Action = async (user, _, n) => {
  const name = `user-${n}`
  if (!(await isDone(user, `git checkout --quiet -b ${name}`))) return false
  user.branches.add(name)
  return true
}

/** By default git would silently replace ignored files. In a linked worktree it may refuse. */
const comeBack: Action = (user, dice) => {
  const branch = dice.chance(OWN_BRANCH_SHARE) ? user.place.branch : user.scratch.target
  return isDone(user, `git checkout --quiet --no-overwrite-ignore ${quote(branch)}`)
}

const detach: Action = (user) => isDone(user, "git checkout --quiet --detach")

const deleteBranch: Action = async (user, dice) => {
  const name = dice.pick([...user.branches])
  if (name === undefined || !(await isDone(user, `git branch --quiet -D ${name}`))) return false
  user.branches.delete(name)
  const kept = user.commits.filter((one) => one.branch !== name)
  user.commits.splice(0, user.commits.length, ...kept)
  return true
}

const stash: Action = async (user, dice) => {
  const path = dice.pick(user.files.filter((one) => /pool-\d\.txt$/.test(one)))
  if (path === undefined) return false
  const push = `git stash push --quiet --include-untracked -- ${quote(path)} && git rev-parse stash@{0}`
  const oid = await user.ask(push)
  if (oid === undefined) return false
  user.stashes.push(oid)
  user.forget(path)
  return true
}

const tidyUp: Action = (user, dice) => {
  const ways = [
    "gc --quiet --prune=1.minute.ago",
    "repack -adq",
    "pack-refs --all",
    "worktree prune",
  ]
  return isDone(user, `git ${dice.pick(ways)}`)
}

const addWorktree: Action = async (user, _, n) => {
  const path = join(user.scratch.folder, `user-worktree-${n}`)
  if (!(await isDone(user, `git worktree add --quiet -b user-${n} ${quote(path)}`))) return false
  user.branches.add(`user-${n}`)
  user.worktrees.add(path)
  return true
}

const removeWorktree: Action = async (user, dice) => {
  const path = dice.pick([...user.worktrees])
  if (path === undefined || !(await isDone(user, `git worktree remove ${quote(path)}`)))
    return false
  user.worktrees.delete(path)
  return true
}

/** At any time: while its agent works, during a review, or while it lands. */
const commitInTask: Action = async (user, dice, n) => {
  const { fleet } = user.scratch
  const name = user.place.repoName
  const folder = dice.pick(globSync(`${name}.worktrees/[0-9]*`, { cwd: fleet }).sort())
  if (folder === undefined) return false
  const path = `torture/late-${n}.txt`
  const notes = join(user.place.notes, `task-${Number.parseInt(basename(folder), 10)}`)
  // The files that its turn left are no longer all that is there.
  const note = `echo 'begin late' >> ${quote(notes)}`
  const oid = await user.ask(
    `cd ${quote(join(fleet, folder))} && mkdir -p torture && ${note} && echo late > ${path} && git add ${path} && git commit --quiet --message 'late ${n}' -- ${path} && ${note} && git rev-parse HEAD`,
  )
  if (oid === undefined) return false
  await user.own(oid, folder)
  return true
}

// biome-ignore format: a table reads best as one
export const USER_ACTIONS: readonly (readonly [name: string, weight: number, act: Action])[] = [
  ["edits a tracked file",            4, edit],
  ["writes an untracked file",        4, untracked],
  ["writes an ignored file",          3, ignored],
  ["stages a file",                   2, stage],
  ["commits",                         5, commit],
  ["checks out a branch of theirs",   1, branch],
  ["comes back to their branch",      4, comeBack],
  ["detaches HEAD",                   0.5, detach],
  ["deletes a branch",                1, deleteBranch],
  ["stashes a file",                  1, stash],
  ["repacks, prunes, collects",       1, tidyUp],
  ["adds a worktree",                 0.7, addWorktree],
  ["removes a worktree",              0.7, removeWorktree],
  ["commits in a task's worktree",    1.5, commitInTask],
]
