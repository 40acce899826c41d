/** Law 4: every commit and every uncommitted state that was anybody's is reachable from a ref. */
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"
import { readAgentNotes } from "./notes.ts"

const REFS = "git stash list --format=%H; git rev-list --all --format=tformat:'%H %T'"

export async function checkNothingLost(user: User, report: Report): Promise<void> {
  const listed = ((await user.ask(REFS)) ?? "").split("\n").filter((line) => !/^commit /.test(line))
  const commits = new Set(listed.map((line) => line.split(" ")[0]))
  const trees = new Set(listed.map((line) => line.split(" ")[1]))
  const agents = readAgentNotes(user.scratch.notes)

  const made = agents.flatMap((one) =>
    one.commits.map((oid) => ({ oid, whose: `task ${one.task}` })),
  )
  const lost = made.filter(({ oid }) => !commits.has(oid))
  const text = ({ oid, whose }: (typeof made)[number]) =>
    `the commit ${oid} of ${whose} is in no ref`
  report.check("every agent's commit is in a ref", made.length, lost.map(text))

  const own = [...user.commits.map(({ oid }) => oid), ...user.stashes]
  const gone = own.filter((oid) => !commits.has(oid)).map((oid) => text({ oid, whose: "the user" }))
  report.check("every commit and stash of the user is in a ref", own.length, gone)

  const left = agents.filter(({ tree }) => tree !== undefined)
  const missing = left.filter(({ tree }) => !trees.has(tree))
  const state = ({ task, tree }: (typeof left)[number]) =>
    `the files that task ${task} left, tree ${tree}, are in no ref`
  report.check("what a turn left uncommitted is in a ref", left.length, missing.map(state))
}
