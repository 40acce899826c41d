/** Laws 2 and 3: how the target moved, what was tested, and how often each task landed. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { TaskDocument } from "../../src/core/wire.ts"
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"
import { quote } from "../shell.ts"
import { readPassed } from "./notes.ts"

/** Only Coppice's: what the user did to their branch is theirs. */
const OURS = /^([0-9a-f]+) ([0-9a-f]+) .*\tcoppice: /
const ONLY = /^play (\d+)$/
/** Also where a merge has it that one side has taken back. */
const ADDED = "git log --full-history --no-renames --diff-filter=A --format=%h"

export async function checkTarget(
  user: User,
  tasks: readonly TaskDocument[],
  report: Report,
): Promise<void> {
  const { repo, target, passed: file } = user.scratch
  const log = readFileSync(join(repo, ".git/logs/refs/heads", target), "utf8").split("\n")
  const moves = log.flatMap((line) => {
    const [, from, to] = OURS.exec(line) ?? []
    return from && to ? [{ from, to }] : []
  })
  const back: string[] = []
  const untested: string[] = []
  const passed = readPassed(file)
  for (const { from, to } of moves) {
    if ((await user.ask(`git merge-base --is-ancestor ${from} ${to}`)) === undefined)
      back.push(`the target was moved from ${from} to ${to}, which does not contain it`)
    const tree = await user.ask(`git rev-parse '${to}^{tree}'`)
    if (!tree || !passed.has(tree)) untested.push(`${to} was published, and no gate saw its tree`)
  }
  report.check("the target only went forward", moves.length, back)
  report.check("what was published has passed the gate", moves.length, untested)
  await checkOnce(user, tasks, report)
}

/** Each task has made a file that no other makes. */
async function checkOnce(user: User, tasks: readonly TaskDocument[], report: Report) {
  const texts: string[] = []
  const target = quote(user.scratch.target)
  for (const { id, title, state, repos } of tasks) {
    const [, n] = ONLY.exec(title) ?? []
    if (n === undefined) continue // it takes back what another one brought
    const path = `torture/only-${n}.txt`
    const added = `${ADDED} ${target} -- ${path}`
    const times = ((await user.ask(added)) ?? "").split("\n").filter(Boolean).length
    const isMeant = repos.some((repo) => repo.path === user.scratch.repo)
    const wanted = state === "complete" && isMeant ? 1 : 0
    // Given up when it was decided, what had landed of it was taken back.
    const isTakenBack =
      state === "cancelled" && (await user.ask(`git cat-file -e ${target}:${path}`)) === undefined
    if (times !== wanted && !isTakenBack)
      texts.push(`task ${id} is ${state}, and ${path} came to the target ${times} times`)
  }
  report.check("each task landed once, or not at all", tasks.length, texts)
}
