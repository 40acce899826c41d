/**
 * Finds the settings of a repository's own git configuration that make git run a program. Pure.
 *
 * Settings that our git always overrules (hooks, monitors, editors, signing) are not listed: they
 * never run, so nobody has to approve them.
 */
export type GitSetting = {
  /** As `git config --list` prints it: section and name in lower case. */
  readonly key: string
  readonly value: string
}

const PROGRAMS: readonly RegExp[] = [
  /^filter\..*\.(clean|smudge|process)$/s,
  /^merge\..*\.driver$/s,
  /^diff\.(external|(.*\.)?(command|textconv))$/s,
  /^core\.(sshcommand|gitproxy|alternaterefscommand|askpass)$/,
  /^credential\.(.*\.)?helper$/s,
  /^remote\..*\.(uploadpack|receivepack|vcs)$/s,
  /^protocol\.(.*\.)?allow$/s,
  /^lfs\.(customtransfer\..*\.path|extension\..*\.(clean|smudge))$/s,
]

/** `ext::sh -c …` and its like: a helper program in the place of an address. */
const HELPER = /^[A-Za-z][A-Za-z0-9+.-]*::/

/** Those of `settings` that name a program, in their order. */
export function listGitPrograms(settings: readonly GitSetting[]): GitSetting[] {
  return settings.filter(
    ({ key, value }) =>
      (PROGRAMS.some((pattern) => pattern.test(key)) && value !== "") || namesHelper(key, value),
  )
}

function namesHelper(key: string, value: string): boolean {
  if (/^remote\..*\.(push)?url$/s.test(key)) return HELPER.test(value)
  if (/^submodule\..*\.update$/s.test(key)) return value.startsWith("!")
  const url = /^url\.(.*)\.(push)?insteadof$/s.exec(key)?.[1]
  return url !== undefined && HELPER.test(url)
}
