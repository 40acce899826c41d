/** The versions of programs that Coppice needs, and how to compare versions. */

export type Version = { readonly major: number; readonly minor: number }

/** The first long-term release that runs TypeScript as it is. */
export const NODE_MAJOR_MIN = 24
/** The first git whose merge-tree makes many merges in one process, and the oldest that is tested. */
export const GIT_MIN: Version = { major: 2, minor: 39 }
export const GIT_HINT = `Install git ${GIT_MIN.major}.${GIT_MIN.minor} or newer, and see that it is on the PATH.`

/** The first version number in a text such as `git version 2.39.5`. */
export function findVersion(text: string): Version | undefined {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? []
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) }
}

export function isAtLeast(version: Version, least: Version): boolean {
  if (version.major !== least.major) return version.major > least.major
  return version.minor >= least.minor
}
