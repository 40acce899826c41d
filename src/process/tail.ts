/** Keeps the end of a stream of bytes, within a bound. */
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

  /** The last bytes as text; begins with a mark where something is missing before them. */
  text(): string {
    this.#shrink()
    const text = Buffer.concat(this.#chunks).toString("utf8")
    // The cut may have gone through a character: its remains decode to replacement characters.
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
