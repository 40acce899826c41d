/**
 * The codes of addresses that act on a task: the number of their row, signed with a key of the home.
 *
 * So a repetition of a message has the same address, and the store holds none that works. The code is the
 * right to act: it is sent only to the places of `notify`, and is part of no event and no log.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { homeKey } from "../../kernel/store/home-keys.ts"
import type { Db } from "../../kernel/store/open.ts"

export const LINK_PATH = "/act/"

export const codeOf = (db: Db, id: number): string => `${id}-${sign(db, id)}`

/** @returns the number of the row; undefined if the code is not ours. */
export function readCode(db: Db, code: string): number | undefined {
  const [, id, mac] = /^([1-9]\d{0,14})-([\w-]{43})$/.exec(code) ?? []
  if (id === undefined || mac === undefined) return undefined
  const isOurs = timingSafeEqual(Buffer.from(mac), Buffer.from(sign(db, Number(id))))
  return isOurs ? Number(id) : undefined
}

function sign(db: Db, id: number): string {
  const key = homeKey(db, "links", () => randomBytes(32).toString("base64url"))
  return createHmac("sha256", key).update(`link ${id}`).digest("base64url")
}
