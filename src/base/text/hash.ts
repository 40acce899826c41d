/**
 * Names a text by a short number: 64-bit FNV-1a.
 *
 * Not node:crypto: every command needs this, and loading OpenSSL takes as long as the rest of it.
 * It distinguishes texts, but resists no attacker and keeps no secret.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9923.html
 */
const OFFSET_BASIS = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/** The hash of `text` as UTF-8, in 16 hex digits. */
export function fnv1a(text: string): string {
  let hash = OFFSET_BASIS
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME)
  return hash.toString(16).padStart(16, "0")
}
