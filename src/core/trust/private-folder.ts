/** Judges whether only one user can have put anything into a folder. Pure. */

export type FolderFacts = {
  readonly uid: number
  readonly mode: number
  isDirectory(): boolean
}

/** The owner of a folder above may replace it with another one. @returns as {@link folderFault}. */
export function faultAbove(above: FolderFacts, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined
  if (above.uid !== 0 && above.uid !== uid)
    return `is in a folder of another user (uid ${above.uid})`
  const isSticky = (above.mode & 0o1000) !== 0
  return isSticky || (above.mode & 0o002) === 0
    ? undefined
    : "is in a folder that all users can write"
}

/**
 * @param uid of this process; undefined on systems without uids, which check only the kind.
 * @returns the fault, continuing "the folder …"; undefined if it is private.
 */
export function folderFault(facts: FolderFacts, uid: number | undefined): string | undefined {
  if (!facts.isDirectory()) return "is not a folder"
  if (uid === undefined) return undefined
  if (facts.uid !== uid) return `belongs to another user (uid ${facts.uid})`
  const open = facts.mode & 0o022
  return open === 0 ? undefined : "can be written by other users"
}
