/** Makes a function of which one call runs at a time. */

/** One run at a time. Any number of calls during a run cause one more run after it. */
export function oneAtATime(run: () => Promise<void>): () => void {
  let isAsked = false
  let isBusy = false
  return async () => {
    isAsked = true
    if (isBusy) return
    isBusy = true
    while (isAsked) {
      isAsked = false
      await run()
    }
    isBusy = false
  }
}
