/** Names the holder of a conversation: a program, and the place where it keeps it. */
import { createHash } from "node:crypto"
import type { Runtime } from "../../kernel/runtime/runtime.ts"

/** @param place may be secret, so the name contains only a hash of it. */
export function holderName(name: Runtime["name"], place: readonly string[]): string {
  return `${name} ${createHash("sha256").update(place.join("\0")).digest("hex").slice(0, 12)}`
}
