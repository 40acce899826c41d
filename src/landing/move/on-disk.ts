/** Reads the entry at a path of a checkout, never through a link. */
import { createHash } from "node:crypto"
import { lstatSync, readlinkSync, type Stats } from "node:fs"
import type { GitPath, Oid } from "../../core/ids.ts"
import { ifExists } from "../../git/start/git-dir.ts"
import { joinBytes, parentsOf } from "../../git/start/path.ts"
import { readLarge, readPlain } from "../../process/plain-file.ts"

export type OnDisk = { readonly kind: "absent" | "folder" | "other" } | OnDiskFile
export type OnDiskFile = {
  readonly kind: "file" | "link"
  /** The content; for a link, its target. */
  readonly bytes: Buffer
  /** As git writes it, six octal digits. */
  readonly mode: string
}

export const LINK_MODE = "120000"
/** Reads synchronously, which is faster than yielding. */
const SMALL_BYTES_MAX = 64 * 1024

export async function readOnDisk(checkout: string, path: GitPath): Promise<OnDisk> {
  for (const parent of parentsOf(path))
    if (!stat(checkout, parent)?.isDirectory()) return { kind: "absent" }
  const full = joinBytes(checkout, path)
  const found = stat(checkout, path)
  if (!found) return { kind: "absent" }
  if (found.isDirectory()) return { kind: "folder" }
  if (found.isSymbolicLink())
    return { kind: "link", bytes: readlinkSync(full, { encoding: "buffer" }), mode: LINK_MODE }
  if (!found.isFile()) return { kind: "other" }
  const mode = (found.mode & 0o100) === 0 ? "100644" : "100755"
  const read = found.size <= SMALL_BYTES_MAX ? readPlain : readLarge
  const bytes = await read(full, { follows: false })
  return bytes ? { kind: "file", bytes, mode } : { kind: "absent" }
}

/** The id of a blob of these bytes, in the same hash as `like`. */
export function blobOid(bytes: Buffer, like: Oid): Oid {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256")
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") as Oid
}

function stat(checkout: string, path: GitPath): Stats | undefined {
  return ifExists(() => lstatSync(joinBytes(checkout, path), { throwIfNoEntry: false }))
}
