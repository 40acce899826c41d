/** Writes what a proof came to as docs/reliability.md. */
import type { TortureDocument } from "../src/features/torture/wire.ts"
import { KILL_MODES } from "../torture/kill/kill.ts"
import { HOSTILE } from "../torture/play/hostile.ts"
import { type Mutant, noticedText } from "./mutants.ts"

/** The promises, by the properties of torture/check that hold them. */
const PROMISES: Readonly<Record<string, readonly string[]>> = {
  lost: [
    "every agent's commit is in a ref, or its change is",
    "every commit and stash of the user is in a ref, or its change is",
    "uncommitted work of a turn is in a ref, or still there",
    "the user's bytes are where they were",
    "the user's repositories are where they were",
    "each checkout agrees with its commit",
    "the repository is whole",
  ],
  "landed twice, or not at all": [
    "each task landed once, or not at all",
    "each landing moved the target once",
  ],
  "landed untested": ["every published commit has passed the gate"],
  "moved past compare-and-swap": [
    "each move of the target began where it was",
    "the target moved from the recorded base",
    "the target only went forward",
  ],
  "orphan processes": ["no process is left running", "no process outlives its agent or gate"],
  "stuck locks": ["no lock is stuck"],
  "left behind": ["nothing is left lying about", "a task begins without files of another task"],
  "never settled": ["every task settles"],
}
/** Checks that run only when there is something to look at. */
const SOMETIMES: Readonly<Record<string, string>> = {
  "dead locks are removed, or named": "stuck locks",
}

const BROKEN_TITLE = "## Broken on purpose"

export type Proof = {
  readonly rounds: readonly TortureDocument[]
  readonly mutants: readonly Mutant[]
  /** The seed of the first round. */
  readonly seed: number
  readonly git: string
  readonly cores: number
  readonly minutes: number
}

/** How often each promise was broken. Failures that belong to no promise count as well. */
export function countBroken(rounds: readonly TortureDocument[]): Record<string, number> {
  const names = new Map([
    ...Object.entries(PROMISES).flatMap(([name, of]) => of.map((one) => [one, name] as const)),
    ...Object.entries(SOMETIMES),
  ])
  const counts: Record<string, number> = Object.fromEntries(
    [...Object.keys(PROMISES), "anything else"].map((name) => [name, 0]),
  )
  for (const { property } of rounds.flatMap(({ violations }) => violations))
    counts[names.get(property) ?? "anything else"]! += 1
  return counts
}

/** @returns properties that PROMISES names and no round has looked at. */
export function listUnchecked(rounds: readonly TortureDocument[]): string[] {
  const checked = new Set(rounds.flatMap((round) => Object.keys(round.checked)))
  return Object.values(PROMISES)
    .flat()
    .filter((property) => !checked.has(property))
}

export function reliability({ rounds, mutants, seed, git, cores, minutes }: Proof): string {
  const total = (of: (round: TortureDocument) => Readonly<Record<string, number>>) =>
    sum(rounds, of)
  const kills = total((round) => round.kills)
  const tasks = total((round) => round.tasks)
  const seeds = rounds.map(({ seed }) => seed)
  const all = Object.values(kills).reduce((one, other) => one + other, 0)
  return `# Reliability

Written by \`npm run prove -- --kills ${all} --seed ${seed}\`, which you can repeat. [Torture](adr/0064-torture-kills-in-every-way-and-believes-plain-git.md)
plays agents, users and a gate on clones of a small repository, kills what runs, and asks plain git afterwards.
Every number in the first table must be 0. Measured with git ${git} on ${cores} cores in ${minutes} minutes.

| of ${all} kills, ${tasks["created"] ?? 0} tasks, ${tasks["complete"] ?? 0} of them landed | times |
|---|---|
${lines(countBroken(rounds))}

## Kills

Each is a \`kill -9\`. After a colon stands the lock that some git, or Coppice, held in that moment. The weight is that of
the draw; a kill that waits for a lock or a git strikes only where there is one.

| killed | weight | times |
|---|---|---|
${Object.entries(kills)
  .toSorted(byName)
  .map(([name, times]) => `| ${name} | ${weightOf(name)} | ${times} |`)
  .join("\n")}

Seeds, one for each round of up to ${Math.ceil(all / Math.max(1, rounds.length))} kills: ${seeds.join(", ")}. \`coppice torture --seed <n> --kills <n>\` repeats a round's draws; the
timing of the machine cannot be repeated.

## Other events

| by users | times |
|---|---|
${lines(total((round) => round.user))}

| by a person, to tasks | times |
|---|---|
${lines(Object.fromEntries(Object.entries(tasks).filter(([name]) => / was asked$/.test(name))))}

| other faults | times |
|---|---|
${lines(total((round) => round.faults))}

## Hostile inputs

Scripts of agents, in \`torture/play/hostile.ts\`. An input held where its whole round kept every promise.

| an agent | tried | held |
|---|---|---|
${hostileRows(rounds)}

${brokenOnPurpose(mutants)}`
}

/** @param text an earlier one. @returns it with these mutants. */
export function withMutants(text: string, mutants: readonly Mutant[]): string {
  return text.slice(0, text.lastIndexOf(BROKEN_TITLE)) + brokenOnPurpose(mutants)
}

const brokenOnPurpose = (mutants: readonly Mutant[]): string => `${BROKEN_TITLE}

One line of the program at a time, from \`prove/mutations.ts\`, is changed so that it breaks a law. The tests that are named
there have to fail. Where it says so, a torture of half a minute or a minute has to notice too, with a focus on what the line
guards (\`coppice torture --focus\`), or a short storm over pull requests. The same torture has to keep every promise
while no line is broken.

${mutants.length === 0 ? "Not tried this time." : mutantTable(mutants)}
`

function mutantTable(mutants: readonly Mutant[]): string {
  const rows = mutants.map((mutant) => {
    const { law, breaks, file } = mutant.mutation
    const tests = mutant.isKilled ? "fail" : "**do not fail**"
    return `| ${law} | ${breaks} | \`${file}\` | ${tests} | ${noticedText(mutant)} |`
  })
  const killed = mutants.filter(({ isKilled }) => isKilled).length
  const tried = mutants.filter(({ noticed }) => noticed !== undefined)
  const noticed = tried.filter(({ noticed, alarm }) => noticed !== null && alarm === null).length
  return `${killed} of ${mutants.length} are killed by tests, ${noticed} of ${tried.length} are noticed by torture.

| law | the program then | line of | its tests | torture |
|---|---|---|---|---|
${rows.join("\n")}`
}

function hostileRows(rounds: readonly TortureDocument[]): string {
  const tried = sum(rounds, ({ hostile }) => hostile)
  const held = sum(
    rounds.filter(({ violations }) => violations.length === 0),
    ({ hostile }) => hostile,
  )
  const names = HOSTILE.map(({ name }) => name).toSorted()
  return names.map((name) => `| ${name} | ${tried[name] ?? 0} | ${held[name] ?? 0} |`).join("\n")
}

const weightOf = (name: string) =>
  KILL_MODES.find((mode) => name === mode.name || name.startsWith(`${mode.name}: `))?.weight ?? ""

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]) => (a < b ? -1 : 1)

const lines = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, times]) => `| ${name} | ${times} |`)
    .join("\n")

function sum(
  rounds: readonly TortureDocument[],
  of: (round: TortureDocument) => Readonly<Record<string, number>>,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [name, times] of rounds.flatMap((round) => Object.entries(of(round))))
    counts[name] = (counts[name] ?? 0) + times
  return Object.fromEntries(Object.entries(counts).toSorted(byName))
}
