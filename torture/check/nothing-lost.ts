/** Law 4: every commit and every uncommitted state of agents and users is reachable from a ref. */
import { globSync } from "node:fs"
import { join } from "node:path"
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"
import { quote } from "../shell.ts"
import { type AgentNotes, type Change, readAgentNotes } from "./notes.ts"

/** For every change since the torture began that a ref leads to: its patch-id. */
const PATCHES = (start: string) =>
  `git log --all -p --no-renames --full-index --no-textconv --no-ext-diff --format='commit %H' --not ${start} | git patch-id --stable`
/**
 * Commits in git's logs: a worktree that stays, because its agent forged it, keeps its own. Logs go
 * with their worktree and branch, so they hold nothing of one that was removed.
 */
const LOGGED = "git rev-list --reflog"
const REFS = "git stash list --format=%H; git rev-list --all --format=tformat:'%H %T'"

/** @param users all that work in one clone. */
export async function checkNothingLost(
  users: readonly [User, ...User[]],
  report: Report,
): Promise<void> {
  const [first] = users
  const listed = ((await first.ask(REFS)) ?? "")
    .split("\n")
    .filter((line) => !/^commit /.test(line))
  const commits = new Set(listed.map((line) => line.split(" ")[0]))
  const trees = new Set(listed.map((line) => line.split(" ")[1]))
  const agents = readAgentNotes(first.place.notes)

  const made = agents.flatMap((one) =>
    one.commits.map((change) => ({ ...change, whose: `task ${one.task}` })),
  )
  const stashes = users.flatMap(({ stashes }) => stashes.map((oid) => ({ oid, patch: "" })))
  const own = [...users.flatMap((user) => user.commits), ...stashes]
  const patches = await listPatches(first)
  const logged = new Set(((await first.ask(LOGGED)) ?? "").split("\n"))
  const isLost = ({ oid, patch }: Change) =>
    !commits.has(oid) && !(patch !== "" && patches.has(patch))
  const texts = made
    .filter((change) => isLost(change) && !logged.has(change.oid))
    .map(({ oid, whose }) => `the commit ${oid} of ${whose} is in no ref`)
  report.check("every agent's commit is in a ref, or its change is", made.length, texts)
  const theirs = own.filter(isLost).map(({ oid }) => `the commit ${oid} of the user is in no ref`)
  report.check(
    "every commit and stash of the user is in a ref, or its change is",
    own.length,
    theirs,
  )

  const left = agents.filter(({ tree }) => tree !== undefined)
  const missing: AgentNotes[] = []
  for (const one of left) {
    const { oid, patch } = one.tree!
    const isKept = trees.has(oid) || patch === "" || patches.has(patch)
    if (!isKept && !(await isKeptInPlace(first, one))) missing.push(one)
  }
  const state = ({ task, tree }: AgentNotes) =>
    `the files that task ${task} left, tree ${tree?.oid}, are in no ref and not in its worktree`
  report.check(
    "uncommitted work of a turn is in a ref, or still there",
    left.length,
    missing.map(state),
  )

  const strange = agents.flatMap(({ task, found }) =>
    found.map((path) => `task ${task} began with ${path}`),
  )
  report.check("a task begins without files of another task", agents.length, strange)
}

/**
 * A worktree that Coppice no longer recognises stays where it is, with all its files.
 *
 * Git may have collected the tree, but not the files. Then their tree is made from the index of the
 * notes, which knows the ignored files that the agent had added.
 */
async function isKeptInPlace(user: User, { task, tree }: AgentNotes): Promise<boolean> {
  const { scratch, place } = user
  const kept = quote(join(scratch.notes, "kept.index"))
  const noted = quote(join(place.notes, `task-${task}.index`))
  // The folder of one that was made ahead has no task's name.
  for (const folder of globSync(`${place.repoName}.worktrees/*`, { cwd: scratch.fleet })) {
    const files = quote(join(scratch.fleet, folder))
    const git = `git --git-dir=${quote(join(place.repo, ".git"))} --work-tree=${files}`
    const start = `{ ${git} read-tree ${tree?.oid} || cp ${noted} ${kept}; }`
    const write = `${git} add --all && ${git} write-tree --missing-ok`
    const said = await user.ask(`export GIT_INDEX_FILE=${kept}; ${start} && ${write}`)
    if (said?.split("\n").at(-1) === tree?.oid) return true // git's complaints come first
  }
  return false
}

/** Commits that were rebased, or landed by replay, are kept under other ids with the same change. */
async function listPatches(user: User): Promise<ReadonlySet<string>> {
  const listed = (await user.ask(PATCHES(user.scratch.start))) ?? ""
  return new Set(listed.split("\n").map((line) => line.split(" ")[0] ?? ""))
}
