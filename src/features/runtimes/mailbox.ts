/** A queue that one reader takes from as an asynchronous sequence. */
export class Mailbox<Item> {
  readonly #items: Item[] = []
  #end: { readonly error: Error | undefined } | undefined
  #wake: () => void = () => {}

  put(item: Item): void {
    this.#items.push(item)
    this.#wake()
  }

  /** No more follow. @param error is thrown to the reader after the last item. */
  end(error?: Error): void {
    this.#end ??= { error }
    this.#wake()
  }

  async *take(): AsyncGenerator<Item, void> {
    for (;;) {
      const item = this.#items.shift()
      if (item !== undefined) yield item
      else if (this.#end?.error) throw this.#end.error
      else if (this.#end) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
