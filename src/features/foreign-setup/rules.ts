/**
 * Reads the set-up command out of a file in which another tool configures its worktrees. Pure.
 *
 * @see https://cursor.com/docs/configuration/worktrees
 * @see https://developers.openai.com/codex/app/local-environments
 * @see https://github.com/openai/symphony/blob/main/SPEC.md
 */

import { shellWord } from "../../base/text/shell-word.ts"
import { readYaml } from "../../base/text/yaml.ts"

/** `none`: the file is fine and names no set-up. */
export type ReadSetup =
  | { readonly kind: "found"; readonly command: string }
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly fault: string }

/** In the order in which they count. */
export const SETUP_FILES: readonly {
  readonly path: string
  read(text: string): ReadSetup
}[] = [
  { path: ".cursor/worktrees.json", read: readCursor },
  { path: ".codex/environments/environment.toml", read: readCodex },
  { path: "WORKFLOW.md", read: readWorkflow },
]

const NONE = { kind: "none" } as const
const broken = (fault: string): ReadSetup => ({ kind: "broken", fault })

/** @param lines run one after another, until one fails. @param variables that the tool sets. */
function found(lines: readonly string[], variables: readonly string[] = []): ReadSetup {
  const body = lines.map((line) => line.trim()).filter(Boolean)
  if (body.length === 0) return NONE
  return { kind: "found", command: ["set -e", ...variables, ...body].join("\n") }
}

const ROOT = '"$COPPICE_REPO_ROOT"'

/** A list of commands, or the path of a script below `.cursor`. */
function readCursor(text: string): ReadSetup {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return broken(`is not JSON: ${(error as Error).message}`)
  }
  if (!isRecord(parsed)) return broken("holds no JSON object")
  const key = ["setup-worktree-unix", "setup-worktree"].find((one) => parsed[one] !== undefined)
  const value = key === undefined ? [] : parsed[key]
  const variables = [`export ROOT_WORKTREE_PATH=${ROOT}`]
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return found(value, variables)
  if (typeof value !== "string")
    return broken(`\`${key}\` is neither a list of commands nor a path`)
  const script = shellWord(`./.cursor/${value}`)
  return found([`if [ -x ${script} ]; then ${script}; else sh ${script}; fi`], variables)
}

// Each stays within a line: a file of empty lines would keep it busy for seconds.
const SECTION = /^[ \t]*\[[ \t]*setup[ \t]*\][ \t]*(#.*)?$/m
const NEXT_SECTION = /^[ \t]*\[[^\]\n]*\][ \t]*(#.*)?$/m
/** Of TOML only strings, in their four forms. */
const SCRIPT =
  /^[ \t]*script[ \t]*=[ \t]*(?:'''\n?([\s\S]*?)'''|"""\n?([\s\S]*?)"""|'([^'\n]*)'|"((?:[^"\\\n]|\\.)*)")/m

function readCodex(text: string): ReadSetup {
  const start = SECTION.exec(text)
  if (!start) return NONE
  const rest = text.slice(start.index + start[0].length)
  const match = SCRIPT.exec(rest)
  const next = NEXT_SECTION.exec(rest)
  if (next && (!match || match.index > next.index)) return NONE // another section's
  const [, literal, multiline, short, quoted] = match ?? []
  const script = literal ?? short ?? unescaped(multiline ?? quoted)
  if (script === undefined) return broken("has a section [setup] without a readable `script`")
  if (script.trim() === "") return NONE
  const variables = [`export CODEX_SOURCE_TREE_PATH=${ROOT}`, 'export CODEX_WORKTREE_PATH="$PWD"']
  return { kind: "found", command: [...variables, script.trim()].join("\n") }
}

/** The escapes of TOML are those of JSON, as far as scripts use them. */
function unescaped(inner: string | undefined): string | undefined {
  if (inner === undefined) return undefined
  const quoted = inner.replace(/(?<!\\)"/g, '\\"').replaceAll("\n", "\\n")
  try {
    return JSON.parse(`"${quoted}"`) as string
  } catch {
    return undefined
  }
}

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\s*(\r?\n|$)/
/** Fills an empty folder: a worktree has the files already. */
const CLONE = /^\s*git clone\b.*\s\.\s*$/

/** The hook `after_create`, without the clone. Most files of that name are plain documents. */
function readWorkflow(text: string): ReadSetup {
  const head = FRONT_MATTER.exec(text)?.[1]
  if (head === undefined || !head.includes("after_create")) return NONE
  const yaml = readYaml(head)
  if (yaml.kind === "invalid") return broken(`is not YAML at its head: ${yaml.messages[0]}`)
  const hooks = isRecord(yaml.value) ? yaml.value["hooks"] : undefined
  const script = isRecord(hooks) ? hooks["after_create"] : undefined
  if (script === undefined || script === null) return NONE
  if (typeof script !== "string") return broken("`hooks.after_create` is not a string")
  const lines = script.split("\n").filter((line) => !CLONE.test(line))
  return lines.some((line) => line.trim() !== "")
    ? { kind: "found", command: lines.join("\n").trim() }
    : NONE
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
