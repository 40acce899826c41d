/** Fetches an answer whole and within a size, and lets the caller decide about redirects. */

/** A page of 100 items with long texts is smaller. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/** An error whose message names no address, so a person may see it. */
export class AnswerError extends Error {}

/** @throws {Error} also when the answer ends early, or is larger than it may be. */
export async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const { status, headers, body } = await fetch(url, { ...init, redirect: "manual" })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new AnswerError("the answer is larger than it may be")
    chunks.push(chunk)
  }
  return new Response(bytes > 0 ? Buffer.concat(chunks) : null, { status, headers })
}
