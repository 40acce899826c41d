/** Law 4: every commit and every uncommitted state of agents and users is reachable from a ref. */
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"
import { type AgentNotes, readAgentNotes } from "./notes.ts"

/** Of what was made since the torture began: the patch-id of each change that a ref leads to. */
const PATCHES = (start: string) =>
  `git log --all -p --full-index --no-textconv --no-ext-diff --format='commit %H' --not ${start} | git patch-id --stable`
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
    one.commits.map((oid) => ({ oid, whose: `task ${one.task}` })),
  )
  const text = ({ oid, whose }: (typeof made)[number]) =>
    `the commit ${oid} of ${whose} is in no ref`
  const own = users.flatMap((user) => [...user.commits.map(({ oid }) => oid), ...user.stashes])
  const lost = made.filter(({ oid }) => !commits.has(oid))
  const gone = own.filter((oid) => !commits.has(oid))
  const kept = await findKeptElsewhere(first, [...lost.map(({ oid }) => oid), ...gone])
  const texts = lost.filter(({ oid }) => !kept.has(oid)).map(text)
  report.check("every agent's commit is in a ref, or its change is", made.length, texts)

  const theirs = gone.filter((oid) => !kept.has(oid)).map((oid) => text({ oid, whose: "the user" }))
  report.check(
    "every commit and stash of the user is in a ref, or its change is",
    own.length,
    theirs,
  )

  const left = agents.filter(({ tree }) => tree !== undefined)
  const missing = left.filter(({ tree }) => !trees.has(tree))
  const state = ({ task, tree }: AgentNotes) =>
    `the files that task ${task} left, tree ${tree}, are in no ref`
  report.check("what a turn left uncommitted is in a ref", left.length, missing.map(state))

  const strange = agents.flatMap(({ task, found }) =>
    found.map((path) => `task ${task} began with ${path}`),
  )
  report.check("a task begins with nothing of another's", agents.length, strange)
}

/** An agent that rebases leaves commits behind whose change is kept under another id. */
async function findKeptElsewhere(user: User, oids: readonly string[]): Promise<Set<string>> {
  if (oids.length === 0) return new Set()
  const listed = (await user.ask(PATCHES(user.scratch.start))) ?? ""
  const patches = new Set(listed.split("\n").map((line) => line.split(" ")[0]))
  const kept = new Set<string>()
  for (const oid of oids) {
    const asked = await user.ask(`git diff-tree -p --full-index ${oid} | git patch-id --stable`)
    const [patch] = (asked ?? "").split(" ")
    if (patch && patches.has(patch)) kept.add(oid)
  }
  return kept
}
