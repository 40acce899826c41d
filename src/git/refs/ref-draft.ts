/**
 * A lock of a ref that says whose it is, for those that this program takes itself.
 *
 * Git's lock of a ref is a file beside it that will become the ref, so nothing can be written in it of
 * who made it. This one is a second name of a draft, whose first name tells the process and the ref:
 * when that process is gone, and the lock is still the very file of its draft, whoever comes next
 * removes both. Git sees a lock like any other.
 */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { RefName } from "../../core/ids.ts"
import { readIdentity } from "../../process/identity.ts"

/** In the common git directory. */
const FOLDER = "coppice.refs"

export type RefLock = Disposable & {
  /** The lock becomes the ref, by one rename. */
  commit(): void
}

/**
 * Takes the lock of a ref whose file is to hold `text`. The folder of the ref must be there.
 *
 * @throws what the system says: `EEXIST` where somebody has it.
 */
export function takeRefLock(commonDir: string, ref: RefName, text: string): RefLock {
  const folder = join(commonDir, FOLDER)
  const draft = join(folder, nameOf(ref))
  const path = lockOf(commonDir, ref)
  mkdirSync(folder, { recursive: true })
  removeLeft(commonDir, folder)
  try {
    writeFileSync(draft, text, { flag: "wx" })
    linkSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  let isOurs = true // from then on another may have one in its place
  return {
    commit() {
      renameSync(path, join(commonDir, ref))
      isOurs = false
    },
    [Symbol.dispose]() {
      if (isOurs) rmSync(path, { force: true })
      rmSync(draft, { force: true })
    },
  }
}

/** All of this is done without a pause, so that a draft of ours was left by a call that failed. */
function removeLeft(commonDir: string, folder: string): void {
  for (const name of readdirSync(folder)) {
    const [pid = "", identity = "", ref = ""] = name.split(" ").map(decodeURIComponent)
    const isTold = /^\d+$/.test(pid) && ref.startsWith("refs/heads/") && !ref.includes("..")
    const isAlive = Number(pid) !== process.pid && readIdentity(Number(pid)) === identity
    if (!isTold || isAlive) continue
    const [draft, lock] = [join(folder, name), lockOf(commonDir, ref as RefName)]
    if (isSameFile(draft, lock)) rmSync(lock, { force: true })
    rmSync(draft, { force: true })
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => lstatSync(path, { throwIfNoEntry: false }))
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev
}

const lockOf = (commonDir: string, ref: RefName) => join(commonDir, `${ref}.lock`)

let own: string | undefined

function nameOf(ref: RefName): string {
  own ??= readIdentity(process.pid) ?? ""
  return [String(process.pid), own, ref].map(encodeURIComponent).join(" ")
}
