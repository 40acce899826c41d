/**
 * Git's metadata is data (law 14): no program that a repository's own configuration names runs
 * through our git.
 *
 * A clone brings no configuration, but an agent can write some: for all worktrees, for its own, or
 * in a file that these include. The user's own settings (scope `system` or `global`, in no file that an agent can land) keep working. The
 * repository's are overridden, unless a person has approved exactly those (known by their hash). Hooks
 * and aliases stay off in any case, and so do protocols that neither git nor the user serves. Not covered: a setting that is written in the instant between our reading
 * of the files and git's own.
 */
import { createHash } from "node:crypto"
import { homedir } from "node:os"
import { join } from "node:path"
import { shellWord } from "../../../base/text/shell-word.ts"
import type { ConfigEntry } from "./config-cache.ts"
import { type Override, SETTINGS } from "./environment.ts"
import { GitUnusableError } from "./errors.ts"
import { listReaching, neutralOf } from "./file-programs.ts"
import { ALIAS, ATTRIBUTES, CREDENTIAL_HELPER, GIT_PROXY, PROTOCOL } from "./program-rules.ts"
import { isUnknown, listGitPrograms } from "./program-settings.ts"
import { type GitProgram, textOfPrograms } from "./program-text.ts"

/** Git 2.54 and later. Version 2.55 also has a switch for each event: see environment.ts. */
const HOOK = /^hook\.(.*)\.(command|event|enabled)$/s

const isOwn = ({ scope }: GitProgram): boolean => scope === "local" || scope === "worktree"
const isUsers = ({ scope }: GitProgram): boolean => scope === "system" || scope === "global"

/** The same hash as features/trust/trust-record.ts records with an approval. */
export function hashPrograms(programs: readonly GitProgram[]): string {
  return createHash("sha256").update(textOfPrograms(programs), "latin1").digest("hex")
}

type Approve = (commonDir: string, hash: string) => boolean
let approve: Approve = () => false

/** Sets the check for a person's approval. Until then nothing is approved. */
export function approveProgramsBy(approving: Approve): void {
  approve = approving
}

/**
 * Git LFS asks the address in a commit's `.lfsconfig` for the object that the commit names. That would carry an
 * agent's words out of its fence. With these settings it sends no request, and a file that is not here stays a pointer.
 */
const NO_DOWNLOADS: readonly Override[] = [
  ["lfs.url", "file:///dev/null/none"],
  ["lfs.skipdownloaderrors", "true"],
]
let isFenced = () => false

/**
 * Sets whether an agent of the home is contained. Then Git LFS downloads nothing, and a program that git
 * runs on files counts only if it reaches none of the tree.
 */
export function guardFencesIf(fenced: () => boolean): void {
  isFenced = fenced
}

export type Overruled = {
  readonly overrides: readonly Override[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The settings and variables that keep git from running the repository's own programs. Raw bytes.
 *
 * @param place `sections`: as {@link listGitPrograms} takes them.
 * @throws {GitUnusableError} `git.setting_unapproved`, for a setting that we do not know.
 */
export function overrule(
  config: readonly ConfigEntry[],
  { commonDir, sections }: { readonly commonDir: string | undefined; readonly sections: string },
): Overruled {
  const others = config.filter(({ scope }) => scope !== "command") // ours are off: see environment.ts
  const hooks = new Set(others.flatMap(({ key }) => HOOK.exec(key)?.[1] ?? []))
  const users = config.filter(isUsers)
  const off = [
    ...(isFenced() ? NO_DOWNLOADS : []),
    ...[...hooks].map((name): Override => [`hook.${name}.enabled`, "false"]),
    ...keysOf(others, PROTOCOL).map(
      (key): Override => [key, lastOf(users, key) ?? SETTINGS[key] ?? "never"],
    ),
    ...keysOf(config.filter(isOwn), ALIAS).map((key): Override => [key, lastOf(users, key) ?? ""]),
  ]
  const programs = listGitPrograms(config, sections)
  const isApproved =
    commonDir !== undefined && programs.length > 0 && approve(commonDir, hashPrograms(programs))
  if (isApproved) return { overrides: [...off, ...guarded(others, [])], env: {} }
  const unknown = programs.find(isUnknown)
  if (unknown) throw refusal(unknown, config)
  const keys = [...new Set(programs.map(({ key }) => key))]
  const ruled = keys.flatMap((key): Override[] => {
    const neutral = neutralOf(key)
    return neutral === undefined ? [] : [[key, lastOf(users, key) ?? neutral]]
  })
  const helpers = keys.some((key) => CREDENTIAL_HELPER.test(key)) ? helpersOf(users) : []
  const attributes: Override[] = config.some((entry) => isOwn(entry) && entry.key === ATTRIBUTES)
    ? [[ATTRIBUTES, lastOf(users, ATTRIBUTES) ?? defaultAttributes()]]
    : []
  const env: Record<string, string> = keys.includes(GIT_PROXY) ? { GIT_PROXY_COMMAND: "" } : {}
  const fences = guarded(others, ruled)
  return { overrides: [...off, ...ruled, ...fences, ...helpers, ...attributes], env }
}

/** @param ruled settings that are in force in place of those of `config`. */
function guarded(config: readonly ConfigEntry[], ruled: readonly Override[]): Override[] {
  if (!isFenced()) return []
  const inForce = new Map([...config.map(({ key, value }): Override => [key, value]), ...ruled])
  return listReaching([...inForce].map(([key, value]) => ({ key, value }))).map(
    ({ key }): Override => [key, neutralOf(key) ?? ""],
  )
}

const keysOf = (config: readonly GitProgram[], wanted: RegExp) => [
  ...new Set(config.map(({ key }) => key).filter((key) => wanted.test(key))),
]

function refusal({ key, scope }: GitProgram, config: readonly ConfigEntry[]): GitUnusableError {
  const file = config.find((entry) => entry.key === key && entry.scope === scope)?.file ?? ""
  const name = Buffer.from(key, "latin1").toString("utf8")
  return new GitUnusableError(
    "git.setting_unapproved",
    `${file} sets ${name}, which Coppice does not know to be harmless, and no person has approved it`,
    {
      hints: [
        "`coppice trust` shows it and asks you.",
        `\`git config --file ${shellWord(file)} --unset-all ${shellWord(name)}\` removes it.`,
      ],
    },
  )
}

const lastOf = (config: readonly GitProgram[], wanted: string) =>
  config.findLast(({ key }) => key === wanted)?.value

/** An empty value clears the list; then the user's own helpers follow in their order. */
const helpersOf = (users: readonly GitProgram[]): Override[] => [
  ["credential.helper", ""],
  ...users
    .filter(({ key }) => CREDENTIAL_HELPER.test(key))
    .map(({ key, value }): Override => [key, value]),
]

/** @see https://git-scm.com/docs/gitattributes */
const defaultAttributes = () =>
  join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git/attributes")
