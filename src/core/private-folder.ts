/** Judges whether a folder is one user's alone, so that nobody else can have put anything there. Pure. */

export type FolderFacts = {
  readonly uid: number
  readonly mode: number
  isDirectory(): boolean
}

/**
 * @param uid of this process; undefined on systems that have none, where only the kind counts.
 * @returns what is wrong, continuing "the folder …"; undefined where it is private.
 */
export function folderFault(facts: FolderFacts, uid: number | undefined): string | undefined {
  if (!facts.isDirectory()) return "is no folder"
  if (uid === undefined) return undefined
  if (facts.uid !== uid) return `belongs to another user (uid ${facts.uid})`
  const open = facts.mode & 0o022
  return open === 0 ? undefined : "can be written by other users"
}
