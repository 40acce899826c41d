/** Judges whether only one user can have put anything into a folder. Pure. */

export type FolderFacts = {
  readonly uid: number
  readonly mode: number
  isDirectory(): boolean
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
