/**
 * A folder of Markdown files as a source; one with `status: ready` in its front matter is ready.
 *
 * The folder is in the home, which is a user's checkout, so no file in it ever changes: the record of a
 * claim is the store's row. A home has one daemon, so no other fleet claims the same file.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { findRealPlace } from "../../kernel/git/start/real-place.ts"
import { findPlain } from "../../kernel/process/plain-file.ts"
import { SourceError } from "./errors.ts"
import { readMarkdownItem } from "./rules/front-matter.ts"
import { isItemId } from "./rules/source-item.ts"
import type { Item, Source } from "./source.ts"

const SUFFIX = ".md"
/** A longer file is no work item. */
const FILE_BYTES_MAX = 256 * 1024
/** Reading more in one poll would block the daemon for long. */
const FILES_MAX = 1_000

type Found = Item & { readonly isReady: boolean }

/** @param folder absolute. */
export function filesSource(folder: string): Source {
  const readReady = (id: string) => {
    refuseLinks(folder)
    const found = isItemId(id) ? readItem(folder, id) : undefined
    return typeof found === "object" && found.isReady ? found : undefined
  }
  return {
    list: async () => list(folder),
    claim: async ({ item }) => {
      const found = readReady(item)
      return found ? { kind: "claimed", item: found } : { kind: "gone" }
    },
    read: async (id) => readReady(id),
    end: async () => ({ staysListed: true }),
  }
}

function list(folder: string): Awaited<ReturnType<Source["list"]>> {
  const names = readNames(folder).filter((name) => name.endsWith(SUFFIX) && !name.startsWith("."))
  const ids = names.map((name) => name.slice(0, -SUFFIX.length)).sort(inOrder.compare)
  const problems: string[] = []
  const ready = ids.slice(0, FILES_MAX).filter((id) => {
    const found = isItemId(id) ? readItem(folder, id) : "its name cannot be an id"
    if (typeof found === "string")
      problems.push(`${join(folder, id + SUFFIX)} is left out: ${found}.`)
    return typeof found === "object" && found.isReady
  })
  return { ready, isWhole: ids.length <= FILES_MAX, problems }
}

/** `2-later` comes before `10-last`. */
const inOrder = new Intl.Collator("en", { numeric: true })

/** A link that an agent landed leads to no items. */
function refuseLinks(folder: string): void {
  const place = findRealPlace(folder, [])
  if (place.kind !== "refused") return
  const why = `${place.link} is a symbolic link, and agents may write there`
  throw new SourceError("source.unreadable", `The folder ${folder} is not read: ${why}.`)
}

function readNames(folder: string): string[] {
  refuseLinks(folder)
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SourceError("source.unreadable", `The folder ${folder} cannot be read (${code}).`)
  }
}

/** @returns text: the reason why it is no item. */
function readItem(folder: string, id: string): Found | string {
  const address = join(folder, id + SUFFIX)
  const file = findPlain(address, { bytesMax: FILE_BYTES_MAX, follows: false })
  if (!file) return "it is not a plain, readable file of a moderate size"
  const read = readMarkdownItem(file.toString("utf8"), id)
  if (read.kind === "invalid") return read.why
  const { title, text, isReady } = read
  return { id, title, text, address, author: null, isReady }
}
