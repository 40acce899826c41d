/** Judges whether only one user can have put anything into a folder. Pure. */

export type FolderFacts = {
  readonly uid: number
  readonly gid: number
  readonly mode: number
  isDirectory(): boolean
}

/**
 * Checks a parent folder: a user who can write there could replace the folder in it, unless the
 * parent is sticky.
 *
 * Group write is accepted for the private group that many systems give each user. We recognise it by
 * its number, which is the user's own, and do not know its members.
 *
 * @param user of this process, with the primary group. @returns as {@link folderFault}.
 */
export function faultAbove(
  above: FolderFacts,
  { uid, gid }: { readonly uid: number | undefined; readonly gid: number | undefined },
): string | undefined {
  if (uid === undefined) return undefined
  if (above.uid !== 0 && above.uid !== uid)
    return `is in a folder of another user (uid ${above.uid})`
  const isSticky = (above.mode & 0o1000) !== 0
  if (isSticky) return undefined
  if ((above.mode & 0o002) !== 0) return "is in a folder that all users can write"
  const isPrivateGroup = above.gid === gid && above.gid === uid
  return isPrivateGroup || (above.mode & 0o020) === 0
    ? undefined
    : `is in a folder that a group can write (gid ${above.gid})`
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
