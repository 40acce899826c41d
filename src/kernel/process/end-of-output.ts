/** Keeps the end of a stream of bytes, up to a limit. */
export class Tail {
  readonly #bytesMax: number
  #chunks: Buffer[] = []
  #bytes = 0
  #cut = false

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > 2 * this.#bytesMax) this.#shrink()
  }

  /** The last bytes as text. It starts with `[…]` if earlier ones are missing. */
  text(): string {
    this.#shrink()
    const text = Buffer.concat(this.#chunks).toString("utf8")
    // The cut may split a character, whose remains decode to replacement characters.
    return this.#cut ? `[…]${text.replace(/^\ufffd+/, "")}` : text
  }

  #shrink(): void {
    if (this.#bytes <= this.#bytesMax) return
    const kept = Buffer.concat(this.#chunks).subarray(this.#bytes - this.#bytesMax)
    this.#chunks = [Buffer.from(kept)]
    this.#bytes = kept.length
    this.#cut = true
  }
}
