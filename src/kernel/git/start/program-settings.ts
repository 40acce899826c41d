/**
 * Which settings of a repository's own git configuration make git run a program. Pure.
 *
 * Settings that Coppice always overrules (hooks, monitors, `protocol.ext`) are not listed: they never
 * run, so no approval is needed.
 */
export type GitProgram = {
  /** Raw bytes, section and name in lower case. */
  readonly key: string
  /** Raw bytes. */
  readonly value: string
  /** `system`, `global`: the user's own. `local`, `worktree`: the repository's. */
  readonly scope: string
}

export type ProgramRule = {
  readonly key: RegExp
  /** The value in force if the user has set none. */
  readonly neutral: string
}

export const PROGRAM_RULES: readonly ProgramRule[] = [
  { key: /^filter\..*\.(clean|smudge|process)$/s, neutral: "" }, // content stays as it is
  { key: /^merge\..*\.driver$/s, neutral: "false" }, // a conflict
  { key: /^diff\.(.*\.)?(command|external)$/s, neutral: "false" },
  { key: /^diff\..*\.textconv$/s, neutral: "cat" },
  { key: /^core\.sshcommand$/, neutral: "ssh" },
  { key: /^core\.(editor|askpass|alternaterefscommand)$/, neutral: "true" },
  { key: /^sequence\.editor$/, neutral: "true" },
  { key: /^(core\.pager|interactive\.difffilter)$/, neutral: "cat" },
  { key: /^gpg\.(.*\.)?(program|defaultkeycommand)$/s, neutral: "false" },
  { key: /^trailer\..*\.(command|cmd)$/s, neutral: "true" },
  { key: /^remote\..*\.uploadpack$/s, neutral: "git-upload-pack" },
  { key: /^remote\..*\.receivepack$/s, neutral: "git-receive-pack" },
]
/** Each value of these adds to those before. */
export const CREDENTIAL_HELPER = /^credential\.(.*\.)?helper$/s
export const GIT_PROXY = "core.gitproxy"

const isProgram = (key: string) =>
  PROGRAM_RULES.some((rule) => rule.key.test(key)) ||
  CREDENTIAL_HELPER.test(key) ||
  key === GIT_PROXY

const isOwn = (scope: string) => scope === "local" || scope === "worktree"

/** The programs that the repository's own configuration names, for a person to approve. */
export function listGitPrograms(config: readonly GitProgram[]): GitProgram[] {
  return config
    .filter(({ scope, value, key }) => isOwn(scope) && value !== "" && isProgram(key))
    .map(({ key, value, scope }) => ({ key, value, scope }))
}

/** The text to hash: equal for the same programs, names and order. */
export const textOfPrograms = (programs: readonly GitProgram[]): string =>
  programs.flatMap(({ scope, key, value }) => [scope, key, value]).join("\0")
