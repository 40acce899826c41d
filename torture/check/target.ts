/** Laws 2 and 3: how the target moved, what was tested, and how often each task landed. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"
import { quote } from "../shell.ts"
import { readAgentNotes, readPassed } from "./notes.ts"

/** A line of a reflog: `<from> <to> Name <email> time zone\t<reason>`. */
const LINE = /^([0-9a-f]+) ([0-9a-f]+) [^\t]*\t(.*)$/
/** Only Coppice's moves: the user's own moves of their branch are not judged. */
const OURS = /^coppice: /
const LANDING = /\(landing (\d+)\)$/
/** Seen by the gate, and not in what was published: see commitInTask. */
const LATE = /^D\ttorture\/late-\d+\.txt$/
const ONLY = /^play (\d+)$/
/** Also finds additions in a merge that one side has taken back, and those that a merge itself makes. */
const CHANGES = "git log -c --raw --full-history --no-renames --format="
/** A merge has one letter for each parent. */
const ADDITION = /\sA+\t/

type Move = { readonly from: string; readonly to: string; readonly reason: string }

/** @param user the one in the main worktree of the clone. */
export async function checkTarget(
  user: User,
  tasks: readonly TaskDocument[],
  report: Report,
): Promise<void> {
  const { target } = user.scratch
  const log = readFileSync(join(user.place.repo, ".git/logs/refs/heads", target), "utf8")
  const all = log.split("\n").flatMap((line): Move[] => {
    const [, from, to, reason] = LINE.exec(line) ?? []
    return from && to && reason !== undefined ? [{ from, to, reason }] : []
  })
  const moves = all.filter(({ reason }) => OURS.test(reason))
  checkSwaps(user, { all, moves, tasks }, report)
  await checkContents(user, moves, report)
  await checkOnce(user, tasks, report)
}

/** Each move began at the end of the one before, and went from a base to its candidate. */
function checkSwaps(
  { place: { repoName } }: User,
  { all, moves, tasks }: { all: Move[]; moves: Move[]; tasks: readonly TaskDocument[] },
  report: Report,
): void {
  const gaps = all.flatMap(({ from, reason }, at) => {
    const before = all[at - 1]?.to ?? from
    return before === from ? [] : [`"${reason}" moved ${from}, where ${before} was`]
  })
  report.check("each move of the target began where it was", all.length, gaps)

  const landed = tasks.flatMap(({ id, landing }) =>
    (landing?.repos ?? []).flatMap(({ name, base, candidate, published }) =>
      published && name === repoName && base !== candidate ? [{ id, base, candidate }] : [],
    ),
  )
  const isMove = ({ base, candidate }: (typeof landed)[number]) =>
    moves.some(({ from, to }) => from === base && to === candidate)
  const elsewhere = landed.filter((one) => !isMove(one))
  const text = ({ id, base, candidate }: (typeof landed)[number]) =>
    `task ${id} landed, and the target never moved from its base ${base} to ${candidate}`
  report.check("the target moved from the recorded base", landed.length, elsewhere.map(text))

  const byLanding = Map.groupBy(moves, ({ reason }) => LANDING.exec(reason)?.[1])
  const twice = [...byLanding].filter(([landing, its]) => landing !== undefined && its.length > 1)
  const texts = twice.map(([landing, its]) => `landing ${landing} moved it ${its.length} times`)
  report.check("each landing moved the target once", byLanding.size, texts)
}

async function checkContents(user: User, moves: readonly Move[], report: Report): Promise<void> {
  const back: string[] = []
  const untested: string[] = []
  const passed = readPassed(user.scratch.passed)
  for (const { from, to } of moves) {
    if ((await user.ask(`git merge-base --is-ancestor ${from} ${to}`)) === undefined)
      back.push(`the target was moved from ${from} to ${to}, which does not contain it`)
    const tree = await user.ask(`git rev-parse '${to}^{tree}'`)
    if (!tree || !(passed.has(tree) || (await isPassedWithLate(user, tree, passed))))
      untested.push(`${to} was published, and no gate saw its tree`)
  }
  report.check("the target only went forward", moves.length, back)
  report.check("every published commit has passed the gate", moves.length, untested)
}

/**
 * A user who adds a file to a task's worktree while its gate runs there adds to what the gate sees.
 */
async function isPassedWithLate(user: User, tree: string, passed: ReadonlySet<string>) {
  for (const seen of passed) {
    const differs = await user.ask(`git diff-tree -r --name-status ${seen} ${tree}`)
    const lines = (differs ?? "").split("\n")
    if (lines.every((line) => LATE.test(line))) return true
  }
  return false
}

/** Each task has made a file that no other makes. */
async function checkOnce(user: User, tasks: readonly TaskDocument[], report: Report) {
  const texts: string[] = []
  const target = quote(user.scratch.target)
  const again = new Set(readAgentNotes(user.place.notes).flatMap((one) => one.again))
  for (const { id, title, state, repos } of tasks) {
    const [, n] = ONLY.exec(title) ?? []
    if (n === undefined) continue // the task takes back another landing
    const path = `torture/only-${n}.txt`
    const changes = (await user.ask(`${CHANGES} ${target} -- ${path}`)) ?? ""
    const times = changes.split("\n").filter((line) => ADDITION.test(line)).length
    const isMeant = repos.some((repo) => repo.path === user.place.repo)
    const wanted = state === "complete" && isMeant ? 1 : 0
    // If it was cancelled after the decision, its landed part was taken back.
    const isTakenBack =
      state === "cancelled" && (await user.ask(`git cat-file -e ${target}:${path}`)) === undefined
    const isBroughtAgain = again.has(path) && times > wanted
    if (times !== wanted && !isTakenBack && !isBroughtAgain)
      texts.push(`task ${id} is ${state}, and ${path} came to the target ${times} times`)
  }
  report.check("each task landed once, or not at all", tasks.length, texts)
}
