/**
 * Tortures a clone of a repository, and checks that every promise held.
 *
 * Scripts play the agents, the gate and the users (play/, programs.ts). Coppice is the real
 * program: the client starts its daemons, and kill/ kills them. The dice have a seed, and each step
 * of a play has its own dice, so that a seed repeats the draws, though not the machine's timing. In
 * the end everything settles, and check/ asks plain git and the notes of agents and gate.
 *
 * Not done here: full disks and deaths at chosen points, which test/fault does.
 */
import { randomBytes } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import type { TortureDocument } from "../src/features/torture/wire.ts"
import { ProcessOwner } from "../src/kernel/process/owner.ts"
import { readAgentNotes } from "./check/notes.ts"
import {
  type Clone,
  checkNoOrphans,
  checkNoSurvivors,
  checkNothingLeft,
  untilNothingLeft,
} from "./check/nothing-left.ts"
import { checkNothingLost } from "./check/nothing-lost.ts"
import { checkTarget } from "./check/target.ts"
import type { TortureOptions } from "./options.ts"
import { Fleet } from "./play/fleet.ts"
import { FORGERIES } from "./play/hostile.ts"
import { killDaemon, type Play, play } from "./play/play.ts"
import { settle } from "./play/settle.ts"
import { placesOf, User } from "./play/user.ts"
import { Report } from "./report.ts"
import { makeScratch } from "./scratch.ts"
import { quote } from "./shell.ts"

export async function torture(options: TortureOptions): Promise<TortureDocument> {
  const { repo, seed, signal, tell } = options
  await using owner = new ProcessOwner({ mark: randomBytes(8).toString("hex") })
  const scratch = await makeScratch(owner, repo)
  const report = new Report()
  const fleet = new Fleet(scratch)
  const [first, lib, linked] = placesOf(scratch).map((place) => new User(scratch, place, owner))
  const users = [first!, lib!, linked!] as const
  const scene = { options, scratch, users, fleet, report, undone: new Set<string>() }
  tell(`${scratch.folder}: seed ${seed}`)
  let clones: Clone[] = []
  try {
    await play(scene)
    clones = await rest(scene)
  } catch (error) {
    report.check("nothing fails unexpectedly", 1, [String((error as Error).stack ?? error)])
  } finally {
    await fleet.down()
  }
  if (!signal.aborted) {
    await checkNoOrphans(scratch.folder, report)
    for (const clone of clones) await checkNothingLeft(clone, report)
  }
  const isHeld = report.violations.length === 0
  if (isHeld) rmSync(scratch.folder, { recursive: true, force: true, maxRetries: 3 })
  return documentOf(options, report, isHeld ? null : scratch.folder)
}

/** Lets everything settle, and checks what can be checked while a daemon runs. */
async function rest(scene: Play): Promise<Clone[]> {
  const { options, scratch, users, fleet, report } = scene
  const { signal, kills, tell } = options
  if (signal.aborted) return []
  if (kills !== undefined && (await killDaemon(scene))) await checkNoOrphans(scratch.folder, report)
  tell("letting everything come to rest")
  const created = report.tasks["created"] ?? 0
  report.check("every task settles", created, await settle({ users, fleet, report, signal }))
  await checkNoSurvivors(scratch, report)
  const gone = users.map(({ place }) => place.gitDir).filter((path) => !existsSync(path))
  report.check("the user's repositories are where they were", users.length, gone)
  if (gone.length > 0) return []
  const tasks = await fleet.tasks()
  for (const { state } of tasks) report.count("tasks", state)
  const [first, lib, linked] = users
  const notes = [first, lib].flatMap(({ place }) => readAgentNotes(place.notes))
  for (const { hostile } of notes)
    for (const name of new Set(hostile)) report.count("hostile", name)
  const forgers = notes.filter(({ hostile }) => hostile.some((name) => FORGERIES.includes(name)))
  const kept = forgers.map(({ task }) => fleet.keptOf(task))
  const complaints = forgers.length > 0 ? [await fleet.complaints()] : []
  // A branch that the agent's own git had half made or renamed when it was killed is the agent's.
  const halfMade = notes.filter((one) => one.isCutShort)
  const branches = halfMade.map(({ task }) => `renamed-${task} own-${task}`)
  const excused = [...complaints, ...(await Promise.all(kept)), ...branches].join("\n")
  const clones: Clone[] = [
    { users: [first, linked], excused },
    { users: [lib], excused },
  ]
  await untilNothingLeft(clones, signal)
  for (const { users } of signal.aborted ? [] : clones) {
    await checkNothingLost(users, report)
    await checkTarget(users[0], tasks, report)
  }
  return clones
}

function documentOf(
  { repo, seed, seconds, kills, focus, signal }: TortureOptions,
  report: Report,
  folder: string | null,
): TortureDocument {
  const minutes = Math.max(0.05, seconds / 60)
  const length = kills === undefined ? `--minutes ${minutes}` : `--kills ${kills}`
  return {
    repo,
    seed,
    seconds,
    interrupted: signal.aborted,
    tasks: report.tasks,
    user: report.user,
    faults: report.faults,
    checked: report.checked,
    kills: report.kills,
    hostile: report.hostile,
    violations: report.violations,
    repeat: `coppice torture --repo ${quote(repo)} --seed ${seed} ${length}${focus ? ` --focus ${focus}` : ""}`,
    folder,
  }
}
