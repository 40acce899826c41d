/**
 * Breaks one line of the program at a time, and looks whether tests and torture notice.
 *
 * It happens in a copy. A mutant that no test kills means that the line can be broken by mistake.
 */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { z } from "zod"
import { TortureDocument } from "../src/features/torture/wire.ts"
import { MUTATIONS, type Mutation } from "./mutations.ts"
import { runNode } from "./run.ts"

export type Mutant = {
  readonly mutation: Mutation
  /** Tests failed. */
  readonly isKilled: boolean
  /** The first promise that torture found broken; null: none; undefined: not tried. */
  readonly noticed: string | null | undefined
  /** The promise that the same torture finds broken in the whole program; null: none, as it must be. */
  readonly alarm: string | null | undefined
}
export type Mutants = {
  /** A repository, which is only cloned. */
  readonly repo: string
  readonly scratch: string
  readonly seed: number
  readonly signal: AbortSignal
  tell(line: string): void
}

const ROOT = resolve(import.meta.dirname, "..")
const COPIED = [
  ...["src", "test", "torture", "prove", "scripts", "bin", "docs"],
  ...["package.json", "tsconfig.json", "vitest.config.ts"],
]
const TESTS_MS_MAX = 10 * 60_000
/** Of play. A play of anything needs longer to meet a situation than one that has it as its focus. */
const ANYTHING_MINUTES = 1
const FOCUS_MINUTES = 0.5
/** The play, and what a program that is broken makes of coming to rest. */
const TORTURE_MS_MAX = 8 * 60_000
const PULL_KILLS = 10
const PULL_STORM = `
const { stormPulls } = await import("./prove/pull-requests/storm.ts")
const { signal } = new AbortController()
const [kills, seed] = process.argv.slice(1).map(Number)
const { violations } = await stormPulls({ kills, seed, signal, tell: () => undefined })
process.stdout.write(JSON.stringify(violations))`
const BUNDLE = `await (await import("./scripts/bundle.ts")).writeBundle("dist")`

export async function mutate(of: Mutants): Promise<readonly Mutant[]> {
  const copy = join(of.scratch, "mutated")
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"))
  const mutants: Mutant[] = []
  const tests = [...new Set(MUTATIONS.flatMap((mutation) => mutation.tests))]
  if (await haveFailed(of, copy, tests)) throw new Error("tests fail while no line is broken")
  const alarms = await torturesOfTheWhole(of, copy)
  for (const mutation of MUTATIONS) {
    if (of.signal.aborted) break
    const path = join(copy, mutation.file)
    const text = readFileSync(path, "utf8")
    writeFileSync(
      path,
      text.replace(mutation.find, () => mutation.replace),
    )
    const alarm = mutation.torture === null ? undefined : alarms.get(mutation.torture)
    const mutant = { ...(await tryOut(of, copy, mutation)), alarm }
    writeFileSync(path, text)
    mutants.push(mutant)
    const tests = mutant.isKilled ? "tests fail" : "NO TEST FAILS"
    of.tell(`law ${mutation.law}, ${mutation.breaks}: ${tests}; torture: ${noticedText(mutant)}`)
  }
  return mutants
}

type Torture = NonNullable<Mutation["torture"]>

/** Each torture has to keep every promise before a line is broken: otherwise it shows nothing. */
async function torturesOfTheWhole(of: Mutants, copy: string): Promise<Map<Torture, string | null>> {
  const tortures = new Set(MUTATIONS.flatMap(({ torture }) => torture ?? []))
  const alarms = new Map<Torture, string | null>()
  for (const one of tortures) {
    if (of.signal.aborted) break
    const alarm = await torture(of, copy, one)
    alarms.set(one, alarm)
    of.tell(`no line broken, torture of ${one}: ${alarm ?? "every promise was kept"}`)
  }
  return alarms
}

export function noticedText({ noticed, alarm }: Mutant): string {
  if (noticed === undefined) return "not tried"
  if (alarm !== null) return `proves nothing: "${alarm}" does not hold in the whole program either`
  return noticed === null ? "notices nothing" : `"${noticed}" does not hold`
}

async function tryOut(of: Mutants, copy: string, mutation: Mutation) {
  const isKilled = await haveFailed(of, copy, mutation.tests)
  const noticed = mutation.torture ? await torture(of, copy, mutation.torture) : undefined
  return { mutation, isKilled, noticed }
}

async function haveFailed({ scratch, signal }: Mutants, copy: string, tests: readonly string[]) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs")
  const run = { cwd: copy, scratch, signal, timeoutMs: TESTS_MS_MAX }
  const { stdout } = await runNode({ ...run, args: [vitest, "run", "--bail=1", ...tests] })
  return /^\s*Tests\s+\d+ failed/m.test(stdout)
}

async function torture({ repo, scratch, seed, signal }: Mutants, copy: string, what: Torture) {
  const run = { cwd: copy, scratch, signal, timeoutMs: TORTURE_MS_MAX }
  const bundled = await runNode({ ...run, args: ["--input-type=module", "--eval", BUNDLE] })
  if (bundled.code !== 0) throw new Error(`the program could not be built: ${bundled.stderr}`)
  if (what === "pull requests") {
    const args = ["--input-type=module", "--eval", PULL_STORM, String(PULL_KILLS), String(seed)]
    const { stdout, stderr } = await runNode({ ...run, args })
    if (stdout === "") throw new Error(`the storm over pull requests failed: ${stderr}`)
    const violations = z.array(z.string()).parse(JSON.parse(stdout))
    return violations.find((text) => !text.endsWith("kills struck")) ?? null // the machine is slow
  }
  const focus = what === "anything" ? [] : ["--focus", what]
  const minutes = what === "anything" ? ANYTHING_MINUTES : FOCUS_MINUTES
  const options = ["--repo", repo, "--seed", String(seed), "--minutes", String(minutes), ...focus]
  const { stdout, code, stderr } = await runNode({
    ...run,
    args: [join(copy, "bin/coppice.js"), "torture", ...options, "--json"],
  })
  if (stdout === "") throw new Error(`the torture of ${what} ended with ${code}: ${stderr}`)
  return TortureDocument.parse(JSON.parse(stdout)).violations[0]?.property ?? null
}
