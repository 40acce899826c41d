/**
 * Makes a fresh clone ready, then runs a script of the project under the Node that it needs.
 *
 *     node scripts/ensure.mjs scripts/test.ts [arguments]
 *
 * Plain JavaScript for any Node from 18 on, because the Node that the project needs (24) is one of
 * its dependencies. Whether they are installed is asked of npm's own record in node_modules, so an
 * installation by hand counts, and one that was cut short, or that another lock file made, does not.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const BIN = join(ROOT, "node_modules", ".bin")
const NODE = join(BIN, "node")

process.chdir(ROOT)
const [script, ...args] = process.argv.slice(2)
if (script === undefined) throw new Error("usage: node scripts/ensure.mjs <script> [arguments]")

if (!ensurePackages() || !ensureGit()) {
  // Whoever reads the last line of a test run for its counts finds them here too.
  if (script === "scripts/test.ts") process.stdout.write("0 passed, 1 failed\n")
  process.exit(1)
}
run()

function ensurePackages() {
  if (isInstalled()) return true
  say("installing what package-lock.json lists: npm ci")
  const npm = ["ci", "--no-audit", "--no-fund", "--loglevel=error"]
  const { status, error } = spawnSync("npm", npm, { stdio: ["ignore", 2, 2] })
  if (error) say(error.message)
  if (status === 0 && isInstalled()) return true
  say("npm ci failed; what it said stands above. It needs npm and a package registry.")
  return false
}

/** Every package that is not optional is there as it is locked, and no other version of any. */
function isInstalled() {
  const record = join(ROOT, "node_modules", ".package-lock.json")
  if (!existsSync(record) || !existsSync(NODE)) return false
  const locked = packages(join(ROOT, "package-lock.json"))
  const installed = packages(record)
  const same = (name) =>
    locked[name]?.version === installed[name]?.version &&
    locked[name]?.integrity === installed[name]?.integrity
  const needed = Object.keys(locked).filter((name) => name !== "" && !locked[name].optional)
  return [...needed, ...Object.keys(installed)].every(same)
}

function packages(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages
}

function ensureGit() {
  if (works("git")) return true
  if (process.getuid?.() === 0 && works("apt-get")) {
    say("installing git: apt-get install git")
    spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", 2, 2] })
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "git"], {
      stdio: ["ignore", 2, 2],
    })
    if (works("git")) return true
  }
  say("git is missing: install it with the package manager of this system")
  return false
}

function works(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0
}

/** The terminal sends SIGINT to the script as well; other signals are passed on. */
function run() {
  say(`running ${[script, ...args].join(" ")}`)
  const env = { ...process.env, PATH: [BIN, process.env.PATH].join(delimiter) }
  const child = spawn(NODE, [script, ...args], { stdio: "inherit", env })
  process.on("SIGINT", () => {})
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

function say(line) {
  process.stderr.write(`coppice: ${line}\n`)
}
