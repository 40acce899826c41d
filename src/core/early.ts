/** Promises of work that is begun before anybody waits for it. Pure. */

/**
 * A promise that may be awaited late, or never. Whoever awaits it gets its error; until then, and if
 * nobody does because nothing came to need it, the error is nobody's.
 */
export function early<T>(promise: Promise<T>): Promise<T> {
  const nobodys = () => {}
  promise.catch(nobodys)
  return promise
}
