/**
 * Makes sure that the program at our address is the daemon that this browser has logged in to.
 *
 * While no daemon runs, another user of the machine can listen on its port. Such a program must get
 * neither the key nor the cookie, so the page asks for a proof first, and sends neither with it.
 */
import type { ProofRequest } from "../../src/api/wire/browser.ts"

/** A daemon that proves itself later than that does not answer. */
const PROOF_MS_MAX = 10_000

const encoder = new TextEncoder()

/** @returns undefined if it does not know the session. @throws if it is another program. */
export async function askForProof(
  key: string,
): Promise<{ readonly readOnly: boolean } | undefined> {
  const nonce = crypto.randomUUID()
  const body: ProofRequest = { name: await digest("name", key), nonce }
  const response = await fetch("/session/proof", {
    method: "POST",
    credentials: "omit",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PROOF_MS_MAX),
  })
  if (response.status === 401) return undefined
  const { proof, readOnly } = (await response.json()) as { proof?: unknown; readOnly?: unknown }
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const raw = encoder.encode(await digest("proof", key))
  const proofKey = await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"])
  const wanted = base64url(await crypto.subtle.sign("HMAC", proofKey, encoder.encode(nonce)))
  if (proof !== wanted) throw new Error("the proof is wrong")
  return { readOnly: readOnly === true }
}

async function digest(purpose: string, key: string): Promise<string> {
  return base64url(await crypto.subtle.digest("SHA-256", encoder.encode(`${purpose} ${key}`)))
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}
