/**
 * Proves the promises, or finds where they do not hold: `npm run prove -- --kills 1000 [--seed N]`.
 *
 * Runs the kill storm, another one over pull requests, breaks lines of the program on purpose, and writes
 * docs/reliability.md. `--pull-kills` says how many kills strike the second storm. `--jobs` says how many tortures run at the same time, `--no-mutants` leaves the broken lines out,
 * `--mutants-only` leaves the storm out and its numbers as they were, `--out` writes elsewhere. Ends
 * with 1 when a promise was broken or a broken line went unnoticed.
 */
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { writeBundle } from "../scripts/bundle.ts"
import { TestRepo } from "../test/support/repo.ts"
import { mutate } from "./mutants.ts"
import { stormPulls } from "./pull-requests/storm.ts"
import { countBroken, listUnchecked, reliability, withMutants } from "./report.ts"
import { storm } from "./storm.ts"

const ROOT = resolve(import.meta.dirname, "..")
const SEED_MAX = 2 ** 31
const MUTANT_SEED = 1

const { kills, pullKills, seed, jobs, wantsMutants, wantsStorm, out } = readArguments()
const interrupted = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort(new Error("interrupted")))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "coppice-prove-")))
const tell = (line: string) => process.stderr.write(`${line}\n`)
const startMs = performance.now()
let isWhole = false
try {
  using repo = makeRepository()
  tell(`seed ${seed}, ${kills} kills, ${jobs} at a time`)
  const common = { repo: repo.path, scratch, signal: interrupted.signal, tell }
  const launcher = await build()
  const rounds = await storm({ ...common, launcher, kills, seed, jobs })
  const pulls = await stormPulls({ ...common, kills: pullKills, seed })
  const mutants = wantsMutants ? await mutate({ ...common, seed: MUTANT_SEED }) : []
  if (interrupted.signal.aborted) throw new Error("It was interrupted: nothing is written.")
  const minutes = Math.ceil((performance.now() - startMs) / 60_000)
  const git = repo.git("--version").replace("git version ", "")
  const proof = { rounds, mutants, seed, git, cores: availableParallelism(), minutes }
  writeFileSync(
    out,
    wantsStorm ? reliability(proof) : withMutants(readFileSync(out, "utf8"), mutants),
  )
  const broken = Object.entries(countBroken(rounds)).filter(([, times]) => times > 0)
  const unnoticed = mutants.filter((one) => !one.isKilled || one.noticed === null || one.alarm)
  for (const [promise, times] of broken) tell(`✗ ${promise}: ${times}`)
  for (const [what, times] of Object.entries(pulls.counts)) tell(`  ${times} ${what}`)
  for (const text of pulls.violations) tell(`✗ pull requests: ${text}`)
  for (const { mutation } of unnoticed) tell(`✗ unnoticed: ${mutation.breaks}`)
  const unchecked = kills > 0 ? listUnchecked(rounds) : []
  for (const property of unchecked) tell(`✗ never looked at: ${property}`)
  const faults = [...broken, ...pulls.violations, ...unnoticed, ...unchecked]
  isWhole = faults.length === 0
  tell(`${isWhole ? "✓ every promise was kept" : "✗ see above"}: ${out}`)
} finally {
  if (isWhole) rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}
process.exitCode = isWhole ? 0 : 1

function readArguments() {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      kills: { type: "string", default: "1000" },
      "pull-kills": { type: "string", default: "60" },
      seed: { type: "string" },
      jobs: { type: "string", default: "2" },
      mutants: { type: "boolean", default: true },
      "mutants-only": { type: "boolean", default: false },
      out: { type: "string", default: join(ROOT, "docs/reliability.md") },
    },
  })
  const [kills, jobs] = [values["mutants-only"] ? 0 : Number(values.kills), Number(values.jobs)]
  const seed = Number(values.seed ?? Math.floor(Math.random() * SEED_MAX))
  const pullKills = values["mutants-only"] ? 0 : Number(values["pull-kills"])
  const isMeant =
    [kills, pullKills, jobs, seed].every((one) => Number.isInteger(one) && one >= 0) && jobs > 0
  if (!isMeant) throw new Error("usage: npm run prove -- [--kills N] [--seed N] [--jobs N]")
  const wantsStorm = !values["mutants-only"]
  return { kills, pullKills, seed, jobs, wantsMutants: values.mutants, wantsStorm, out: values.out }
}

/** The package as users get it. @returns its launcher. */
async function build(): Promise<string> {
  const folder = join(scratch, "package")
  for (const name of ["bin", "package.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  await writeBundle(join(folder, "dist"))
  return join(folder, "bin/coppice.js")
}

/** A little of everything: names, line ends, bytes, folders, and a history. */
function makeRepository(): TestRepo {
  const repo = new TestRepo()
  repo.commit({ "a b.txt": "a\n", "crlf.txt": "x\r\n", "binary.dat": Buffer.from([0, 255, 1]) })
  repo.commit({ "src/one.txt": "1\n2\n3\n", "src/two.txt": "one\ntwo\n", "deep/er/file": "x\n" })
  repo.commit({ "src/one.txt": "1\n2\n3\n4\n", "ümläut.txt": "ü\n" })
  return repo
}
