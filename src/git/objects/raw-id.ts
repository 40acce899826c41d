/** Object ids as the bytes that stand in a tree. Pure. */
import type { Oid } from "../../core/ids.ts"

export const rawId = (oid: Oid): string => Buffer.from(oid, "hex").toString("latin1")
export const oidOf = (id: string): Oid => Buffer.from(id, "latin1").toString("hex") as Oid
