/**
 * Builds the whole environment of one git. It keeps git from running programs that the repository's
 * own configuration names, and from working in another folder.
 */
import { isUtf8 } from "node:buffer"
import { existsSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { shellWord } from "../../../base/text/shell-word.ts"
import { type ConfigEntry, isTrue, LIST_CONFIG, readConfigEntries } from "./config-cache.ts"
import { baseEnvironment, type Override, overrideVariables } from "./environment.ts"
import { GitUnusableError } from "./errors.ts"
import { commonDirOf, findGitDir, ifExists } from "./git-dir.ts"
import { hasToolsSettings, SECTIONS_OF_GIT } from "./program-settings.ts"
import { type Overruled, overrule } from "./programs.ts"

type Environment = Readonly<Record<string, string>>

type GitCall = {
  readonly cwd: string
  readonly env?: Environment | undefined
  /** Configuration for this call alone, by key. */
  readonly settings?: Environment | undefined
}

/** Runs git in exactly this environment. @returns its output. */
export type AskGit = (
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
) => Promise<string>

/** @throws {GitUnusableError} `git.worktree_elsewhere`, `git.repository_refused`, `git.setting_unapproved`. */
export async function environmentAt(
  { cwd, env, settings = {} }: GitCall,
  ask: AskGit,
): Promise<NodeJS.ProcessEnv> {
  const place = findPlace(cwd, env)
  const plain = { ...baseEnvironment(process.env), ...place.env, ...env }
  const config = await entriesOf({ ...place, cwd }, plain, ask)
  if (place.isRoot && env?.["GIT_WORK_TREE"] === undefined)
    refuseOtherFolder(cwd, place.gitDir, config)
  const { overrides, env: overruled } = await overruleAt(place, config, ask)
  const all = [...overrides.map(asText), ...Object.entries(settings)]
  return { ...plain, ...overruled, ...overrideVariables(all) }
}

/** All settings that apply in `cwd`, weakest first. Ours come last, in the scope `command`. */
export async function readConfig(
  { cwd, env }: GitCall,
  ask: AskGit,
): Promise<readonly ConfigEntry[]> {
  const place = findPlace(cwd, env)
  const plain = { ...baseEnvironment(process.env), ...place.env, ...env }
  const config = await entriesOf({ ...place, cwd }, plain, ask)
  const { overrides } = await overruleAt(place, config, ask)
  const ours = overrides.map(([key, value]) => ({ key, value, scope: "command", file: undefined }))
  return [...config.filter(({ scope }) => scope !== "command"), ...ours]
}

const entriesOf = (
  { cwd, gitDir }: { readonly cwd: string; readonly gitDir: string | undefined },
  env: NodeJS.ProcessEnv,
  ask: AskGit,
) => readConfigEntries({ cwd, gitDir, env }, () => ask(cwd, LIST_CONFIG, env))

let sections: Promise<string> | undefined

/** The sections of git itself are asked for once per process, and only where a tool has settings. */
async function overruleAt(
  { gitDir }: Place,
  config: readonly ConfigEntry[],
  ask: AskGit,
): Promise<Overruled> {
  if (hasToolsSettings(config))
    sections ??= ask("/", SECTIONS_OF_GIT, baseEnvironment(process.env)).catch((error) => {
      sections = undefined // the next git asks again
      throw error
    })
  return overrule(config, {
    commonDir: gitDir && commonDirOf(gitDir),
    sections: (await sections) ?? "",
  })
}

type Place = {
  readonly gitDir: string | undefined
  /** Whether `cwd` is the root of a worktree. */
  readonly isRoot: boolean
  /** Names a bare repository, because git does not search for one (`safe.bareRepository`). */
  readonly env: Environment
}

function findPlace(cwd: string, env: Environment = {}): Place {
  const given = env["GIT_DIR"]
  if (given !== undefined) return { gitDir: resolve(cwd, given), isRoot: false, env: {} }
  const gitDir = findGitDir(cwd)
  if (gitDir !== undefined) return { gitDir, isRoot: true, env: {} }
  const isBare = ["HEAD", "objects", "refs"].every((name) => existsSync(join(cwd, name)))
  if (isBare) return { gitDir: cwd, isRoot: false, env: { GIT_DIR: cwd } }
  return { gitDir: undefined, isRoot: false, env: {} }
}

/**
 * Refuses settings by which a worktree is another one, or none. An agent could set core.worktree, and
 * our git would then write into another folder, such as the user's checkout.
 */
function refuseOtherFolder(
  cwd: string,
  gitDir: string | undefined,
  config: readonly ConfigEntry[],
): void {
  if (gitDir === undefined) return
  const isLinked = commonDirOf(gitDir) !== gitDir
  if (isLinked && !config.some(isExtension)) return // git reads both settings for the main one alone
  const last = (name: string) =>
    config.findLast(({ key, scope }) => key === name && (scope === "local" || scope === "worktree"))
  const bare = isLinked ? last("core.bare") : undefined // a main one: see called-bare.ts
  if (bare && isTrue(bare.value)) refuse(bare, `core.bare, so git does no work in ${cwd}`)
  const setting = last("core.worktree")
  if (setting === undefined) return
  const folder = resolve(gitDir, Buffer.from(setting.value, "latin1").toString("utf8"))
  if (ifExists(() => realpathSync(folder)) === ifExists(() => realpathSync(cwd))) return
  refuse(setting, `core.worktree to ${folder}, but the worktree is ${cwd}`)
}

/** With it, git reads the settings of the main worktree for linked ones too. */
const isExtension = ({ key, value }: ConfigEntry): boolean =>
  key === "extensions.worktreeconfig" && isTrue(value)

function refuse({ key, file }: ConfigEntry, sets: string): never {
  const message = `${file ?? "git's configuration"} sets ${sets}`
  const hints = [`Remove the setting: ${howToUnset(key, file ?? "")}.`]
  throw new GitUnusableError("git.worktree_elsewhere", message, { hints })
}

/** The command that removes a setting from its file. */
export const howToUnset = (key: string, file: string): string =>
  `\`git config --file ${shellWord(file)} --unset-all ${key}\``

/** Variables must be text, so a key that is not UTF-8 cannot be overridden. */
function asText([key, value]: Override): Override {
  const [name, text] = [key, value].map((part) => Buffer.from(part, "latin1"))
  if (name && text && isUtf8(name) && isUtf8(text)) return [name.toString(), text.toString()]
  throw new GitUnusableError(
    "git.repository_refused",
    "git's configuration names a program under a key that is not UTF-8.",
    { hints: ["`git config --list --show-origin` shows where; remove it there."] },
  )
}
