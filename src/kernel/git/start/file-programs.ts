/**
 * Programs that git runs on files, such as filters: which of them could run a file of the tree.
 *
 * Git starts them in the worktree, so a relative name, or a module that an interpreter looks for, leads to a
 * file that an agent wrote. The rule knows a few programs, and plain commands of absolute paths and options.
 */
import { homedir } from "node:os"
import { basename } from "node:path"
import { PROGRAM_RULES } from "./program-rules.ts"
import type { GitProgram } from "./program-text.ts"
import { isAgentsFile } from "./real-place.ts"

const ON_FILES =
  /^(?:(?:filter|lfs\.extension)\..*\.(?:clean|smudge|process)|merge\..*\.driver|diff\.(?:.*\.)?(?:command|external|textconv))$/s
/** Programs to which all their words are data. */
const KNOWN = /^(?:cat|false|git-crypt|git-lfs|jq|tr|true)$/
/**
 * In quotes, git's own quotes around a name (`%f`) would end them, and the name would be shell. Shells
 * read a word of any other form in ways that we do not.
 */
const WORD = /[ \t]*(?:"([^"$`\\%\n]*)"|'([^'%\n]*)'|([\w@%+=:,./~-]+))(?![^ \t])/gy
/** One letter, or a name without a value: a value could be a relative path. */
const OPTION = /^(?:-\w?|--[\w-]*)$/
/** Names of files that git made, and numbers. */
const MADE = /^%[ABLO]$/
const VALUE = /^--[\w-]+=(?=\/)/

/** The cure, for a person whose program is among {@link listReaching}. */
export const REACHING_HINT =
  "Name a program, or a script, by its absolute path outside of every repository, with options alone."

/** @returns the settings of drivers of which one part may run a file of the tree. */
export function listReaching<Setting extends Pick<GitProgram, "key" | "value">>(
  settings: readonly Setting[],
): Setting[] {
  const onFiles = settings.filter(({ key }) => ON_FILES.test(key))
  const drivers = new Set(
    onFiles.filter(({ value }) => reachesTree(value)).map(({ key }) => driverOf(key)),
  )
  return onFiles.filter(({ key }) => drivers.has(driverOf(key)))
}

/** A filter without its other half would store what only that half can read. */
const driverOf = (key: string): string => key.slice(0, key.lastIndexOf("."))

/** Git without this program. */
export const neutralOf = (key: string): string | undefined =>
  PROGRAM_RULES.find((rule) => rule.key.test(key))?.neutral

/** @param bytes raw. */
function reachesTree(bytes: string): boolean {
  const text = Buffer.from(bytes, "latin1")
    .toString("utf8")
    .replace(/[ \t]+$/, "")
  const found = [...text.matchAll(WORD)]
  if (found.map(([whole]) => whole).join("") !== text) return true
  const words = found.map(([, double, single, bare]) => double ?? single ?? expanded(bare ?? ""))
  const [program = "true", ...rest] = words
  if (program.includes("/") ? !isOutside(program) : !/^[\w+-][\w.+-]*$/.test(program)) return true
  if (KNOWN.test(basename(program))) return false
  return !rest.every(
    (word, n) =>
      OPTION.test(word) ||
      MADE.test(word) ||
      (/^%[fP]$/.test(word) && rest[n - 1] === "--") || // else a file's name could be an option
      isOutside(word.replace(VALUE, "")),
  )
}

const expanded = (word: string): string => word.replace(/^~(?=\/)/, homedir())

/** A `%` would let git complete the path by the name of a file. */
const isOutside = (path: string): boolean =>
  path.startsWith("/") && !path.includes("%") && !isAgentsFile(path)
