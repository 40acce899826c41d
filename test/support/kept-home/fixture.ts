/**
 * The kept home as files of this repository, and back: `test/fixtures/kept-home`.
 *
 * `store.sql` has the rows, `forge.json` the pull requests at the double of a forge, and `files.json` everything
 * else: the home, and its repositories with their worktrees, as they were when the daemon was killed. Bundles
 * would lose the worktrees, and a tar could not be read in a diff. Objects of git are one pack for each repository.
 * Paths and the address of the forge are placeholders, and times are distances (rows.ts).
 */
import { createHash } from "node:crypto"
import {
  chmodSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { Place } from "./place.ts"
import { dumpRows, loadRows } from "./rows.ts"

const FIXTURE = resolve(import.meta.dirname, "../../fixtures/kept-home")

/** A text file, or another entry. */
type Entry = string | { script: string } | { base64: string } | { link: string } | { folder: true }

/** Files that programs write again, and files that only the making needed. */
const LEFT_OUT = [
  /^(go|held|\.cache|notes\.txt)(\/|$)/,
  /^state\/coppice\/[^/]+\/(?!(files|transcripts|trust\.json)(\/|$))/,
  /\.git\/(hooks|description|COMMIT_EDITMSG|info|objects\/info)(\/|$)/,
  /\.git\/worktrees\/[^/]+\/logs(\/|$)/,
  /\.(idx|rev|bitmap)$/,
]

/** @param place with a home whose processes have all ended. */
export function writeFixture(place: Place): void {
  for (const gitDir of globSync("repos/{*/.git,*.git}", { cwd: place.path }))
    place.git("app", "--git-dir", join(place.path, gitDir), "repack", "-adkq")
  const fill = new Map(placeholders(place).map(([name, value]) => [value, name]))
  const keep = (text: string) =>
    [...fill].reduce((kept, [value, name]) => kept.replaceAll(value, name), text)
  const { pulls, issues } = place.forge.state
  const forge = { pulls: pulls.all, issues: issues.all }
  mkdirSync(FIXTURE, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(FIXTURE, name), keep(text))
  write("store.sql", dumpRows(join(stateOf(place), "coppice.db"), Date.now()))
  write("forge.json", `${JSON.stringify(forge, null, 2)}\n`)
  write("files.json", `${JSON.stringify(readEntries(place.path), null, 2)}\n`)
}

/** Puts the kept home into a place that is empty yet. */
export async function unpackFixture(place: Place): Promise<void> {
  mkdirSync(place.home)
  writeFileSync(join(place.home, "coppice.yml"), "version: 1\n")
  await place.coppice("trust", "--yes") // makes the state directory of this path
  const values = placeholders(place)
  const read = (name: string) =>
    values.reduce(
      (text, [kept, value]) => text.replaceAll(kept, value),
      readFileSync(join(FIXTURE, name), "utf8"),
    )
  writeEntries(place.path, JSON.parse(read("files.json")) as Record<string, Entry>)
  for (const pack of globSync("repos/{*/.git,*.git}/objects/pack/*.pack", { cwd: place.path }))
    place.git("app", "index-pack", join(place.path, pack))
  const { pulls, issues } = JSON.parse(read("forge.json"))
  place.forge.state.pulls.all.push(...pulls)
  place.forge.state.issues.all.push(...issues)
  loadRows(join(stateOf(place), "coppice.db"), read("store.sql"), Date.now())
}

/** The longer path first. The rows have the address of a remote as a hash. */
function placeholders(place: Place): readonly (readonly [string, string])[] {
  const { remote } = place.forge.state.pulls
  return [
    ["{{origin}}", createHash("sha256").update(`${remote}\n${remote}`).digest("hex")],
    ["{{state}}", stateOf(place)],
    ["{{place}}", place.path],
    ["{{forge}}", new URL(place.forge.url).host],
  ]
}

export function stateOf(place: Place): string {
  const [name = ""] = readdirSync(join(place.path, "state/coppice"))
  return join(place.path, "state/coppice", name)
}

function readEntries(root: string): Record<string, Entry> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort()
  const state = /^state\/coppice\/[^/]+/
  const kept = paths.filter((path) => !LEFT_OUT.some((pattern) => pattern.test(path)))
  return Object.fromEntries(
    kept.flatMap((path) => {
      const entry = readEntry(join(root, path))
      return entry === undefined ? [] : [[path.replace(state, "{{state}}"), entry]]
    }),
  )
}

function readEntry(path: string): Entry | undefined {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return { link: readlinkSync(path) }
  if (stats.isDirectory()) return readdirSync(path).length === 0 ? { folder: true } : undefined
  const bytes = readFileSync(path)
  const text = bytes.toString("utf8")
  if (text.includes("\0") || !Buffer.from(text).equals(bytes))
    return { base64: bytes.toString("base64") }
  return (stats.mode & 0o100) === 0 ? text : { script: text }
}

function writeEntries(root: string, entries: Record<string, Entry>): void {
  for (const [name, entry] of Object.entries(entries)) {
    const path = resolve(root, name)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof entry === "string") writeFileSync(path, entry)
    else if ("script" in entry) writeFileSync(path, entry.script)
    else if ("base64" in entry) writeFileSync(path, Buffer.from(entry.base64, "base64"))
    else if ("link" in entry) symlinkSync(entry.link, path)
    else mkdirSync(path)
    if (typeof entry === "object" && "script" in entry) chmodSync(path, 0o755)
  }
}
