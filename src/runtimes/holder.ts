/** Names who holds a conversation: a program, and the place in which it keeps it. */
import { createHash } from "node:crypto"
import type { Runtime } from "./runtime.ts"

/** @param place may hold what is secret, so it is told apart and not told. */
export function holderName(name: Runtime["name"], place: readonly string[]): string {
  return `${name} ${createHash("sha256").update(place.join("\0")).digest("hex").slice(0, 12)}`
}
